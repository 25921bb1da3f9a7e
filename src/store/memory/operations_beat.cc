#include "store/memory/operations.h"

namespace cronce::memory {
namespace {

/// `started_at` travels with a beat because there is no write between claim and start.
void note_starts(Tables& tables, const BeatAsk& ask) {
  for (const StartedRun& started : ask.started) {
    Run* run = tables.find_run(started.run);
    if (run != nullptr && run->incarnation == ask.node.incarnation)
      run->started_at = started.started_at;
  }
}

void add_claims(const Tables& tables, const Incarnation& incarnation, BeatAnswer& answer) {
  for (const auto& [uid, job] : tables.jobs) {
    for (const LiveRun& live : job.live) {
      if (live.incarnation != incarnation) continue;
      const Run& run = tables.runs.at(live.id);
      answer.held.push_back({run.id, incarnation, live.fence, run.key, run.due, *run.claimed_at});
      const auto stop = tables.stops.find(live.id);
      if (stop != tables.stops.end()) answer.stops.push_back({live.id, stop->second});
    }
  }
}

}  // namespace

BeatAnswer beat(Tables& tables, const BeatAsk& ask, Time now) {
  BeatAnswer answer;
  answer.store_time = now;
  answer.epoch = tables.epoch;
  const auto [found, is_new] = tables.nodes.try_emplace(ask.node.incarnation, NodeRow{ask.node});
  NodeRow& row = found->second;
  if (row.ended) {
    answer.refused = Refused::ended;
    return answer;
  }
  // A beat that was overtaken by a later one changes nothing.
  if (is_new || ask.node.beat > row.node->beat) {
    row.node = ask.node;
    note_starts(tables, ask);
  }
  answer.beat = row.node->beat;
  for (const auto& [incarnation, node] : tables.nodes) {
    if (!node.ended) answer.nodes.push_back(node.node);
  }
  for (const auto& [uid, changed] : tables.changed_at) {
    if (changed > ask.known_changes) answer.changed.push_back(tables.jobs.at(uid));
  }
  answer.changes = tables.changes;
  add_claims(tables, ask.node.incarnation, answer);
  return answer;
}

}  // namespace cronce::memory
