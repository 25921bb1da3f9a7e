// The servers of a run on PostgreSQL: they live in a process of their own, chaos_servers, which is
// told what to do to them (see servers_main.cc) and is never waited for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "test/chaos/evidence.h"

namespace cronce::chaos {

class Servers {
 public:
  /// Before this process becomes the parent of all that its children leave.
  Servers(const std::string& program, int nodes, bool is_synchronous, const std::string& shim);
  /// Waits until they are gone.
  ~Servers();
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;

  /// One for each node, and one for people.
  const std::vector<std::string>& addresses() const { return addresses_; }

  /// A line or a clock.
  void tell(const std::string& order);
  /// Something that takes its time; false while something else does.
  bool begin(const std::string& action);
  bool is_busy();

  /// What they have forgotten so far.
  const std::vector<Forgotten>& forgotten() const { return forgotten_; }
  bool has_failed() const { return failed_; }

 private:
  void read_answers();
  void hear(const std::string& line);

  int orders_ = -1;
  int answers_ = -1;
  std::string text_;
  bool ready_ = false;
  bool busy_ = false;
  bool failed_ = false;
  std::vector<std::string> addresses_;
  std::vector<Forgotten> forgotten_;
};

}  // namespace cronce::chaos
