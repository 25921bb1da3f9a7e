#include "store/embedded/operations.h"

namespace cronce::embedded {
namespace {

/// `started_at` travels with a beat because there is no write between claim and start.
void note_starts(Tables& tables, const BeatAsk& ask) {
  tables.foresee(ask.started, [](const StartedRun& started) { return started.run.job; });
  for (const StartedRun& started : ask.started) {
    Run* run = tables.find_run(started.run);
    if (run == nullptr || run->incarnation != ask.node.incarnation) continue;
    run->started_at = started.started_at;
    tables.note(*run);
  }
}

void note_progress(Tables& tables, const BeatAsk& ask) {
  tables.foresee(ask.progress, [](const RunProgress& progress) { return progress.run.job; });
  for (const RunProgress& progress : ask.progress) {
    Run* run = tables.find_run(progress.run);
    const bool lives = run != nullptr && run->state == RunState::running;
    if (!lives || run->incarnation != ask.node.incarnation) continue;
    run->progress = progress.text;
    tables.note(*run);
  }
}

void add_claims(Tables& tables, const Incarnation& incarnation, BeatAnswer& answer) {
  const auto held = tables.held.find(incarnation);
  if (held == tables.held.end()) return;
  tables.foresee(held->second, [](const auto& claim) { return claim.first.job; });
  for (const auto& [id, group] : held->second) {
    const Run& run = *tables.find_run(id);
    answer.held.push_back({id, incarnation, *run.fence, run.key, run.due, *run.claimed_at});
    const auto stop = tables.stops.find(id);
    if (stop != tables.stops.end()) answer.stops.push_back({id, stop->second});
  }
}

void add_news(const Tables& tables, std::uint64_t known, BeatAnswer& answer) {
  for (const auto& [incarnation, node] : tables.nodes) {
    if (!node.ended) answer.nodes.push_back(node.node);
  }
  answer.changed = tables.changed_since(known);
  answer.changes = tables.changes;
}

BeatAnswer answer_of(const Tables& tables, Time now) {
  BeatAnswer answer;
  answer.store_time = now;
  answer.store = tables.id;
  answer.epoch = tables.epoch;
  answer.closed = tables.closed;
  answer.position = tables.position;
  answer.clock_word = tables.clock_word;
  answer.clock_word_at = tables.clock_word_at;
  return answer;
}

}  // namespace

BeatAnswer beat(Tables& tables, const BeatAsk& ask, Time now) {
  notice(tables, ask);
  NodeRow* known = tables.find_node(ask.node.incarnation);
  const bool is_new = known == nullptr;
  NodeRow& row = is_new ? tables.add_node(ask.node) : *known;
  // A beat that was overtaken by a later one changes nothing.
  const bool counts = !row.ended && (is_new || ask.node.beat > row.node->beat);
  if (counts) {
    row.node = ask.node;
    tables.note_node(ask.node.incarnation);
    note_starts(tables, ask);
    note_progress(tables, ask);
    ++tables.position;
  }
  BeatAnswer answer = answer_of(tables, now);
  if (row.ended) {
    answer.refused = Refused::ended;
    return answer;
  }
  answer.self = ask.node.incarnation;
  answer.beat = row.node->beat;
  answer.remembered = row.remembered;
  add_news(tables, ask.known_changes, answer);
  add_claims(tables, ask.node.incarnation, answer);
  return answer;
}

}  // namespace cronce::embedded
