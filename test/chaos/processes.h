// Processes of the machine, seen from outside.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace cronce::chaos {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  std::string name;  // as the kernel has it: up to 15 characters
};

/// All below it, itself not included, without those that have ended.
std::vector<Process> below(pid_t root);

/// With `output` as its standard output and error.
pid_t spawn(const std::vector<std::string>& command,
            const std::map<std::string, std::string>& environment, const std::string& output);

struct Spoken {
  int exit_code = -1;  // 128 + signal
  std::string text;    // standard output
};
/// Waits for its end.
Spoken run(const std::vector<std::string>& command);

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& text);

}  // namespace cronce::chaos
