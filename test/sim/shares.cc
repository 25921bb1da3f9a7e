#include "test/sim/shares.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

namespace cronce::sim {
namespace {

/// How far a share is, in memory that its parent sees.
struct Course {
  std::atomic<std::uint64_t> seed;
  std::atomic<std::uint64_t> done;
};

struct Share {
  pid_t process = 0;
  int results = -1;
  Course* course = nullptr;
};

double cpu_seconds() {
  rusage used{};
  CHECK(getrusage(RUSAGE_SELF, &used) == 0);
  return static_cast<double>(used.ru_utime.tv_sec) +
         static_cast<double>(used.ru_utime.tv_usec) / 1'000'000;
}

/// Every `processes`-th seed of the range; up to the first that fails, or all with a line for each.
Tally run_share(const Campaign& campaign, int share, Course& course) {
  Tally tally;
  const auto step = static_cast<std::uint64_t>(campaign.processes);
  for (auto seed = campaign.range.first + static_cast<std::uint64_t>(share);
       seed <= campaign.range.last; seed += step) {
    course.seed = seed;
    const Report report = run_world(settings_of(campaign, seed));
    tally.add(seed, report);
    ++course.done;
    if (report.violations.empty()) continue;
    if (!campaign.keep_going) break;
    fmt::print("seed {}: {}\n", seed, report.violations.front().what);
    std::fflush(stdout);
  }
  tally.cpu_seconds = cpu_seconds();
  return tally;
}

Share begin(const Campaign& campaign, int number, Course& course) {
  std::array<int, 2> ends{};
  CHECK(pipe(ends.data()) == 0);
  const pid_t process = fork();
  CHECK(process >= 0);
  if (process == 0) {
    const Tally tally = run_share(campaign, number, course);
    const bool told = write(ends[1], &tally, sizeof tally) == static_cast<ssize_t>(sizeof tally);
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  return {process, ends[0], &course};
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

/// Its tally; or, if it died of a CHECK or a signal, the seed at which it did.
Tally end(const Share& share) {
  Tally tally;
  const bool told = read_all(share.results, tally);
  close(share.results);
  int status = 0;
  CHECK(waitpid(share.process, &status, 0) == share.process);
  if (told) return tally;
  Tally dead;
  dead.seeds = share.course->done;
  dead.fail(share.course->seed, fmt::format("the process died of signal {}", WTERMSIG(status)));
  return dead;
}

void print_progress(const Campaign& campaign, const std::vector<Share>& shares, double seconds) {
  std::uint64_t done = 0;
  for (const Share& share : shares) done += share.course->done;
  const auto all = campaign.range.last - campaign.range.first + 1;
  fmt::print("{:>6.0f} s: {} of {} seeds from {} on, {:.0f} seeds/s\n", seconds, done, all,
             campaign.range.first, static_cast<double>(done) / seconds);
  std::fflush(stdout);
}

/// Until a share has something to say; meanwhile a line every half minute, if wanted.
void wait_for(const Share& share, const Campaign& campaign, const std::vector<Share>& shares,
              std::chrono::steady_clock::time_point since) {
  pollfd waits{share.results, POLLIN, 0};
  while (poll(&waits, 1, campaign.progress ? 30'000 : -1) == 0) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - since;
    print_progress(campaign, shares, seconds.count());
  }
}

}  // namespace

WorldSettings settings_of(const Campaign& campaign, std::uint64_t seed) {
  const bool liveness = campaign.liveness || (campaign.mixed && seed % 10 == 0);
  return {seed, liveness, campaign.canary, campaign.reader};
}

Tally run_shares(const Campaign& campaign) {
  const auto since = std::chrono::steady_clock::now();
  const auto count = static_cast<std::size_t>(campaign.processes);
  void* memory = mmap(nullptr, count * sizeof(Course), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  auto* courses = static_cast<Course*>(memory);
  std::fflush(stdout);
  std::vector<Share> shares;
  for (int i = 0; i < campaign.processes; ++i) shares.push_back(begin(campaign, i, courses[i]));
  Tally all;
  for (const Share& share : shares) {
    wait_for(share, campaign, shares, since);
    all.add(end(share));
  }
  munmap(memory, count * sizeof(Course));
  return all;
}

}  // namespace cronce::sim
