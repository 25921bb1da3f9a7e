// Signals as something to read: a loop of ours is interrupted by nothing.
#pragma once

#include <signal.h>
#include <sys/signalfd.h>

#include <initializer_list>
#include <vector>

#include "keeper/descriptor.h"

namespace cronce {

/// Blocks every signal, gives each its default again, and ignores none: what a process inherits
/// from whoever started it must not reach a command.
void take_signals();

/// Blocks every signal until it goes out of scope, or for good.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

/// These signals, which must be blocked, can be read from it.
Descriptor watch_signals(std::initializer_list<int> signals);

/// Those that have come since.
std::vector<signalfd_siginfo> drain_signals(int descriptor);

/// What a wait told, as a shell counts: 128 and the signal, if one ended it.
int exit_code_of(int status);

}  // namespace cronce
