// The command of every job in a chaos run: it tells the witness when it begins and when it ends.
//
//   chaos_actor FOLDER MANNER MILLISECONDS succeeds|fails-first
//
//   plain     sleeps, and dies by TERM
//   stubborn  ignores TERM
//   forks     a process of its own session does the work, and the command waits for it
//
// FOLDER has the witness, to which a line is added in one step:
//
//   begin JOB SLOT ATTEMPT FENCE NODE KEY PID WALL STEADY
//   end   JOB SLOT ATTEMPT FENCE NODE KEY PID WALL STEADY EXIT
//   beside ...   the same as begin: another run of this job was alive at that moment
//
// That last one is exact: the worker holds a lock that only its death, or its end, gives up. The
// clocks are the kernel's, whatever the node believes.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

/// Not by clock_gettime(): the node may run under a library that lies, and its children inherit it.
long long nanoseconds(clockid_t clock) {
  timespec now{};
  syscall(SYS_clock_gettime, clock, &now);
  return static_cast<long long>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? "-" : value;
}

void tell(const std::string& folder, const std::string& what, const std::string& more = "") {
  std::string line = what;
  for (const char* name : {"CRONCE_JOB", "CRONCE_SLOT", "CRONCE_ATTEMPT", "CRONCE_FENCE",
                           "CRONCE_NODE", "CRONCE_KEY"}) {
    line += " " + variable(name);
  }
  line += " " + std::to_string(getpid()) + " " + std::to_string(nanoseconds(CLOCK_REALTIME)) + " " +
          std::to_string(nanoseconds(CLOCK_MONOTONIC)) + more + "\n";
  const int file = open((folder + "/witness").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0 || write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    _exit(99);
  }
  close(file);
}

void sleep_for(long milliseconds) {
  timespec left{milliseconds / 1'000, milliseconds % 1'000 * 1'000'000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

int work(const std::string& folder, long milliseconds, bool fails) {
  const std::string lock = folder + "/locks/" + variable("CRONCE_JOB");
  const int alone = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (alone < 0) return 99;
  const bool beside = flock(alone, LOCK_EX | LOCK_NB) != 0;
  tell(folder, beside ? "beside" : "begin");
  sleep_for(milliseconds);
  const int exit_code = fails && variable("CRONCE_ATTEMPT") == "1" ? 3 : 0;
  tell(folder, "end", " " + std::to_string(exit_code));
  return exit_code;
}

/// The keeper must find it although the command's own death kills nobody.
int work_in_background(const std::string& folder, long milliseconds, bool fails) {
  const pid_t worker = fork();
  if (worker == 0) {
    setsid();
    _exit(work(folder, milliseconds, fails));
  }
  int status = 0;
  while (waitpid(worker, &status, 0) != worker && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 99;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 64;
  const std::string folder = argv[1];
  const std::string_view manner = argv[2];
  const long milliseconds = std::atol(argv[3]);
  const bool fails = std::string_view(argv[4]) == "fails-first";
  if (manner == "stubborn") signal(SIGTERM, SIG_IGN);
  if (manner == "forks") return work_in_background(folder, milliseconds, fails);
  return work(folder, milliseconds, fails);
}
