// A command for the keeper's tests, hard to get rid of.
//
//   actor fds                 prints its open descriptors
//   actor signals             prints which signals it has blocked and ignored
//   actor stay FIFO           ignores TERM and writes a byte to FIFO again and again
//   actor double-fork FIFO    the same, and so does a process that it left in a session of its own,
//                             without an environment
//   actor leave FIFO          only leaves that process, and exits at once
//   actor hop FIFO            a process that is always another one: it forks, and its parent exits
//   actor stroll FIFO         the same, but slowly
//
// Every process holds FIFO open for writing: who reads it sees its end when the last one is gone.
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

namespace {

void print_descriptors() {
  DIR* folder = opendir("/proc/self/fd");
  for (const dirent* entry = readdir(folder); entry != nullptr; entry = readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && std::atoi(entry->d_name) != dirfd(folder)) {
      std::cout << name << '\n';
    }
  }
  closedir(folder);
}

void print_signals() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigBlk") || line.starts_with("SigIgn")) std::cout << line << '\n';
  }
}

/// A byte every few milliseconds, for longer than any test. The reader's absence is no reason to
/// end; but what a faulty keeper leaves behind shall not stay for ever.
[[noreturn]] void go_on(int fifo) {
  alarm(60);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  for (;;) {
    [[maybe_unused]] const auto written = write(fifo, "x", 1);
    usleep(5'000);
  }
}

/// A process of nobody's: its parents are gone, its session is its own, its environment empty.
void leave_one(const char* self, int fifo) {
  if (fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  const std::string number = std::to_string(fifo);
  char* const none[] = {nullptr};
  execle(self, "daemon", "go-on", number.c_str(), nullptr, none);
  _exit(1);
}

/// With `slowly` each waits until its parent was reaped, so that two numbers are enough.
[[noreturn]] void hop(int fifo, bool slowly) {
  signal(SIGTERM, SIG_IGN);
  for (int i = 0; i < 100'000; ++i) {
    [[maybe_unused]] const auto written = write(fifo, "x", 1);
    const pid_t before = getpid();
    if (fork() != 0) _exit(0);
    setsid();
    while (slowly && kill(before, 0) == 0) usleep(100);
  }
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "fds") return print_descriptors(), 0;
  if (what == "signals") return print_signals(), 0;
  if (argc < 3) return 64;
  if (what == "go-on") go_on(std::atoi(argv[2]));
  const int fifo = open(argv[2], O_WRONLY | O_NONBLOCK);
  if (fifo < 0) return 66;
  if (what == "hop" || what == "stroll") hop(fifo, what == "stroll");
  if (what == "double-fork" || what == "leave") leave_one("/proc/self/exe", fifo);
  if (what == "leave") return 0;
  go_on(fifo);
}
