// When the store forgets: what the engine keeps, notices and tells.
//
// Each answer moves the mark. A store that is behind it, or that finds itself in another place,
// closes its epoch: nodes then only beat and remember, and after one lease, in which every living
// node was heard, one of them opens the next.
#include <algorithm>
#include <utility>

#include "engine/cluster_clock.h"
#include "engine/engine.h"

namespace cronce {
namespace {

constexpr Duration kRemembered = std::chrono::hours{1};
constexpr Duration kWrongClock = std::chrono::days{1};
constexpr std::size_t kGone = 1'000;

}  // namespace

/// False if the answer's rows say nothing: the epoch is closed, or a new one begins, whose rows are
/// all asked for again.
bool Engine::follow_epoch(const BeatAnswer& answer, const Now& now) {
  const std::optional<Epoch> before = std::exchange(epoch_, answer.epoch);
  if (before != answer.epoch) answered_ = 0;  // that was another history
  if (answer.closed) {
    hear_closed(answer, before, now);
    return false;
  }
  closed_since_.reset();
  closed_beat_ = {};
  keep_mark(answer, now);
  if (!before || before == answer.epoch) return true;
  forget_jobs();
  able_since_ = now.cluster;
  beat_wanted_ = true;
  return false;
}

/// Closed once more, or put back to what it was while it was closed: all must be heard again. That
/// may have happened unseen to who had no answer for long: it waits once more.
void Engine::hear_closed(const BeatAnswer& answer, std::optional<Epoch> before, const Now& now) {
  const bool forgot = has_remembered_ && !answer.remembered && beat_asked_ > remembered_at_;
  if (!closed_since_ || before != answer.epoch || forgot) {
    closed_since_ = now.boot;
    has_remembered_ = false;
  }
  if (!hears_closed(beat_asked_)) waits_since_ = now.boot;
  heard_closed_ = beat_asked_;
  closed_beat_ = answer.beat;
}

bool Engine::hears_closed(Duration boot) const {
  return boot - heard_closed_ <= settings_.lease.lease / 2;
}

/// The greatest time by which a store was seen to judge, even if its clock was set back since. One
/// that is doubted, or that was taken back by more than a day, is none that it should be told; nor
/// one that is not believed because its answer waited for this process.
Time Engine::marked_time(const BeatAnswer& answer, const Now& now) const {
  const bool believed = !now.doubted && answer.store_time <= now.cluster + kSmallStep;
  const Time time = believed ? answer.store_time : std::min(now.cluster, answer.store_time);
  const bool known = mark_ && mark_->store == answer.store && mark_->time <= time + kWrongClock;
  return known ? std::max(mark_->time, time) : time;
}

void Engine::keep_mark(const BeatAnswer& answer, const Now& now) {
  store_ = answer.store;
  if (now.timeless) return;
  mark_ = Mark{answer.store, answer.epoch, answer.position, marked_time(answer, now)};
  actions_.push_back(KeepMark{*mark_, std::exchange(unmarked_, {})});
}

/// When the next thing that a closed epoch allows is to be written: the memory at once, the opening
/// one lease later, in which all were heard. It counts from the memory, which the store took since
/// it was closed the last time, or from when the store was heard again. The longest lease counts:
/// who has not remembered trusts its own.
Duration Engine::closed_time() const {
  Duration lease = settings_.lease.lease;
  for (const auto& [incarnation, member] : members_.all()) {
    lease = std::max(lease, member.node->lease);
  }
  return std::max(closed_at_, has_remembered_ ? waits_since_ + lease : *closed_since_);
}

void Engine::write_while_closed(const Now& now) {
  if (now.boot < closed_time()) return;
  if (!has_remembered_) {
    Remember ask;
    ask.mark = mark_.value_or(Mark{store_});
    for (const auto& [run, holding] : running_) ask.running.push_back(holding.claim);
    for (const auto& [run, recent] : recent_) {
      if (!running_.contains(run)) (recent.end ? ask.ended : ask.begun).push_back(recent.claim);
    }
    ask.gone.assign(gone_.begin(), gone_.end());
    return send(std::move(ask), now);
  }
  if (hears_closed(now.boot)) return send(OpenEpoch{*epoch_, closed_beat_}, now);
  beat_wanted_ = true;
  closed_at_ = now.boot + kPatience;
}

/// What could not be put back is not ours any more; what has ended is told again.
void Engine::remembered(const ControlAnswer& answer, const Now& now) {
  beat_wanted_ = true;
  closed_at_ = now.boot + kPatience;
  if (answer.refused != Refused::none) return;
  has_remembered_ = true;
  remembered_at_ = waits_since_ = now.boot;
  for (const auto& [run, recent] : recent_) {
    if (recent.end) ends_.try_emplace(run, *recent.end);
  }
  for (const RunId& run : answer.unknown) {
    const auto holding = running_.find(run);
    if (holding != running_.end()) stop(holding->second, Reason::none);
  }
}

/// A store that forgot it would take them for alive, and what they ran for what still runs.
void Engine::note_gone(const std::vector<Incarnation>& ended) {
  for (const Incarnation& one : ended) {
    if (one != incarnation_) gone_.push_back(one);
  }
  while (gone_.size() > kGone) gone_.pop_front();
}

/// Without the output: an hour of it would fill the memory.
void Engine::note_claim(const Claim& claim, std::optional<FinishEntry> end, const Now& now) {
  if (end) end->output_tail.clear();
  recent_[claim.run] = {claim, std::move(end), now.boot};
  recent_order_.push_back(claim.run);
}

void Engine::forget_old_claims(const Now& now) {
  while (!recent_order_.empty()) {
    const auto recent = recent_.find(recent_order_.front());
    if (recent != recent_.end() && now.boot - recent->second.at <= kRemembered) return;
    if (recent != recent_.end()) recent_.erase(recent);
    recent_order_.pop_front();
  }
}

}  // namespace cronce
