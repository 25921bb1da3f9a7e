#include "test/sim/check.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/describe.h"
#include "schedule/schedule.h"

namespace cronce::sim {

Verdict check(const Evidence& evidence) {
  Checker checker(evidence);
  checker.check_starts();
  checker.check_overlap();
  checker.check_fences();
  checker.check_epochs();
  checker.check_calendar();
  checker.check_rows();
  checker.check_keys();
  if (evidence.calm_since) checker.check_calm();
  checker.verdict.excused.unnoticed += evidence.witness.unnoticed();
  return checker.verdict;
}

Checker::Checker(const Evidence& evidence) : evidence_(evidence), witness_(evidence.witness) {
  for (const Grant& grant : witness_.grants()) {
    // A store that forgot grants the same once more to a write that comes twice.
    grants_[{grant.claim.run, grant.claim.fence, grant.claim.incarnation}].push_back(&grant);
  }
  for (const JobRow& row : evidence.jobs) jobs_[row.uid] = &row;
}

std::string Checker::name_of(JobUid job) const {
  const auto known = witness_.definitions().find(job);
  return known == witness_.definitions().end() ? "unknown job" : known->second.back().name.text();
}

void Checker::fail(std::string invariant, std::string what) {
  verdict.violations.push_back({std::move(invariant), std::move(what)});
}

void Checker::fail(std::string invariant, const RunId& run, const std::string& what) {
  fail(std::move(invariant),
       fmt::format("job {} ({}), {}: {}", run.job.value, name_of(run.job), describe(run), what));
}

/// Whether every definition that the job ever had is like that.
bool Checker::always(JobUid job, bool (*holds)(const Job&)) const {
  const auto known = witness_.definitions().find(job);
  return known != witness_.definitions().end() &&
         std::all_of(known->second.begin(), known->second.end(), holds);
}

const JobRow* Checker::row_of(JobUid job) const {
  const auto row = jobs_.find(job);
  return row == jobs_.end() ? nullptr : row->second;
}

const Grant* Checker::grant_of(const Start& start) const {
  const auto grant = grants_.find({start.run, start.fence, start.incarnation});
  return grant == grants_.end() ? nullptr : grant->second.back();
}

// ---- starts
// --------------------------------------------------------------------------------------

namespace {

bool runs_once(const Job& job) { return job.retries->max == 0 && job.on_lost == OnLost::skip; }

bool stands_alone(const Job& job) { return job.overlap != Overlap::allow; }

/// What may overlap and is not tried again goes on when its lease is lost.
bool ends_with_lease(const Job& job) { return stands_alone(job) || job.on_lost != OnLost::skip; }

/// Whether the slot is due at that time under any name that the job had. Jitter is a digest, and is
/// not computed where it cannot matter.
bool is_due(const std::vector<Job>& definitions, Time slot, Time at) {
  if (at < slot) return false;
  return std::any_of(definitions.begin(), definitions.end(), [&](const Job& job) {
    return at >= slot + job.jitter || at >= slot + jitter(job.name.text(), slot, job.jitter);
  });
}

}  // namespace

void Checker::check_starts() {
  std::map<RunId, const Start*> attempts;
  std::map<RunId, const Start*> slots;
  for (const Start& start : witness_.starts()) {
    const auto attempt = attempts.try_emplace(start.run, &start);
    if (!attempt.second && !is_other(*attempt.first->second, start))
      check_again(*attempt.first->second, start, "I1", "started twice");
    RunId slot_id = start.run;
    slot_id.attempt = Attempt{0};
    const auto slot = slots.try_emplace(slot_id, &start);
    if (!slot.second && attempt.second && always(start.run.job, runs_once)) {
      check_again(*slot.first->second, start, "I2",
                  "a second start of this slot, although the job runs at most once");
    }
    attempt.first->second = slot.first->second = &start;
    check_start(start);
  }
  for (const Start* start : witness_.backfilled_after()) {
    if (is_excused(*start)) {
      ++verdict.excused.dead_node;
    } else {
      fail("I2", start->run, "backfilled, although it ran");
    }
  }
}

/// A person said that it shall run again, whatever was forgotten: another key.
bool Checker::is_other(const Start& first, const Start& second) const {
  const Grant* before = grant_of(first);
  const Grant* after = grant_of(second);
  return before != nullptr && after != nullptr && before->claim.key != after->claim.key &&
         was_granted_in_vain(first);
}

/// A process knows what it has begun, though the store has forgotten it.
bool Checker::knew(const Start& first, const Start& second) {
  return first.run == second.run && first.process == second.process &&
         first.run.space != Space::manual && epoch_of(first.fence) < epoch_of(second.fence);
}

/// A second start is a violation unless the store had forgotten the first, in one of the two ways
/// that nobody could see.
void Checker::check_again(const Start& first, const Start& second, const char* invariant,
                          const char* what) {
  if (is_unnoticed(second) || follows_unnoticed(first, second)) {
    ++verdict.excused.unnoticed;
  } else if (knew(first, second)) {
    fail(invariant, second.run, what);
  } else if (is_excused(first)) {
    ++verdict.excused.dead_node;
  } else if (slept_through(first) || slept_through(second)) {
    ++verdict.excused.stood_still;
  } else if (first.run.space == Space::manual && forgot(first) != nullptr) {
    ++verdict.excused.request;
  } else {
    fail(invariant, second.run, what);
  }
}

void Checker::check_start(const Start& start) {
  const auto known = witness_.definitions().find(start.run.job);
  if (known == witness_.definitions().end()) {
    fail("I9", start.run, "started, but nobody defined this job");
  } else if (start.run.space == Space::slot &&
             !(witness_.was_named_by_exec(start.run)  // without jitter
                   ? start.store_most >= start.run.slot
                   : is_due(known->second, start.run.slot, start.store_most))) {
    fail("I5", start.run, "started before it was due by the store's clock");
  }
  const auto grants = grants_.find({start.run, start.fence, start.incarnation});
  const bool granted = grants != grants_.end() && grants->second.front()->at <= start.at;
  if (!granted) fail("I7", start.run, "started without a claim of the store");
  if (granted && !witness_.was_learned(start.run, start.fence)) {
    fail("I7", start.run, "started before the claim's answer had arrived");
  }
  const JobRow* job = row_of(start.run.job);
  if (job != nullptr && job->whole && *job->member != start.node &&
      !was_granted_in_vain(start)) {  // a uid that is forgotten comes again
    fail("I9", start.run, fmt::format("run by {}, and it is {}'s share", start.node, *job->member));
  }
}

// ---- overlap, groups, leases
// ---------------------------------------------------------------------

void Checker::check_overlap() {
  std::map<JobUid, std::vector<const Start*>> by_job;
  std::map<Incarnation, std::vector<const Start*>> by_node;
  for (const Start& start : witness_.starts()) {
    if (start.outside || witness_.had_stood_still(start.incarnation)) continue;
    by_node[start.incarnation].push_back(&start);
    if (is_unnoticed(start)) continue;
    if (always(start.run.job, stands_alone)) by_job[start.run.job].push_back(&start);
  }
  for (auto& [job, starts] : by_job) check_apart(starts);
  for (const Ending& ending : witness_.endings()) {
    if (ending.asked != ending.last) {
      fail("I6", fmt::format("node {} was ended at beat {} although it had beaten {}",
                             print(ending.incarnation), ending.asked.value, ending.last.value));
    }
    for (const Start* start : by_node[ending.incarnation]) {
      if (start->at > ending.at) {
        if (was_undone(ending, *start)) continue;
        fail("I3", start->run, "started by a node that had been ended");
      } else if (start->gone && *start->gone <= ending.at) {
        continue;
      } else if (!always(start->run.job, ends_with_lease)) {
        continue;
      } else if (is_unnoticed(ending.at)) {
        ++verdict.excused.unnoticed;  // a beat that was forgotten stood still
      } else {
        fail("I3", start->run, "alive when its node was ended: the lease did not stop it in time");
      }
    }
  }
  for (const Incarnation& node : witness_.beats_after_end()) {
    fail("I6", fmt::format("node {} was ended, and its beat was accepted", print(node)));
  }
  check_group("group");
}

void Checker::check_apart(std::vector<const Start*> starts) {
  std::sort(starts.begin(), starts.end(),
            [](const Start* a, const Start* b) { return a->at < b->at; });
  const Start* last = nullptr;
  for (const Start* start : starts) {
    if (last != nullptr && (!last->gone || *last->gone > start->at)) {
      fail("I3", start->run, fmt::format("started while {} was alive", describe(last->run)));
    }
    const bool lasts_longer =
        last == nullptr || !start->gone || (last->gone && *start->gone > *last->gone);
    if (lasts_longer) last = start;
  }
}

void Checker::check_group(const std::string& group) {
  std::int64_t most = 0;
  std::vector<std::pair<Duration, int>> changes;
  for (const Start& start : witness_.starts()) {
    const auto known = witness_.definitions().find(start.run.job);
    const bool outside = start.outside || witness_.had_stood_still(start.incarnation);
    if (known == witness_.definitions().end() || outside || is_unnoticed(start)) continue;
    const auto& limit = known->second.back().concurrency;
    if (!limit || limit->group != group) continue;
    most = limit->max;
    changes.push_back({start.at, +1});
    if (start.gone) changes.push_back({*start.gone, -1});
  }
  std::sort(changes.begin(), changes.end());  // ends before starts of the same moment
  std::int64_t alive = 0;
  for (const auto& [at, change] : changes) {
    alive += change;
    if (alive <= most) continue;
    return fail("I3", fmt::format("{} runs of a group of {} alive at {}", alive, most, print(at)));
  }
}

// ---- fences and pauses
// ---------------------------------------------------------------------------

/// It may have waited before it was claimed, if that is what a decision said.
Time Checker::decided_at(const Grant& grant) const {
  Time decided = grant.claim.claimed_at;
  if (!witness_.was_enqueued(grant.claim.run)) return decided;
  for (const Run& row : evidence_.rows) {
    if (row.id == grant.claim.run && row.decided.at) decided = std::min(decided, *row.decided.at);
  }
  return decided;
}

/// Of its slot, and nobody asked for it: a later attempt follows one that started, or was given
/// back.
bool Checker::is_first(const Start& start) const {
  if (start.run.attempt == Attempt{1}) return true;
  if (witness_.was_backfilled(start.run)) return false;
  const auto before = [&](const RunId& other) {
    return other.job == start.run.job && other.space == start.run.space &&
           other.slot == start.run.slot && other.attempt < start.run.attempt;
  };
  return std::none_of(witness_.grants().begin(), witness_.grants().end(),
                      [&](const Grant& grant) { return before(grant.claim.run); });
}

void Checker::check_fences() {
  std::map<JobUid, const Grant*> last;  // of a job that runs everywhere: of all its members
  for (const Grant& grant : witness_.grants()) {
    if (is_unnoticed(grant.at)) continue;
    const JobRow* job = row_of(grant.claim.run.job);
    const JobUid counts = job != nullptr && job->whole ? *job->whole : grant.claim.run.job;
    const Grant*& known = last[counts];
    const bool grows = known == nullptr || grant.claim.fence > known->claim.fence;
    if (!grows && is_excused(*known)) {
      ++verdict.excused.dead_node;  // nobody who was heard knew of that epoch
    } else if (!grows) {
      fail("I6", grant.claim.run, "the fence did not grow");
    }
    known = &grant;
    if (grant.paused && grant.claim.run.space == Space::slot) {
      fail("I4", grant.claim.run, "granted while the job was paused");
    }
  }
  for (const Start& start : witness_.starts()) {
    for (const PausedTime& pause : witness_.pauses()) {
      const bool covered = pause.job == start.run.job && start.run.space == Space::slot &&
                           start.run.slot > pause.from && pause.to && start.run.slot <= *pause.to &&
                           is_first(start);
      // Decided at a time within it, and not while paused: the store's clock was set back since.
      const Grant* grant = covered ? grant_of(start) : nullptr;
      const bool again = grant != nullptr && decided_at(*grant) <= *pause.to;
      if (covered && !again && !was_granted_in_vain(start) &&
          !witness_.was_named_by_exec(start.run))
        fail("I4", start.run, "a pause covered it, and it was caught up");
    }
  }
  for (const RunId& run : witness_.self_lost()) {
    const auto& starts = witness_.starts();
    const bool was_forgotten = std::any_of(starts.begin(), starts.end(), [&](const Start& start) {
      return start.run == run && was_granted_in_vain(start);
    });
    if (was_forgotten) continue;  // it has an end of that run, and no use for another claim
    fail("I10", run, "given up by its own living node: its claim was forgotten");
  }
  for (const auto& [invariant, what] : witness_.wrongs()) fail(invariant, what);
}

}  // namespace cronce::sim
