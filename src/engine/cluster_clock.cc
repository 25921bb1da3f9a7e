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

/// After so many answers a clock is no newcomer any more.
constexpr int kNewcomer = 3;

std::optional<Time> greatest_course(const BeatAnswer& answer) {
  std::optional<Time> greatest;
  for (const Shared<Node>& node : answer.nodes) greatest = std::max(greatest, node->course);
  return greatest;
}

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
  if (answer.refused != Refused::none) return;  // it names no nodes
  const Duration half = (arrived - asked) / 2;
  const Sample sample{asked + half, half, answer.store_time};
  const bool accepted = answer.clock_word > std::exchange(clock_word_, answer.clock_word);
  note_walls(arrived, answer);
  const auto walls = wall_time(arrived, answer);
  const bool agrees = walls && std::chrono::abs(answer.store_time - *walls) <= budget_;
  if (answers_ < kNewcomer) return begin(sample, walls, agrees, answer);
  if (accepted || agrees || step_of(sample) <= kSmallStep) return follow(sample);
  doubted_ = true;
}

/// A newcomer has no course of its own. It goes by the course of those who doubt, which is at most
/// a beat behind; and if the wall clocks of all contradict the store it goes by them for two beats,
/// in which whoever has a course tells that it doubts. Then it believes the store, as it does when
/// it is alone.
void ClusterClock::begin(Sample sample, std::optional<Time> walls, bool agrees,
                         const BeatAnswer& answer) {
  const auto course = greatest_course(answer);
  const bool alone = answer.nodes.size() <= 1;
  ++answers_;
  if (course || agrees || alone || !walls) answers_ = kNewcomer;
  doubted_ = course || answers_ < kNewcomer;
  if (doubted_) sample.store_time = course ? *course : *walls;
  samples_.assign(1, sample);
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

/// The lower median of the wall clocks.
std::optional<Time> ClusterClock::wall_time(Duration arrived, const BeatAnswer& answer) const {
  std::vector<Time> shown;
  for (const Shared<Node>& node : answer.nodes) {
    const Duration since = arrived - walls_.at(node->incarnation).seen;
    if (node->wall) shown.push_back(*node->wall + since);
  }
  if (shown.empty()) return std::nullopt;
  const auto middle = shown.begin() + static_cast<std::ptrdiff_t>((shown.size() - 1) / 2);
  std::nth_element(shown.begin(), middle, shown.end());
  return *middle;
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
