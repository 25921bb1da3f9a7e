#include "test/support/tables_difference.h"

#include <map>
#include <set>
#include <tuple>

namespace cronce {
namespace {

using embedded::Tables;

auto meta(const Tables& t) {
  return std::tuple(t.id, (t.closed ? t.closed_on : t.opened_on) == t.server, t.epoch, t.greatest,
                    t.closed, t.position, t.remembered, t.clock_word, t.clock_word_at, t.accepted,
                    t.changes, t.last_uid, t.last_key_fence);
}

auto fields(const embedded::NodeRow& row) {
  return std::tie(*row.node, row.ended, row.ended_at, row.remembered);
}
auto fields(const embedded::SourceRow& row) {
  return std::tie(row.digest, row.generation, row.numbered, row.seen);
}
auto fields(const JobRow& row) {
  return std::tie(row.uid, *row.definition, row.sources, row.revision, row.plan, row.pointed_by,
                  row.moved_by, row.whole, row.member, row.pause, row.live, row.pending,
                  row.fence_count, row.runs_started, row.busy_until, row.floor, row.purged,
                  row.only_exec, row.since, row.succeeded);
}
auto fields(const Run& run) { return std::tie(run); }
auto fields(const embedded::Lane& lane) {
  return std::tie(lane.sequence, lane.epoch, lane.last.sequence, lane.last.outcome);
}

template <class Map>
bool equal_rows(const Map& a, const Map& b) {
  auto one = a.begin(), two = b.begin();
  for (; one != a.end() && two != b.end(); ++one, ++two) {
    if (one->first != two->first || !(fields(one->second) == fields(two->second))) return false;
  }
  return one == a.end() && two == b.end();
}

/// An entry that holds nothing is as good as none.
template <class Map>
Map without_empty(Map map) {
  std::erase_if(map, [](const auto& entry) { return entry.second.empty(); });
  return map;
}

/// Of a run that has ended nobody asks any more.
std::set<RunId> live_of(const Tables& tables) {
  std::set<RunId> runs;
  for (const auto& [incarnation, held] : tables.held) {
    for (const auto& [id, group] : held) {
      if (tables.confirmed.contains(id)) runs.insert(id);
    }
  }
  return runs;
}

/// The open runs of the jobs that are held.
std::map<RunId, Run> runs_of(const Tables& of, const Tables& jobs) {
  std::map<RunId, Run> runs;
  for (const auto& [id, run] : of.runs) {
    if (jobs.jobs.contains(id.job)) runs.emplace(id, run);
  }
  return runs;
}

/// Of the jobs not all are held, but those that are must be as the file says.
std::string compare_jobs(const Tables& held, const Tables& stored) {
  std::size_t names = 0;
  for (const auto& [uid, job] : held.jobs) {
    const auto known = stored.jobs.find(uid);
    if (known == stored.jobs.end() || fields(job) != fields(known->second)) return "jobs";
    if (held.changed_at.at(uid) != stored.changed_at.at(uid)) return "changed_at";
    const std::string& name = job.definition->name.text();
    const auto& shares = job.whole ? held.members.at(*job.whole) : held.names;
    const auto called = shares.find(job.whole ? *job.member : name);
    if (called == shares.end() || called->second != uid) return "names";
    names += job.whole ? 0U : 1U;
  }
  if (held.names.size() != names) return "names of others";
  return equal_rows(runs_of(held, held), runs_of(stored, held)) ? "" : "runs";
}

}  // namespace

std::string difference(const Tables& held, const Tables& stored) {
  if (meta(held) != meta(stored)) return "meta";
  if (!equal_rows(held.nodes, stored.nodes)) return "nodes";
  if (!equal_rows(held.sources, stored.sources)) return "sources";
  if (without_empty(held.groups) != without_empty(stored.groups)) return "groups";
  if (held.held != stored.held) return "held";
  if (held.stops != stored.stops) return "stops";
  if (live_of(held) != live_of(stored)) return "confirmed";
  if (runs_of(held, held).size() != held.runs.size()) return "runs of others";
  return compare_jobs(held, stored);
}

bool is_same(const embedded::Lane& one, const embedded::Lane& other) {
  return fields(one) == fields(other);
}

}  // namespace cronce
