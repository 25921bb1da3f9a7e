#include "store/memory/memory_store.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "store/embedded/operations.h"

namespace cronce {

MemoryStore::MemoryStore(const Clock& clock, Rng& rng) : clock_(clock) {
  tables_.id = StoreId::random(rng);
}

void MemoryStore::put_back(Image image, bool elsewhere) {
  const std::uint64_t server = tables_.server + (elsewhere ? 1 : 0);
  tables_ = std::move(image);
  tables_.server = server;
}

/// A write is applied only if it is newer than the lane's last, in the same step in which its
/// outcome is kept: a request that was overtaken, or that arrives twice, changes nothing.
template <class T, class Apply>
Result<Written<T>> MemoryStore::sequenced(const WriteId& id, Mover by, Apply apply) {
  embedded::Lane& lane = tables_.lanes[{id.incarnation, id.lane}];
  if (id.sequence <= lane.sequence) {
    return Error{Code::conflict,
                 fmt::format("write {} of this lane comes after {}", id.sequence, lane.sequence)};
  }
  embedded::notice(tables_, id, lane);
  const Time now = clock_.wall();
  const embedded::Step step{std::min(now, id.course.value_or(now)), id.incarnation, by};
  Written<T> written{apply(step), now, lane.last};
  ++tables_.position;
  lane.sequence = id.sequence;
  lane.last = {id.sequence, written.answer};
  return written;
}

Result<Opened> MemoryStore::open() { return Opened{tables_.id, tables_.epoch, clock_.wall()}; }

Result<BeatAnswer> MemoryStore::beat(const BeatAsk& ask) {
  return embedded::beat(tables_, ask, clock_.wall());
}

Result<Written<RegisterAnswer>> MemoryStore::enroll(const WriteId& id, const RegisterAsk& ask) {
  return sequenced<RegisterAnswer>(id, Mover::enroll, [&](const embedded::Step& step) {
    return embedded::enroll(tables_, ask, step);
  });
}

Result<Written<DecideAnswers>> MemoryStore::decide(const WriteId& id, const DecideAsk& ask) {
  embedded::Lane& lane = tables_.lanes[{id.incarnation, id.lane}];
  const Before last = lane.last;
  auto written = sequenced<DecideAnswers>(id, Mover::decide, [&](const embedded::Step& step) {
    return embedded::decide(tables_, ask, step);
  });
  if (written && ask.empty()) lane.last = last;
  return written;
}

Result<Written<std::vector<TakeAnswer>>> MemoryStore::take(const WriteId& id,
                                                           std::span<const RunId> runs) {
  return sequenced<std::vector<TakeAnswer>>(id, Mover::take, [&](const embedded::Step& step) {
    return embedded::take(tables_, runs, step);
  });
}

Result<Written<std::vector<FinishAnswer>>> MemoryStore::finish(const WriteId& id,
                                                               std::span<const FinishEntry> ends) {
  return sequenced<std::vector<FinishAnswer>>(id, Mover::finish, [&](const embedded::Step& step) {
    return embedded::finish(tables_, ends, step);
  });
}

Result<Written<std::vector<SweepAnswer>>> MemoryStore::sweep(const WriteId& id,
                                                             std::span<const SweepEntry> nodes) {
  return sequenced<std::vector<SweepAnswer>>(id, Mover::sweep, [&](const embedded::Step& step) {
    return embedded::sweep(tables_, nodes, step);
  });
}

Result<Written<ControlAnswer>> MemoryStore::control(const WriteId& id, const ControlAsk& ask) {
  return sequenced<ControlAnswer>(id, Mover::control, [&](const embedded::Step& step) {
    return embedded::control(tables_, ask, step);
  });
}

Result<Written<OnceAnswer>> MemoryStore::once(const WriteId& id, const OnceAsk& ask) {
  return sequenced<OnceAnswer>(id, Mover::control, [&](const embedded::Step& step) {
    return embedded::once(tables_, ask, step);
  });
}

Result<std::vector<JobRow>> MemoryStore::jobs() {
  std::vector<JobRow> found;
  for (const auto& [uid, job] : tables_.jobs) found.push_back(job);
  return found;
}

Result<std::vector<Run>> MemoryStore::runs(const RunFilter& filter) {
  std::vector<Run> found;
  const auto wanted = [&](Time first, Time last) {
    return filter.from <= last && first <= filter.to && found.size() < filter.limit;
  };
  const JobUid least{filter.job ? filter.job->value : 0};
  const JobUid most{filter.job ? filter.job->value : ~std::uint64_t{0}};
  for (auto row = tables_.runs.lower_bound(embedded::bounds_of(least).first);
       row != tables_.runs.end() && row->first.job <= most; ++row) {
    const auto& [id, run] = *row;
    const Time time = id.space == Space::slot ? id.slot : run.due;  // only slots have an instant
    if (wanted(time, time)) found.push_back(run);
  }
  for (auto row = tables_.ranges.lower_bound({least, kMinTime});
       row != tables_.ranges.end() && row->first.first <= most; ++row) {
    const auto& [key, range] = *row;
    if (wanted(key.second, range.to))
      found.push_back(embedded::row_of(key.first, key.second, range));
  }
  return found;
}

Result<std::vector<Node>> MemoryStore::nodes() {
  std::vector<Node> found;
  for (const auto& [incarnation, row] : tables_.nodes) {
    if (!row.ended) found.push_back(*row.node);
  }
  return found;
}

}  // namespace cronce
