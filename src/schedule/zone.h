// A time zone as stretches of time, each with one UTC offset.
//
// Between two clock changes civil time runs straight, so everything that is hard about zones
// happens where two stretches meet; schedule/civil.h says what. A Zone is immutable and safe from
// every thread. Changes of the abbreviation alone are no clock changes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace cronce {

/// [begin, end) with its offset, and the offsets of its neighbours. Where there is no neighbour
/// `before` or `after` equals `offset`.
struct Stretch {
  std::chrono::sys_seconds begin;
  std::chrono::sys_seconds end;
  Seconds before{};
  Seconds offset{};
  Seconds after{};

  CivilTime civil(std::chrono::sys_seconds t) const {
    return CivilTime{t.time_since_epoch() + offset};
  }
  std::chrono::sys_seconds instant(CivilTime c) const {
    return std::chrono::sys_seconds{c.time_since_epoch() - offset};
  }
};

class Zone {
 public:
  struct Change {
    std::chrono::sys_seconds at;
    Seconds offset;  // from then on
  };

  /// Changes in ascending order, each to another offset. With `repeats`, the last 400 years of
  /// changes go on for ever, as a DST rule without an end does.
  Zone(std::string name, Seconds first_offset, std::vector<Change> changes, bool repeats = false);

  const std::string& name() const { return name_; }

  /// The stretch that holds an instant.
  Stretch at(std::chrono::sys_seconds t) const;

 private:
  std::size_t index(std::chrono::sys_seconds t) const;

  std::string name_;
  std::vector<Change> stretches_;          // the first begins before every written time
  std::chrono::sys_seconds repeats_from_;  // later instants are looked up a whole cycle earlier
};

using ZoneResult = Result<std::shared_ptr<const Zone>>;

/// By its name in the tz database (`Europe/Berlin`), nothing else: no paths, no `localtime`, no
/// `Fixed/...`. Loaded once per process. A mistyped name is answered with the nearest one.
ZoneResult load_zone(std::string_view name);

/// How a schedule finds its zone; load_zone outside tests.
using ZoneFinder = std::function<ZoneResult(std::string_view)>;

/// The release of the zone data, such as `2026f`; `unknown` where the system does not say.
const std::string& zone_data_version();

/// All names of the tz database, sorted.
const std::vector<std::string>& zone_names();

}  // namespace cronce
