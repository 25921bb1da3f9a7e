// What people build first: every node looks at the clock, takes a lock for the job, runs it, and
// lets go of the lock. The positive control of chaos: the judge must object to it.
//
//   chaos_naive run --node NAME --store ADDRESS ... JOBS   (reads JOBS.table)
//   chaos_naive history|jobs|why --store ADDRESS ...
//
// Its history is what each node wrote down after a run. It claims nothing else.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "test/chaos/naive_locks.h"

namespace {

using cronce::chaos::make_naive_locks;
using cronce::chaos::NaiveLocks;

struct Job {
  std::string name;
  long every_s = 1;
  std::vector<std::string> command;
  long seen_s = 0;  // the newest slot that was looked at
  pid_t child = 0;
  long slot_s = 0;
  long fence = 0;
};

std::string print_time(time_t seconds) {
  tm civil{};
  gmtime_r(&seconds, &civil);
  char text[32];
  return {text, strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &civil)};
}

long wall_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

class Naive {
 public:
  Naive(std::string node, const std::string& store)
      : node_(std::move(node)), locks_(make_naive_locks(store, node_)) {}

  void read_jobs(const std::string& path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      Job job;
      words >> job.name >> job.every_s;
      for (std::string word; words >> word;) job.command.push_back(word);
      job.seen_s = slot_of(job);
      jobs_.push_back(job);
    }
  }

  [[noreturn]] void run() {
    for (;;) {
      for (Job& job : jobs_) {
        if (job.child != 0) look_for_end(job);
        if (slot_of(job) <= job.seen_s) continue;
        job.seen_s = slot_of(job);
        if (job.child == 0) try_to_run(job);
      }
      usleep(10'000);
    }
  }

 private:
  static long slot_of(const Job& job) { return time(nullptr) / job.every_s * job.every_s; }

  void try_to_run(Job& job) {
    if (!locks_->lock(job.name)) return;
    job.slot_s = job.seen_s;
    job.fence = wall_ns();
    job.child = fork();
    if (job.child != 0) return;
    setenv("CRONCE_JOB", job.name.c_str(), 1);
    setenv("CRONCE_SLOT", print_time(job.slot_s).c_str(), 1);
    setenv("CRONCE_ATTEMPT", "1", 1);
    setenv("CRONCE_FENCE", fmt::format("{}", job.fence).c_str(), 1);
    setenv("CRONCE_NODE", node_.c_str(), 1);
    std::vector<char*> argv;
    for (std::string& word : job.command) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }

  void look_for_end(Job& job) {
    int status = 0;
    if (waitpid(job.child, &status, WNOHANG) != job.child) return;
    const bool exited = WIFEXITED(status);
    const int code = exited ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    const std::string line =
        fmt::format(R"({{"job":"{}","slot":"{}","attempt":1,"state":"{}","reason":{},"fence":{},)"
                    R"("node":"{}","exit_code":{}}})"
                    "\n",
                    job.name, print_time(job.slot_s), code == 0 ? "succeeded" : "failed",
                    code == 0 ? "null"
                    : exited  ? R"("exit")"
                              : R"("signal")",
                    job.fence, node_, code);
    locks_->add_to_history(line);
    job.child = 0;
    locks_->unlock(job.name);
  }

  std::string node_;
  std::unique_ptr<NaiveLocks> locks_;
  std::vector<Job> jobs_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  std::map<std::string, std::string> flags;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) flags[words[i]] = words[i + 1];
  const std::string store = flags["--store"];
  if (words.at(0) == "run") {
    std::signal(SIGTERM, [](int) { _exit(0); });
    Naive naive(flags["--node"], store);
    naive.read_jobs(words.back() + ".table");
    naive.run();
  }
  if (words.at(0) == "history") std::cout << make_naive_locks(store, "reader")->history();
}
