#include "engine/trust.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace cronce {
namespace {

using std::chrono::seconds;

constexpr LeaseSettings kDefault{};
constexpr LeaseSettings kShort{seconds(15), seconds(3), seconds(2), seconds(3)};
constexpr LeaseSettings kOfTests{seconds(5), seconds(1), seconds(1), seconds(1)};

TEST(Trust, is_as_long_as_the_table_of_the_protocol_says) {
  struct Row {
    LeaseSettings settings;
    Duration trust, outage;  // in whole seconds: the table rounds down
  };
  for (const Row& row :
       {Row{kDefault, seconds(46), seconds(38)}, Row{kShort, seconds(9), seconds(4)},
        Row{kOfTests, seconds(3), seconds(1)}}) {
    SCOPED_TRACE(print(row.settings.lease));
    const Duration trust = trust_of(row.settings);
    EXPECT_EQ(floor<Seconds>(trust), row.trust);
    EXPECT_EQ(floor<Seconds>(trust - row.settings.beat - row.settings.answer_timeout), row.outage);
    EXPECT_TRUE(check_lease(row.settings).ok());
  }
}

// (trust + stop) / (1 - drift) <= L / (1 + drift), and not a millisecond less than that allows.
TEST(Trust, is_the_longest_that_keeps_the_inequality) {
  Rng rng(1);
  for (int i = 0; i < 1'000; ++i) {
    const LeaseSettings s{Duration{rng.between(1'000, 600'000)}, seconds(1), seconds(1),
                          Duration{rng.between(0, 5'000)}, static_cast<int>(rng.between(0, 50))};
    const auto holds = [&](Duration trust) {
      return (trust + s.stop) * (100 + s.drift_percent) <= s.lease * (100 - s.drift_percent);
    };
    ASSERT_TRUE(holds(trust_of(s)));
    ASSERT_FALSE(holds(trust_of(s) + Duration{1}));
  }
}

TEST(Trust, must_outlast_two_beats_and_an_answer) {
  LeaseSettings s = kDefault;
  s.beat = (trust_of(s) - s.answer_timeout) / 2;
  EXPECT_TRUE(check_lease(s).ok());
  s.beat += Duration{1};
  EXPECT_FALSE(check_lease(s).ok());
}

TEST(Trust, is_refused_with_what_would_be_right) {
  LeaseSettings s = kDefault;
  s.beat = seconds(22);
  EXPECT_EQ(
      check_lease(s).error().message,
      "a lease of 1m gives 46s90ms of trust, but two beats of 22s and an answer timeout of 3s "
      "need 47s: use a longer lease or a shorter beat");
}

TEST(Trust, is_refused_where_it_could_never_hold) {
  for (const LeaseSettings& s :
       {LeaseSettings{.lease = seconds(0)}, LeaseSettings{.lease = seconds(-60)},
        LeaseSettings{.beat = seconds(0)}, LeaseSettings{.answer_timeout = seconds(0)},
        LeaseSettings{.stop = seconds(0)}, LeaseSettings{.drift_percent = 100},
        LeaseSettings{.drift_percent = -1}}) {
    EXPECT_FALSE(check_lease(s).ok());
  }
}

}  // namespace
}  // namespace cronce
