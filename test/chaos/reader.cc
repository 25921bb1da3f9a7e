#include "test/chaos/reader.h"

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
  last_history_ = ask({"history", "--attempts", "--json", "--limit", "1000000"});
  return read_history(last_history_);
}

std::vector<JobLine> Reader::jobs() { return read_jobs(ask({"jobs", "--json"})); }

std::string Reader::why(const SlotRef& slot) {
  const std::string text =
      ask({"why", slot.job, slot.request.empty() ? print_time(slot.slot) : slot.request});
  return text.substr(0, text.find('\n'));
}

std::vector<Finding> Reader::verify() {
  const std::vector<std::string> command{program_, "verify", "--json", "--store", store_};
  const Spoken spoken = run(command);
  if (spoken.exit_code > 1) {
    troubles_.push_back(fmt::format("verify ended with exit code {}", spoken.exit_code));
    return {};
  }
  return read_findings(spoken.text);
}

}  // namespace cronce::chaos
