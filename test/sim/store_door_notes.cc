// What the store's door notes of definitions, of changes of plans, of epochs and of keys.
#include <algorithm>

#include <fmt/format.h>

#include "engine/describe_engine.h"
#include "model/describe.h"
#include "test/sim/store_door.h"

namespace cronce::sim {

// ---- definitions

void StoreDoor::note_registered(const WriteId& id, const RegisterAsk& ask,
                                const RegisterAnswer& answer) {
  if (answer.refused != Refused::none) return;
  static const std::map<Registered, Rare> kOutcomes{
      {Registered::superseded, Rare::digest_superseded},
      {Registered::owing, Rare::register_owing},
      {Registered::early, Rare::register_early},
      {Registered::conflict, Rare::register_conflict},
      {Registered::numbered, Rare::register_numbered}};
  if (const auto rare = kOutcomes.find(answer.registered); rare != kOutcomes.end()) {
    stage_.rare.saw(rare->second);
  }
  stage_.witness.registered(ask.source, answer.registered == Registered::conflict);
  if (answer.registered != Registered::current) return;
  offered_[id.incarnation][ask.source] = ask.digest;
  auto& known = digests_[ask.source];
  if (!known.empty() && known.back() == ask.digest) return;
  if (std::find(known.begin(), known.end(), ask.digest) != known.end()) {
    stage_.rare.saw(Rare::rolled_back);
    for (const auto& [asker, offers] : offered_) {
      const auto other = offers.find(ask.source);
      if (asker == id.incarnation || stage_.witness.known().ended.contains(asker)) continue;
      if (other == offers.end() || other->second != known.back() || ask.generation) continue;
      stage_.witness.wrong(
          "I9", fmt::format("{} rolled back to {}, although a living node offers {}", ask.source,
                            ask.digest, known.back()));
    }
  }
  known.push_back(ask.digest);
}

/// What every job was defined as, by the words of the file and not by what the store made of them.
void StoreDoor::note_set(const WriteId& id, const RegisterAsk& ask) {
  for (const JobRow& row : jobs()) {
    if (!row.retired()) {
      note_row(id, row, ask);
      continue;
    }
    if (active_.erase(row.uid) > 0) stage_.rare.saw(Rare::job_retired);
    stage_.witness.retired(row.uid, judged_by(id));
  }
}

void StoreDoor::note_row(const WriteId& id, const JobRow& row, const RegisterAsk& ask) {
  const auto entry = std::find_if(ask.jobs.begin(), ask.jobs.end(), [&](const JobToRegister& one) {
    return one.job->name == row.definition->name;
  });
  if (entry == ask.jobs.end()) return;
  const auto known = stage_.witness.definitions().find(row.uid);
  const bool is_new = known == stage_.witness.definitions().end();
  if (!is_new && !(known->second.back().name == entry->job->name)) stage_.rare.saw(Rare::renamed);
  if (row.sources->size() > 1) stage_.rare.saw(Rare::two_sources);
  const bool begins = active_.insert(row.uid).second;
  if (begins && !once_active_.insert(row.uid).second) stage_.rare.saw(Rare::job_came_back);
  if (begins || is_new || !(known->second.back().schedule == entry->job->schedule)) {
    pointed_by_[row.uid] = knowledge(id.incarnation);
  }
  if (row.is_whole()) {
    stage_.witness.retired(row.uid, judged_by(id));
    stage_.witness.named(row.uid, entry->job);
  } else {
    stage_.witness.defined(row.uid, entry->job, judged_by(id));
  }
}

// ---- changes of plans

std::vector<JobUid> StoreDoor::with_members(JobUid job) {
  std::vector<JobUid> found{job};
  for (const JobRow& row : jobs()) {
    if (row.whole == job) found.push_back(row.uid);
  }
  return found;
}

void StoreDoor::note(const WriteId& id, const PlanChange& change, Refused refused) {
  stage_.trace([&] {
    static constexpr std::array<const char*, 5> kNames{"resume", "repoint", "join", "end", "boot"};
    const auto job_of = [](const auto& one) {
      if constexpr (requires { one.whole; }) return one.whole.value;
      if constexpr (requires { one.job; }) return one.job.value;
    };
    return fmt::format("  store {} job {} by {}: {}", kNames[change.index()],
                       std::visit(job_of, change), askers_[id.incarnation].name, describe(refused));
  });
  if (refused != Refused::none) return;
  std::visit([&](const auto& one) { note_change(id, one); }, change);
}

/// What the pause covered ended with `until`, whenever a node came to it.
void StoreDoor::note_change(const WriteId& id, const ResumeJob& resume) {
  stage_.rare.saw(Rare::pause_ran_out);
  const auto until = until_.find(resume.job);
  std::set<JobUid> owing;  // a slot that came after the pause, and that another share has settled
  for (const JobRow& row : jobs()) {
    if (row.plan.next && *row.plan.next <= resume.base) owing.insert(row.uid);
  }
  for (const JobUid job : with_members(resume.job)) {
    const bool owes = owing.contains(job) && until != until_.end();
    const Time end = owes ? until->second : resume.base;
    stage_.witness.resumed(job, is_retired(job) ? kMinTime : end);  // it covered nothing
    pointed_by_[job] = knowledge(id.incarnation);
  }
}

void StoreDoor::note_change(const WriteId& id, const Repoint& repoint) {
  stage_.rare.saw(Rare::repointed);
  const Knowledge& by = knowledge(id.incarnation);
  const auto before = pointed_by_.find(repoint.job);
  if (before != pointed_by_.end() && !is_newer(by, before->second)) {
    stage_.witness.wrong(
        "I9", fmt::format("job {}: repointed by {} {}, although its next was computed by {} {}",
                          repoint.job.value, by.version, by.zone_data, before->second.version,
                          before->second.zone_data));
  }
  pointed_by_[repoint.job] = by;
}

void StoreDoor::note_change(const WriteId& id, const JoinMember& join) {
  stage_.rare.saw(Rare::member_joined);
  const auto known = stage_.witness.definitions().find(join.whole);
  if (known == stage_.witness.definitions().end()) return;
  const Job definition = known->second.back();
  for (const JobRow& row : jobs()) {
    if (row.whole != join.whole || *row.member != askers_[id.incarnation].name) continue;
    stage_.witness.defined(row.uid, definition, judged_by(id));
    pointed_by_[row.uid] = knowledge(id.incarnation);
  }
}

void StoreDoor::note_change(const WriteId& id, const EndMember& end) {
  stage_.rare.saw(Rare::member_ended);
  stage_.witness.retired(end.job, judged_by(id));
}

bool StoreDoor::is_retired(JobUid job) {
  const auto rows = jobs();
  return std::any_of(rows.begin(), rows.end(),
                     [&](const JobRow& row) { return row.uid == job && row.retired(); });
}

void StoreDoor::note_person(const WriteId& id, const ControlAsk& ask) {
  const Time now = judged_by(id);
  const bool ahead = now > kOrigin + stage_.now() + kFarAhead;  // and a person does not doubt it
  if (const auto* pause = std::get_if<PauseJob>(&ask)) {
    for (const JobUid job : with_members(pause->job)) stage_.witness.paused(job, now);
    until_.erase(pause->job);
    if (pause->pause.until) until_[pause->job] = *pause->pause.until;
  }
  if (const auto* resume = std::get_if<ResumeJob>(&ask)) {
    until_.erase(resume->job);
    for (const JobUid job : with_members(resume->job)) {
      if (ahead) stage_.witness.nobody_doubted(job);
      stage_.witness.resumed(job, is_retired(job) ? kMinTime : now);  // it covered nothing
      pointed_by_.erase(job);
    }
  }
  if (const auto* retire = std::get_if<RetireJob>(&ask)) {
    for (const JobUid job : with_members(retire->job)) {
      if (ahead) stage_.witness.nobody_doubted(job);
      stage_.witness.retired(job, now);
    }
    active_.erase(retire->job);
    stage_.rare.saw(Rare::retired_by_person);
  }
  if (const auto* recede = std::get_if<RecedeJob>(&ask)) {
    stage_.witness.receded(recede->job, now);
    pointed_by_.erase(recede->job);
    stage_.rare.saw(Rare::receded);
  }
  if (const auto* backfill = std::get_if<BackfillSlot>(&ask); backfill && !backfill->again) {
    stage_.witness.backfilled(backfill->job, backfill->slot);
    for (const Start& start : stage_.witness.starts()) {
      const bool ran = start.run.job == backfill->job && start.run.space == Space::slot &&
                       start.run.slot == backfill->slot;
      if (!ran) continue;
      if (stage_.witness.is_unnoticed(stage_.now())) {
        stage_.witness.excused_unnoticed();
      } else {
        stage_.witness.backfilled_after(start);
      }
    }
  }
  if (std::holds_alternative<AcceptClock>(ask)) {
    stage_.witness.accepted_clock();
    stage_.rare.saw(Rare::clock_accepted);
  }
}

/// Up to there nothing would start: no clock that anybody may believe is so far ahead.
void StoreDoor::note_told_time(const WriteId& id, const Remember& ask) {
  const Time most = kOrigin + stage_.now() + std::chrono::hours{1};
  const auto claimed_late = [&](const Claim& claim) { return claim.claimed_at > most; };
  const bool late = std::any_of(ask.running.begin(), ask.running.end(), claimed_late) ||
                    std::any_of(ask.ended.begin(), ask.ended.end(), claimed_late) ||
                    std::any_of(ask.begun.begin(), ask.begun.end(), claimed_late);
  if (ask.mark.time <= most && !late) return;
  stage_.witness.wrong("I5", fmt::format("{}: told a store that forgot a time that is far ahead",
                                         print(id.incarnation)));
}

// ---- exec

void StoreDoor::note_exec(const WriteId& id, const ExecSlot& ask, const ControlAnswer& answer) {
  // Only a row of its own has a name; what was settled before is told without.
  if (answer.settled) stage_.rare.saw(answer.run ? Rare::exec_overlap : Rare::exec_settled);
  if (answer.run) stage_.witness.named_by_exec(*answer.run);
  if (answer.refused == Refused::clock) stage_.rare.saw(Rare::exec_clock);
  if (!answer.claim) return;
  stage_.rare.saw(Rare::exec_granted);
  if (std::chrono::abs(stage_.clock.wall() - ask.wall) > kSkewBudget) {
    stage_.witness.wrong("I5", fmt::format("{}: claimed by exec, whose clock is not the store's",
                                           describe(answer.claim->run)));
  }
  stage_.witness.beaten(ask.node.incarnation, ask.node.beat);
  const RunId& run = answer.claim->run;
  // Of a job that only exec runs nobody but exec ends a pause.
  const auto until = until_.find(run.job);
  if (until != until_.end() && until->second <= judged_by(id)) {
    stage_.witness.resumed(run.job, until->second);
  }
  if (!stage_.witness.definitions().contains(run.job)) stage_.witness.named(run.job, ask.job);
}

// ---- keys

void StoreDoor::note_key(const WriteId& id, const OnceAsk& ask, const OnceAnswer& answer) {
  const Time now = judged_by(id);
  if (const auto* begin = std::get_if<BeginKey>(&ask)) {
    if (answer.refused == Refused::busy) stage_.rare.saw(Rare::key_busy);
    if (answer.refused == Refused::gone) stage_.rare.saw(Rare::key_lost);
    if (answer.fence) {
      stage_.rare.saw(Rare::key_granted);
      stage_.witness.key_granted(
          {stage_.now(), begin->key, *answer.fence, id.incarnation, begin->rerun_lost,
           std::max(now, stage_.witness.store_most())});  // others may have purged it
    } else if (answer.refused == Refused::none && answer.state == KeyState::done) {
      stage_.rare.saw(Rare::key_replayed);
      stage_.witness.key_replayed({stage_.now(), begin->key, answer.result});
    }
  }
  if (answer.refused != Refused::none) return;
  if (const auto* done = std::get_if<CompleteKey>(&ask)) {
    stage_.witness.key_ended(
        {stage_.now(), done->key, done->fence, true, done->result, now + done->keep});
  }
  if (const auto* failed = std::get_if<FailKey>(&ask)) {
    stage_.witness.key_ended({stage_.now(), failed->key, failed->fence, false, "", now});
  }
}

}  // namespace cronce::sim
