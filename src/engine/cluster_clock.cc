#include "engine/cluster_clock.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cronce {
namespace {

constexpr std::size_t kKept = 8;

/// What rounding to milliseconds can add.
constexpr Duration kRounding{2};

/// A step forward up to this is a clock being slewed or an unlucky round trip.
constexpr Duration kSmallStep{5'000};

}  // namespace

Duration ClusterClock::doubt(const Sample& sample, Duration boot) const {
  return sample.half + kRounding + std::chrono::abs(boot - sample.middle) * drift_percent_ / 100;
}

const ClusterClock::Sample* ClusterClock::best(Duration boot) const {
  const Sample* found = nullptr;
  Duration least = Duration::max();
  for (const Sample& sample : samples_) {
    const Duration off = doubt(sample, boot);
    if (off <= least) {
      found = &sample;
      least = off;
    }
  }
  return found;
}

void ClusterClock::saw(Duration asked, Duration arrived, const BeatAnswer& answer) {
  const Duration half = (arrived - asked) / 2;
  const Sample sample{asked + half, half, answer.store_time};
  const bool accepted = answer.clock_word > std::exchange(clock_word_, answer.clock_word);
  note_walls(arrived, answer);
  if (samples_.empty()) return begin(sample, answer);
  const bool small = step_of(sample) <= kSmallStep;
  if (small || accepted || agrees_with_walls(arrived, answer)) return follow(sample);
  doubted_ = true;
}

/// The first time that is told is believed, unless somebody alive doubts it: then we go by what
/// they go by, which is at most a beat behind.
void ClusterClock::begin(const Sample& sample, const BeatAnswer& answer) {
  Sample first = sample;
  for (const Shared<Node>& node : answer.nodes) {
    if (!node->course) continue;
    first.store_time = doubted_ ? std::max(first.store_time, *node->course) : *node->course;
    doubted_ = true;
  }
  samples_.push_back(first);
}

Duration ClusterClock::step_of(const Sample& sample) const {
  const Sample* known = best(sample.middle);
  const Time expected = known->store_time + (sample.middle - known->middle);
  const Duration off = sample.store_time - expected;
  return off - doubt(*known, sample.middle) - doubt(sample, sample.middle);
}

/// Since when each node's wall clock is known to have shown what it told.
void ClusterClock::note_walls(Duration arrived, const BeatAnswer& answer) {
  for (const Shared<Node>& node : answer.nodes) {
    Wall& wall = walls_[node->incarnation];
    if (wall.beat != node->beat) wall = {node->beat, arrived};
  }
  if (walls_.size() <= 2 * answer.nodes.size()) return;
  std::erase_if(walls_, [&](const auto& wall) {
    return std::none_of(answer.nodes.begin(), answer.nodes.end(),
                        [&](const Shared<Node>& node) { return node->incarnation == wall.first; });
  });
}

/// Whether the store's time is within the budget of the lower median of the wall clocks.
bool ClusterClock::agrees_with_walls(Duration arrived, const BeatAnswer& answer) const {
  std::vector<Time> shown;
  for (const Shared<Node>& node : answer.nodes) {
    const Duration since = arrived - walls_.at(node->incarnation).seen;
    if (node->wall) shown.push_back(*node->wall + since);
  }
  if (shown.empty()) return false;
  const auto middle = shown.begin() + static_cast<std::ptrdiff_t>((shown.size() - 1) / 2);
  std::nth_element(shown.begin(), middle, shown.end());
  return std::chrono::abs(answer.store_time - *middle) <= budget_;
}

/// A sample that contradicts the older ones means that the store's clock was set: they are
/// forgotten.
void ClusterClock::follow(const Sample& sample) {
  const Sample* known = best(sample.middle);
  const Time expected = known->store_time + (sample.middle - known->middle);
  const Duration off = std::chrono::abs(sample.store_time - expected);
  const bool stepped = off > doubt(*known, sample.middle) + doubt(sample, sample.middle);
  if (stepped || doubted_) samples_.clear();
  doubted_ = false;
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
