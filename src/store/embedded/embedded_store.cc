#include "store/embedded/embedded_store.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "store/embedded/operations.h"

namespace cronce::embedded {
namespace {

/// An empty decide only settles: it leaves no outcome of its own.
bool is_kept(const DecideAnswers& answers) {
  return !answers.entries.empty() || !answers.lapses.empty() || !answers.changes.empty();
}
template <class T>
bool is_kept(const T&) {
  return true;
}

/// A write is applied only if it is newer than the lane's last, in the same step in which its
/// outcome is kept: a request that was overtaken, or that arrives twice, changes nothing.
template <class T, class Apply>
Result<Written<T>> apply_in_turn(Tables& tables, const WriteId& id, Mover by, const Moment& moment,
                                 const Apply& apply) {
  Lane& lane = tables.lane_of(id);
  if (id.sequence <= lane.sequence) {
    return Error{Code::conflict,
                 fmt::format("write {} of this lane comes after {}", id.sequence, lane.sequence)};
  }
  notice(tables, id, lane);
  const Time now = std::min(moment.now, id.course.value_or(moment.now));
  const Step step{.now = now,
                  .incarnation = id.incarnation,
                  .by = by,
                  .reading = moment.reading,
                  .disputed = moment.disputed,
                  .shown = moment.shown,
                  .store_time = moment.now};
  Written<T> written{apply(tables, step), moment.now, lane.last};
  ++tables.position;
  lane.sequence = id.sequence;
  lane.epoch = tables.epoch;
  if (is_kept(written.answer)) lane.last = {id.sequence, written.answer};
  tables.note_lane(id);
  return written;
}

}  // namespace

template <class T, class Apply>
Result<Written<T>> EmbeddedStore::write(const WriteId& id, Mover by, Apply apply, Taken taken) {
  Result<Written<T>> written = Error{};
  const Status done = (this->*taken)(id.incarnation, [&](Tables& tables, const Moment& moment) {
    written = apply_in_turn<T>(tables, id, by, moment, apply);
  });
  if (!done) return done.error();
  return written;
}

Result<Opened> EmbeddedStore::open() {
  Opened opened;
  const Status done = look([&](Tables& tables, const Moment& moment) {
    opened = {tables.id, tables.epoch, moment.now, {}};
  });
  if (!done) return done.error();
  return opened;
}

Result<BeatAnswer> EmbeddedStore::beat(const BeatAsk& ask) {
  BeatAnswer answer;
  const Status done = step(ask.node.incarnation, [&](Tables& tables, const Moment& moment) {
    answer = embedded::beat(tables, ask, moment.now);
    answer.disputed = moment.disputed;
  });
  if (!done) return done.error();
  return answer;
}

Result<Written<RegisterAnswer>> EmbeddedStore::enroll(const WriteId& id, const RegisterAsk& ask) {
  return write<RegisterAnswer>(id, Mover::enroll, [&](Tables& tables, const Step& step) {
    return embedded::enroll(tables, ask, step);
  });
}

Result<Written<DecideAnswers>> EmbeddedStore::decide(const WriteId& id, const DecideAsk& ask) {
  return write<DecideAnswers>(
      id, Mover::decide,
      [&](Tables& tables, const Step& step) { return embedded::decide(tables, ask, step); },
      &EmbeddedStore::step_on_jobs);
}

Result<Written<std::vector<TakeAnswer>>> EmbeddedStore::take(const WriteId& id,
                                                             std::span<const RunId> runs) {
  return write<std::vector<TakeAnswer>>(
      id, Mover::take,
      [&](Tables& tables, const Step& step) { return embedded::take(tables, runs, step); },
      &EmbeddedStore::step_on_jobs);
}

Result<Written<std::vector<FinishAnswer>>> EmbeddedStore::finish(
    const WriteId& id, std::span<const FinishEntry> ends) {
  return write<std::vector<FinishAnswer>>(
      id, Mover::finish,
      [&](Tables& tables, const Step& step) { return embedded::finish(tables, ends, step); },
      &EmbeddedStore::step_on_jobs);
}

Result<Written<std::vector<SweepAnswer>>> EmbeddedStore::sweep(const WriteId& id,
                                                               std::span<const SweepEntry> nodes) {
  return write<std::vector<SweepAnswer>>(id, Mover::sweep, [&](Tables& tables, const Step& step) {
    return embedded::sweep(tables, nodes, step);
  });
}

Result<Written<ControlAnswer>> EmbeddedStore::control(const WriteId& id, const ControlAsk& ask) {
  return write<ControlAnswer>(id, Mover::control, [&](Tables& tables, const Step& step) {
    return embedded::control(tables, ask, step);
  });
}

Result<Written<OnceAnswer>> EmbeddedStore::once(const WriteId& id, const OnceAsk& ask) {
  return write<OnceAnswer>(id, Mover::control, [&](Tables& tables, const Step& step) {
    return embedded::once(tables, ask, step);
  });
}

Result<std::vector<JobRow>> EmbeddedStore::jobs() {
  std::vector<JobRow> found;
  const Status done = look([&](Tables& tables, const Moment&) { found = tables.changed_since(0); });
  if (!done) return done.error();
  return found;
}

Result<std::vector<Node>> EmbeddedStore::nodes() {
  std::vector<Node> found;
  const Status done = look([&](Tables& tables, const Moment&) {
    for (const auto& [incarnation, row] : tables.nodes) {
      if (!row.ended) found.push_back(*row.node);
    }
  });
  if (!done) return done.error();
  return found;
}

Result<JobPast> EmbeddedStore::past(JobUid job) {
  JobPast found;
  const Status done = look([&](Tables& tables, const Moment&) { found = tables.past_of(job); });
  if (!done) return done.error();
  return found;
}

}  // namespace cronce::embedded
