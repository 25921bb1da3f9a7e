#include "cli/stop_signals.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace cronce {

StopSignals::StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  signals_.reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

StopSignals::~StopSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

int StopSignals::wait(Duration most) const {
  pollfd one{signals_.get(), POLLIN, 0};
  if (poll(&one, 1, static_cast<int>(most.count())) <= 0) return 0;
  signalfd_siginfo came{};
  const bool got = read(signals_.get(), &came, sizeof came) == sizeof came;
  return got ? static_cast<int>(came.ssi_signo) : 0;
}

}  // namespace cronce
