// Moments at which a process of a node can be made to die: before and after each call of a seam.
//
// CHAOS_FAILPOINT=NAME:N:FILE in the environment kills the process that comes to the moment NAME
// for the Nth time, once: FILE is made first, and where it exists nobody dies any more.
#pragma once

#include <string>

namespace cronce::chaos {

class Failpoint {
 public:
  /// The moment NAME.before.
  explicit Failpoint(const char* name) : name_(name) { come_to(name_ + ".before"); }
  /// The moment NAME.after.
  ~Failpoint() { come_to(name_ + ".after"); }
  Failpoint(const Failpoint&) = delete;
  Failpoint& operator=(const Failpoint&) = delete;

 private:
  static void come_to(const std::string& moment);

  std::string name_;
};

}  // namespace cronce::chaos
