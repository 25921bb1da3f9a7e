#include "node/settings.h"

#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

namespace cronce {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const char* nothing(const char*) { return nullptr; }

const char* some(const char* name) {
  const std::string_view wanted(name);
  if (wanted == "CRONCE_STORE") return "sqlite:/srv/a.db";
  if (wanted == "CRONCE_STATE") return "/srv/state";
  return nullptr;
}

TEST(Places, FlagBeforeEnvironmentBeforeDefault) {
  EXPECT_EQ(find_places({"memory:", "/s"}, some).store, "memory:");
  EXPECT_EQ(find_places({"memory:", "/s"}, some).state, "/s");
  EXPECT_EQ(find_places({}, some).store, "sqlite:/srv/a.db");
  EXPECT_EQ(find_places({}, some).state, "/srv/state");
  EXPECT_EQ(find_places({}, nothing).store, default_store_address(nothing));
  EXPECT_TRUE(find_places({"memory:"}, nothing).named);
  EXPECT_TRUE(find_places({}, some).named);
  EXPECT_FALSE(find_places({}, nothing).named);
}

TEST(Places, PathsBecomeAbsolute) {
  const auto here = std::filesystem::current_path().string();
  EXPECT_EQ(find_places({"sqlite:build/x/../a.db"}, nothing).store,
            "sqlite:" + here + "/build/a.db");
  EXPECT_EQ(find_places({.state = "state"}, nothing).state, here + "/state");
}

// Whoever puts back the folder of the store must not put back the marks.
TEST(Places, TheDefaultStateIsNotInTheFolderOfTheDefaultStore) {
  const Places places = find_places({}, nothing);
  const auto store = std::filesystem::path(*places.store_path()).parent_path().string();
  EXPECT_FALSE((places.state + "/").starts_with(store + "/")) << places.state;
}

TEST(RunLogPath, IsBesideASqliteStore) {
  const Places places{"sqlite:/srv/a.db", "/state"};
  const Time slot = parse_time("2026-03-29T01:30:00Z").value();
  EXPECT_EQ(run_log_path(places, {JobUid{7}, Space::slot, slot, "", Attempt{2}}),
            "/srv/a.db-logs/7/2026-03-29T01:30:00Z.2.log");
}

TEST(RunLogPath, NamesOfRequestsAreHarmless) {
  const Places places{"memory:", "/state"};
  EXPECT_EQ(run_log_path(places, {JobUid{7}, Space::manual, Time{}, "../x y", Attempt{1}}),
            "/state/logs/7/manual-%2e%2e%2fx%20y.1.log");
}

struct LeaseRow {
  Duration lease, beat, answer_timeout, stop;
};

TEST(Lease, IsTheTableOfTheProtocol) {
  for (const LeaseRow& row : {LeaseRow{seconds{60}, seconds{5}, seconds{3}, seconds{3}},
                              LeaseRow{seconds{15}, seconds{3}, seconds{2}, seconds{3}},
                              LeaseRow{seconds{5}, seconds{1}, seconds{1}, seconds{1}}}) {
    const auto settings = lease_settings(row.lease);
    ASSERT_TRUE(settings.ok()) << print(row.lease);
    EXPECT_EQ(settings->beat, row.beat) << print(row.lease);
    EXPECT_EQ(settings->answer_timeout, row.answer_timeout) << print(row.lease);
    EXPECT_EQ(settings->stop, row.stop) << print(row.lease);
  }
}

TEST(Lease, KeepsTheInequalityWhateverItsLength) {
  for (Duration lease = seconds{2}; lease < seconds{300}; lease += milliseconds{700}) {
    const auto settings = lease_settings(lease);
    ASSERT_TRUE(settings.ok()) << print(lease);
    EXPECT_TRUE(check_lease(*settings).ok()) << print(lease);
    EXPECT_GT(lease_stop(*settings), Duration{0});
    EXPECT_LT(lease_stop(*settings), settings->stop);
  }
  EXPECT_EQ(lease_stop(*lease_settings(seconds{60})), seconds{2});
}

TEST(Lease, CanBeTooShort) {
  EXPECT_FALSE(lease_settings(milliseconds{100}).ok());
  EXPECT_FALSE(lease_settings(Duration{0}).ok());
}

TEST(Labels, AreNamesAndValues) {
  EXPECT_EQ(*parse_labels("disk=local,region=eu"),
            (std::map<std::string, std::string>{{"disk", "local"}, {"region", "eu"}}));
  EXPECT_EQ(*parse_labels("a="), (std::map<std::string, std::string>{{"a", ""}}));
  EXPECT_FALSE(parse_labels("local").ok());
  EXPECT_FALSE(parse_labels("=x").ok());
}

}  // namespace
}  // namespace cronce
