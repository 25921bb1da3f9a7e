// Keys that say what becomes of slots which nobody could start: one outage, seen by several jobs.
#include <algorithm>
#include <csignal>
#include <set>

#include <fmt/format.h>

#include "test/node/keys.h"
#include "test/node/steer.h"

namespace cronce::test {
namespace {

constexpr Seconds kApart{3};  // the slots of `none` and `patient`

/// The only node leaves, slots pass, another one comes.
class NodeKeysOutage : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    world = std::make_unique<World>();
    world->write("jobs.yaml", "jobs:\n" + job("none", kApart, "catch_up: none\n    grace: 1s") +
                                  job("patient", kApart, "catch_up: none\n    grace: 1h") +
                                  job("latest", Seconds{1}, "catch_up: latest") +
                                  job("bounded", Seconds{1}, "catch_up: { mode: all, cap: 2 }") +
                                  job("all", Seconds{1}, "catch_up: all"));
    NodeProcess& first = start_ready(*world, "a");
    for (const char* name : {"latest", "bounded", "all"}) ASSERT_TRUE(sees_start_of(name, "a"));
    first.send(SIGTERM);
    ASSERT_EQ(first.end(), 0);
    missed_slot = Time{(wall_time().time_since_epoch() / kApart + 1) * kApart};
    ASSERT_TRUE(wait_until([] { return wall_time() > missed_slot + Seconds{2}; }));
    NodeProcess& second = start_ready(*world, "b");
    for (const char* name : {"patient", "latest", "bounded", "all"}) {
      ASSERT_TRUE(sees_start_of(name, "b"));
    }
    ASSERT_TRUE(wait_until([] { return !rows("none", missed_slot).empty(); }));
    ASSERT_TRUE(wait_until([] { return gaps("all") == 0; }));
    second.send(SIGTERM);
    ASSERT_EQ(second.end(), 0);
  }
  static void TearDownTestSuite() { world.reset(); }

  static std::string job(const std::string& name, Seconds apart, const std::string& keys) {
    return fmt::format(
        "  {}:\n    schedule: {{ every: {}s }}\n    overlap: allow\n    {}\n    run: \"{}\"\n",
        name, apart.count(), keys, world->telling());
  }

  static bool sees_start_of(const std::string& job, const std::string& node) {
    return wait_until([&] {
      const auto starts = world->starts();
      return std::any_of(starts.begin(), starts.end(), [&](const Start& start) {
        return start.job == job && start.node == node;
      });
    });
  }

  static std::set<Time> started(const std::string& job) {
    std::set<Time> slots;
    for (const Start& start : world->starts()) {
      if (start.job == job) slots.insert(start.slot);
    }
    return slots;
  }

  /// Seconds between the first and the last start that have none.
  static std::int64_t gaps(const std::string& job) {
    const auto slots = started(job);
    return (*slots.rbegin() - *slots.begin()) / Seconds{1} + 1 -
           static_cast<std::int64_t>(slots.size());
  }

  /// The rows of a job, or those that cover a slot.
  static std::vector<Row> rows(const std::string& job, std::optional<Time> slot = std::nullopt) {
    std::vector<Row> found = slot ? rows_of(*world, *slot) : world->runs();
    const JobUid uid = uid_of(*world, job);
    std::erase_if(found, [&](const Row& run) { return run.id.job != uid; });
    return found;
  }

  /// Those that were passed over. If something was, a newer one was due when that was decided.
  static std::vector<Row> missed(const std::string& job) {
    std::vector<Row> found = rows(job);
    std::erase_if(found, [](const Row& run) { return run.reason != Reason::missed; });
    return found;
  }

  /// The greatest of them: that of the outage. A node that stood still makes others.
  static Row longest_missed(const std::string& job) {
    const auto found = missed(job);
    EXPECT_FALSE(found.empty());
    return *std::max_element(found.begin(), found.end(),
                             [](const Row& a, const Row& b) { return a.count < b.count; });
  }

  static inline std::unique_ptr<World> world;
  static inline Time missed_slot{};  // a slot of `none` and `patient`, for which nobody was there
};

TEST_F(NodeKeysOutage, catch_up_none_leaves_out_what_nobody_started_in_time) {
  const auto found = rows("none", missed_slot);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].state, RunState::skipped);
  EXPECT_EQ(found[0].reason, Reason::missed);
  EXPECT_FALSE(started("none").contains(missed_slot));
}

/// The same slot, two seconds late: within an hour.
TEST_F(NodeKeysOutage, grace_is_how_late_is_in_time) {
  for (const Row& run : missed("patient")) {
    EXPECT_LE(run.slot_to.value() + kApart, run.decided.at.value())
        << print(*run.slot_to) << " was the newest";
  }
  EXPECT_GE(*started("patient").rbegin(), missed_slot);
}

TEST_F(NodeKeysOutage, catch_up_latest_runs_the_newest_and_accounts_for_the_others) {
  const Row range = longest_missed("latest");
  EXPECT_GE(range.count, 2);
  for (Time slot = range.id.slot; slot <= range.slot_to.value(); slot += Seconds{1}) {
    EXPECT_FALSE(started("latest").contains(slot)) << print(slot);
  }
  EXPECT_TRUE(started("latest").contains(*range.slot_to + Seconds{1}));
}

TEST_F(NodeKeysOutage, catch_up_all_runs_each) {
  EXPECT_EQ(gaps("all"), 0);
  EXPECT_TRUE(missed("all").empty());
}

TEST_F(NodeKeysOutage, catch_up_has_a_cap) {
  std::int64_t passed = 0;
  for (const Row& range : missed("bounded")) passed += range.count;
  EXPECT_EQ(gaps("bounded"), passed);
  const Row range = longest_missed("bounded");
  const auto decided_at = [&](int later) {
    const auto found = rows("bounded", *range.slot_to + Seconds{later});
    return found.empty() ? std::nullopt : found[0].decided.at;
  };
  EXPECT_EQ(decided_at(1), range.decided.at);
  EXPECT_EQ(decided_at(2), range.decided.at) << "the two newest";
  EXPECT_NE(decided_at(3), range.decided.at);
}

}  // namespace
}  // namespace cronce::test
