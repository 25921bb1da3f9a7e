// The engine's life: beats and the trust that they give, what beats order, and leaving.
#include "engine/engine.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cronce {
namespace {

constexpr Duration kNever = Duration::max();

/// As far as its end tells. It was granted when it was due.
Claim claim_of(const FinishEntry& end) {
  const bool has_slot = end.run.space == Space::slot;
  const Time due = has_slot ? end.run.slot : end.started_at.value_or(Time{});
  return {end.run, end.incarnation, end.fence, "", due, has_slot ? end.run.slot : Time{}};
}

FinishEntry end_without_result(const Claim& claim, RunState state, Reason reason) {
  FinishEntry end;
  end.run = claim.run;
  end.fence = claim.fence;
  end.incarnation = claim.incarnation;
  end.state = state;
  end.reason = reason;
  return end;
}

/// It did not end because its node took its claim for lost.
bool is_of_its_own(const FinishEntry& end) {
  if (end.state == RunState::failed) return end.reason != Reason::signal;
  return end.state != RunState::cancelled || end.reason == Reason::by_operator;
}

}  // namespace

Engine::Engine(EngineSettings settings, Rng rng)
    : settings_(std::move(settings)),
      rng_(rng),
      incarnation_(Incarnation::random(rng_)),
      members_(incarnation_, settings_.lease),
      mark_(settings_.mark) {
  for (Claim& claim : std::exchange(settings_.claims, {}))
    recent_[claim.run].claim = std::move(claim);
}

std::vector<Action> Engine::step(const Now& now, const Event& event) {
  actions_.reserve(4);  // most steps order fewer
  follow_clock(now);
  std::visit([&](const auto& what) { on(what, now); }, event);
  if (leaving_ != Leaving::gone) {
    write_if_free(now);
    leave_if_done(now);
    beat_if_due(now);
  }
  return std::exchange(actions_, {});
}

Duration Engine::next_wakeup(const Now& now) const {
  if (leaving_ == Leaving::gone) return kNever;
  const bool beats = !beat_in_flight_ && leaving_ != Leaving::waiting;
  Duration wake = beats ? beat_time() : kNever;
  if (!flight_ && unknown_) wake = std::min(wake, retry_at_);
  // Without trust nothing is asked: the next answer of a beat wakes the engine, not a slot.
  const bool free = !flight_ && !unknown_ && leaving_ != Leaving::waiting;
  const bool may_ask = free && can_judge(now);
  if (free && closed_since_) wake = std::min(wake, closed_time());
  // What they change comes of several writes, and nothing else may happen for long.
  const bool changes = leaving_ == Leaving::handing_over || settings_.boot;
  if (may_ask && !closed_since_ && changes && change_at_ > now.boot) {
    wake = std::min(wake, change_at_);
  }
  if (may_ask && !closed_since_ && !ends_.empty()) wake = std::min(wake, ends_at_);
  if (may_ask && !closed_since_) {
    for (const auto& [source, offer] : offers_) {
      const auto time = now.doubted ? std::nullopt : register_time(offer);
      if (time) wake = std::min(wake, *time);
    }
    if (!wakes_.empty()) {
      const Duration until = wakes_.begin()->first - now.cluster;
      wake = std::min(wake, now.boot + std::max(until, Duration{1}));
    }
    if (const auto take = next_take(now)) wake = std::min(wake, *take);
  }
  return wake == kNever ? kNever : std::max(wake, now.boot + Duration{1});
}

const Job* Engine::definition(JobUid job) const {
  const auto known = jobs_.find(job);
  return known == jobs_.end() ? nullptr : &*known->second.row.definition;
}

bool Engine::is_idle(const Now& now) const {
  const bool asks = flight_ || unknown_ || beat_in_flight_ || beat_wanted_;
  if (asks || !running_.empty() || !ends_.empty() || !can_judge(now) || closed_since_) return false;
  for (const auto& [source, offer] : offers_) {
    if (offer.wanted && !offer.superseded) return false;
  }
  const auto take = next_take(now);
  const bool takes = take && *take <= now.boot;
  return !takes && (wakes_.empty() || wakes_.begin()->first > now.cluster);
}

/// Alarms are set in cluster time. After it was set back they would ring too late.
void Engine::follow_clock(const Now& now) {
  const bool went_back = now.cluster + kPatience < latest_;
  latest_ = now.cluster;
  if (!went_back) return;
  able_since_ = read_at_ = kMinTime;
  for (auto& [uid, job] : jobs_) job.free_since = kMinTime;
  rank_all_anew();
}

/// A new life: what the old one was told, asked or held is not ours. The sequence goes on, so that
/// an answer to the old life's write does not fit the new one's. What ran is killed; its ends still
/// come from the keeper, and are delivered with their own fence.
void Engine::be_born() {
  actions_.push_back(KillAll{});
  const Incarnation before = std::exchange(incarnation_, Incarnation::random(rng_));
  note_gone({before});
  members_ = Members(incarnation_, settings_.lease);
  beat_ = granted_ = Beat{};
  beat_in_flight_ = false;
  beat_wanted_ = true;
  trust_until_ = Duration{-1};
  epoch_.reset();
  closed_since_.reset();
  closed_beat_ = {};
  forget_jobs();
  answered_ = 0;
  flight_.reset();
  unknown_.reset();
  running_.clear();
  if (!leaves()) return;
  leaving_ = Leaving::gone;
  actions_.push_back(Left{});
}

bool Engine::trusts(const Now& now) const {
  return !disputed_ && now.boot + settings_.lease.answer_timeout < trust_until_;
}

void Engine::trust_from(Duration asked) {
  const Duration trust = asked + trust_of(settings_.lease);
  if (trust <= trust_until_) return;
  trust_until_ = trust;
  actions_.push_back(TrustUntil{trust});
}

Duration Engine::beat_time() const {
  return beat_asked_ + (beat_wanted_ ? kBeatGap : settings_.lease.beat);
}

void Engine::beat_if_due(const Now& now) {
  if (leaving_ == Leaving::waiting) return;  // the number must stand still for the sweep of oneself
  if (beat_in_flight_ || now.boot < beat_time()) return;
  beat_wanted_ = false;
  beat_in_flight_ = true;
  beat_asked_ = now.boot;
  beat_asked_at_ = now.cluster;
  ++beat_.value;
  actions_.push_back(SendBeat{compose_beat(now)});
}

BeatAsk Engine::compose_beat(const Now& now) {
  BeatAsk ask;
  ask.node = settings_.self;
  ask.node.incarnation = incarnation_;
  ask.node.beat = beat_;
  ask.node.lease = settings_.lease.lease;
  ask.node.leaving = leaves();
  ask.node.running = static_cast<std::int64_t>(running_.size());
  ask.node.wall = now.wall;
  if (now.wall) ask.node.clock_reading = now.wall->time_since_epoch() - now.boot;
  if (now.doubted) ask.node.course = now.cluster;
  for (const auto& [source, offer] : offers_) ask.node.digests[source] = offer.offered.digest;
  ask.known_changes = known_changes_;
  ask.mark = mark_;
  if (mark_) ask.granted = granted_;  // without one it was granted nothing that could be missed
  ask.granted_closed = closed_beat_;
  for (auto& [id, holding] : running_) {
    if (holding.started_at) ask.started.push_back({id, *holding.started_at});
    if (holding.progress) ask.progress.push_back({id, *holding.progress});
    if (holding.started_at || holding.progress) holding.told_by = beat_;
  }
  return ask;
}

void Engine::news_were_told(Beat granted) {
  for (auto& [id, holding] : running_) {
    if (holding.told_by == Beat{} || holding.told_by > granted) continue;
    holding.started_at.reset();
    holding.progress.reset();
  }
}

void Engine::on(const BeatUnanswered&, const Now&) { beat_in_flight_ = false; }

void Engine::on(const BeatAnswered& event, const Now& now) {
  beat_in_flight_ = false;
  const BeatAnswer& answer = event.answer;
  if (answer.refused == Refused::ended) return be_born();
  const bool could_act = trusts(now);
  disputed_ = answer.disputed;
  // Who has not remembered may not count on being waited for: it must be gone when the next epoch
  // opens, as if it had not beaten at all.
  if (!answer.closed || answer.remembered) trust_from(event.asked);
  granted_ = std::max(granted_, answer.beat);
  news_were_told(answer.beat);
  store_time_ = answer.store_time;
  read_at_ = beat_asked_at_;
  const bool knew = all_know();
  const bool others = members_.saw(answer.nodes, now.boot);
  // Who vanishes from a history that goes on was ended.
  if (!answer.closed && answer.epoch == epoch_) note_gone(members_.vanished());
  note_unaware();
  has_swept_ = false;
  forget_old_claims(now);
  const bool doubted = std::exchange(doubted_, now.doubted);
  if (now.doubted && !doubted) beat_wanted_ = true;  // for newcomers, who listen
  if (!follow_epoch(answer, now)) return;
  if (!could_act) able_since_ = now.cluster;
  if (others || !could_act || all_know() != knew) rank_all_anew();
  // Until it hears that they know it decides for them, and they wait for what it enqueues.
  const bool soon = now.boot < leave_asked_ + settings_.lease.beat;
  if (leaving_ == Leaving::handing_over && !all_know() && soon) beat_wanted_ = true;
  for (const JobRow& row : answer.changed) learn(row, now);
  known_changes_ = answer.changes;
  if (others || !answer.changed.empty()) watch_absent(now);
  for (const JobUid uid : std::exchange(standing_by_, {})) {
    if (const auto job = jobs_.find(uid); job != jobs_.end()) schedule_wake(job->second, kMinTime);
  }
  obey(answer);
}

void Engine::stop(Holding& holding, Reason reason) {
  if (std::exchange(holding.stopping, true)) return;
  actions_.push_back(StopRun{holding.claim.run, reason});
}

/// Stop orders; and with nothing in flight, so that no answer can explain it any more: a claim that
/// the store holds for us but that we never learned of is `lost`, one whose end it has forgotten is
/// told again, and one of an earlier epoch that it does not hold is not ours any more.
void Engine::obey(const BeatAnswer& answer) {
  for (const StopOrder& order : answer.stops) {
    const auto holding = running_.find(order.run);
    if (holding != running_.end()) stop(holding->second, order.reason);
  }
  if (flight_ || unknown_) return;
  for (const Claim& claim : answer.held) {
    if (running_.contains(claim.run) || ends_.contains(claim.run)) continue;
    ends_[claim.run] = known_end(claim);
  }
  for (auto& [run, holding] : running_) {
    if (epoch_of(holding.claim.fence) == epoch_) continue;
    const auto is_it = [&](const Claim& claim) { return claim.run == holding.claim.run; };
    if (std::none_of(answer.held.begin(), answer.held.end(), is_it)) stop(holding, Reason::none);
  }
}

void Engine::on(const LeaveAsked&, const Now& now) {
  if (leaves()) return;
  leaving_ = Leaving::handing_over;
  leave_asked_ = now.boot;
  beat_wanted_ = true;
  rank_all_anew();
}

/// The store shows this node as leaving: from now on whoever beats knows.
void Engine::note_unaware() {
  const Node* self = members_.self();
  if (unaware_ || self == nullptr || !self->leaving) return;
  unaware_.emplace();
  for (const auto& [incarnation, member] : members_.all()) {
    if (incarnation != incarnation_) unaware_->emplace(incarnation, member.node->beat);
  }
}

bool Engine::all_know() const {
  if (!unaware_) return false;
  return std::all_of(unaware_->begin(), unaware_->end(), [&](const auto& other) {
    const Node* node = members_.find(other.first);
    return node == nullptr || node->beat > other.second;
  });
}

/// Until they have beaten, at most for one beat, the others still take this node for the home of
/// its jobs, so it goes on deciding, for them. Then, once nothing runs and the store has every end,
/// its shares of jobs that run everywhere end, and it ends its own incarnation and is gone.
void Engine::leave_if_done(const Now& now) {
  const bool handed_over = all_know() || now.boot >= leave_asked_ + settings_.lease.beat;
  const bool idle = running_.empty() && ends_.empty() && !flight_ && !unknown_ && !beat_in_flight_;
  if (leaving_ != Leaving::handing_over || !handed_over || !idle || closed_since_) return;
  const Node* self = members_.self();
  if (self == nullptr || has_swept_ || now.boot < change_at_) return;
  const bool knows_time = !now.doubted && !now.timeless;
  if (auto ends = end_of_members(); !ends.empty() && knows_time) {
    return send(DecideAsk{{}, {}, std::move(ends)}, now);
  }
  leaving_ = Leaving::waiting;
  has_swept_ = true;
  send(std::vector<SweepEntry>{{incarnation_, self->beat}}, now);
}

void Engine::on(const Ticked&, const Now&) {}

void Engine::on(const Hinted&, const Now&) { beat_wanted_ = true; }

void Engine::on(const Offered& event, const Now&) {
  Offer offer{event, {}, true, false, Duration{0}, {}};
  const auto& jobs = event.set.jobs;
  offer.by_name.resize(jobs.size());
  std::iota(offer.by_name.begin(), offer.by_name.end(), 0);
  std::sort(offer.by_name.begin(), offer.by_name.end(),
            [&](std::uint32_t a, std::uint32_t b) { return jobs[a]->name < jobs[b]->name; });
  offers_[event.set.source] = std::move(offer);
  beat_wanted_ = true;  // who offers what is told before it is registered
}

void Engine::on(const RunStarted& event, const Now&) {
  const auto holding = running_.find(event.run);
  if (holding == running_.end()) return;
  holding->second.started_at = event.started_at;
  holding->second.told_by = Beat{};
}

/// Told with the next beat, whenever that is: nobody waits for it.
void Engine::on(const RunProgressed& event, const Now&) {
  const auto holding = running_.find(event.run);
  if (holding == running_.end()) return;
  holding->second.progress = event.text;
  holding->second.told_by = Beat{};
}

/// Of this life, of a former one, or of a former process, whose claim only its end tells of.
void Engine::on(const RunEnded& event, const Now& now) {
  const FinishEntry& end = event.end;
  ends_[end.run] = end;
  const auto recent = recent_.find(end.run);
  const auto holding = running_.find(end.run);
  const bool runs = holding != running_.end();
  if (runs && holding->second.claim.fence != end.fence) return;  // there is a second child
  const Claim claim = recent != recent_.end() ? recent->second.claim
                      : runs                  ? holding->second.claim
                                              : claim_of(end);
  note_claim(claim, end, now);
  if (runs) running_.erase(holding);
}

/// What this node knows of a run of which it has another claim.
const Engine::Recent* Engine::recent_of(const Claim& claim) const {
  const auto recent = recent_.find(claim.run);
  if (recent == recent_.end()) return nullptr;
  const std::string& key = recent->second.claim.key;  // none: only its end is known
  return key.empty() || key == claim.key ? &recent->second : nullptr;
}

/// Whether this node, or a process of it before, has begun this run by a claim of an epoch that is
/// over, which the store has forgotten. A request may be asked again once it was purged.
bool Engine::has_begun(const Claim& claim) const {
  const Recent* recent = recent_of(claim);
  return recent != nullptr && claim.run.space != Space::manual &&
         epoch_of(recent->claim.fence) < epoch_of(claim.fence) &&
         !(recent->end && recent->end->state == RunState::returned);
}

/// As far as this node knows. What ended because the claim by which it began was lost has no result
/// for another one.
FinishEntry Engine::known_end(const Claim& claim) const {
  const Recent* recent = recent_of(claim);
  const bool known = recent != nullptr && recent->end;
  const bool same = known && recent->end->fence == claim.fence;
  if (!known || (!same && !is_of_its_own(*recent->end))) {
    return end_without_result(claim, RunState::lost, Reason::node);
  }
  FinishEntry end = *recent->end;
  end.fence = claim.fence;
  end.incarnation = claim.incarnation;
  return end;
}

/// A claim without the trust to start, or of what this node may no longer run or does not know yet,
/// is given back: it was never handed to the keeper. So is one that comes when the epoch is known
/// to be closed: the store has forgotten it, and may have granted its slot again. A grant of an
/// earlier epoch is none. What has begun here before is not begun again: its end is told.
void Engine::accept(const Claim& claim, const Now& now) {
  if (epoch_of(claim.fence) < epoch_ || claim.incarnation != incarnation_) return;
  if (has_begun(claim)) {
    note_claim(claim, recent_.at(claim.run).end, now);
    if (!running_.contains(claim.run)) ends_.try_emplace(claim.run, known_end(claim));
    return;
  }
  if (running_.contains(claim.run) || ends_.contains(claim.run)) return;
  const auto known = jobs_.find(claim.run.job);
  const bool knows = epoch_of(claim.fence) == epoch_ && known != jobs_.end();
  if (closed_since_ || !trusts(now) || !knows || !fits_here(known->second.row)) {
    const FinishEntry end = end_without_result(claim, RunState::returned, Reason::none);
    ends_[claim.run] = end;
    note_claim(claim, end, now);
    return;
  }
  note_claim(claim, std::nullopt, now);
  unmarked_.push_back(claim);
  unmarked_.back().env = {};  // may be a secret
  running_[claim.run].claim = claim;
  actions_.push_back(StartRun{claim, known->second.row.definition});
}

}  // namespace cronce
