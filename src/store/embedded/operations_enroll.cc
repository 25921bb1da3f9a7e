#include <algorithm>

#include "model/enroll.h"
#include "store/embedded/operations.h"

namespace cronce::embedded {
namespace {

/// The asker's own old offer does not count: it is about to replace it.
bool another_offers(const Tables& tables, const Incarnation& asker, const std::string& source,
                    const std::string& digest) {
  return std::any_of(tables.nodes.begin(), tables.nodes.end(), [&](const auto& row) {
    const auto offered = row.second.node->digests.find(source);
    return !row.second.ended && row.first != asker && offered != row.second.node->digests.end() &&
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
Registered judge_source(const Tables& tables, const Incarnation& asker, const RegisterAsk& ask) {
  const auto row = tables.sources.find(ask.source);
  if (row == tables.sources.end()) return Registered::current;
  const SourceRow& source = row->second;
  if (source.numbered || ask.generation) return judge_numbered(source, ask);
  if (ask.digest == source.digest || !source.seen.contains(ask.digest)) return Registered::current;
  return another_offers(tables, asker, ask.source, source.digest) ? Registered::superseded
                                                                  : Registered::current;
}

JobRow* row_of(Tables& tables, const RegisterAsk& ask, const Job& job) {
  const auto find = [&](const JobName& name) { return tables.find_job(name.text()); };
  const auto is_named = [&](const JobName& name) {
    return std::any_of(ask.jobs.begin(), ask.jobs.end(),
                       [&](const JobToRegister& entry) { return entry.job->name == name; });
  };
  return cronce::row_of(ask.source, job, find, is_named);
}

bool any_owing(const std::vector<JobRow*>& rows, Time now) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const JobRow* row) { return is_owing(*row, now); });
}

/// Jobs of the source that the set no longer names; those of nobody else are retired by that.
std::vector<JobRow*> dropped(Tables& tables, const RegisterAsk& ask) {
  std::set<JobUid> named;
  for (const JobToRegister& entry : ask.jobs) {
    if (const JobRow* row = row_of(tables, ask, entry.job)) named.insert(row->uid);
  }
  std::vector<JobRow*> rows;
  for (JobRow* job : tables.jobs_of(ask.source)) {
    if (!named.contains(job->uid)) rows.push_back(job);
  }
  return rows;
}

/// What keeps the set from being taken as a whole: nothing of it is then taken.
class Trouble {
 public:
  Trouble(Tables& tables, const RegisterAsk& ask, Time now, RegisterAnswer& answer)
      : tables_(tables), ask_(ask), now_(now), answer_(answer) {}

  void find() {
    for (const JobToRegister& entry : ask_.jobs) judge(entry);
    for (JobRow* job : dropped(tables_, ask_)) {
      const bool retires = job->sources->size() == 1;
      if (retires && any_owing(tables_.with_members(*job), now_)) {
        note(Registered::owing, *job->definition);
      }
    }
  }

 private:
  void judge(const JobToRegister& entry) {
    JobRow* row = row_of(tables_, ask_, entry.job);
    if (row != nullptr && conflicts(*row, ask_.source, entry.job))
      note(Registered::conflict, entry.job);
    if (row != nullptr && !begins_anew(*row, entry.job)) return;
    const auto rows = row != nullptr ? tables_.with_members(*row) : std::vector<JobRow*>{};
    if (any_owing(rows, now_)) note(Registered::owing, entry.job);
    Time settled = std::max(now_, tables_.remembered);
    for (const JobRow* one : rows) settled = std::max(settled, one->plan.cursor);
    const bool past = !entry.past || *entry.past <= now_;
    if (!past || !is_next(entry.base, entry.next, settled)) note(Registered::early, entry.job);
  }

  void note(Registered what, const Job& job) {
    if (answer_.registered == Registered::current) answer_.registered = what;
    if (answer_.registered == what) answer_.jobs.push_back(job.name.text());
  }

  Tables& tables_;
  const RegisterAsk& ask_;
  Time now_;
  RegisterAnswer& answer_;
};

class Enroll {
 public:
  Enroll(Tables& tables, const RegisterAsk& ask, const Step& step)
      : tables_(tables), ask_(ask), step_(step) {}

  void apply() {
    const auto leaving = dropped(tables_, ask_);
    for (const JobToRegister& entry : ask_.jobs) apply_job(entry);
    for (JobRow* job : leaving) leave(*job);
    apply_source();
  }

 private:
  void apply_job(const JobToRegister& entry) {
    JobRow* known = row_of(tables_, ask_, entry.job);
    if (known != nullptr && is_as_asked(*known, entry.job)) return;
    JobRow& row = known != nullptr ? *known : tables_.add_job(entry.job);
    const auto members = shares_of(row);
    if (known == nullptr || begins_anew(row, entry.job)) {
      begin(row, entry);
      for (JobRow* member : members) begin(*member, entry);
    }
    const bool is_new = !(row.definition == entry.job) || row.revision == 0;
    define(row, entry.job, row.revision + (is_new ? 1 : 0));
    for (JobRow* member : members) {
      define(*member, row.definition, row.revision);
      if (!entry.job->everywhere) retire(tables_, *member, 0, Reason::retired, step_);
    }
    if (known == nullptr && entry.past) add_past(row, *entry.past);
  }

  /// What stays as it is keeps its plan: what others decide meanwhile is not refused for it.
  bool is_as_asked(const JobRow& row, const Job& job) const {
    const auto source = row.sources->find(ask_.source);
    return source != row.sources->end() && source->second == ask_.digest && row.definition == job;
  }

  std::vector<JobRow*> shares_of(JobRow& row) {
    auto rows = tables_.with_members(row);
    rows.erase(rows.begin());
    return rows;
  }

  /// Everything up to now is settled. Only members have slots of a job that runs everywhere.
  void begin(JobRow& row, const JobToRegister& entry) {
    const bool whole = entry.job->everywhere && !row.whole;
    row.plan.cursor = std::max({row.plan.cursor, step_.now, tables_.remembered});
    tables_.point(row, whole ? std::nullopt : entry.next, step_);
    if (!(row.definition->schedule == entry.job->schedule)) row.plan.label.reset();
    row.only_exec = false;
  }

  void define(JobRow& row, const Shared<Job>& definition, std::uint64_t revision) {
    tables_.define(row, definition, step_);
    row.sources.edit()[ask_.source] = ask_.digest;
    row.revision = revision;
    tables_.turn(row, step_);
  }

  void add_past(JobRow& row, Time past) {
    const Run run = first_attempt(row, Space::slot, past, "", RunKind::scheduled, past);
    tables_.create(row, run, RunState::skipped, Reason::past, step_);
  }

  void leave(JobRow& job) {
    const bool retires = job.sources->size() == 1;
    for (JobRow* row : tables_.with_members(job)) {
      if (retires) {
        retire(tables_, *row, 0, Reason::retired, step_);
      } else {
        row->sources.edit().erase(ask_.source);
        tables_.note_definition(*row);
        tables_.turn(*row, step_);
      }
    }
  }

  void apply_source() {
    SourceRow& source = tables_.sources[ask_.source];
    const bool is_new = source.digest != ask_.digest;
    source.numbered = source.numbered || ask_.generation.has_value();
    if (ask_.generation) {
      source.generation = *ask_.generation;
    } else if (is_new) {
      ++source.generation.value;
    }
    source.digest = ask_.digest;
    source.seen.insert(ask_.digest);
    tables_.note_source(ask_.source);
  }

  Tables& tables_;
  const RegisterAsk& ask_;
  const Step& step_;
};

/// Whether all of the set is the source's already: a node that only joins changes no plan, and what
/// it costs does not grow with its jobs.
bool is_known(const Tables& tables, const RegisterAsk& ask) {
  const auto source = tables.sources.find(ask.source);
  if (source == tables.sources.end() || source->second.digest != ask.digest) return false;
  const auto& [digest, generation, numbered, seen] = source->second;
  const bool same = ask.generation ? numbered && generation == *ask.generation : !numbered;
  return same && tables.are_enrolled(ask.source, ask.digest, ask.jobs.size());
}

std::vector<std::string> names_in(const RegisterAsk& ask) {
  std::vector<std::string> names;
  for (const JobToRegister& entry : ask.jobs) {
    names.push_back(entry.job->name.text());
    if (entry.job->was) names.push_back(entry.job->was->text());
  }
  return names;
}

/// In the same step: offered by nobody, it could be rolled back before its node's next beat.
void offer(Tables& tables, const RegisterAsk& ask, const Step& step) {
  NodeRow& asker = tables.nodes.at(step.incarnation);
  Node node = *asker.node;
  node.digests[ask.source] = ask.digest;
  asker.node = std::move(node);
  tables.note_node(step.incarnation);
}

}  // namespace

RegisterAnswer enroll(Tables& tables, const RegisterAsk& ask, const Step& step) {
  RegisterAnswer answer;
  answer.refused = tables.admits(step);
  if (answer.refused != Refused::none) return answer;
  answer.registered = judge_source(tables, step.incarnation, ask);
  const bool joins = is_known(tables, ask);
  if (answer.registered == Registered::current) {
    const Step deciding = step.as(Mover::decide);
    answer.settled = decide(tables, {ask.settle, {}, {}}, deciding).entries;
    if (!joins) {
      tables.fetch_jobs(names_in(ask));
      Trouble(tables, ask, step.now, answer).find();
    }
  }
  if (answer.registered == Registered::current) {
    if (!joins) Enroll(tables, ask, step).apply();
    offer(tables, ask, step);
  }
  const auto source = tables.sources.find(ask.source);
  if (source != tables.sources.end()) answer.generation = source->second.generation;
  return answer;
}

}  // namespace cronce::embedded
