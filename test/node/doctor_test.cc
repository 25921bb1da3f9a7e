// `cronce doctor` on real stores, and that it leaves them as they are.
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/rng.h"
#include "store/open_store.h"
#include "test/node/world.h"

namespace cronce::test {
namespace {

namespace fs = std::filesystem;

struct Told {
  int exit_code = -1;
  std::map<std::string, json::object> findings;  // by check; of several the worst

  std::string severity(const std::string& check) const { return text(check, "severity"); }
  std::string text(const std::string& check, const char* key) const {
    const auto found = findings.find(check);
    if (found == findings.end()) return "none";
    const json::value* value = json::find(found->second, key);
    return value == nullptr ? "" : std::string(value->as_string());
  }
  /// The checks that found more than a note.
  std::vector<std::string> troubles() const {
    std::vector<std::string> out;
    for (const auto& [check, finding] : findings) {
      const std::string how = severity(check);
      if (how == "warning" || how == "error") out.push_back(check + ": " + text(check, "found"));
    }
    return out;
  }
};

bool is_worse(const json::object& a, const json::object& b) {
  constexpr std::string_view kOrder = "ok note warning error";
  const auto rank = [&](const json::object& one) {
    return kOrder.find(std::string_view(one.at("severity").as_string()));
  };
  return rank(a) > rank(b);
}

/// `before` is done in the process that becomes the program.
Told examine(
    const World& world, const std::string& store,
    const std::function<bool()>& before = [] { return true; }) {
  Told told;
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const std::string state = world.path("state");
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    if (!before()) _exit(126);
    execl(CRONCE_PROGRAM, "cronce", "doctor", "--json", "--store", store.c_str(), "--state",
          state.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::FILE* out = fdopen(ends[0], "r");
  std::array<char, 8'192> line{};
  while (std::fgets(line.data(), line.size(), out) != nullptr) {
    const auto read = json::parse(line.data());
    EXPECT_TRUE(read.ok()) << line.data();
    if (!read) continue;
    json::object finding = read->as_object();
    const std::string check(finding.at("check").as_string());
    const auto known = told.findings.find(check);
    if (known == told.findings.end() || is_worse(finding, known->second)) {
      told.findings[check] = std::move(finding);
    }
  }
  std::fclose(out);
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  told.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return told;
}

/// Names, times and texts of all that lies beside the store, and of the state folder.
std::map<std::string, std::string> traces(const World& world) {
  std::map<std::string, std::string> out;
  for (const char* folder : {"store", "state"}) {
    if (!fs::exists(world.path(folder))) continue;
    for (const auto& entry : fs::recursive_directory_iterator(world.path(folder))) {
      if (!entry.is_regular_file()) continue;
      struct stat found{};
      lstat(entry.path().c_str(), &found);
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      out[entry.path()] = fmt::format("{} {}.{} {:x}", found.st_mode, found.st_mtim.tv_sec,
                                      found.st_mtim.tv_nsec, std::hash<std::string>{}(text));
    }
  }
  return out;
}

NodeProcess& start_node(World& world) {
  world.write("jobs.yaml", "jobs:\n  job:\n    schedule: \"0 0 1 1 *\"\n    run: \"true\"\n");
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  EXPECT_TRUE(node.says("registered"));
  return node;
}

/// A store that was used, and that nobody uses any more.
void leave_a_store(World& world) {
  NodeProcess& node = start_node(world);
  node.send(SIGTERM);
  EXPECT_EQ(node.end(), 0);
}

TEST(NodeDoctor, finds_nothing_but_notes_where_all_is_right) {
  World world;
  world.lease = "60s";
  start_node(world);
  const Told told = examine(world, world.store);
  EXPECT_EQ(told.troubles(), std::vector<std::string>{});
  EXPECT_EQ(told.exit_code, 0);
  for (const char* check : {"store", "identity", "schema", "epoch", "library", "journal", "nodes",
                            "node_clocks", "node_zone_data", "definitions", "runnable"}) {
    EXPECT_EQ(told.severity(check), "ok") << check << ": " << told.text(check, "found");
  }
  for (const char* check :
       {"store_disk", "state_disk", "space", "zone_data", "open_files", "processes", "cgroups"}) {
    EXPECT_NE(told.severity(check), "none") << check;
  }
}

TEST(NodeDoctor, writes_nothing) {
  World world;
  leave_a_store(world);
  const auto before = traces(world);
  const Told told = examine(world, world.store);
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.severity("nodes"), "note") << "nobody is alive, and nothing is late";
  EXPECT_EQ(traces(world), before);
}

TEST(NodeDoctor, refuses_a_copy_and_says_how_it_is_taken_over) {
  World world;
  leave_a_store(world);
  const std::string copy = world.path("store/copy.db");
  fs::copy_file(world.path("store/cronce.db"), copy);
  const auto before = traces(world);
  const Told told = examine(world, "sqlite:" + copy);
  EXPECT_EQ(told.exit_code, 77);
  EXPECT_EQ(told.severity("identity"), "error");
  EXPECT_EQ(told.text("identity", "remedy"), "cronce adopt --store sqlite:" + copy);
  EXPECT_EQ(told.severity("nodes"), "none") << "those of the original are not the copy's";
  EXPECT_EQ(traces(world), before);
}

TEST(NodeDoctor, looks_at_the_host_where_there_is_no_store) {
  World world;
  const auto before = traces(world);
  const Told told = examine(world, world.store);
  EXPECT_EQ(told.exit_code, 69);
  EXPECT_EQ(told.severity("store"), "error");
  EXPECT_EQ(told.text("store", "remedy"), "cronce run --store " + world.store + " FILE");
  EXPECT_NE(told.severity("zone_data"), "none");
  EXPECT_NE(told.severity("cgroups"), "none");
  EXPECT_EQ(traces(world), before);
}

/// A place that cannot be written: for root only a mount is one.
bool make_read_only(const std::string& folder) {
  if (geteuid() != 0) return chmod(folder.c_str(), 0500) == 0;
  const char* path = folder.c_str();
  return unshare(CLONE_NEWNS) == 0 &&
         mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount(path, path, nullptr, MS_BIND, nullptr) == 0 &&
         mount(nullptr, path, nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) == 0;
}

TEST(NodeDoctor, says_that_a_place_is_read_only) {
  World world;
  leave_a_store(world);
  const Told told =
      examine(world, world.store, [&] { return make_read_only(world.path("store")); });
  chmod(world.path("store").c_str(), 0700);
  if (geteuid() == 0) {
    EXPECT_EQ(told.exit_code, 77);
    EXPECT_EQ(told.severity("store_disk"), "error");
    EXPECT_EQ(told.text("store_disk", "remedy"), "mount -o remount,rw " + world.path("store"));
  }
  EXPECT_EQ(told.severity("store_file"), "error");
  EXPECT_EQ(told.severity("store"), "ok") << "it can still be read";
  EXPECT_EQ(told.severity("schema"), "ok");
}

/// A node of this host that was started before its zone data were renewed.
TEST(NodeDoctor, sees_a_node_with_other_zone_data) {
  World world;
  world.lease = "60s";
  start_node(world);
  Rng rng(random_seed());
  const auto store = open_store(world.store, {}, system_clock(), rng);
  ASSERT_TRUE(store.ok());
  Node old;
  old.name = "old";
  old.incarnation = Incarnation::random(rng);
  old.beat = Beat{1};
  old.version = "0.1.0";
  old.zone_data = "2019a";
  old.wall = system_clock().wall();
  old.clock_reading = old.wall->time_since_epoch() - system_clock().boot();
  ASSERT_TRUE((*store)->beat({old, {}, 0, std::nullopt, {}}));
  const Told told = examine(world, world.store);
  EXPECT_EQ(told.exit_code, 1);
  EXPECT_EQ(told.severity("node_zone_data"), "warning");
  EXPECT_NE(told.text("node_zone_data", "found").find("2019a on old"), std::string::npos);
}

}  // namespace
}  // namespace cronce::test
