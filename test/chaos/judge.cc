#include "test/chaos/judge.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "test/chaos/judge_index.h"

namespace cronce::chaos {
namespace {

/// How long a file may need that brings a job back: nodes are frozen, and the store is held.
constexpr Millis kComesBack = 20 * kSecond;

/// Nothing of it ever ran.
/// A shell's words for what could not be started, and for signals.
constexpr int kNoExit = 126;

bool says_never_began(const Record& record) {
  return one_of(record.state, {"pending", "held", "skipped", "returned"}) ||
         (record.state == "failed" && record.reason == "spawn");
}

class Judge {
 public:
  explicit Judge(const Evidence& evidence) : evidence_(evidence), index_(evidence) {}

  void look_at_starts();
  void look_at_overlap();
  void look_at_records();
  void look_at_slots();
  void look_at_requests();
  void compare_ends();
  void compare_findings();
  void compare_stories();
  void compare_jobs();

  std::vector<Violation> take() { return std::move(found_); }

 private:
  template <class... T>
  void object(Rule rule, fmt::format_string<T...> text, T&&... values) {
    found_.push_back({rule, fmt::format(text, std::forward<T>(values)...)});
  }
  void compare_start(const WitnessLine& line);
  bool may_begin_again(const WitnessLine& line, const WitnessLine& before) const;
  bool was_dropped(const JobSpec& job, Millis slot) const;
  void look_at_attempts(const std::vector<const Record*>& attempts);

  const Evidence& evidence_;
  JudgeIndex index_;
  std::vector<Violation> found_;
};

/// Only by the policy of its job, or by a person.
bool Judge::may_begin_again(const WitnessLine& line, const WitnessLine& before) const {
  const JobSpec& job = *index_.jobs.at(line.job);
  if (index_.was_put_back(line.ref())) {
    const auto end = index_.ended.find(before.ref());
    const bool failed = end == index_.ended.end() || end->second != 0;
    return line.attempt > before.attempt &&
           ((failed && job.retries > 0) || job.rerun || job.hold ||
            asked_for_backfill(evidence_, line.slot_ref(), line.at));
  }
  const Record* record = index_.find(line.ref());
  const std::string kind = record == nullptr ? "" : record->kind;
  return (kind == "retry" && job.retries > 0) || (kind == "rerun" && (job.rerun || job.hold)) ||
         kind == "backfill";
}

/// Each attempt once, each slot once unless the job asks for more, with growing fences.
void Judge::look_at_starts() {
  std::map<RunRef, const WitnessLine*> began;
  std::map<SlotRef, const WitnessLine*> starts;
  std::map<std::string, const WitnessLine*> last;
  for (const WitnessLine& line : evidence_.witness) {
    if (line.what == "end") continue;
    if (!index_.jobs.contains(line.job)) {
      object(Rule::harness, "the witness knows a job {}", line.job);
      continue;
    }
    const auto [first, is_first] = began.insert({line.ref(), &line});
    if (!is_first) {
      object(Rule::twice, "{} began on {} and on {}", print(line.ref()), first->second->node,
             line.node);
    }
    const WitnessLine* earlier = std::exchange(starts[line.slot_ref()], &line);
    if (earlier != nullptr && is_first && !may_begin_again(line, *earlier)) {
      object(Rule::twice, "{} began again, and nobody wants that", print(line.ref()));
    }
    const WitnessLine*& before = last[line.job];
    if (before != nullptr && before->fence >= line.fence) {
      object(Rule::fence, "{} has fence {}, and {} before it had {}", print(line.ref()), line.fence,
             print(before->ref()), before->fence);
    }
    before = &line;
    if (line.request.empty() && line.at < line.slot - kClocks) {
      object(Rule::early, "{} began {} ms early", print(line.ref()), line.slot - line.at);
    }
    compare_start(line);
  }
}

void Judge::compare_start(const WitnessLine& line) {
  const Record* found = index_.find(line.ref());
  const bool says_unknown =
      found == nullptr ||
      (found->fence == 0 && one_of(found->reason, {"regressed", "store_regressed"}));
  if (says_unknown && index_.was_not_told(line)) return;
  if (found == nullptr) {
    object(Rule::untrue, "{} began on {}, and has no record", print(line.ref()), line.node);
    return;
  }
  const Record& record = *found;
  if (says_never_began(record)) {
    object(Rule::untrue, "{} began on {}", print(record), line.node);
  }
  // Of an incarnation that was forgotten too nobody knows the name.
  const bool nameless = record.node.empty() && index_.was_put_back(line.ref());
  if (record.fence != line.fence || (record.node != line.node && !nameless)) {
    object(Rule::untrue, "{} is said to be fence {} on {}, and was fence {} on {}", print(record),
           record.fence, record.node, line.fence, line.node);
  }
}

/// By the lock that the actor holds, and by the order of lines: once another run has begun, none
/// of those before says anything any more.
void Judge::look_at_overlap() {
  std::map<std::string, RunRef> current;
  for (const WitnessLine& line : evidence_.witness) {
    const RunRef run = line.ref();
    if (line.what == "beside") {
      object(Rule::overlap, "{} began on {} while another run was alive", print(line.ref()),
             line.node);
    }
    if (line.what != "end") {
      current[line.job] = run;
    } else if (const auto now = current.find(line.job); now == current.end()) {
      object(Rule::harness, "{} ended and never began", print(line.ref()));
    } else if (now->second != run) {
      object(Rule::overlap, "{} ended after the next run had begun", print(line.ref()));
    }
  }
}

/// Each record is of a slot of its job, and the only one of its attempt.
void Judge::look_at_records() {
  std::set<RunRef> seen;
  for (const Record& record : evidence_.records) {
    const auto job = index_.jobs.find(record.job);
    if (job == index_.jobs.end() || record.slot % (job->second->every_s * kSecond) != 0) {
      object(Rule::extra, "{} is no slot of the job", print(record));
    }
    if (!seen.insert(record.ref()).second) {
      object(Rule::extra, "{} has a second record", print(record));
    }
  }
  for (const auto& [slot, attempts] : index_.slots) look_at_attempts(attempts);
}

void Judge::look_at_attempts(const std::vector<const Record*>& attempts) {
  // Of a time in which there was no such job a backfill may be the first that is recorded.
  const Record& first = *attempts.front();
  const auto job = index_.jobs.find(first.job);
  const bool unrecorded = first.slot <= evidence_.from ||
                          (job != index_.jobs.end() && was_dropped(*job->second, first.slot));
  int number = unrecorded && first.kind == "backfill" ? first.attempt - 1 : 0;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const Record* record = attempts[i];
    // Before it came some that never began.
    const bool follows = record->attempt > ++number && index_.was_put_back(record->ref());
    if (follows) number = record->attempt;
    if (record->attempt != number) {
      object(Rule::extra, "{} is the {}. of its slot", print(*record), number);
      return;
    }
    if (i + 1 == attempts.size()) continue;
    // A late result of what was lost may be of any kind.
    const bool may_repeat = is_end(record->state) && record->state != "skipped";
    const bool asked = is_end(record->state) && attempts[i + 1]->kind == "backfill";
    const bool put_back = index_.was_put_back(attempts[i + 1]->ref());
    if (record->state != "returned" && !may_repeat && !asked && !put_back) {
      object(Rule::extra, "{} has another attempt after it", print(*record));
    }
  }
}

/// While no file named the job it had no slots. A store that is put back to such a time has to be
/// told once more.
bool Judge::was_dropped(const JobSpec& job, Millis slot) const {
  return std::any_of(evidence_.acts.begin(), evidence_.acts.end(), [&](const Act& act) {
    const bool drops = act.what == What::drop || (act.what == What::retire && act.exit_code == 0);
    Millis end = act.ended + kComesBack;
    for (const Forgotten& one : evidence_.forgotten) {
      if (act.began <= one.from && one.from <= end) end = std::max(end, one.to + kComesBack);
    }
    return job.guest && drops && is_about(act, job.name) && act.began - kClocks <= slot &&
           slot <= end;
  });
}

/// From the schedule alone: nothing between the first and the last is forgotten.
void Judge::look_at_slots() {
  for (const JobSpec& job : evidence_.jobs) {
    const Millis interval = job.every_s * kSecond;
    for (Millis slot = (evidence_.from / interval + 1) * interval; slot <= evidence_.to;
         slot += interval) {
      const auto found = index_.slots.find({job.name, slot});
      if (found == index_.slots.end() && was_dropped(job, slot)) continue;
      if (found == index_.slots.end()) {
        object(Rule::missing, "{}@{} has no record", job.name, print_time(slot));
      } else if (!is_end(found->second.back()->state)) {
        object(Rule::missing, "{} has not ended", print(*found->second.back()));
      }
    }
  }
}

/// What was granted to a person is kept, and has an end.
void Judge::look_at_requests() {
  for (const Act& act : evidence_.acts) {
    if (act.what != What::trigger || act.exit_code != 0) continue;
    const auto found = index_.slots.find({act.jobs.front(), 0, act.request});
    if (found == index_.slots.end() && !index_.is_forgotten(act)) {
      object(Rule::missing, "{}@manual/{} was granted, and has no record", act.jobs.front(),
             act.request);
    }
  }
  for (const auto& [slot, attempts] : index_.slots) {
    if (slot.request.empty() || is_end(attempts.back()->state)) continue;
    object(Rule::missing, "{} has not ended", print(*attempts.back()));
  }
}

/// `succeeded` and an exit code are claims about the command: its own last line must agree.
void Judge::compare_ends() {
  const auto& ended = index_.ended;
  for (const Record& record : evidence_.records) {
    const bool exited = record.reason == "exit" || (record.reason == "retries_exhausted" &&
                                                    record.exit_code.value_or(kNoExit) < kNoExit);
    const bool by_itself = record.state == "succeeded" || (record.state == "failed" && exited);
    const auto end = ended.find(record.ref());
    if (by_itself && end == ended.end()) {
      object(Rule::untrue, "{} never came to its end", print(record));
    } else if (by_itself && record.exit_code != end->second) {
      object(Rule::untrue, "{} ended with exit code {}", print(record), end->second);
    } else if (record.state == "running") {
      object(Rule::untrue, "{} is said to run when nothing runs any more", print(record));
    }
  }
}

/// What `verify` finds that cannot be for the lack of time: slots missing, twice, or of nobody. Of
/// overlaps the witness knows more than the clocks of the nodes, and of what was put back more than
/// the store, which guesses how it came about.
void Judge::compare_findings() {
  for (const Finding& one : evidence_.findings) {
    if (!one_of(one.what, {"missing", "duplicate", "unexpected"})) continue;
    if (one.what == "duplicate" && index_.was_put_back(one.run)) continue;
    object(Rule::missing, "verify says: {}", one.text);
  }
}

void Judge::compare_stories() {
  for (const auto& [slot, story] : evidence_.stories) {
    const auto found = index_.slots.find(slot);
    if (found == index_.slots.end()) continue;
    const Record& last = *found->second.back();
    const std::string state =
        last.reason.empty() ? last.state : fmt::format("{}: {}", last.state, last.reason);
    const std::string expected = fmt::format("{}  {}", print(slot), state);
    if (story != expected) {
      object(Rule::untrue, "why says '{}', history '{}'", story, expected);
    }
  }
}

/// The plan of a job that is on its way: the next slot is one of its own, and nothing runs.
void Judge::compare_jobs() {
  if (evidence_.lines.size() != evidence_.jobs.size()) {
    object(Rule::untrue, "{} of {} jobs are shown", evidence_.lines.size(), evidence_.jobs.size());
  }
  for (const JobLine& line : evidence_.lines) {
    const auto job = index_.jobs.find(line.job);
    if (job == index_.jobs.end()) {
      object(Rule::untrue, "a job {} is shown", line.job);
    } else if (!line.next || *line.next <= evidence_.to ||
               *line.next % (job->second->every_s * kSecond) != 0) {
      object(Rule::untrue, "{} has {} for its next slot", line.job,
             line.next ? print_time(*line.next) : "nothing");
    }
    if (line.running != 0) object(Rule::untrue, "{} is said to run", line.job);
  }
}

}  // namespace

std::string name_of(Rule rule) {
  static constexpr std::array<const char*, 9> kNames{
      "twice", "overlap", "fence", "missing", "extra", "untrue", "early", "word", "harness"};
  return kNames.at(static_cast<std::size_t>(rule));
}

std::vector<Violation> judge(const Evidence& evidence) {
  Judge judge(evidence);
  judge.look_at_starts();
  judge.look_at_overlap();
  judge.look_at_records();
  judge.look_at_slots();
  judge.look_at_requests();
  judge.compare_ends();
  judge.compare_findings();
  judge.compare_stories();
  judge.compare_jobs();
  std::vector<Violation> found = judge.take();
  for (Violation& one : judge_acts(evidence)) found.push_back(std::move(one));
  return found;
}

std::vector<Violation> find_missing(const Evidence& evidence) {
  Judge judge(evidence);
  judge.look_at_slots();
  judge.look_at_requests();
  return judge.take();
}

}  // namespace cronce::chaos
