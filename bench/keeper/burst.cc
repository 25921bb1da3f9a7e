// Usage: bench_keeper [RUNS [ROUNDS]]
// RUNS commands (`true`) due at one instant: when the k-th has started, by posix_spawn alone and by
// the keeper, with a control group per run and with a sub-keeper per run. All in one process and in
// turns, so that the ratios mean something on a machine that others use too.
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "keeper/keeper.h"

extern char** environ;

namespace cronce {
namespace {

using std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

/// When the k-th had started, in milliseconds from the first order; and when the last had ended.
struct Burst {
  std::vector<double> started;
  double ended = 0;
};

double since(steady_clock::time_point begin) {
  return Milliseconds(steady_clock::now() - begin).count();
}

Burst by_posix_spawn(int runs) {
  Burst burst;
  char name[] = "true";
  char* const argv[] = {name, nullptr};
  const auto begin = steady_clock::now();
  int alive = 0;
  for (int i = 0; i < runs; ++i) {
    pid_t pid = 0;
    CHECK(posix_spawn(&pid, "/bin/true", nullptr, nullptr, argv, environ) == 0);
    burst.started.push_back(since(begin));
    ++alive;
    while (alive > 0 && waitpid(-1, nullptr, WNOHANG) > 0) --alive;
  }
  while (alive > 0 && waitpid(-1, nullptr, 0) > 0) --alive;
  burst.ended = since(begin);
  return burst;
}

Start order(int number) {
  Start start;
  start.key.run.slot = Time{Duration{number}};
  start.key.fence = {static_cast<std::uint64_t>(number) + 1};
  start.label = "burst";
  start.argv = {"/bin/true"};
  for (char** entry = environ; *entry != nullptr; ++entry) start.environment.emplace_back(*entry);
  return start;
}

/// What has started and ended since, without waiting.
void hear(Keeper& keeper, Burst& burst, steady_clock::time_point begin, int& ended) {
  for (const KeeperEvent& event : keeper.read()) {
    if (std::holds_alternative<Started>(event)) burst.started.push_back(since(begin));
    const auto* end = std::get_if<Ended>(&event);
    if (end == nullptr) continue;
    CHECK(end->end.state == RunState::succeeded);
    keeper.end_stored({{}, {}, end->end.run, end->end.fence});
    ++ended;
  }
}

bool has_news(const Keeper& keeper, int milliseconds) {
  pollfd watch{keeper.fd(), POLLIN, 0};
  return poll(&watch, 1, milliseconds) == 1;
}

Burst by_keeper(Keeper& keeper, int runs) {
  Burst burst;
  int ended = 0;
  keeper.trust_until({read_steady(Steady::boottime) + std::chrono::minutes{5}, {}, Time{}});
  std::vector<Start> orders;
  for (int i = 0; i < runs; ++i) orders.push_back(order(i));
  const auto begin = steady_clock::now();
  for (const Start& one : orders) {
    keeper.start(one);
    if (has_news(keeper, 0)) hear(keeper, burst, begin, ended);
  }
  while (ended < runs) {
    CHECK(has_news(keeper, 60'000));
    hear(keeper, burst, begin, ended);
  }
  burst.ended = since(begin);
  return burst;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

Keeper start_keeper(const std::string& state, bool cgroups) {
  KeeperSettings settings;
  settings.state = state;
  settings.use_cgroups = cgroups;
  return Keeper::start_process(settings).value();
}

void print_rows(const std::map<std::string, std::vector<Burst>>& bursts, int runs) {
  const auto at = [&](const std::string& way, int k) {
    std::vector<double> times;
    for (const Burst& burst : bursts.at(way)) {
      times.push_back(burst.started[static_cast<std::size_t>(k) - 1]);
    }
    return median(times);
  };
  fmt::print("{:14} {:>7} {:>10} {:>8}\n", "way", "k", "ms", "ratio");
  for (const auto& [way, rounds] : bursts) {
    for (const int k : {runs / 10, runs / 2, runs}) {
      std::vector<double> ratios;
      for (std::size_t i = 0; i < rounds.size(); ++i) {
        const auto place = static_cast<std::size_t>(k) - 1;
        ratios.push_back(rounds[i].started[place] / bursts.at("posix_spawn")[i].started[place]);
      }
      fmt::print("{:14} {:>7} {:>10.1f} {:>8.2f}\n", way, k, at(way, k), median(ratios));
    }
  }
}

/// What is left of one burst shall not disturb the next; and real-time processes that take all of a
/// second are held up by the kernel.
void rest() { poll(nullptr, 0, 200); }

int main_with(int runs, int rounds) {
  std::string state = "/tmp/cronce-bench-XXXXXX";
  CHECK(mkdtemp(state.data()) != nullptr);
  Keeper with = start_keeper(state, true);
  Keeper without = start_keeper(state, false);
  if (with.cgroup().empty()) fmt::print("no control groups here: `cgroups` are sub-keepers\n");
  std::map<std::string, std::vector<Burst>> bursts;
  for (int round = 0; round < rounds; ++round) {
    bursts["posix_spawn"].push_back(by_posix_spawn(runs));
    rest();
    bursts["sub-keepers"].push_back(by_keeper(without, runs));
    rest();
    bursts["cgroups"].push_back(by_keeper(with, runs));
    rest();
  }
  print_rows(bursts, runs);
  std::filesystem::remove_all(state);
  return 0;
}

}  // namespace
}  // namespace cronce

int main(int argc, char** argv) {
  return cronce::main_with(argc > 1 ? std::atoi(argv[1]) : 1'000,
                           argc > 2 ? std::atoi(argv[2]) : 5);
}
