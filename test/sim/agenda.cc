#include "test/sim/agenda.h"

#include <algorithm>

namespace cronce::sim {

void Agenda::at(Duration time, Deed deed) {
  heap_.push_back({std::max(time, now_), planned_++, std::move(deed)});
  std::push_heap(heap_.begin(), heap_.end(), later);
}

bool Agenda::step(Duration until) {
  if (heap_.empty() || heap_.front().time > until) return false;
  std::pop_heap(heap_.begin(), heap_.end(), later);
  Entry entry = std::move(heap_.back());
  heap_.pop_back();
  now_ = entry.time;
  entry.deed();
  return true;
}

}  // namespace cronce::sim
