// Nodes, jobs and plans: who they are, and what is settled.
#include <algorithm>
#include <tuple>
#include <utility>

#include "store/embedded/tables.h"

namespace cronce::embedded {

void Tables::note(const JobRow& job) const {
  if (behind != nullptr) behind->changed.jobs.insert(job.uid);
}

void Tables::note_definition(const JobRow& job) const {
  if (behind != nullptr) behind->changed.definitions.insert(job.uid);
}

void Tables::note_node(const Incarnation& incarnation) const {
  if (behind != nullptr) behind->changed.nodes.insert(incarnation);
}

void Tables::note_source(const std::string& source) const {
  if (behind != nullptr) behind->changed.sources.insert(source);
}

void Tables::note_key(const std::string& key) const {
  if (behind != nullptr) behind->changed.keys.insert(key);
}

void Tables::note_lane(const WriteId& write) const {
  if (behind != nullptr) behind->changed.lanes.insert({write.incarnation, write.lane});
}

Lane& Tables::lane_of(const WriteId& write) {
  const LaneId lane{write.incarnation, write.lane};
  if (behind != nullptr) behind->fetch_lane(lane);
  return lanes[lane];
}

const NodeRow* Tables::find_node(const Incarnation& incarnation) const {
  if (behind != nullptr) behind->fetch_node(incarnation);
  const auto row = nodes.find(incarnation);
  return row == nodes.end() ? nullptr : &row->second;
}

NodeRow* Tables::find_node(const Incarnation& incarnation) {
  return const_cast<NodeRow*>(std::as_const(*this).find_node(incarnation));  // NOLINT: it is ours
}

NodeRow& Tables::add_node(const Node& node) {
  note_node(node.incarnation);
  return nodes.emplace(node.incarnation, NodeRow{node}).first->second;
}

std::vector<const NodeRow*> Tables::nodes_named(const std::string& name) const {
  if (behind != nullptr) behind->fetch_nodes(name);
  std::vector<const NodeRow*> found;
  for (const auto& [incarnation, row] : nodes) {
    if (row.node->name == name) found.push_back(&row);
  }
  return found;
}

bool Tables::lives(const Incarnation& incarnation) const {
  const NodeRow* row = find_node(incarnation);
  return row != nullptr && !row->ended;
}

Refused Tables::admits(const Step& step) const {
  if (closed) return Refused::closed;
  return lives(step.incarnation) ? Refused::none : Refused::ended;
}

std::string Tables::name_of(const Incarnation& incarnation) const {
  const NodeRow* row = find_node(incarnation);
  return row == nullptr ? "" : row->node->name;
}

Knowledge Tables::knowledge_of(const Incarnation& incarnation) const {
  const NodeRow* row = find_node(incarnation);
  return row == nullptr ? Knowledge{} : cronce::knowledge_of(*row->node);
}

JobRow* Tables::find_job(JobUid uid) {
  if (behind != nullptr) behind->fetch_job(uid);
  const auto row = jobs.find(uid);
  return row == jobs.end() ? nullptr : &row->second;
}

JobRow* Tables::find_job(const std::string& name) {
  if (behind != nullptr && !names.contains(name)) behind->fetch_jobs({name});
  const auto known = names.find(name);
  return known == names.end() ? nullptr : find_job(known->second);
}

void Tables::fetch_jobs(const std::vector<std::string>& wanted) const {
  if (behind != nullptr) behind->fetch_jobs(wanted);
}

std::vector<JobRow*> Tables::all_jobs() {
  if (behind != nullptr) behind->fetch_all_jobs();
  std::vector<JobRow*> rows;
  for (auto& [uid, job] : jobs) rows.push_back(&job);
  return rows;
}

std::vector<JobRow*> Tables::jobs_of(const std::string& source) {
  if (behind != nullptr) behind->fetch_jobs_of(source);
  std::vector<JobRow*> rows;
  for (auto& [uid, job] : jobs) {
    if (!job.whole && job.sources->contains(source)) rows.push_back(&job);
  }
  return rows;
}

bool Tables::are_enrolled(const std::string& source, const std::string& digest,
                          std::size_t count) const {
  if (behind != nullptr) return behind->count_jobs(source, digest) == count;
  const auto is_one = [&](const auto& entry) {
    const JobRow& job = entry.second;
    const auto known = job.sources->find(source);
    return !job.whole && known != job.sources->end() && known->second == digest;
  };
  return static_cast<std::size_t>(std::count_if(jobs.begin(), jobs.end(), is_one)) == count;
}

std::vector<JobRow> Tables::changed_since(std::uint64_t known) const {
  std::vector<JobRow> rows;
  if (behind != nullptr) {
    rows = behind->changed_since(known);
  } else {
    for (auto change = by_change.upper_bound(known); change != by_change.end(); ++change) {
      rows.push_back(jobs.at(change->second));
    }
  }
  std::sort(rows.begin(), rows.end(),
            [](const JobRow& a, const JobRow& b) { return a.uid < b.uid; });
  return rows;
}

JobRow& Tables::add_job(const Shared<Job>& definition, std::optional<JobUid> whole) {
  const JobUid uid{in_epoch(++last_uid)};
  JobRow& row = jobs.emplace(uid, JobRow{uid, definition}).first->second;
  row.whole = whole;
  row.floor = kMinTime;
  if (!whole) names[definition->name.text()] = uid;
  note(row);
  note_definition(row);
  return row;
}

void Tables::define(JobRow& job, const Shared<Job>& definition, const Step& step) {
  const bool in_force = !job.retired() && job.revision > 0;
  const bool same = in_force && job.definition == definition;
  if (in_force && !same) end_definition(job, step);
  if (!same) job.since = std::max(step.now, job.plan.cursor);
  if (!job.whole && job.definition->name != definition->name) {
    names.erase(job.definition->name.text());
    names[definition->name.text()] = job.uid;
  }
  job.definition = definition;
  note_definition(job);
}

void Tables::end_definition(const JobRow& job, const Step& step) {
  const Time until = std::max(step.now, job.plan.cursor);
  pasts[job.uid].definitions.push_back({job.since, until, job.revision, job.definition});
}

void Tables::record(const JobRow& job, Intervention what) {
  pasts[job.whole.value_or(job.uid)].interventions.push_back(std::move(what));
}

JobPast Tables::past_of(JobUid job) const {
  if (behind != nullptr) return behind->past_of(job);
  const auto past = pasts.find(job);
  return past == pasts.end() ? JobPast{} : past->second;
}

void Tables::forget_past(JobUid job, Time before) {
  if (behind != nullptr) behind->changed.past_before[job] = before;
  const auto past = pasts.find(job);
  if (past == pasts.end()) return;
  std::erase_if(past->second.definitions, [&](const auto& one) { return one.until < before; });
  std::erase_if(past->second.interventions, [&](const auto& one) { return one.at < before; });
}

const std::map<std::string, JobUid>& Tables::members_of(const JobRow& whole) {
  if (behind != nullptr) behind->fetch_members(whole.uid);
  return members[whole.uid];
}

/// Where a job no longer runs everywhere, all its members are retired.
std::vector<JobRow*> Tables::with_members(JobRow& job) {
  std::vector<JobRow*> rows{&job};
  if (!job.is_whole()) return rows;
  for (const auto& [name, uid] : members_of(job)) {
    JobRow& member = jobs.at(uid);
    if (!member.retired()) rows.push_back(&member);
  }
  return rows;
}

JobRow& Tables::whole_of(JobRow& job) { return job.whole ? *find_job(*job.whole) : job; }

void Tables::touch(const JobRow& job) {
  std::uint64_t& last = changed_at[job.uid];
  by_change.erase(last);
  last = ++changes;
  by_change[last] = job.uid;
  unpurged.insert(job.uid);
  note(job);
}

void Tables::turn(JobRow& job, const Step& step) {
  ++job.plan.turn.value;
  job.moved_by = name_of(step.incarnation);
  touch(job);
}

void Tables::point(JobRow& job, std::optional<Time> next, const Step& step) {
  job.plan.next = next;
  job.pointed_by = knowledge_of(step.incarnation);
}

/// A range that begins where anything may have run is no word that nothing did. A slot that has a
/// row already is not one of the range's; if it is the first, which names the range, that begins
/// after it.
void Tables::settle_range(const JobRow& job, SkippedRange range, RangeEnd end, const Step& step) {
  if (range.from <= remembered) range.reason = Reason::store_regressed;
  const auto has_row = [&](Time slot) {
    return find_run({job.uid, Space::slot, slot, "", Attempt{1}}) != nullptr;
  };
  const bool ends_apart = end == RangeEnd::slot && range.from != range.to;
  const bool begun = has_row(range.from);
  const bool ended = ends_apart && has_row(range.to);
  const bool counted = range.count > 0 && range.count <= (ended ? 2 : 1);
  if (begun && (counted || range.from == range.to)) return;
  // The rows between the ends may be of another schedule, and then stand for none of this one's.
  const std::int64_t open = !begun || (ends_apart && !ended) ? 1 : 0;
  range.count = std::max(range.count - count_slots(job.uid, range.from, range.to), open);
  if (begun) range.from += Duration{1};
  ranges[{job.uid, range.from}] = {range.to, range.count, range.reason, decided(job, step)};
  note_range(job.uid, range.from);
}

std::int64_t Tables::count_slots(JobUid job, Time from, Time to) const {
  if (behind != nullptr) behind->fetch_slots(job, from, to);
  std::int64_t found = 0;
  const RunId beyond{job, Space::slot, to, "", Attempt{2}};
  for (auto row = runs.lower_bound({job, Space::slot, from, "", Attempt{1}});
       row != runs.end() && row->first < beyond; ++row) {
    if (row->first.attempt == Attempt{1}) ++found;
  }
  return found;
}

const RangeRow* Tables::range_of(JobUid job, Time slot) const {
  if (behind != nullptr) behind->fetch_range(job, slot);
  auto row = ranges.upper_bound({job, slot});
  if (row == ranges.begin()) return nullptr;
  --row;
  return row->first.first == job && slot <= row->second.to ? &row->second : nullptr;
}

KeyRow* Tables::find_key(const std::string& key) {
  if (behind != nullptr) behind->fetch_key(key);
  const auto row = keys.find(key);
  return row == keys.end() ? nullptr : &row->second;
}

Run row_of(JobUid job, Time from, const RangeRow& range) {
  Run run;
  run.id = {job, Space::slot, from, "", Attempt{1}};
  run.state = RunState::skipped;
  run.reason = range.reason;
  run.decided = range.decided;
  run.slot_to = range.to;
  run.count = range.count;
  return run;
}

Time ledger_time(const Run& run) {
  if (run.slot_to) return *run.slot_to;
  return run.id.space == Space::slot ? run.id.slot : run.due;
}

bool is_newer(const Run& a, const Run& b) {
  const Time one = ledger_time(a), other = ledger_time(b);
  return one == other ? std::tie(b.id, b.slot_to) < std::tie(a.id, a.slot_to) : other < one;
}

bool is_next(Time base, std::optional<Time> next, Time settled) {
  return base <= settled && (!next || *next > settled);
}

bool has_slots(const JobRow& job) { return !job.is_whole() && !job.only_exec; }

bool is_owing(const JobRow& job, Time now) {
  return !job.retired() && job.plan.next && *job.plan.next <= now;
}

}  // namespace cronce::embedded
