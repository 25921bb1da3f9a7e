#include "node/perform.h"

#include <unistd.h>

#include <filesystem>
#include <utility>

#include "keeper/prepare.h"
#include "keeper/steady.h"
#include "schedule/zone.h"

namespace cronce {
namespace {

/// How many runs of a job go by between two looks at its logs.
constexpr std::size_t kTrimAfter = 50;

/// How many answer timeouts the first beat may take.
constexpr int kFirstBeat = 10;

/// A slow machine registers more than so many.
constexpr std::size_t kJobsPerMillisecond = 10;

std::string slot_local(const Claim& claim, const Job& job) {
  const Time slot = told_slot(claim);
  const auto zone = load_zone(job.schedule.timezone);
  if (!zone) return print(slot);
  return print_at_offset(slot, (*zone)->at(std::chrono::floor<std::chrono::seconds>(slot)).offset);
}

}  // namespace

Performer::Performer(const Parts& parts) : parts_(parts), self_(own_user()) {}

void Performer::perform(Action&& action, const Now& now, const Incarnation& incarnation) {
  now_ = now;
  incarnation_ = incarnation;
  std::visit([&](auto& one) { perform(std::move(one)); }, action);
}

// ---- to the store

void Performer::perform(SendBeat&& action) {
  // The first one of a life brings all jobs. Nothing is trusted yet, so nothing is lost by waiting.
  const bool first = action.ask.granted == Beat{};
  const Duration most = parts_.settings.lease.answer_timeout * (first ? kFirstBeat : 1);
  beat = {action.ask.node.beat, now_.boot + most};
  parts_.heartbeat.send(std::move(action.ask));
}

void Performer::perform(SendWrite&& action) {
  const auto* set = std::get_if<RegisterAsk>(&action.ask);
  const Duration more =
      set != nullptr ? Duration{set->jobs.size() / kJobsPerMillisecond} : Duration{};
  write = {action.id.sequence, now_.boot + parts_.settings.lease.answer_timeout + more};
  parts_.worker.send(std::move(action));
}

void Performer::perform(const KeepMark& action) { parts_.chores.send(action); }

void Performer::perform(const KeepBoot& action) { parts_.chores.send(action); }

void Performer::perform(LookForNotices&& action) {
  parts_.notifier.send(
      NoticeOrder{std::move(action.job), action.wanted, now_.cluster, now_.boot, incarnation_});
}

// ---- to the keeper

void Performer::perform(StartRun&& action) {
  if (action.job->user->empty()) return start(action, self_);
  waiting_[action.claim.run] = action.claim;
  parts_.chores.send(FindUser{std::move(action)});
}

void Performer::user_found(const UserFound& found, const Now& now) {
  now_ = now;
  if (waiting_.erase(found.order.claim.run) != 0) start(found.order, found.user);
}

void Performer::start(const StartRun& order, const Result<User>& user) {
  live_[order.claim.run] = order.claim.fence;
  const Circumstances circumstances{parts_.store, facts_of(order), parts_.settings.environment,
                                    run_log_path(parts_.settings.places, order.claim.run)};
  parts_.keeper.start(prepare(order.claim, *order.job, circumstances, user));
  trim_logs(*order.job, order.claim.run);
}

RunFacts Performer::facts_of(const StartRun& order) const {
  RunFacts facts;
  facts.name_space = parts_.settings.places.name_space;
  facts.node = parts_.settings.node;
  facts.slot_local = slot_local(order.claim, *order.job);
  facts.previous_slot = order.claim.previous;
  if (order.job->timeout) facts.deadline = now_.cluster + *order.job->timeout;
  return facts;
}

/// An end of what the keeper never saw.
void Performer::refuse(const Claim& claim, RunState state, Reason reason, std::string why) {
  FinishEntry end;
  end.run = claim.run;
  end.fence = claim.fence;
  end.incarnation = claim.incarnation;
  end.state = state;
  end.reason = reason;
  end.finished_at = now_.cluster;
  end.output_tail = std::move(why);
  arisen_.push_back(RunEnded{std::move(end)});
}

void Performer::perform(const StopRun& action) {
  const auto waiting = waiting_.find(action.run);
  if (waiting == waiting_.end()) return parts_.keeper.stop(action.run, action.reason);
  const Claim claim = waiting->second;
  waiting_.erase(waiting);
  refuse(claim, RunState::cancelled, action.reason, "");
}

void Performer::stop_all(Reason reason) {
  for (const auto& [run, fence] : live_) parts_.keeper.stop(run, reason);
  for (const auto& [run, claim] : std::exchange(waiting_, {})) {
    refuse(claim, RunState::cancelled, reason, "");
  }
}

/// The engine measures on the boot clock. Where the keeper's stands still while the machine sleeps,
/// a sleep between asking and now makes the trust shorter, never longer.
void Performer::perform(const TrustUntil& action) {
  const Duration steady = read_steady(parts_.keeper_settings.clock);
  const Duration boot = parts_.clock.boot();
  parts_.keeper.trust_until(
      {steady + (action.boot - boot), incarnation_, now_.cluster + (boot - now_.boot) - steady});
}

void Performer::perform(const KillAll&) {
  parts_.keeper.kill_all();
  for (const auto& [run, claim] : std::exchange(waiting_, {})) {
    refuse(claim, RunState::failed, Reason::spawn, "cronce: the lease ended before the start");
  }
}

void Performer::perform(const EndStored& action) {
  parts_.keeper.end_stored(key_of(action.run, action.fence));
}

void Performer::ended(const FinishEntry& end) { live_.erase(end.run); }

EndKey Performer::key_of(const RunId& run, Fence fence) const {
  return {parts_.store, parts_.settings.places.name_space, run, fence};
}

/// As many as the history of the job can name, and some that still run.
void Performer::trim_logs(const Job& job, const RunId& run) {
  if (++since_trim_[run.job] < kTrimAfter) return;
  since_trim_[run.job] = 0;
  const std::filesystem::path log = run_log_path(parts_.settings.places, run);
  const auto keep = static_cast<std::size_t>(job.history->succeeded + job.history->failed);
  parts_.chores.send(TrimLogs{log.parent_path().string(), keep + kTrimAfter});
}

}  // namespace cronce
