#include "test/chaos/judge.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace cronce::chaos {
namespace {

/// Nodes agree on the time only as well as their heartbeats let them.
constexpr Millis kEarly = kSecond;

using SlotKey = std::pair<std::string, Millis>;
using RunKey = std::tuple<std::string, Millis, int>;

std::string print(const std::string& job, Millis slot, int attempt) {
  return fmt::format("{}@{}#{}", job, print_time(slot), attempt);
}
std::string print(const WitnessLine& line) { return print(line.job, line.slot, line.attempt); }
std::string print(const Record& record) {
  return fmt::format("{} ({}{}{})", print(record.job, record.slot, record.attempt), record.state,
                     record.reason.empty() ? "" : ": ", record.reason);
}

bool one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_end(const std::string& state) {
  return one_of(state, {"succeeded", "failed", "timed_out", "cancelled", "skipped", "lost"});
}

/// Nothing of it ever ran.
bool says_never_began(const Record& record) {
  return one_of(record.state, {"pending", "held", "skipped", "returned"}) ||
         (record.state == "failed" && record.reason == "spawn");
}

class Judge {
 public:
  explicit Judge(const Evidence& evidence) : evidence_(evidence) {
    for (const JobSpec& job : evidence.jobs) jobs_[job.name] = &job;
    for (const Record& record : evidence.records) {
      slots_[{record.job, record.slot}].push_back(&record);
      records_[{record.job, record.slot, record.attempt}] = &record;
    }
    for (auto& [slot, attempts] : slots_) {
      std::sort(attempts.begin(), attempts.end(),
                [](const Record* a, const Record* b) { return a->attempt < b->attempt; });
    }
  }

  void look_at_starts();
  void look_at_overlap();
  void look_at_records();
  void look_at_slots();
  void compare_ends();
  void compare_stories();
  void compare_jobs();

  std::vector<Violation> take() { return std::move(found_); }

 private:
  template <class... T>
  void object(Rule rule, fmt::format_string<T...> text, T&&... values) {
    found_.push_back({rule, fmt::format(text, std::forward<T>(values)...)});
  }
  void compare_start(const WitnessLine& line);
  void look_at_attempts(const std::vector<const Record*>& attempts);

  const Evidence& evidence_;
  std::map<std::string, const JobSpec*> jobs_;
  std::map<SlotKey, std::vector<const Record*>> slots_;
  std::map<RunKey, const Record*> records_;
  std::vector<Violation> found_;
};

/// Each attempt once, each slot once unless the job asks for more, with growing fences.
void Judge::look_at_starts() {
  std::map<RunKey, const WitnessLine*> began;
  std::map<SlotKey, int> starts;
  std::map<std::string, const WitnessLine*> last;
  for (const WitnessLine& line : evidence_.witness) {
    if (line.what == "end") continue;
    if (!jobs_.contains(line.job)) {
      object(Rule::harness, "the witness knows a job {}", line.job);
      continue;
    }
    const auto [first, is_first] = began.insert({{line.job, line.slot, line.attempt}, &line});
    if (!is_first) {
      object(Rule::twice, "{} began on {} and on {}", print(line), first->second->node, line.node);
    }
    const JobSpec& job = *jobs_.at(line.job);
    if (++starts[{line.job, line.slot}] > 1 && is_first && job.retries == 0 && !job.rerun) {
      object(Rule::twice, "{} began again, and the job wants that in no case", print(line));
    }
    const WitnessLine*& before = last[line.job];
    if (before != nullptr && before->fence >= line.fence) {
      object(Rule::fence, "{} has fence {}, and {} before it had {}", print(line), line.fence,
             print(*before), before->fence);
    }
    before = &line;
    if (line.at < line.slot - kEarly) {
      object(Rule::early, "{} began {} ms early", print(line), line.slot - line.at);
    }
    compare_start(line);
  }
}

void Judge::compare_start(const WitnessLine& line) {
  const auto found = records_.find({line.job, line.slot, line.attempt});
  if (found == records_.end()) {
    object(Rule::untrue, "{} began on {}, and has no record", print(line), line.node);
    return;
  }
  const Record& record = *found->second;
  if (says_never_began(record)) {
    object(Rule::untrue, "{} began on {}", print(record), line.node);
  }
  if (record.fence != line.fence || record.node != line.node) {
    object(Rule::untrue, "{} is said to be fence {} on {}, and was fence {} on {}", print(record),
           record.fence, record.node, line.fence, line.node);
  }
}

/// By the lock that the actor holds, and by the order of lines: once another run has begun, none
/// of those before says anything any more.
void Judge::look_at_overlap() {
  std::map<std::string, RunKey> current;
  for (const WitnessLine& line : evidence_.witness) {
    const RunKey run{line.job, line.slot, line.attempt};
    if (line.what == "beside") {
      object(Rule::overlap, "{} began on {} while another run was alive", print(line), line.node);
    }
    if (line.what != "end") {
      current[line.job] = run;
    } else if (const auto now = current.find(line.job); now == current.end()) {
      object(Rule::harness, "{} ended and never began", print(line));
    } else if (now->second != run) {
      object(Rule::overlap, "{} ended after the next run had begun", print(line));
    }
  }
}

/// Each record is of a slot of its job, and the only one of its attempt.
void Judge::look_at_records() {
  std::set<RunKey> seen;
  for (const Record& record : evidence_.records) {
    const auto job = jobs_.find(record.job);
    if (job == jobs_.end() || record.slot % (job->second->every_s * kSecond) != 0) {
      object(Rule::extra, "{} is no slot of the job", print(record));
    }
    if (!seen.insert({record.job, record.slot, record.attempt}).second) {
      object(Rule::extra, "{} has a second record", print(record));
    }
  }
  for (const auto& [slot, attempts] : slots_) look_at_attempts(attempts);
}

void Judge::look_at_attempts(const std::vector<const Record*>& attempts) {
  int number = 0;
  for (const Record* record : attempts) {
    if (record->attempt != ++number) {
      object(Rule::extra, "{} is the {}. of its slot", print(*record), number);
      return;
    }
    // A late result of what was lost may be of any kind.
    const bool last = record == attempts.back();
    const bool may_repeat = is_end(record->state) && record->state != "skipped";
    if (!last && record->state != "returned" && !may_repeat) {
      object(Rule::extra, "{} has another attempt after it", print(*record));
    }
  }
}

/// From the schedule alone: nothing between the first and the last is forgotten.
void Judge::look_at_slots() {
  for (const JobSpec& job : evidence_.jobs) {
    const Millis interval = job.every_s * kSecond;
    for (Millis slot = (evidence_.from / interval + 1) * interval; slot <= evidence_.to;
         slot += interval) {
      const auto found = slots_.find({job.name, slot});
      if (found == slots_.end()) {
        object(Rule::missing, "{}@{} has no record", job.name, print_time(slot));
      } else if (!is_end(found->second.back()->state)) {
        object(Rule::missing, "{} has not ended", print(*found->second.back()));
      }
    }
  }
}

/// `succeeded` and an exit code are claims about the command: its own last line must agree.
void Judge::compare_ends() {
  std::map<RunKey, int> ended;
  for (const WitnessLine& line : evidence_.witness) {
    if (line.what == "end") ended[{line.job, line.slot, line.attempt}] = line.exit_code;
  }
  for (const Record& record : evidence_.records) {
    const bool by_itself =
        record.state == "succeeded" || (record.state == "failed" && record.reason == "exit");
    const auto end = ended.find({record.job, record.slot, record.attempt});
    if (by_itself && end == ended.end()) {
      object(Rule::untrue, "{} never came to its end", print(record));
    } else if (by_itself && record.exit_code != end->second) {
      object(Rule::untrue, "{} ended with exit code {}", print(record), end->second);
    } else if (record.state == "running") {
      object(Rule::untrue, "{} is said to run when nothing runs any more", print(record));
    }
  }
}

void Judge::compare_stories() {
  for (const auto& [slot, story] : evidence_.stories) {
    const auto found = slots_.find(slot);
    if (found == slots_.end()) continue;
    const Record& last = *found->second.back();
    const std::string state =
        last.reason.empty() ? last.state : fmt::format("{}: {}", last.state, last.reason);
    const std::string expected = fmt::format("{}@{}  {}", last.job, print_time(last.slot), state);
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
    const auto job = jobs_.find(line.job);
    if (job == jobs_.end()) {
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
  static constexpr std::array<const char*, 8> kNames{"twice", "overlap", "fence", "missing",
                                                     "extra", "untrue",  "early", "harness"};
  return kNames.at(static_cast<std::size_t>(rule));
}

std::vector<Violation> judge(const Evidence& evidence) {
  Judge judge(evidence);
  judge.look_at_starts();
  judge.look_at_overlap();
  judge.look_at_records();
  judge.look_at_slots();
  judge.compare_ends();
  judge.compare_stories();
  judge.compare_jobs();
  return judge.take();
}

std::vector<Violation> find_missing(const Evidence& evidence) {
  Judge judge(evidence);
  judge.look_at_slots();
  return judge.take();
}

}  // namespace cronce::chaos
