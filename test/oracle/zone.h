// A time zone as glibc sees it: the list of instants at which the UTC offset changes.
//
// The list is found by asking localtime_r() day after day and bisecting, so that nothing of the
// program under test (its zone reader, its civil arithmetic) has a part in the answer.
//
// Building a Zone sets TZ for the whole process: build all zones in one thread, before others
// start. A built Zone is immutable and can be shared between threads.
//
// It knows the years 1969 to 2110 only; outside, the nearest known offset is taken to hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace oracle {

// Instants are seconds since 1970-01-01T00:00:00Z. A civil time is written in the same way: the
// seconds since 1970-01-01 00:00:00 that the wall clock shows, so civil = instant + offset.
inline constexpr std::int64_t kDay = 86400;
inline constexpr std::int64_t kFirstInstant = -365 * kDay;                 // 1969-01-01
inline constexpr std::int64_t kLastInstant = (140 * 365 + 34) * kDay - 1;  // end of 2109
inline constexpr std::int64_t kEndOf2037 = (68 * 365 + 17) * kDay - 1;

struct Transition {
  std::int64_t at;      // first instant with the new offset
  std::int64_t before;  // offset in seconds east of UTC
  std::int64_t after;
};

// Instants from `begin` up to but not including `end` have this offset.
struct Segment {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t offset;
};

class Zone {
 public:
  explicit Zone(std::string name);

  const std::string& name() const { return name_; }

  // Changes of offset with from <= at <= to. A change of abbreviation alone is none.
  std::vector<Transition> transitions(std::int64_t from, std::int64_t to) const;

  // The instants from <= t <= to, cut where the offset changes.
  std::vector<Segment> segments(std::int64_t from, std::int64_t to) const;

  // Every instant at which the wall clock shows `civil`, ascending: none in a gap, two in a fold.
  std::vector<std::int64_t> occurrences(std::int64_t civil) const;

 private:
  void scan();

  std::string name_;
  std::int64_t first_offset_ = 0;
  std::vector<Transition> transitions_;
};

// Names of the tz database (zones and links of tzdata.zi) that have a file, sorted.
std::vector<std::string> zone_names();

}  // namespace oracle
