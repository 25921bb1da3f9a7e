// Nodes on PostgreSQL whose wall clocks are wrong: the server's counts.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include <fmt/format.h>

#include "base/clock.h"
#include "test/node/postgres_nodes.h"

namespace cronce::test {
namespace {

using std::chrono::hours;

class PostgresClock : public NodesOnPostgres {
 protected:
  /// A job for this node alone. The kernel, which nobody misleads, says when it started.
  std::string job_of(const std::string& node) const {
    return fmt::format(
        "  {0}:\n    schedule: \"* * * * * *\"\n    run: \": > {1}/{0}@$CRONCE_SLOT\"\n"
        "    catch_up: all\n    overlap: allow\n    on: {{ host: {0} }}\n",
        node, world_.path("started"));
  }

  void set_clock(const std::string& node, std::chrono::nanoseconds error) const {
    const Descriptor file(
        open(world_.path("clock-" + node).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const std::int64_t value = error.count();
    ASSERT_EQ(pwrite(file.get(), &value, sizeof value, 0), ssize_t{sizeof value});
  }

  NodeProcess& start_misled(const std::string& name, std::chrono::nanoseconds error) {
    set_clock(name, error);
    return start(name, {"--labels", "host=" + name},
                 {{"LD_PRELOAD", CRONCE_CLOCK_SHIM},
                  {"CHAOS_CLOCK", world_.path("clock-" + name)},
                  {"ASAN_OPTIONS", "verify_asan_link_order=0"}});
  }

  /// How late each slot of a job was.
  std::map<Time, Duration> lateness(const std::string& job) const {
    std::map<Time, Duration> found;
    for (const auto& file : std::filesystem::directory_iterator(world_.path("started"))) {
      const std::string name = file.path().filename();
      if (!name.starts_with(job + "@")) continue;
      struct stat facts{};
      EXPECT_EQ(stat(file.path().c_str(), &facts), 0);
      const Time started{Seconds{facts.st_mtim.tv_sec} +
                         Duration{facts.st_mtim.tv_nsec / 1'000'000}};
      const Time slot = parse_time(name.substr(job.size() + 1)).value();
      found[slot] = started - slot;
    }
    return found;
  }

  bool sees_slots_of(const std::string& job, std::size_t count) const {
    const std::size_t before = lateness(job).size();
    return wait_until([&] { return lateness(job).size() >= before + count; });
  }

  /// Each second, never early, and, once its node was there, at most so late as a machine under
  /// load may be.
  void expect_on_time(const std::string& job) const {
    const auto all = lateness(job);
    EXPECT_EQ(all.rbegin()->first - all.begin()->first, Seconds{all.size() - 1}) << job;
    for (const auto& [slot, late] : all) {
      EXPECT_GE(late, Duration{0}) << job << "@" << print(slot);
      if (slot < there_since_.at(job)) continue;
      EXPECT_LE(late, Duration{2'000}) << job << "@" << print(slot);
    }
  }

  std::map<std::string, Time> there_since_;
};

TEST_F(PostgresClock, an_hour_ahead_an_hour_behind_or_stepped_meanwhile_changes_nothing) {
  std::filesystem::create_directory(world_.path("started"));
  write_jobs(job_of("ahead") + job_of("behind") + job_of("stepped"));
  start_misled("ahead", hours{1});
  NodeProcess& behind = start_misled("behind", -hours{1});
  EXPECT_TRUE(behind.says("this machine's clock is wrong"));
  start_misled("stepped", hours{0});
  for (const char* name : {"ahead", "behind", "stepped"}) {
    EXPECT_TRUE(node(name).says("registered"));
    there_since_[name] = system_clock().wall();
    ASSERT_TRUE(sees_slots_of(name, 2));
  }
  for (const hours step : {hours{1}, hours{-1}, hours{24 * 365}}) {
    set_clock("stepped", step);
    ASSERT_TRUE(sees_slots_of("stepped", 4));
  }
  const World::Said nodes = world_.command({"nodes", "--json"});
  EXPECT_TRUE(
      std::regex_search(nodes.text, std::regex("\"ahead\".*\"clock_offset_ms\":3(599|600)...,")))
      << nodes.text;
  leave({"ahead", "behind", "stepped"});
  for (const char* name : {"ahead", "behind", "stepped"}) expect_on_time(name);
  expect_clean();
}

}  // namespace
}  // namespace cronce::test
