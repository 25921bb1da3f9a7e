#include "test/keeper/world.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "keeper/descendants.h"
#include "keeper/leftovers.h"

namespace cronce::test {
namespace {

using std::chrono::steady_clock;

int left_ms(steady_clock::time_point since) {
  const auto passed = std::chrono::duration_cast<Duration>(steady_clock::now() - since);
  return static_cast<int>(std::max<std::int64_t>(patience_ms() - passed.count(), 0));
}

Keeper start_keeper(const KeeperSettings& settings) {
  return Keeper::start_process(settings).value();
}

KeeperSettings settings_in(const std::string& folder, bool cgroups,
                           const std::function<void(KeeperSettings&)>& adjust) {
  KeeperSettings settings;
  settings.state = folder + "/state";
  settings.use_cgroups = cgroups;
  settings.lease_stop = Duration{200};
  settings.spool_after = Duration{200};
  if (adjust) adjust(settings);
  return settings;
}

}  // namespace

int patience_ms() {
  const char* told = std::getenv("CRONCE_PATIENCE_MS");
  return told != nullptr ? std::atoi(told) : 20'000;
}

Witness::Witness(std::string path) : path_(std::move(path)) {
  EXPECT_EQ(mkfifo(path_.c_str(), 0666), 0);
  fifo_.reset(open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

bool Witness::sees_begin() {
  pollfd watch{fifo_.get(), POLLIN, 0};
  if (poll(&watch, 1, patience_ms()) != 1) return false;
  char byte = 0;
  return read(fifo_.get(), &byte, 1) == 1;
}

bool Witness::sees_life() {
  char old[65'536];
  while (read(fifo_.get(), old, sizeof old) == sizeof old) {
  }
  return sees_begin();
}

bool Witness::sees_end() {
  const auto since = steady_clock::now();
  for (;;) {
    pollfd watch{fifo_.get(), POLLIN, 0};
    if (poll(&watch, 1, left_ms(since)) != 1) return false;
    char old[65'536];
    const auto size = read(fifo_.get(), old, sizeof old);
    if (size == 0) return true;
    if (left_ms(since) == 0) return false;
  }
}

std::string actor() { return CRONCE_ACTOR; }

StoreId store() { return {{7, 7}}; }

/// Of this test program: others that run beside it must not clear away what is ours.
Incarnation incarnation() {
  static const Incarnation own{{0xabc, static_cast<std::uint64_t>(getpid())}};
  return own;
}

RunId run(int number) {
  RunId id;
  id.job = {1};
  id.slot = Time{Duration{1'000 * number}};
  return id;
}

EndKey key(int number) {
  return {store(), "test", run(number), {static_cast<std::uint64_t>(number)}};
}

Start order(int number, std::vector<std::string> argv) {
  Start start;
  start.key = key(number);
  start.incarnation = incarnation();
  start.label = fmt::format("job@{}", number);
  start.argv = std::move(argv);
  start.environment = {"PATH=/usr/bin:/bin",
                       fmt::format("{}={}", kIncarnationVariable, print(incarnation()))};
  start.kill_after = Duration{200};
  return start;
}

bool wait_until(const std::function<bool()>& happened) {
  const auto since = steady_clock::now();
  while (!happened()) {
    if (left_ms(since) == 0) return false;
    poll(nullptr, 0, 2);
  }
  return true;
}

bool Listener::wait(const std::function<bool()>& happened) {
  const auto since = steady_clock::now();
  while (!happened()) {
    pollfd watch{keeper_.fd(), POLLIN, 0};
    if (poll(&watch, 1, left_ms(since)) != 1) return false;
    read();
  }
  return true;
}

void Listener::read() {
  for (KeeperEvent& event : keeper_.read()) {
    if (const auto* start = std::get_if<Started>(&event)) starts[start->run] = *start;
    if (const auto* ended = std::get_if<Ended>(&event)) {
      finished.emplace(ended->end.run, ended->end);
      if (stores) keeper_.end_stored({store(), "test", ended->end.run, ended->end.fence});
    }
    if (const auto* told = std::get_if<Progress>(&event)) progress.push_back(*told);
    if (const auto* remark = std::get_if<Remark>(&event)) remarks.push_back(remark->text);
    if (std::holds_alternative<KeeperReplaced>(event)) ++replaced;
    if (const auto* left = std::get_if<KeeperGone>(&event)) gone = *left;
  }
}

const Started* Listener::started(int number) {
  wait([&] { return starts.contains(run(number)) || finished.contains(run(number)); });
  const auto found = starts.find(run(number));
  return found == starts.end() ? nullptr : &found->second;
}

FinishEntry Listener::end(int number) {
  EXPECT_TRUE(wait([&] { return finished.contains(run(number)); })) << "run " << number;
  const auto found = finished.find(run(number));
  return found == finished.end() ? FinishEntry{} : found->second;
}

std::size_t Listener::ends(int number) const { return finished.count(run(number)); }

World::World(bool cgroups, const std::function<void(KeeperSettings&)>& adjust)
    : settings(settings_in(folder.path(), cgroups, adjust)),
      keeper(start_keeper(settings)),
      events(keeper) {
  trust(std::chrono::minutes{5});
}

World::~World() {
  if (events.gone) return;
  keeper.kill_all();
  keeper.leave();
  EXPECT_TRUE(events.wait([this] { return events.gone.has_value(); }));
}

void World::trust(Duration longer) {
  const Duration now = read_steady(settings.clock);
  keeper.trust_until({now + longer, incarnation(), Time{}});
}

std::vector<pid_t> below(pid_t root, const std::string& name) {
  std::vector<pid_t> all{root};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto process = HeldProcess::hold(all[i]);
    const auto children = process ? process->children() : std::vector<pid_t>{};
    all.insert(all.end(), children.begin(), children.end());
  }
  std::vector<pid_t> found;
  for (const pid_t pid : all) {
    std::ifstream file(fmt::format("/proc/{}/comm", pid));
    std::string text;
    if (std::getline(file, text) && text == name && is_alive(pid)) found.push_back(pid);
  }
  return found;
}

pid_t parent_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  for (std::string word; file >> word;) {
    if (word != "PPid:") continue;
    file >> word;
    return std::stoi(word);
  }
  return 0;
}

char state_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  if (!std::getline(file, text)) return 0;
  const std::size_t name_end = text.rfind(") ");
  return name_end == std::string::npos ? '\0' : text[name_end + 2];
}

bool is_alive(pid_t pid) {
  const char state = state_of(pid);
  return state != 0 && state != 'Z' && state != 'X';
}

std::string mode_name(const testing::TestParamInfo<bool>& mode) {
  return mode.param ? "with_cgroups" : "without_cgroups";
}

}  // namespace cronce::test
