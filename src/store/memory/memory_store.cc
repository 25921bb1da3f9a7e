#include "store/memory/memory_store.h"

#include <utility>

namespace cronce {

MemoryStore::MemoryStore(const Clock& clock, Rng& rng) : clock_(clock) {
  tables_.id = StoreId::random(rng);
}

void MemoryStore::put_back(Image image, bool elsewhere) {
  const std::uint64_t server = tables_.server + (elsewhere ? 1 : 0);
  tables_ = std::move(image);
  tables_.server = server;
}

Status MemoryStore::step(const Incarnation& asker, const Body& body) {
  const std::lock_guard<std::mutex> lock(mutex_);
  body(tables_, clock_.now(tables_, asker));
  return Done{};
}

Status MemoryStore::look(const Body& body) { return step({}, body); }

Result<std::vector<Run>> MemoryStore::runs(const RunFilter& filter) {
  const std::lock_guard<std::mutex> lock(mutex_);
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

}  // namespace cronce
