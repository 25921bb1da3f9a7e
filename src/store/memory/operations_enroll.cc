#include <algorithm>

#include "store/memory/operations.h"

namespace cronce::memory {
namespace {

bool somebody_offers(const Tables& tables, const std::string& source, const std::string& digest) {
  return std::any_of(tables.nodes.begin(), tables.nodes.end(), [&](const auto& row) {
    const auto offered = row.second.node->digests.find(source);
    return !row.second.ended && offered != row.second.node->digests.end() &&
           offered->second == digest;
  });
}

/// By numbers: the greater wins, the same must be the same.
Registered judge_numbered(const SourceRow& source, const RegisterAsk& ask) {
  if (!ask.generation) return Registered::numbered;
  if (*ask.generation > source.generation) return Registered::current;
  if (*ask.generation < source.generation) return Registered::numbered;
  return ask.digest == source.digest ? Registered::current : Registered::conflict;
}

/// Without numbers: what was never seen is newer; what was seen may come back only when nobody
/// alive offers what replaced it. That is a roll-back, or the end of a failed deploy.
Registered judge_source(const Tables& tables, const RegisterAsk& ask) {
  const auto row = tables.sources.find(ask.source);
  if (row == tables.sources.end()) return Registered::current;
  const SourceRow& source = row->second;
  if (source.numbered || ask.generation) return judge_numbered(source, ask);
  if (ask.digest == source.digest || !source.seen.contains(ask.digest)) return Registered::current;
  return somebody_offers(tables, ask.source, source.digest) ? Registered::superseded
                                                            : Registered::current;
}

/// Whether the job begins anew at store time: with another schedule, when it comes back, and when
/// the file no longer pauses it, because what a pause covered is never caught up.
bool begins_anew(const JobRow& row, const Job& job) {
  const bool resumes = row.definition->paused && !job.paused;
  return row.retired() || resumes || !(row.definition->schedule == job.schedule);
}

/// Defined otherwise by another source.
bool conflicts(const JobRow& row, const RegisterAsk& ask, const Job& job) {
  const bool shared = row.sources.size() > row.sources.count(ask.source);
  return shared && !(row.definition == job);
}

/// The row that a job of the set will be: of its own name, or of the name that it had.
JobRow* row_of(Tables& tables, const RegisterAsk& ask, const Job& job) {
  if (JobRow* row = tables.find_job(job.name.text())) return row;
  JobRow* old = job.was ? tables.find_job(job.was->text()) : nullptr;
  if (old == nullptr) return nullptr;
  const bool by_others = old->sources.size() > old->sources.count(ask.source);
  const bool by_this_set =
      std::any_of(ask.jobs.begin(), ask.jobs.end(),
                  [&](const JobToRegister& entry) { return entry.job.name == *job.was; });
  return by_others || by_this_set ? nullptr : old;
}

/// What keeps the set from being taken as a whole: nothing of it is then taken.
void find_trouble(Tables& tables, const RegisterAsk& ask, Time now, RegisterAnswer& answer) {
  const auto note = [&](Registered what, const Job& job) {
    if (answer.registered == Registered::current) answer.registered = what;
    if (answer.registered == what) answer.jobs.push_back(job.name.text());
  };
  for (const JobToRegister& entry : ask.jobs) {
    const JobRow* row = row_of(tables, ask, entry.job);
    if (row != nullptr && conflicts(*row, ask, entry.job)) note(Registered::conflict, entry.job);
    if (row != nullptr && !begins_anew(*row, entry.job)) continue;
    const bool owing =
        row != nullptr && !row->retired() && row->plan.next && *row->plan.next <= now;
    if (owing) note(Registered::owing, entry.job);
    const Time settled = row != nullptr ? std::max(row->plan.cursor, now) : now;
    const bool past = !entry.past || *entry.past <= now;
    if (!past || !is_next(entry.base, entry.next, settled)) note(Registered::early, entry.job);
  }
}

void restart_plan(JobRow& row, const JobToRegister& entry, Time now) {
  row.plan.cursor = std::max(row.plan.cursor, now);
  row.plan.next = entry.next;
  if (!(row.definition->schedule == entry.job.schedule)) row.plan.label.reset();
}

void apply_job(Tables& tables, const RegisterAsk& ask, const JobToRegister& entry,
               const Step& step) {
  JobRow* row = row_of(tables, ask, entry.job);
  if (row == nullptr) {
    const JobUid uid{++tables.last_uid};
    row = &tables.jobs.emplace(uid, JobRow{uid, entry.job}).first->second;
    restart_plan(*row, entry, step.now);
    row->sources[ask.source] = ask.digest;
    if (entry.past) {
      const Run run =
          first_attempt(*row, Space::slot, *entry.past, "", RunKind::scheduled, *entry.past);
      tables.create(*row, run, RunState::skipped, Reason::past, step);
    }
  } else if (begins_anew(*row, entry.job)) {
    restart_plan(*row, entry, step.now);
  }
  row->sources[ask.source] = ask.digest;
  if (!(row->definition == entry.job) || row->revision == 0) ++row->revision;
  row->definition = entry.job;
  tables.turn(*row);
}

void leave_source(Tables& tables, JobRow& job, const std::string& source, const Step& step) {
  job.sources.erase(source);
  if (!job.retired()) return;
  job.plan.next.reset();
  const auto waiting = job.pending;
  for (const PendingRun& pending : waiting) {
    tables.move(job, *tables.find_run(pending.id), RunState::skipped, Reason::retired, step);
  }
  tables.turn(job);
}

void apply_set(Tables& tables, const RegisterAsk& ask, const Step& step) {
  for (const JobToRegister& entry : ask.jobs) apply_job(tables, ask, entry, step);
  for (auto& [uid, job] : tables.jobs) {
    const bool named = std::any_of(
        ask.jobs.begin(), ask.jobs.end(),
        [&](const JobToRegister& entry) { return entry.job.name == job.definition->name; });
    if (!named && job.sources.contains(ask.source)) leave_source(tables, job, ask.source, step);
  }
  SourceRow& source = tables.sources[ask.source];
  const bool is_new = source.digest != ask.digest;
  source.numbered = source.numbered || ask.generation.has_value();
  if (ask.generation) {
    source.generation = *ask.generation;
  } else if (is_new) {
    ++source.generation.value;
  }
  source.digest = ask.digest;
  source.seen.insert(ask.digest);
}

}  // namespace

RegisterAnswer enroll(Tables& tables, const RegisterAsk& ask, const Step& step) {
  RegisterAnswer answer;
  if (!tables.lives(step.incarnation)) answer.refused = Refused::ended;
  if (answer.refused != Refused::none) return answer;
  answer.registered = judge_source(tables, ask);
  if (answer.registered == Registered::current) {
    const Step deciding{step.now, step.incarnation, Mover::decide};
    answer.settled = decide(tables, {ask.settle, {}, {}}, deciding).entries;
    find_trouble(tables, ask, step.now, answer);
  }
  if (answer.registered == Registered::current) {
    apply_set(tables, ask, step);
    // In the same step: offered by nobody, it could be rolled back before its node's next beat.
    NodeRow& asker = tables.nodes.at(step.incarnation);
    Node node = *asker.node;
    node.digests[ask.source] = ask.digest;
    asker.node = std::move(node);
  }
  const auto source = tables.sources.find(ask.source);
  if (source != tables.sources.end()) answer.generation = source->second.generation;
  return answer;
}

}  // namespace cronce::memory
