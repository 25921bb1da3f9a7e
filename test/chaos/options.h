// The command line of chaos; see chaos.cc.
#pragma once

#include <string>
#include <vector>

#include "test/chaos/faults.h"

namespace cronce::chaos {

struct Options {
  Scope scope;
  int commands = 0;
  bool all_failpoints = false;
  bool naive = false;
  bool keep = false;
  std::string program = CRONCE_PROGRAM;
  std::string failing_program = CRONCE_FAILPOINTS;
  std::string expected;  // a rule
  std::string record;    // a file to which episodes are added
};

/// Ends the program if a word is no option.
Options read_options(const std::vector<std::string>& words);
/// Of chaos, for the same run once more.
std::string command_line(const Options& options);

}  // namespace cronce::chaos
