// What the engine asks about jobs: the entries of its next write, made of all that is wanted at
// that moment.
#include <algorithm>
#include <tuple>

#include "engine/engine.h"

namespace cronce {
namespace {

bool pause_is_over(const JobRow& row, const Now& now) {
  return row.pause && row.pause->until && *row.pause->until <= now.cluster;
}

}  // namespace

/// Whose time has come, the important ones first. Who is not the first in rank for a job looks at
/// the store before it stands in, once for all of them.
Engine::Due Engine::ready(Queue& queue, std::optional<Alarm> Watched::* alarm, const Now& now) {
  Due due;
  Due stale;
  for (const auto& [at, uid] : queue) {
    if (at > now.cluster || due.size() >= kMostEntries) break;
    Watched& job = jobs_.at(uid);
    const Alarm& rings = *(job.*alarm);
    const bool fresh = rings.rank == 0 || read_at_ > rings.acts;
    (fresh ? due : stale).push_back(&job);
  }
  for (Watched* job : stale) {
    queue.erase({(job->*alarm)->at, job->row.uid});
    (job->*alarm).reset();
    standing_by_.push_back(job->row.uid);
    beat_wanted_ = true;
  }
  by_priority(due);
  return due;
}

void Engine::by_priority(Due& due) {
  std::sort(due.begin(), due.end(), [](const Watched* a, const Watched* b) {
    const auto rank = [](const Watched& job) {
      const Time wake = job.wake ? job.wake->acts : kMaxTime;
      const Time take = job.take ? job.take->acts : kMaxTime;
      return std::tuple(-job.row.definition->priority, std::min(wake, take), job.row.uid);
    };
    return rank(*a) < rank(*b);
  });
}

SlotToRun::How Engine::how_to_run(const KnownJob& job, std::int64_t places) const {
  const bool skips = job.row.definition->overlap == Overlap::skip;
  if (skips && !job.row.live.empty() && suspects_live(job.row)) return SlotToRun::How::defer;
  if (!fits_here(job.row) || places <= 0) return SlotToRun::How::enqueue;
  return SlotToRun::How::run;
}

DecideAsk Engine::compose_decide(const Due& due, const Now& now) {
  DecideAsk ask;
  std::int64_t places = free_places();
  for (const Watched* job : due) {
    add_lapses(*job, now, ask);
    if (pause_is_over(job->row, now)) {  // of a share: with the whole job's
      if (!job->row.whole) ask.changes.emplace_back(end_of_pause(*job));
      continue;
    }
    auto entry = owed(*job, now.cluster, how_to_run(*job, places));
    if (!entry) continue;
    const bool here = !entry->runs.empty() && entry->runs.back().how == SlotToRun::How::run;
    places -= static_cast<std::int64_t>(here);
    ask.entries.push_back(*std::move(entry));
  }
  if (now.boot >= change_at_ && !leaves() && !now.doubted) add_changes(now, ask);
  return ask;
}

/// Nothing expires while the store's clock is doubted.
void Engine::add_lapses(const KnownJob& job, const Now& now, DecideAsk& ask) const {
  const JobRow& row = job.row;
  const auto window = start_window(*row.definition);
  for (const PendingRun& pending : row.pending) {
    const bool overlaps = pending.deferred && !row.live.empty() && !suspects_live(row);
    const bool old =
        window && may_expire(pending) && now.cluster - pending.due > *window && !now.doubted;
    if (overlaps) {
      ask.lapses.push_back({pending.id, Reason::overlap});
    } else if (old) {
      ask.lapses.push_back({pending.id, anyone_fits(row) ? Reason::expired : Reason::no_node});
    }
  }
}

/// What the pause covered ends with it; what came after it is owed as after an outage.
ResumeJob Engine::end_of_pause(const KnownJob& job) const {
  const JobRow& row = job.row;
  Time until = std::max(*row.pause->until, row.plan.cursor);
  if (row.is_whole()) {  // a share may have been put back with a later one
    for (const auto& [uid, other] : jobs_) {
      const bool counts = other.row.whole == row.uid && !other.row.retired();
      if (counts) until = std::max(until, other.row.plan.cursor);
    }
  }
  ResumeJob resume{row.uid, until, first_slot(job.schedule, until), 0, row.plan.turn};
  if (row.plan.next && *row.plan.next <= until) {
    resume.covered = 1 + job.schedule->count(*row.plan.next, until);
  }
  return resume;
}

/// The next slot as this node computes it, if it knows more than who computed the stored one.
std::optional<PlanChange> Engine::repoint(const KnownJob& job) const {
  const JobRow& row = job.row;
  const Time base = std::max(store_time_, row.plan.cursor);
  const bool counted = !job.schedule->delay_after_end() && !job.schedule->at_boot();
  const bool owes = row.plan.next && *row.plan.next <= base;
  if (!counted || owes || row.is_whole() || row.only_exec || row.paused()) return std::nullopt;
  const auto next = job.schedule->first_after(base);
  if (next == row.plan.next) return std::nullopt;
  return Repoint{row.uid, row.plan.turn, base, next};
}

EndMember Engine::end_of(const KnownJob& member) const {
  const JobRow& row = member.row;
  const Time until = store_time_;
  const bool owes = row.plan.next && *row.plan.next <= until;
  return {row.uid, row.plan.turn,
          owes ? 1 + member.schedule->count(*row.plan.next, until) : std::int64_t{0},
          owes ? first_slot(member.schedule, until) : row.plan.next};
}

std::vector<PlanChange> Engine::end_of_members() const {
  std::vector<PlanChange> ends;
  for (const auto& [whole, uid] : own_members_) ends.emplace_back(end_of(jobs_.at(uid)));
  return ends;
}

/// No news are on their way, and nothing of this node's files.
bool Engine::knows_its_jobs() const {
  return !beat_wanted_ && !beat_in_flight_ &&
         std::none_of(offers_.begin(), offers_.end(),
                      [](const auto& offer) { return offer.second.wanted; });
}

/// A job that comes later waits for the next boot, as it would with cron.
void Engine::add_boot(DecideAsk& ask) {
  if (!settings_.boot || !knows_its_jobs()) return;
  bool all = true;
  for (const JobUid uid : wholes_) {
    const KnownJob& whole = jobs_.at(uid);
    if (!whole.schedule->at_boot() || !fits_here(whole.row)) continue;
    const auto own = own_members_.find(uid);
    if (own != own_members_.end() && booted_.contains(own->second)) continue;
    all = false;
    if (own != own_members_.end()) {
      ask.changes.emplace_back(StartAtBoot{own->second, *settings_.boot});
    }
  }
  if (!all) return;
  actions_.push_back(KeepBoot{*settings_.boot});
  settings_.boot.reset();
}

void Engine::add_changes(const Now& now, DecideAsk& ask) {
  for (const JobUid uid : wholes_) {
    const KnownJob& job = jobs_.at(uid);
    if (own_members_.contains(uid) || !fits_here(job.row)) continue;
    const auto former = former_members_.find(uid);
    const Time settled =
        former == former_members_.end() ? kMinTime : jobs_.at(former->second).row.plan.cursor;
    const Time base = std::max(store_time_, settled);
    ask.changes.emplace_back(JoinMember{uid, base, first_slot(job.schedule, base)});
  }
  for (const auto& [uid, time] : absent_) {
    if (now.boot >= time) ask.changes.emplace_back(end_of(jobs_.at(uid)));
  }
  add_boot(ask);
  std::erase_if(to_compare_, [&](JobUid uid) {
    const auto change = repoint(jobs_.at(uid));
    if (change) ask.changes.push_back(*change);
    return !change;
  });
}

}  // namespace cronce
