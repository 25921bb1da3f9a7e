// The cluster's time, as a node knows it: its boot clock plus an offset.
//
// The offset comes from beats: the store told its time somewhere between the asking and the
// arrival. A round trip leaves a doubt of half its length, and every second since adds what the
// boot clock may drift; of the last few round trips the one with the least doubt counts.
//
// A store whose clock was set back is followed at once: what is settled stays settled. One whose
// clock was set forward by more than a few seconds is *doubted*: time goes on by the old course
// until the new one agrees with the wall clocks of the living nodes, or a person accepts it: the
// time that the clock showed then, and as it goes on from there, not one to which it was set since.
// A wrong clock that settles a hundred years of slots in one step is worse than a late one.
//
// Pure: no clock is read here, and this node's own wall clock is one voice among the others.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "base/ids.h"
#include "base/time.h"
#include "engine/trust.h"
#include "model/operation.h"

namespace cronce {

/// A step forward up to this is a clock being slewed or an unlucky round trip.
inline constexpr Duration kSmallStep{5'000};

class ClusterClock {
 public:
  /// `budget`: how far the store's clock may be from the wall clocks.
  ClusterClock(const LeaseSettings& lease, Duration budget)
      : drift_percent_(lease.drift_percent),
        listening_(2 * lease.beat),
        lease_(lease.lease),
        answer_timeout_(lease.answer_timeout),
        budget_(budget) {}

  /// A beat that was asked and answered at these boot times.
  void saw(Duration asked, Duration arrived, const BeatAnswer& answer);

  /// The cluster's time at a boot time; none as long as no time is believed.
  std::optional<Time> at(Duration boot) const;

  /// How far at() may be off.
  Duration doubt(Duration boot) const;

  /// The store's clock stepped forward, and at() did not follow.
  bool doubts_store() const { return doubted_; }

 private:
  struct Sample {
    Duration middle{};  // boot time halfway
    Duration half{};    // half the round trip
    Time store_time{};
  };
  /// What a person called right, and between which boot times they did.
  struct Word {
    Time time{};
    Duration earliest{};
    Duration latest{};
  };
  struct Voice {
    Beat beat;
    Duration seen{};      // boot time at which this beat was first told
    bool counts = false;  // it is alive
  };

  Duration doubt(const Sample& sample, Duration boot) const;
  const Sample* best(Duration boot) const;
  /// How much later the store's time is than our course says; beyond what both may be off.
  Duration step_of(const Sample& sample) const;
  void begin(Sample sample, std::optional<Time> course);
  void listen(Duration arrived, const BeatAnswer& answer);
  void hear_person(Duration asked, Duration arrived, const BeatAnswer& answer);
  bool is_accepted(const Sample& sample) const;
  bool has_heard_all(Duration arrived, const BeatAnswer& answer) const;
  bool agree(Time time, std::optional<Time> walls) const;
  std::optional<Time> best_course(Duration arrived, std::optional<Time> walls,
                                  const BeatAnswer& answer) const;
  std::optional<Time> wall_time(Duration arrived, const BeatAnswer& answer) const;
  void follow(const Sample& sample);
  void go_on(const Sample& sample);
  void keep(const Sample& sample);
  Time expected(Duration boot) const;

  int drift_percent_;
  Duration listening_;
  Duration lease_;
  Duration answer_timeout_;
  Duration budget_;
  std::deque<Sample> samples_;
  std::map<Incarnation, Voice> voices_;
  std::optional<Duration> listens_since_;  // boot time of the first answer of an unbroken series
  Duration listened_{};                    // and of its last
  Epoch heard_epoch_;                      // of the last answer
  std::uint64_t heard_position_ = 0;
  bool believed_ = false;
  bool unproven_ = false;  // neither the wall clocks nor a person say so: nobody doubted, or others
                           // who did told us their course
  bool doubted_ = false;
  Duration distance_{};  // of the store's time from the course, while it is doubted
  Duration heard_{};     // boot time at which the last answer was asked for
  std::uint64_t clock_word_ = 0;
  std::optional<Word> word_;  // until it was followed
};

}  // namespace cronce
