// The cluster's time, as a node knows it: its boot clock plus an offset.
//
// The offset comes from beats: the store told its time somewhere between the asking and the
// arrival. A round trip leaves a doubt of half its length, and every second since adds what the
// boot clock may drift; of the last few round trips the one with the least doubt counts. Pure: no
// clock is read here, and the node's wall clock plays no part.
#pragma once

#include <deque>
#include <optional>

#include "base/time.h"

namespace cronce {

class ClusterClock {
 public:
  explicit ClusterClock(int drift_percent) : drift_percent_(drift_percent) {}

  /// A beat that was asked and answered at these boot times told this time. A sample that
  /// contradicts the older ones means that the store's clock was set: they are forgotten.
  void saw(Duration asked, Duration arrived, Time store_time);

  /// The cluster's time at a boot time; none before the first sample.
  std::optional<Time> at(Duration boot) const;

  /// How far at() may be off.
  Duration doubt(Duration boot) const;

 private:
  struct Sample {
    Duration middle{};  // boot time halfway
    Duration half{};    // half the round trip
    Time store_time{};
  };
  Duration doubt(const Sample& sample, Duration boot) const;
  const Sample* best(Duration boot) const;

  int drift_percent_;
  std::deque<Sample> samples_;
};

}  // namespace cronce
