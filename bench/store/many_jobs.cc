// Usage: many_jobs FILE register | many_jobs FILE start
// What 100,000 registered jobs cost a process that opens their store: the time until a first beat
// has told it all of them, the time of a beat that has nothing to tell, and memory.
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include "store/sqlite/sqlite_store.h"
#include "test/support/client.h"

namespace cronce {
namespace {

constexpr int kJobs = 100'000;
constexpr int kIdleBeats = 200;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  long pages = 0, resident = 0;
  file >> pages >> resident;
  return static_cast<double>(resident * ::sysconf(_SC_PAGESIZE)) / 1e6;
}

rusage usage() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used;
}

/// Of this process, which a busy machine does not change.
double cpu_seconds() {
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  const rusage used = usage();
  return of(used.ru_utime) + of(used.ru_stime);
}

void register_all(Client& client) {
  std::vector<std::string> names;
  for (int i = 0; i < kJobs; ++i)
    names.push_back("team-" + std::to_string(i % 100) + "/job-" + std::to_string(i));
  const double cpu = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  const auto done = client.enroll(system_clock().wall(), names);
  if (!done || done->answer.registered != Registered::current) std::abort();
  std::printf("registered in %.2f s, CPU %.2f s\n", seconds_since(begin), cpu_seconds() - cpu);
}

void start(Client& client) {
  const double before = resident_mb();
  const double cpu_before = cpu_seconds();
  auto begin = std::chrono::steady_clock::now();
  {
    const auto told = client.beat();
    if (!told || told->changed.size() != kJobs) std::abort();
    std::printf("first beat %.2f s, CPU %.2f s, resident %.1f MB with its answer\n",
                seconds_since(begin), cpu_seconds() - cpu_before, resident_mb() - before);
    client.knows(told->changes);
  }
  ::malloc_trim(0);
  const double cpu = cpu_seconds();
  begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kIdleBeats; ++i) {
    if (!client.beat()) std::abort();
  }
  std::printf("idle beat %.3f ms, CPU %.3f ms\n", seconds_since(begin) / kIdleBeats * 1e3,
              (cpu_seconds() - cpu) / kIdleBeats * 1e3);
  std::printf("resident %.1f MB more than before the first beat, peak %.1f MB in all\n",
              resident_mb() - before, static_cast<double>(usage().ru_maxrss) / 1e3);
}

}  // namespace
}  // namespace cronce

int main(int argc, char** argv) {
  using namespace cronce;
  if (argc != 3) return 64;
  Rng rng(random_seed());
  const auto begin = std::chrono::steady_clock::now();
  auto store = SqliteStore::open_file({.path = argv[1]}, system_clock(), rng);
  if (!store) return 1;
  std::printf("opened in %.3f s\n", seconds_since(begin));
  Client client(**store, rng, system_clock());
  if (std::string(argv[2]) == "register") {
    if (!client.beat()) return 1;
    register_all(client);
  } else {
    start(client);
  }
  return 0;
}
