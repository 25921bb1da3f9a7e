#include "cli/store_args.h"

#include <gtest/gtest.h>

#include "test/support/times.h"

namespace cronce {
namespace {

Time end_of(const std::string& day) {
  const auto zone = load_zone("Europe/Berlin").value();
  return read_moment("--to", day, Edge::end, *zone, utc("2026-12-01T00:00:00Z")).value();
}

TEST(ReadMoment, takes_a_day_as_long_as_it_is_in_its_zone) {
  EXPECT_EQ(end_of("2026-03-28"), utc("2026-03-28T22:59:59.999Z"));
  EXPECT_EQ(end_of("2026-03-29"), utc("2026-03-29T21:59:59.999Z"));  // 23 hours
  EXPECT_EQ(end_of("2026-10-25"), utc("2026-10-25T22:59:59.999Z"));  // 25 hours
}

}  // namespace
}  // namespace cronce
