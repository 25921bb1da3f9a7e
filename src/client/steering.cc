#include "client/steering.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "client/ahead.h"

namespace cronce {
namespace {

constexpr int kMostAsks = 5;     // each is answered after what was computed for it is over
constexpr int kMostSettles = 3;  // a store that does not answer so often is away
constexpr std::size_t kRowsLookedAt = 100;
constexpr Duration kSkew{30'000};  // of a person's clock

Time end_of(const Run& run) { return run.slot_to.value_or(run.id.slot); }

}  // namespace

/// A job as it is, with the shares that it has on nodes.
struct Steering::Job {
  JobRow row;
  Schedule schedule;
  Time now{};       // store time, or the latest that counts
  Time settled{};   // everything of all shares is settled up to here, and it is not before now
  Time recorded{};  // the newest slot with a record, or now
};

std::optional<Time> latest_for_people(const std::vector<Node>& nodes, Time wall) {
  std::optional<Time> course;
  for (const Node& node : nodes) {
    const bool goes_on = node.course && *node.course + node.lease + kSkew >= wall;
    if (goes_on) course = std::max(course, node.course);
  }
  return course;
}

Steering::Steering(Store& store, Rng& rng, std::optional<Time> latest, std::function<void()> wake)
    : store_(store), latest_(latest), wake_(std::move(wake)), self_(Incarnation::random(rng)) {}

WriteId Steering::next() { return {self_, 0, ++sequence_, answered_, latest_}; }

Result<std::optional<ControlAnswer>> Steering::settle(std::uint64_t sequence) {
  std::string why;
  for (int i = 0; i < kMostSettles; ++i) {
    const WriteId id = next();
    const auto written = store_.decide(id, {});
    if (!written) {
      why = written.error().message;
      continue;
    }
    answered_ = id.sequence;
    if (written->before.sequence != sequence) return std::optional<ControlAnswer>{};
    return std::optional(std::get<ControlAnswer>(written->before.outcome));
  }
  return Error{Code::conflict, why};
}

Result<ControlAnswer> Steering::ask(const ControlAsk& ask) {
  Error error;
  for (int i = 0; i < kMostSettles; ++i) {
    const WriteId id = next();
    auto written = store_.control(id, ask);
    std::optional<ControlAnswer> answer;
    if (written) {
      answered_ = id.sequence;
      answer = std::move(written->answer);
    } else if (written.error().code == Code::invalid) {
      return written.error();
    } else {
      error = written.error();
      auto settled = settle(id.sequence);
      if (!settled) return settled.error();
      answer = *std::move(settled);
    }
    if (!answer) continue;  // surely not done: it may be asked again
    if (answer->refused == Refused::none) wake_();
    return *std::move(answer);
  }
  return error;
}

Result<Time> Steering::newest_record(const JobRow& row) {
  RunFilter filter{.job = row.uid, .limit = kRowsLookedAt};
  filter.output = false;
  const auto runs = store_.runs(filter);
  if (!runs) return runs.error();
  Time newest = row.floor;
  for (const Run& run : *runs) {
    if (run.id.space == Space::slot) newest = std::max(newest, end_of(run));
  }
  return newest;
}

Result<Steering::Job> Steering::look(JobUid uid) {
  const auto opened = store_.open();
  if (!opened) return opened.error();
  const auto rows = store_.jobs();
  if (!rows) return rows.error();
  const auto row =
      std::find_if(rows->begin(), rows->end(), [&](const JobRow& one) { return one.uid == uid; });
  if (row == rows->end()) return Error{Code::not_found, "the job is gone"};
  auto schedule = Schedule::build(row->definition->schedule);
  if (!schedule) {
    return Error{Code::corrupt,
                 "this program cannot compute the job's schedule: " + schedule.error().message};
  }
  const Time now = std::min(opened->store_time, latest_.value_or(opened->store_time));
  Job job{*row, *std::move(schedule), now, now, now};
  for (const JobRow& one : *rows) {
    if (one.uid != uid && one.whole != uid) continue;
    job.settled = std::max(job.settled, one.plan.cursor);
    const auto newest = newest_record(one);
    if (!newest) return newest.error();
    job.recorded = std::max(job.recorded, *newest);
  }
  return job;
}

Result<ControlAnswer> Steering::ask_ahead(JobUid uid,
                                          const std::function<ControlAsk(const Job&)>& make) {
  Result<ControlAnswer> answer = ControlAnswer{Refused::future};
  for (int i = 0; i < kMostAsks; ++i) {
    const auto job = look(uid);
    if (!job) return job.error();
    answer = ask(make(*job));
    if (!answer || answer->refused != Refused::future) return answer;
  }
  return answer;
}

Result<ControlAnswer> Steering::resume(JobUid uid, const By& by) {
  return ask_ahead(uid, [&](const Job& job) {
    const Ahead ahead = look_ahead(job.row, job.schedule, job.settled);
    return ResumeJob{job.row.uid, ahead.base, ahead.next, ahead.owed, std::nullopt, by};
  });
}

Result<ControlAnswer> Steering::retire(JobUid uid, const By& by) {
  return ask_ahead(uid, [&](const Job& job) {
    const Ahead ahead = look_ahead(job.row, job.schedule, job.now);
    return RetireJob{job.row.uid, ahead.owed, ahead.next, by};
  });
}

Result<ControlAnswer> Steering::recede(JobUid uid, const By& by) {
  return ask_ahead(uid, [&](const Job& job) {
    const Ahead ahead = look_ahead(job.row, job.schedule, job.recorded);
    return RecedeJob{job.row.uid, ahead.base, ahead.next, by};
  });
}

}  // namespace cronce
