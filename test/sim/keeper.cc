#include "test/sim/keeper.h"

#include <utility>

#include "model/describe.h"

namespace cronce::sim {

Keeper::Keeper(Stage& stage, const HostClock& clock, std::string node, Tell ended,
               TellStart started)
    : stage_(stage),
      clock_(clock),
      node_(std::move(node)),
      ended_(std::move(ended)),
      started_(std::move(started)) {}

void Keeper::when_awake(Deed deed) {
  if (dead_) return;
  if (paused_) {
    backlog_.push_back(std::move(deed));
  } else {
    deed();
  }
}

void Keeper::start(const std::shared_ptr<const StartRun>& order) {
  when_awake([this, order] {
    const auto& [claim, job] = *order;
    spawn(claim, *job);
    if (stage_.canary == Canary::keeper_starts_twice && stage_.rng.chance(5)) spawn(claim, *job);
  });
}

/// The deadline is looked at again here: between the claim and now the node may have been frozen.
void Keeper::spawn(const Claim& claim, const Job& job) {
  if (boot() >= deadline_ && stage_.canary != Canary::keeper_ignores_deadline) {
    stage_.rare.saw(Rare::spawn_refused);
    stage_.witness.refused(claim.run);
    return tell(claim, RunState::failed, Reason::spawn);
  }
  const std::uint64_t id = ++last_id_;
  const bool stubborn = stage_.rng.chance(40);
  Start& seen = stage_.witness.started(stage_.now(), claim, node_);
  seen.process = this;
  const bool harmless = job.overlap == Overlap::allow && job.on_lost == OnLost::skip;
  children_[id] = {claim, job.kill_after, &seen, false, stubborn, harmless};
  stage_.trace([&] {
    return fmt::format("  {} START job {} {} fence {}", node_, claim.run.job.value,
                       describe(claim.run), claim.fence.value);
  });
  started_(claim.run);
  plan_course(id, job);
}

/// Mostly short; some outlast their interval; some fail; some never end but by force.
void Keeper::plan_course(std::uint64_t id, const Job& job) {
  const auto dice = stage_.rng.below(100);
  const Duration lasts = dice < 55   ? stage_.random(20, 2'000)
                         : dice < 85 ? stage_.random(2'000, 25'000)
                                     : stage_.random(25'000, 90'000);
  const bool fails = stage_.rng.chance(20);
  stage_.agenda.after(lasts, [this, id, fails] {
    when_awake([this, id, fails] {
      end(id, fails ? RunState::failed : RunState::succeeded, fails ? Reason::exit : Reason::none);
    });
  });
  if (!job.timeout || lasts < *job.timeout) return;
  const Duration limit = *job.timeout;
  stage_.agenda.at(clock_.when(boot() + limit), [this, id, patience = job.kill_after] {
    when_awake(
        [this, id, patience] { terminate(id, patience, RunState::timed_out, Reason::none); });
  });
}

/// TERM; a stubborn child lives until KILL.
void Keeper::terminate(std::uint64_t id, Duration patience, RunState state, Reason reason) {
  const auto child = children_.find(id);
  if (child == children_.end() || child->second.doomed) return;
  child->second.doomed = true;
  const Duration lives = child->second.ignores_term
                             ? patience + stage_.random(0, 20)
                             : stage_.random(0, std::min<std::int64_t>(patience.count(), 500));
  end_at_boot(id, boot() + lives, state, reason);
}

void Keeper::end_at_boot(std::uint64_t id, Duration boot, RunState state, Reason reason) {
  stage_.agenda.at(clock_.when(boot), [this, id, boot, state, reason] {
    when_awake([this, id, boot, state, reason] {
      if (this->boot() < boot) return end_at_boot(id, boot, state, reason);
      end(id, state, reason);
    });
  });
}

void Keeper::end(std::uint64_t id, RunState state, Reason reason) {
  const auto child = children_.find(id);
  if (child == children_.end()) return;
  const Claim claim = child->second.claim;
  see_gone(*child->second.witness, state, reason);
  children_.erase(child);
  if (state == RunState::timed_out) stage_.rare.saw(Rare::timed_out);
  stage_.trace([&] {
    return fmt::format("  {} END job {} {} {}", node_, claim.run.job.value, describe(claim.run),
                       describe(state, reason));
  });
  if (stage_.canary == Canary::keeper_forgets_end && stage_.rng.chance(5)) return;
  tell(claim, state, reason);
}

void Keeper::see_gone(Start& seen, RunState state, Reason reason) const {
  seen.gone = stage_.now();
  seen.result = state;
  seen.reason = reason;
}

void Keeper::tell(const Claim& claim, RunState state, Reason reason) {
  FinishEntry entry;
  entry.run = claim.run;
  entry.fence = claim.fence;
  entry.incarnation = claim.incarnation;
  entry.state = state;
  entry.reason = reason;
  ended_(entry);
}

void Keeper::stop(const RunId& run, Reason reason) {
  when_awake([this, run, reason] {
    for (const auto& [id, child] : children_) {
      if (child.claim.run == run)
        return terminate(id, child.kill_after, RunState::cancelled, reason);
    }
  });
}

void Keeper::trust_until(Duration boot) {
  deadline_ = std::max(deadline_, boot);
  if (!watches_) watch_deadline();
}

/// One look at a time; an extended deadline is found by the look that was planned for the old one.
void Keeper::watch_deadline() {
  watches_ = true;
  stage_.agenda.at(clock_.when(deadline_), [this] {
    when_awake([this] {
      if (boot() < deadline_) return watch_deadline();
      watches_ = false;
      if (stage_.canary == Canary::keeper_ignores_deadline) return;
      const auto children = children_;
      for (const auto& [id, child] : children) {
        stage_.rare.saw(child.carries_on ? Rare::carried_on : Rare::killed_at_deadline);
        if (child.carries_on) continue;
        // TERM, KILL after lease_stop, gone within `stop` in all; the stubborn take all of it.
        const auto stop = stage_.lease.stop.count();
        const Duration lives =
            child.ignores_term ? stage_.random(stop - 50, stop) : stage_.random(0, stop / 2);
        end_at_boot(id, boot() + lives, RunState::failed, Reason::signal);
      }
    });
  });
}

void Keeper::kill_all() {
  when_awake([this] {
    const auto children = children_;
    for (const auto& [id, child] : children) {
      if (child.carries_on) continue;
      stage_.rare.saw(Rare::reborn_with_runs);
      end_at_boot(id, boot() + stage_.random(0, 50), RunState::failed, Reason::signal);
    }
  });
}

void Keeper::crash() {
  for (const auto& [id, child] : children_) {
    see_gone(*child.witness, RunState::lost, Reason::keeper);
  }
  children_.clear();
  dead_ = true;
}

void Keeper::pause() {
  paused_ = true;
  if (!children_.empty()) stage_.rare.saw(Rare::guest_paused_with_runs);
  for (const auto& [id, child] : children_) child.witness->outside = true;
}

void Keeper::go_on() {
  paused_ = false;
  for (Deed& deed : std::exchange(backlog_, {})) when_awake(std::move(deed));
}

}  // namespace cronce::sim
