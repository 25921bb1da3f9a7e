#include "test/sim/campaign.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include <fmt/format.h>

#include "test/sim/tally.h"

namespace cronce::sim {
namespace {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - since_).count();
  }

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

WorldSettings settings_of(const Campaign& campaign, std::uint64_t seed) {
  return {seed, campaign.liveness, campaign.canary, campaign.traces};
}

/// Every `processes`-th seed of the range, up to the first that fails.
Tally run_share(const Campaign& campaign, int share) {
  Tally tally;
  const auto step = static_cast<std::uint64_t>(campaign.processes);
  for (auto seed = campaign.range.first + static_cast<std::uint64_t>(share);
       seed <= campaign.range.last; seed += step) {
    tally.add(seed, run_world(settings_of(campaign, seed)));
    if (tally.failed) break;
  }
  return tally;
}

bool read_all(int descriptor, Tally& tally) {
  auto* bytes = reinterpret_cast<char*>(&tally);
  std::size_t have = 0;
  while (have < sizeof tally) {
    const ssize_t got = read(descriptor, bytes + have, sizeof tally - have);
    if (got <= 0) return false;
    have += static_cast<std::size_t>(got);
  }
  return true;
}

/// A share that dies (a CHECK of ours) is a failure, too.
Tally run_shares(const Campaign& campaign) {
  if (campaign.processes <= 1) return run_share(campaign, 0);
  std::fflush(stdout);
  std::vector<int> pipes;
  for (int share = 0; share < campaign.processes; ++share) {
    std::array<int, 2> ends{};
    CHECK(pipe(ends.data()) == 0);
    if (fork() == 0) {
      const Tally tally = run_share(campaign, share);
      const bool told = write(ends[1], &tally, sizeof tally) == static_cast<ssize_t>(sizeof tally);
      _exit(told ? 0 : 1);
    }
    close(ends[1]);
    pipes.push_back(ends[0]);
  }
  Tally all;
  for (const int descriptor : pipes) {
    Tally tally;
    CHECK(read_all(descriptor, tally));
    close(descriptor);
    all.add(tally);
  }
  while (wait(nullptr) > 0) {
  }
  return all;
}

void print_failure(const Campaign& campaign, const Tally& tally) {
  fmt::print("seed {} FAILED: {}\nreplay: sim --seed {}{}{} --trace\n", tally.first_failed,
             tally.why.data(), tally.first_failed, campaign.liveness ? " --liveness" : "",
             campaign.canary == Canary::none
                 ? ""
                 : fmt::format(" --canary {}", static_cast<int>(campaign.canary)));
}

Campaign part(const Campaign& campaign, Range range, bool liveness) {
  Campaign one = campaign;
  one.range = range;
  one.liveness = liveness;
  return one;
}

}  // namespace

int run_one(const Campaign& campaign) {
  const Report report = run_world(settings_of(campaign, campaign.range.first));
  for (const Violation& violation : report.violations) {
    fmt::print("{}: {}\n", violation.invariant, violation.what);
  }
  fmt::print("seed {}: {} events, {} faults, {} slots, {} starts, hash {:016x}: {}\n",
             campaign.range.first, report.events, report.faults, report.slots, report.starts,
             report.hash, report.violations.empty() ? "ok" : "FAILED");
  return report.violations.empty() ? 0 : 1;
}

int run_range(const Campaign& campaign) {
  const Stopwatch watch;
  const Tally tally = run_shares(campaign);
  print_averages(tally, watch.seconds());
  print_rare(tally);
  if (tally.failed) print_failure(campaign, tally);
  return tally.failed ? 1 : 0;
}

int run_standard(const Campaign& campaign) {
  const Stopwatch watch;
  Tally all;
  for (const Campaign& one : {part(campaign, {1, 2'000}, false), part(campaign, {1, 500}, true)}) {
    const Stopwatch part_watch;
    const Tally tally = run_shares(one);
    fmt::print("{}: ", one.liveness ? "liveness" : "safety");
    print_averages(tally, part_watch.seconds());
    if (tally.failed) print_failure(one, tally);
    all.add(tally);
  }
  const bool reached = print_rare(all);
  fmt::print("{:.1f} s in all\n", watch.seconds());
  return all.failed || !reached ? 1 : 0;
}

int run_twice(const Campaign& campaign) {
  for (auto seed = campaign.range.first; seed <= campaign.range.last; ++seed) {
    const auto settings = settings_of(campaign, seed);
    if (run_world(settings).hash == run_world(settings).hash) continue;
    fmt::print("seed {} took two courses\n", seed);
    return 1;
  }
  fmt::print("seeds {} to {}: the same course twice\n", campaign.range.first, campaign.range.last);
  return 0;
}

int run_canary(const Campaign& campaign) {
  Campaign one = campaign;
  one.liveness = campaign.liveness || needs_liveness(campaign.canary);
  const Tally tally = run_shares(one);
  fmt::print("canary {:>2} {:<45} ", static_cast<int>(one.canary), name_of(one.canary));
  if (tally.failed) {
    fmt::print("caught at seed {} ({:.60})\n", tally.first_failed, tally.why.data());
  } else {
    fmt::print("NOT CAUGHT in {} seeds\n", tally.seeds);
  }
  return tally.failed ? 0 : 1;
}

int run_canaries(const Campaign& campaign) {
  const Stopwatch watch;
  int missed = 0;
  for (std::size_t i = 1; i <= kCanaries; ++i) {
    Campaign one = campaign;
    one.canary = static_cast<Canary>(i);
    missed += run_canary(one);
  }
  fmt::print("{} of {} canaries caught, {:.1f} s\n", static_cast<int>(kCanaries) - missed,
             kCanaries, watch.seconds());
  return missed == 0 ? 0 : 1;
}

}  // namespace cronce::sim
