// Our zones against those of the C library, which reads the same files with code of its own.
#include <array>
#include <cstdlib>
#include <ctime>
#include <optional>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "test/support/schedules.h"

namespace cronce {
namespace {

using std::chrono::sys_seconds;

constexpr std::array<const char*, 24> kGlibcZones{
    "UTC",
    "Africa/Casablanca",  // summer time suspended for Ramadan, listed until 2087
    "Africa/Monrovia",    // an offset with seconds until 1972
    "America/Caracas",    // half an hour
    "America/Havana",     // changes at midnight
    "America/New_York",
    "America/Nuuk",      // changes on a Saturday
    "America/Santiago",  // gap at midnight
    "America/Sao_Paulo",
    "America/St_Johns",  // changed at 00:01 for years
    "Antarctica/Troll",  // two hours
    "Asia/Gaza",         // a list far into the future
    "Asia/Kathmandu",    // a quarter of an hour
    "Asia/Pyongyang",
    "Asia/Tehran",
    "Australia/Lord_Howe",  // shifts by half an hour
    "Europe/Berlin",
    "Europe/Dublin",  // negative summer time
    "Europe/Lisbon",
    "Europe/London",
    "Pacific/Apia",  // a day missing
    "Pacific/Auckland",
    "Pacific/Kiritimati",  // +14
    "Pacific/Kwajalein",   // a day missing, 1993
};

/// The C library's zone for the length of a test.
class LocalZone {
 public:
  LocalZone() {
    if (const char* tz = std::getenv("TZ")) before_ = tz;
  }
  ~LocalZone() {
    before_ ? setenv("TZ", before_->c_str(), 1) : unsetenv("TZ");
    tzset();
  }
  LocalZone(const LocalZone&) = delete;
  LocalZone& operator=(const LocalZone&) = delete;

  void use(const char* name) {
    setenv("TZ", name, 1);
    tzset();
  }
  Seconds offset(sys_seconds t) const {
    const std::time_t time = t.time_since_epoch().count();
    std::tm fields{};
    EXPECT_NE(localtime_r(&time, &fields), nullptr);
    return Seconds{fields.tm_gmtoff};
  }

 private:
  std::optional<std::string> before_;
};

/// Equal at the instant, and on both sides of the two changes around it.
void expect_agreement(const LocalZone& local, const Zone& zone, sys_seconds t) {
  const Stretch s = zone.at(t);
  ASSERT_EQ(s.offset, local.offset(t)) << zone.name() << " " << show(Time{t});
  if (Time{s.end} > kMaxTime) return;
  ASSERT_EQ(s.offset, local.offset(s.end - Seconds{1})) << zone.name() << " " << show(Time{s.end});
  ASSERT_EQ(s.after, local.offset(s.end)) << zone.name() << " " << show(Time{s.end});
}

void expect_agreement_between(std::string_view from, std::string_view to, int instants) {
  LocalZone local;
  Rng rng(1);
  for (const char* name : kGlibcZones) {
    local.use(name);
    for (int i = 0; i < instants; ++i) {
      const auto second = rng.between(utc_second(from).time_since_epoch().count(),
                                      utc_second(to).time_since_epoch().count());
      ASSERT_NO_FATAL_FAILURE(expect_agreement(local, *zone(name), sys_seconds{Seconds{second}}));
    }
  }
}

TEST(ZoneAgainstGlibc, agrees_from_1900_to_2500) {
  expect_agreement_between("1900-01-01T00:00:00Z", "2500-01-01T00:00:00Z", 3'000);
}

TEST(ZoneAgainstGlibc, agrees_in_the_far_future) {
  expect_agreement_between("2500-01-01T00:00:00Z", "9000-01-01T00:00:00Z", 1'000);
}

TEST(ZoneAgainstGlibc, agrees_around_today_in_every_zone) {
  LocalZone local;
  for (const std::string& name : zone_names()) {
    local.use(name.c_str());
    const auto loaded = load_zone(name);
    ASSERT_TRUE(loaded) << name;
    for (sys_seconds t = utc_second("2020-01-15T00:00:00Z"); t < utc_second("2040-01-01T00:00:00Z");
         t += std::chrono::days{97}) {
      ASSERT_NO_FATAL_FAILURE(expect_agreement(local, **loaded, t));
    }
  }
}

}  // namespace
}  // namespace cronce
