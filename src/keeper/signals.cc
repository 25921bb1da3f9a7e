#include "keeper/signals.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

namespace cronce {

void take_signals() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  // As the kernel wants it: the C library hides two signals, which a parent that uses its
  // posix_spawn leaves ignored.
  struct {
    void (*handler)(int) = SIG_DFL;
    unsigned long flags = 0;
    void (*restorer)() = nullptr;
    std::uint64_t mask = 0;
  } plain;
  for (int number = 1; number < NSIG; ++number) {
    syscall(SYS_rt_sigaction, number, &plain, nullptr, sizeof plain.mask);
  }
}

SignalsBlocked::SignalsBlocked() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

SignalsBlocked::~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

Descriptor watch_signals(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : signals) sigaddset(&set, number);
  Descriptor descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  CHECK(descriptor.open());
  return descriptor;
}

std::vector<signalfd_siginfo> drain_signals(int descriptor) {
  std::vector<signalfd_siginfo> came;
  std::array<signalfd_siginfo, 16> room;
  for (;;) {
    const auto size = retry([&] { return read(descriptor, room.data(), sizeof room); });
    if (size <= 0) return came;
    const auto count = static_cast<std::size_t>(size) / sizeof(signalfd_siginfo);
    came.insert(came.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(count));
  }
}

int exit_code_of(int status) {
  constexpr int kSignalled = 128;
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace cronce
