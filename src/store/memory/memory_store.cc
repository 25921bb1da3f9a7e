#include "store/memory/memory_store.h"

#include <algorithm>
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
  const auto wanted = [&](RunState state, Time first, Time last) {
    const auto& states = filter.states;
    return filter.from <= last && first <= filter.to &&
           (states.empty() || std::find(states.begin(), states.end(), state) != states.end());
  };
  const JobUid least{filter.job ? filter.job->value : 0};
  const JobUid most{filter.job ? filter.job->value : ~std::uint64_t{0}};
  for (auto row = tables_.runs.lower_bound(embedded::bounds_of(least).first);
       row != tables_.runs.end() && row->first.job <= most; ++row) {
    const Run& run = row->second;
    const Time time = embedded::ledger_time(run);
    const bool last = !filter.last_attempts || tables_.last_attempt(run.id) == &run;
    if (!last || !wanted(run.state, time, time)) continue;
    found.push_back(run);
    if (!filter.output) found.back().output_tail.clear();
  }
  for (auto row = tables_.ranges.lower_bound({least, kMinTime});
       row != tables_.ranges.end() && row->first.first <= most; ++row) {
    const auto& [key, range] = *row;
    if (!wanted(RunState::skipped, key.second, range.to)) continue;
    found.push_back(embedded::row_of(key.first, key.second, range));
  }
  std::sort(found.begin(), found.end(), embedded::is_newer);
  if (found.size() > filter.limit) found.resize(filter.limit);
  return found;
}

}  // namespace cronce
