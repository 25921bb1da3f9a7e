// What changes a plan without deciding a slot: the end of a pause or of a job, another next slot,
// and the shares of a job that runs everywhere.
#include <algorithm>

#include "store/embedded/operations.h"

namespace cronce::embedded {
namespace {

constexpr Duration kGone = std::chrono::days{1};  // then a node's share ends

/// What is owed up to a time, as one range. Somebody counted the slots, or did not (0): of a job
/// that runs everywhere each share may owe others.
void settle_owed(Tables& tables, JobRow& job, std::int64_t covered, Reason reason, Time until,
                 const Step& step) {
  if (!is_owing(job, until)) return;
  tables.settle_range(job, {*job.plan.next, until, covered, reason}, RangeEnd::time, step);
  job.plan.cursor = std::max(job.plan.cursor, until);
}

Time settled_until(const std::vector<JobRow*>& rows, Time end) {
  Time settled = end;
  for (const JobRow* row : rows) settled = std::max(settled, row->plan.cursor);
  return settled;
}

/// A node may end a pause only because its time is over, and only the pause that it knows.
Refused judge_timer(const JobRow& job, const ResumeJob& ask, Time now) {
  if (!ask.turn) return Refused::none;
  if (*ask.turn != job.plan.turn) return Refused::moved;
  const bool over = job.pause && job.pause->until && *job.pause->until <= now;
  return over ? Refused::none : Refused::future;
}

/// Nobody of that name lives, and the last one was ended a day ago.
bool is_gone(const Tables& tables, const std::string& name, Time now) {
  const auto rows = tables.nodes_named(name);
  return std::all_of(rows.begin(), rows.end(), [&](const NodeRow* node) {
    return node->ended && now - node->ended_at >= kGone;
  });
}

/// It says so itself, and no other process of that name stays.
bool leaves(const Tables& tables, const std::string& name, const Step& step) {
  if (tables.name_of(step.incarnation) != name) return false;
  const auto rows = tables.nodes_named(name);
  return std::all_of(rows.begin(), rows.end(),
                     [](const NodeRow* node) { return node->ended || node->node->leaving; });
}

struct Change {
  Tables& tables;
  const Step& step;

  Refused operator()(const ResumeJob& ask) const {
    if (!ask.turn) return Refused::invalid;  // without one it is a person's word
    return resume(tables, ask, step);
  }

  /// Older ones never do, and nobody while a slot is owed: the stored next is the truth.
  Refused operator()(const Repoint& ask) const {
    JobRow* job = tables.find_job(ask.job);
    if (job == nullptr) return Refused::gone;
    if (job->retired()) return Refused::retired;
    if (!has_slots(*job)) return Refused::invalid;
    if (ask.turn != job->plan.turn) return Refused::moved;
    if (!is_newer(tables.knowledge_of(step.incarnation), job->pointed_by)) return Refused::stale;
    if (is_owing(*job, step.now)) return Refused::busy;
    if (!is_next(ask.base, ask.next, std::max(job->plan.cursor, step.now))) return Refused::future;
    tables.point(*job, ask.next, step);
    tables.turn(*job, step);
    return Refused::none;
  }

  Refused operator()(const JoinMember& ask) const {
    JobRow* whole = tables.find_job(ask.whole);
    if (whole == nullptr) return Refused::gone;
    if (!whole->is_whole()) return Refused::invalid;
    if (whole->retired()) return Refused::retired;
    const std::string name = tables.name_of(step.incarnation);
    const auto& known = tables.members_of(*whole);
    const auto found = known.find(name);
    JobRow* member = found == known.end() ? nullptr : tables.find_job(found->second);
    if (member != nullptr && !member->retired()) return Refused::moved;
    const Time begins = std::max(step.now, tables.remembered);
    const Time settled = member == nullptr ? begins : std::max(begins, member->plan.cursor);
    if (!is_next(ask.base, ask.next, settled)) return Refused::future;
    if (member == nullptr) member = &add_member(*whole, name);
    begin_share(*whole, *member, settled, ask.next);
    return Refused::none;
  }

  Refused operator()(const EndMember& ask) const {
    JobRow* job = tables.find_job(ask.job);
    if (job == nullptr) return Refused::gone;
    if (!job->whole) return Refused::invalid;
    if (job->retired()) return Refused::retired;
    if (ask.turn != job->plan.turn) return Refused::moved;
    const bool over = leaves(tables, *job->member, step) || is_gone(tables, *job->member, step.now);
    if (!over) return Refused::busy;
    if (ask.next && *ask.next <= step.now) return Refused::future;
    retire(tables, *job, ask.covered, Reason::node_absent, step);
    return Refused::none;
  }

  Refused operator()(const StartAtBoot& ask) const {
    JobRow* job = tables.find_job(ask.job);
    if (job == nullptr) return Refused::gone;
    if (!job->whole || ask.boot.empty() || !runs_at_boot(*job->definition)) return Refused::invalid;
    if (job->retired()) return Refused::retired;
    if (tables.name_of(step.incarnation) != *job->member) return Refused::stale;
    Run run = first_attempt(*job, Space::boot, {}, ask.boot, RunKind::scheduled, step.now);
    if (tables.last_attempt(run.id) != nullptr) return Refused::moved;
    const bool paused = job->paused();
    tables.create(*job, std::move(run), paused ? RunState::skipped : RunState::pending,
                  paused ? Reason::paused : Reason::none, step);
    return Refused::none;
  }

 private:
  JobRow& add_member(const JobRow& whole, const std::string& name) const {
    JobRow& member = tables.add_job(whole.definition, whole.uid);
    member.member = name;
    tables.members[whole.uid][name] = member.uid;
    return member;
  }

  void begin_share(const JobRow& whole, JobRow& member, Time cursor,
                   std::optional<Time> next) const {
    member.plan.cursor = cursor;
    tables.define(member, whole.definition, step);
    member.sources = whole.sources;
    member.revision = whole.revision;
    member.pause = whole.pause;
    tables.point(member, next, step);
    tables.turn(member, step);
  }
};

}  // namespace

Refused change_plan(Tables& tables, const PlanChange& change, const Step& step) {
  const Refused refused = tables.admits(step);
  if (refused != Refused::none) return refused;
  if (step.disputed) return Refused::future;
  return std::visit(Change{tables, step}, change);
}

/// What the pause covered becomes one range: it is never caught up.
Refused resume(Tables& tables, const ResumeJob& ask, const Step& step) {
  JobRow* job = tables.find_job(ask.job);
  if (job == nullptr) return Refused::gone;
  const Refused too_early = judge_timer(*job, ask, step.now);
  if (too_early != Refused::none) return too_early;
  if (!job->pause) return Refused::moved;  // what is owed now is not a pause's
  // What came after `until` is not the pause's: it is owed as after an outage.
  const Time end = ask.turn ? *job->pause->until : step.now;
  const auto rows = tables.with_members(*job);
  const Time settled = settled_until(rows, end);
  if (!is_next(ask.base, ask.next, settled)) return Refused::future;
  for (JobRow* row : rows) {
    // A share may owe what another one has settled already: a slot after the pause.
    const auto next = row->plan.next;
    const bool owes_later = next && *next > end && *next <= settled;
    if (!owes_later) settle_owed(tables, *row, ask.covered, Reason::paused, settled, step);
    row->pause.reset();
    tables.note_definition(*row);
    if (!row->retired() && !owes_later) {
      row->plan.cursor = settled;
      if (has_slots(*row)) tables.point(*row, ask.next, step);
    }
    tables.turn(*row, step);
  }
  return Refused::none;
}

void retire(Tables& tables, JobRow& job, std::int64_t covered, Reason reason, const Step& step) {
  settle_owed(tables, job, covered, reason, step.now, step);
  if (!job.retired()) tables.end_definition(job, step);
  job.sources = {};
  job.only_exec = false;
  job.plan.next.reset();
  tables.note_definition(job);
  tables.end_pending(job, RunState::skipped, reason, step);
  tables.turn(job, step);
}

}  // namespace cronce::embedded
