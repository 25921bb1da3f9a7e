#include "engine/engine.h"

#include <algorithm>
#include <utility>

namespace cronce {
namespace {

constexpr Duration kNever = Duration::max();

}  // namespace

Engine::Engine(EngineSettings settings, Rng rng)
    : settings_(std::move(settings)),
      rng_(rng),
      incarnation_(Incarnation::random(rng_)),
      members_(incarnation_, settings_.lease) {}

std::vector<Action> Engine::step(const Now& now, const Event& event) {
  std::visit([&](const auto& what) { on(what, now); }, event);
  if (leaving_ != Leaving::gone) {
    beat_if_due(now);
    write_if_free(now);
    leave_if_done(now);
  }
  return std::exchange(actions_, {});
}

Duration Engine::next_wakeup(const Now& now) const {
  const bool beats = !beat_in_flight_ && leaving_ != Leaving::waiting;
  Duration wake = beats ? beat_asked_ + settings_.lease.beat : kNever;
  if (!flight_ && unknown_) wake = std::min(wake, retry_at_);
  // Without trust nothing is asked: the next answer of a beat wakes the engine, not a slot.
  const bool may_ask = !flight_ && !unknown_ && trusts(now) && leaving_ != Leaving::waiting;
  if (may_ask && to_register_ && leaving_ == Leaving::no) wake = std::min(wake, register_at_);
  if (may_ask && !wakes_.empty()) {
    const Duration until = wakes_.begin()->first - now.cluster;
    wake = std::min(wake, now.boot + std::max(until, Duration{1}));
  }
  return wake == kNever ? kNever : std::max(wake, now.boot + Duration{1});
}

// ---- life and trust
// ------------------------------------------------------------------------------

/// A new life: what the old one was told, asked or held is not ours.
void Engine::be_born() {
  actions_.push_back(KillAll{});
  incarnation_ = Incarnation::random(rng_);
  members_ = Members(incarnation_, settings_.lease);
  beat_ = Beat{};
  beat_in_flight_ = false;
  beat_wanted_ = true;
  trust_until_ = Duration{-1};
  known_changes_ = 0;
  jobs_.clear();
  wakes_.clear();
  wake_of_.clear();
  flight_.reset();  // the sequence goes on: an answer to the old life's write must not fit the new
                    // one's
  unknown_.reset();
  running_
      .clear();  // their ends still come from the keeper, and are delivered with their own fence
  to_register_ = offered_.has_value();
  register_at_ = Duration{0};
  owing_.clear();
  if (leaving_ == Leaving::no) return;
  leaving_ = Leaving::gone;
  actions_.push_back(Left{});
}

bool Engine::trusts(const Now& now) const {
  return now.boot + settings_.lease.answer_timeout < trust_until_;
}

void Engine::beat_if_due(const Now& now) {
  const bool due = now.boot >= beat_asked_ + settings_.lease.beat;
  if (leaving_ == Leaving::waiting) return;  // the number must stand still for the sweep of oneself
  if (beat_in_flight_ || (!due && !beat_wanted_)) return;
  beat_wanted_ = false;
  beat_in_flight_ = true;
  beat_asked_ = now.boot;
  ++beat_.value;
  BeatAsk ask;
  ask.node = settings_.self;
  ask.node.incarnation = incarnation_;
  ask.node.beat = beat_;
  ask.node.lease = settings_.lease.lease;
  ask.node.leaving = leaving_ != Leaving::no;
  ask.node.running = static_cast<std::int64_t>(running_.size());
  if (offered_) ask.node.digests[offered_->set.source] = offered_->digest;
  ask.known_changes = known_changes_;
  for (auto& [id, holding] : running_) {
    if (holding.started_at) ask.started.push_back({id, *holding.started_at});
  }
  actions_.push_back(SendBeat{std::move(ask)});
}

void Engine::on(const BeatUnanswered&, const Now&) { beat_in_flight_ = false; }

void Engine::on(const BeatAnswered& event, const Now& now) {
  beat_in_flight_ = false;
  if (event.answer.refused == Refused::ended) {
    be_born();
    return;
  }
  const Duration trust = event.asked + trust_of(settings_.lease);
  if (trust > trust_until_) {
    trust_until_ = trust;
    actions_.push_back(TrustUntil{trust});
  }
  store_time_ = event.answer.store_time;
  members_.saw(event.answer.nodes, now.boot);
  for (const JobRow& row : event.answer.changed) learn(row);
  known_changes_ = event.answer.changes;
  reschedule_all();
  obey(event.answer);
}

/// Stop orders; and claims that the store holds for us but that we never learned of: with nothing
/// in flight no answer can bring them any more, so they are given up as `lost`.
void Engine::obey(const BeatAnswer& answer) {
  for (const StopOrder& order : answer.stops) {
    const auto holding = running_.find(order.run);
    if (holding == running_.end() || holding->second.stopping) continue;
    holding->second.stopping = true;
    actions_.push_back(StopRun{order.run, order.reason});
  }
  if (flight_ || unknown_) return;
  for (const Claim& claim : answer.held) {
    if (running_.contains(claim.run) || ends_.contains(claim.run)) continue;
    ends_[claim.run] = {
        claim.run, claim.fence, claim.incarnation, RunState::lost, Reason::node, {}, {}, {},
        "",        ""};
  }
}

void Engine::on(const LeaveAsked&, const Now& now) {
  if (leaving_ != Leaving::no) return;
  leaving_ = Leaving::handing_over;
  leave_asked_ = now.boot;
  beat_wanted_ = true;
}

/// For one beat the others still take this node for the home of its jobs, so it goes on deciding,
/// for them. Then, once nothing runs and the store has every end, it ends its own incarnation and
/// is gone.
void Engine::leave_if_done(const Now& now) {
  const bool handed_over = now.boot >= leave_asked_ + settings_.lease.beat;
  const bool idle = running_.empty() && ends_.empty() && !flight_ && !unknown_ && !beat_in_flight_;
  const auto self = members_.nodes().find(incarnation_);
  if (leaving_ == Leaving::no || !handed_over || !idle || self == members_.nodes().end()) return;
  leaving_ = Leaving::waiting;
  send(std::vector<SweepEntry>{{incarnation_, self->second->beat}});
}

void Engine::on(const Ticked&, const Now&) {}

void Engine::on(const Hinted&, const Now&) { beat_wanted_ = true; }

void Engine::on(const Offered& event, const Now&) {
  offered_ = event;
  to_register_ = true;
  register_at_ = Duration{0};
  beat_wanted_ = true;  // who offers what is told before it is registered
}

void Engine::on(const RunStarted& event, const Now&) {
  const auto holding = running_.find(event.run);
  if (holding != running_.end()) holding->second.started_at = event.started_at;
}

void Engine::on(const RunEnded& event, const Now&) {
  running_.erase(event.end.run);
  ends_[event.end.run] = event.end;
}

}  // namespace cronce
