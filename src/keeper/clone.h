// clone3 with a function to run: the one system call that the C library does not offer.
#pragma once

#include <linux/sched.h>

namespace cronce {

/// Runs `child(argument)` in a new process on the stack that `arguments` names, and ends that
/// process with what it returns. Gives the parent the child's pid, or a negative errno.
long clone_and_run(const clone_args& arguments, int (*child)(void*), void* argument);

}  // namespace cronce
