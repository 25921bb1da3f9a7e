#include "cli/ledger.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>

#include <fmt/format.h>

#include "model/describe.h"
#include "model/words.h"

namespace cronce {
namespace {

Time time_of(const Run& run) {
  return run.slot_to.value_or(run.id.space == Space::slot ? run.id.slot : run.due);
}

/// Where the lines are, newest first: a row is one line, a range one for each of its slots.
struct Strand {
  const JobRow* job;
  Run run;
  Time at;  // the next line's
  bool splits = false;

  bool operator<(const Strand& other) const {
    const auto key = [](const Strand& s) { return std::tie(s.at, s.run.id.job, s.run.id.attempt); };
    return key(*this) < key(other);
  }
};

class Expander {
 public:
  Expander(const ReadStore& read, const LedgerAsk& ask) : read_(read), ask_(ask) {}

  Status add(const JobRow& job, Run&& run) {
    Strand strand{&job, std::move(run), {}};
    strand.at = time_of(strand.run);
    if (strand.run.slot_to && !ask_.ranges) {
      const auto first = first_slot(strand);
      if (!first) return first.error();
      if (strand.splits && !*first) return Done{};
      if (strand.splits) strand.at = **first;
    }
    strands_.push(std::move(strand));
    return Done{};
  }

  LedgerLines lines() {
    LedgerLines found;
    while (!strands_.empty() && found.lines.size() < ask_.limit) {
      Strand strand = strands_.top();
      strands_.pop();
      found.lines.push_back({strand.job, line_of(strand)});
      const auto next = strand.splits ? slot_before(strand, strand.at - Duration{1}) : std::nullopt;
      if (!next) continue;
      strand.at = *next;
      strands_.push(std::move(strand));
    }
    found.more = !strands_.empty();
    return found;
  }

 private:
  static Run line_of(const Strand& strand) {
    Run run = strand.run;
    if (!strand.splits) return run;
    run.id.slot = run.due = strand.at;
    run.slot_to.reset();
    run.count = 1;
    return run;
  }

  const std::optional<Schedule>& schedule(const JobRow& job) {
    const auto known = schedules_.find(job.uid);
    if (known != schedules_.end()) return known->second;
    return schedules_.emplace(job.uid, schedule_of(job)).first->second;
  }

  /// The slots of the range that have rows of their own: with an attempt 1 they were no part of it,
  /// without one they were and have been tried since.
  Status read_own(const Run& range) {
    RunFilter filter{.job = range.id.job, .from = range.id.slot, .to = *range.slot_to};
    filter.limit = std::numeric_limits<std::size_t>::max();
    filter.output = false;
    const auto rows = read_.store->runs(filter);
    if (!rows) return rows.error();
    for (const Run& row : *rows) {
      if (row.slot_to || row.id.space != Space::slot) continue;
      bool& first = own_[{range.id.job, row.id.slot}];
      first = first || row.id.attempt == Attempt{1};
    }
    return Done{};
  }

  /// Whether the schedule, as it is now, has the slots that the range says it covers.
  bool is_known(const JobRow& job, const Run& range) {
    const auto& times = schedule(job);
    if (!times) return false;
    std::int64_t count = times->count(range.id.slot - Duration{1}, *range.slot_to);
    const auto begin = own_.lower_bound({job.uid, range.id.slot});
    const auto end = own_.upper_bound({job.uid, *range.slot_to});
    for (auto own = begin; own != end; ++own) count -= own->second ? 1 : 0;
    return count == range.count;
  }

  /// The newest line of a range, none if there is none; and whether it has lines at all.
  Result<std::optional<Time>> first_slot(Strand& strand) {
    if (const Status done = read_own(strand.run); !done) return done.error();
    strand.splits = is_known(*strand.job, strand.run);
    if (!strand.splits) return std::optional<Time>{};
    return slot_before(strand, std::min(*strand.run.slot_to, ask_.to));
  }

  std::optional<Time> slot_before(const Strand& strand, Time at) {
    const Time least = std::max(strand.run.id.slot, ask_.from);
    for (auto slot = schedule(*strand.job)->last_at_or_before(at); slot && *slot >= least;
         slot = schedule(*strand.job)->last_at_or_before(*slot - Duration{1})) {
      const auto own = own_.find({strand.run.id.job, *slot});
      const bool shown = own == own_.end() || (!own->second && ask_.attempts);
      if (shown) return slot;
    }
    return std::nullopt;
  }

  const ReadStore& read_;
  const LedgerAsk& ask_;
  std::map<JobUid, std::optional<Schedule>> schedules_;
  std::map<std::pair<JobUid, Time>, bool> own_;  // whether it has an attempt 1
  std::priority_queue<Strand> strands_;
};

RunFilter filter_of(const LedgerAsk& ask) {
  RunFilter filter{.from = ask.from, .to = ask.to, .limit = ask.limit + 1, .states = ask.states};
  filter.last_attempts = !ask.attempts;
  filter.output = false;
  return filter;
}

}  // namespace

Result<LedgerLines, Refusal> read_ledger(const ReadStore& read, const LedgerAsk& ask) {
  std::vector<std::optional<JobUid>> wanted;
  for (const JobRow* job : ask.jobs) wanted.emplace_back(job->uid);
  if (wanted.empty()) wanted.emplace_back();
  Expander expander(read, ask);
  for (const auto& uid : wanted) {
    RunFilter filter = filter_of(ask);
    filter.job = uid;
    auto rows = read.store->runs(filter);
    if (!rows) return store_failure(rows.error());
    for (Run& run : *rows) {
      const JobRow* job = read.find(run.id.job);
      if (job == nullptr) continue;  // made since the jobs were read
      if (const Status done = expander.add(*job, std::move(run)); !done) {
        return store_failure(done.error());
      }
    }
  }
  return expander.lines();
}

json::object ledger_json(const LedgerLine& line) {
  return run_json(shown_name(*line.job), line.run);
}

}  // namespace cronce
