#include "engine/notice.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/due.h"
#include "model/words.h"

namespace cronce {
namespace {

constexpr Duration kNews = std::chrono::hours(24);

/// Who says what is late wants to hear of it.
bool wants(const Job& job, std::string_view event) {
  const auto& on = job.notify->on;
  if (event == "late" && job.expect_within) return true;
  return std::find(on.begin(), on.end(), event) != on.end();
}

/// Until when a slot that has not started is on time.
Time on_time_until(const Job& job, Time due) { return due + job.expect_within.value_or(job.grace); }

Time last_slot(const Run& run) { return run.slot_to.value_or(run.id.slot); }

bool is_of_schedule(const Run& run) {
  return run.id.space == Space::slot && run.kind == RunKind::scheduled;
}

bool was_missed(Reason reason) {
  return reason == Reason::missed || reason == Reason::expired || reason == Reason::no_node ||
         reason == Reason::queue_full;
}

/// It has not started in time, whether it waits, has started since or never will.
bool is_late(const Job& job, const Run& run, Time now) {
  if (!is_of_schedule(run)) return false;
  if (run.state == RunState::skipped) return was_missed(run.reason);
  if (run.id.attempt > Attempt{1} && run.claimed_at) return false;  // given back before
  const Time started = run.claimed_at.value_or(now);
  return started > on_time_until(job, run.due) && (run.claimed_at || !is_ended(run.state));
}

/// All that are known, by the slot or request that they are of.
class Attempts {
 public:
  explicit Attempts(const std::vector<Run>& runs) {
    for (const Run& run : runs) by_slot_[slot_of(run)].push_back(&run);
  }

  template <class Predicate>
  bool follow(const Run& run, Predicate is_so) const {
    const auto& all = by_slot_.at(slot_of(run));
    return std::any_of(all.begin(), all.end(), [&](const Run* other) {
      return other->id.attempt > run.id.attempt && is_so(*other);
    });
  }

 private:
  static RunId slot_of(const Run& run) {
    RunId id = run.id;
    id.attempt = Attempt{0};
    return id;
  }

  std::map<RunId, std::vector<const Run*>> by_slot_;
};

/// It was taken for lost and went on, and another attempt has started.
bool is_duplicate(const Run& run, const Attempts& attempts) {
  return run.reason == Reason::late && attempts.follow(run, [&](const Run& next) {
    return next.fence.has_value() && next.key == run.key;
  });
}

/// An attempt that was settled before it began says nothing of how its slot ended.
bool may_have_begun(const Run& run) { return !is_ended(run.state) || run.claimed_at; }

/// What a run's end is called; none as long as it says nothing yet.
std::optional<std::string_view> end_of(const Job& job, const Run& run, const Attempts& attempts) {
  if (run.state == RunState::lost) return word(run.state);
  if (!is_ended(run.state) || run.state == RunState::returned) return std::nullopt;
  if (attempts.follow(run, may_have_begun)) return std::nullopt;
  const bool as_failure = run.state == RunState::timed_out && !wants(job, word(run.state));
  return word(as_failure ? RunState::failed : run.state);
}

Time news_time(const Run& run) {
  return run.finished_at.value_or(run.claimed_at.value_or(std::max(run.due, last_slot(run))));
}

/// The slot that should have been decided; its row may be older than the ledger that was read.
std::optional<Notice> undecided(const JobRow& job, const std::vector<Run>& runs) {
  const auto& next = job.plan.next;
  if (!next || job.paused() || job.retired()) return std::nullopt;
  const bool decided = std::any_of(runs.begin(), runs.end(), [&](const Run& run) {
    return run.id.space == Space::slot && last_slot(run) >= *next;
  });
  if (decided) return std::nullopt;
  Notice late{"late", {}, false};
  late.run.id = {job.uid, Space::slot, *next, "", Attempt{1}};
  late.run.due = due_time(*job.definition, *next);
  return late;
}

}  // namespace

std::vector<Notice> notices_of(const JobRow& job, const std::vector<Run>& runs, Time now) {
  const Job& policy = *job.definition;
  const Attempts attempts(runs);
  std::vector<Notice> found;
  const auto add = [&](const Notice& notice) {
    const bool is_news = now - news_time(notice.run) <= kNews;
    if (is_news && wants(policy, notice.event)) found.push_back(notice);
  };
  for (const Run& run : runs) {
    if (const auto event = end_of(policy, run, attempts)) add({*event, run});
    if (is_late(policy, run, now)) add({"late", run});
    if (is_duplicate(run, attempts)) add({"duplicate", run});
  }
  const auto next = undecided(job, runs);
  if (next && is_late(policy, next->run, now)) add(*next);
  return found;
}

std::optional<Time> late_at(const JobRow& job, Time now) {
  const Job& policy = *job.definition;
  if (!wants(policy, "late") || job.paused() || job.retired()) return std::nullopt;
  std::optional<Time> first;
  const auto add = [&](Time due) {
    const Time late = on_time_until(policy, due) + Duration{1};
    if (late > now && (!first || late < *first)) first = late;
  };
  if (job.plan.next) add(due_time(policy, *job.plan.next));
  for (const PendingRun& run : job.pending) {
    if (run.id.space == Space::slot && run.kind == RunKind::scheduled) add(run.due);
  }
  return first;
}

std::string notice_key(const Notice& notice, std::string_view way) {
  const RunId& id = notice.run.id;
  const auto attempt = notice.event == "late" ? 0 : id.attempt.value;  // a slot is late once
  return fmt::format("cronce/notify/{}/{}/{}/{}/{}/{}/{}", id.job.value, notice.event, way,
                     static_cast<int>(id.space), id.slot.time_since_epoch().count(), id.request,
                     attempt);
}

}  // namespace cronce
