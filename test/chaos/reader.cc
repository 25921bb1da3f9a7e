#include "test/chaos/reader.h"

#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "test/chaos/processes.h"

namespace cronce::chaos {

std::string Reader::ask(const std::vector<std::string>& words) {
  std::vector<std::string> command{program_};
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), {"--store", store_});
  const Spoken spoken = run(command);
  if (spoken.exit_code != 0) {
    troubles_.push_back(
        fmt::format("'{}' ended with exit code {}", fmt::join(command, " "), spoken.exit_code));
  }
  return spoken.text;
}

std::vector<Record> Reader::history() {
  return read_history(ask({"history", "--attempts", "--json", "--limit", "1000000"}));
}

std::vector<JobLine> Reader::jobs() { return read_jobs(ask({"jobs", "--json"})); }

std::string Reader::why(const SlotRef& slot) {
  const std::string text =
      ask({"why", slot.job, slot.request.empty() ? print_time(slot.slot) : slot.request});
  return text.substr(0, text.find('\n'));
}

std::vector<std::string> Reader::verify() const {
  const Spoken spoken = run({program_, "verify", "--json", "--store", store_});
  std::vector<std::string> found;
  if (spoken.exit_code > 1) found.push_back(fmt::format("exit code {}", spoken.exit_code));
  std::istringstream lines(spoken.text);
  for (std::string line; std::getline(lines, line);) {
    for (const char* what : {"missing", "duplicate", "unexpected"}) {
      const bool is_it = line.find(fmt::format("\"finding\":\"{}\"", what)) != std::string::npos;
      if (is_it) found.push_back(line);
    }
  }
  return found;
}

}  // namespace cronce::chaos
