#include "engine/cluster_clock.h"

namespace cronce {
namespace {

constexpr std::size_t kKept = 8;

/// What rounding to milliseconds can add.
constexpr Duration kRounding{2};

}  // namespace

Duration ClusterClock::doubt(const Sample& sample, Duration boot) const {
  return sample.half + kRounding + std::chrono::abs(boot - sample.middle) * drift_percent_ / 100;
}

const ClusterClock::Sample* ClusterClock::best(Duration boot) const {
  const Sample* found = nullptr;
  for (const Sample& sample : samples_) {
    if (found == nullptr || doubt(sample, boot) <= doubt(*found, boot)) found = &sample;
  }
  return found;
}

void ClusterClock::saw(Duration asked, Duration arrived, Time store_time) {
  const Duration half = (arrived - asked) / 2;
  const Sample sample{asked + half, half, store_time};
  if (const Sample* known = best(sample.middle)) {
    const Time expected = known->store_time + (sample.middle - known->middle);
    const Duration off = std::chrono::abs(store_time - expected);
    if (off > doubt(*known, sample.middle) + doubt(sample, sample.middle)) samples_.clear();
  }
  samples_.push_back(sample);
  if (samples_.size() > kKept) samples_.pop_front();
}

std::optional<Time> ClusterClock::at(Duration boot) const {
  const Sample* sample = best(boot);
  if (sample == nullptr) return std::nullopt;
  return sample->store_time + (boot - sample->middle);
}

Duration ClusterClock::doubt(Duration boot) const {
  const Sample* sample = best(boot);
  return sample == nullptr ? Duration::max() : doubt(*sample, boot);
}

}  // namespace cronce
