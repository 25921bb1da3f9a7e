// What a person asked for, held against what came of it.
//
// A command that ended with 0 was granted. One that was killed, or ended with 69 or 75, may have
// been done or not: it allows what it asked for, and demands nothing.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "test/chaos/judge.h"
#include "test/chaos/judge_index.h"

namespace cronce::chaos {
namespace {

constexpr int kDone = 0;
constexpr int kNotFound = 66;
constexpr int kAway = 69;
constexpr int kTryLater = 75;
constexpr int kKilled = 128 + 9;

bool is_unknown(const Act& act) {
  return act.killed || act.exit_code == kAway || act.exit_code == kTryLater;
}

/// From when to when it is certain that a job is paused.
struct Paused {
  Millis from = 0;
  Millis to = 0;
  bool has(Millis time) const { return from + kClocks < time && time < to - kClocks; }
};

class ActsJudge {
 public:
  explicit ActsJudge(const Evidence& evidence)
      : evidence_(evidence), index_(evidence), began_(index_.began) {}

  void look_at_exit_codes();
  void look_at_requests();
  void look_at_pauses();
  void look_at_cancels();
  void look_at_grants();
  void look_at_backfills();
  void look_at_releases();
  void look_at_keys();

  std::vector<Violation> take() { return std::move(found_); }

 private:
  template <class... T>
  void object(Rule rule, fmt::format_string<T...> text, T&&... values) {
    found_.push_back({rule, fmt::format(text, std::forward<T>(values)...)});
  }
  std::vector<Paused> pauses_of(const std::string& job) const;
  const Act* who_asked(const Record& record, What what, bool again) const;
  const Record* before(const Record& record) const;
  bool is_of_backfill(const Record& record) const;
  bool may_be_backfill(const RunRef& run) const;
  bool ran_before(const Record& record) const;

  const Evidence& evidence_;
  JudgeIndex index_;
  const std::map<RunRef, const WitnessLine*>& began_;
  std::vector<Violation> found_;
};

/// What docs/operations.md promises, and of it what can come of these commands.
void ActsJudge::look_at_exit_codes() {
  for (const Act& act : evidence_.acts) {
    if (act.what == What::drop) continue;
    std::set<int> allowed{kDone, kAway, kTryLater};
    const bool of_guests = std::any_of(act.jobs.begin(), act.jobs.end(), [&](const auto& job) {
      return index_.jobs.contains(job) && index_.jobs.at(job)->guest;
    });
    const bool of_runs = act.what == What::cancel || act.what == What::backfill ||
                         act.what == What::release || of_guests;
    if (of_runs) allowed.insert(kNotFound);
    if (act.waits) allowed.insert({1, 3, 124, 128 + 9, 128 + 15});
    if (act.killed) allowed.insert(kKilled);
    if (allowed.contains(act.exit_code)) continue;
    object(Rule::harness, "{} {} ended with exit code {}: {}", name_of(act.what),
           fmt::join(act.jobs, " "), act.exit_code, act.said);
  }
}

/// No request but a person's.
void ActsJudge::look_at_requests() {
  for (const auto& [slot, attempts] : index_.slots) {
    if (slot.request.empty()) continue;
    const bool asked =
        std::any_of(evidence_.acts.begin(), evidence_.acts.end(), [&](const Act& act) {
          return act.what == What::trigger && act.request == slot.request &&
                 is_about(act, slot.job);
        });
    if (!asked) object(Rule::extra, "nobody asked for {}", print(slot));
  }
}

/// From the end of the command that paused it to the beginning of any other that may have changed
/// that.
std::vector<Paused> ActsJudge::pauses_of(const std::string& job) const {
  std::vector<const Act*> acts;
  for (const Act& act : evidence_.acts) {
    const bool matters = act.what == What::pause || act.what == What::resume;
    if (matters && is_about(act, job)) acts.push_back(&act);
  }
  std::vector<Paused> out;
  for (const Act* act : acts) {
    if (act->what != What::pause || act->exit_code != kDone) continue;
    Paused paused{act->ended, evidence_.to};
    if (act->until_ms > 0) paused.to = std::min(paused.to, act->began + act->until_ms);
    for (const Forgotten& one : evidence_.forgotten) {
      const bool is_known = act->ended < one.from - kClocks;
      if (act->began < one.to && !is_known) paused.to = std::min(paused.to, one.to);
    }
    for (const Act* other : acts) {
      if (other != act && other->ended > act->began) paused.to = std::min(paused.to, other->began);
    }
    if (paused.from < paused.to) out.push_back(paused);
  }
  return out;
}

/// A slot of that time is nobody's but a backfill's, and nothing but a request is claimed.
void ActsJudge::look_at_pauses() {
  std::map<std::string, std::vector<Paused>> pauses;
  for (const auto& [name, job] : index_.jobs) pauses[name] = pauses_of(name);
  for (const auto& [run, line] : began_) {
    const Record* record = index_.find(run);
    if (!run.of.request.empty() || record == nullptr) continue;
    for (const Paused& paused : pauses[run.of.job]) {
      const bool by_schedule = !is_of_backfill(*record) && paused.has(run.of.slot);
      if (!by_schedule && !paused.has(record->claimed_at)) continue;
      object(Rule::word, "{} began, and its job was paused from {} to {}", print(*record),
             print_time(paused.from), print_time(paused.to));
    }
  }
}

/// However a cancelled run ends: nobody but a person has it tried again.
void ActsJudge::look_at_cancels() {
  std::set<RunRef> cancelled;
  for (const auto& [run, record] : index_.records) {
    if (record->state == "cancelled" && record->reason != "late") cancelled.insert(run);
  }
  for (const Act& act : evidence_.acts) {
    if (act.what != What::cancel || index_.is_forgotten(act)) continue;
    cancelled.insert(act.runs.begin(), act.runs.end());
  }
  for (const RunRef& run : cancelled) {
    const Record* next = index_.find({run.of, run.attempt + 1});
    if (next == nullptr || next->kind == "backfill" || may_be_backfill(next->ref())) continue;
    object(Rule::word, "{} was cancelled, and {} came after it", print(run), print(*next));
  }
}

/// What a command says that it made is there, and nobody else made it too.
void ActsJudge::look_at_grants() {
  std::set<RunRef> granted;
  for (const Act& act : evidence_.acts) {
    if (act.what != What::backfill || index_.is_forgotten(act)) continue;
    for (const RunRef& run : act.runs) {
      const Record* record = index_.find(run);
      if (record == nullptr || record->kind != "backfill") {
        object(Rule::word, "backfill of {} was granted, and has no record", print(run));
      }
      if (!granted.insert(run).second) {
        object(Rule::word, "backfill of {} was granted twice", print(run));
      }
    }
  }
}

/// `again`: only of those that said so.
const Act* ActsJudge::who_asked(const Record& record, What what, bool again) const {
  const auto found =
      std::find_if(evidence_.acts.begin(), evidence_.acts.end(), [&](const Act& act) {
        if (act.what != what || !is_about(act, record.job) || (again && !act.again)) return false;
        const bool in_range =
            what != What::backfill || (act.from <= record.slot && record.slot <= act.to);
        const bool named =
            std::find(act.runs.begin(), act.runs.end(), record.ref()) != act.runs.end();
        return named || (is_unknown(act) && in_range);
      });
  return found == evidence_.acts.end() ? nullptr : &*found;
}

const Record* ActsJudge::before(const Record& record) const {
  return index_.find({record.slot_ref(), record.attempt - 1});
}

/// One, or what followed when it was lost or failed.
bool ActsJudge::is_of_backfill(const Record& record) const {
  const Record* one = &record;
  while (one != nullptr && one->kind != "backfill" && !may_be_backfill(one->ref())) {
    one = before(*one);
  }
  return one != nullptr;
}

/// It was put back, and a person had asked for it.
bool ActsJudge::may_be_backfill(const RunRef& run) const {
  return index_.was_put_back(run) && asked_for_backfill(evidence_, run.of, began_.at(run)->at);
}

bool ActsJudge::ran_before(const Record& record) const {
  const auto first = began_.lower_bound({record.slot_ref(), 0});
  return first != began_.end() && first->first < record.ref() &&
         first->first.of == record.slot_ref();
}

void ActsJudge::look_at_backfills() {
  for (const auto& [run, record] : index_.records) {
    if (record->kind != "backfill") continue;
    const Record* last = before(*record);
    if (last != nullptr && last->state == "returned") continue;  // the same, once more
    const bool again = ran_before(*record);
    if (who_asked(*record, What::backfill, again) != nullptr) continue;
    object(again ? Rule::twice : Rule::word, "{} is a backfill that nobody asked for{}",
           print(*record), again ? ", of what had run" : "");
  }
}

/// What is held after a loss begins when somebody lets it.
void ActsJudge::look_at_releases() {
  for (const auto& [run, line] : began_) {
    const Record* record = index_.find(run);
    const auto job = index_.jobs.find(run.of.job);
    const bool held = job != index_.jobs.end() && job->second->hold;
    if (record == nullptr || record->kind != "rerun" || !held) continue;
    const Record* last = before(*record);
    if (last != nullptr && last->state == "returned") continue;
    if (who_asked(*record, What::release, false) == nullptr) {
      object(Rule::word, "{} began, and nobody had released it", print(*record));
    }
  }
}

/// One key for all attempts of a slot; a backfill of what had run has another.
void ActsJudge::look_at_keys() {
  const WitnessLine* last = nullptr;
  for (const auto& [run, line] : began_) {  // attempts of one slot follow one another
    const bool is_known = !may_be_backfill(run);
    if (last != nullptr && last->slot_ref() == run.of && is_known) {
      bool again = false;
      for (RunRef one{run.of, last->attempt + 1}; one.attempt <= run.attempt; ++one.attempt) {
        const Record* record = index_.find(one);
        again = again || (record != nullptr && record->kind == "backfill");
      }
      if (again == (line->key == last->key)) {
        object(Rule::word, "{} has the key {}, and {} before it had {}", print(run), line->key,
               print(last->ref()), last->key);
      }
    }
    last = line;
  }
}

}  // namespace

std::vector<Violation> judge_acts(const Evidence& evidence) {
  ActsJudge judge(evidence);
  judge.look_at_exit_codes();
  judge.look_at_requests();
  judge.look_at_pauses();
  judge.look_at_cancels();
  judge.look_at_grants();
  judge.look_at_backfills();
  judge.look_at_releases();
  judge.look_at_keys();
  return judge.take();
}

}  // namespace cronce::chaos
