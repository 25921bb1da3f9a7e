// `progress`: what a run says of itself, from inside it.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"

namespace cronce {
namespace {

constexpr std::size_t kLongest = 500;  // bytes: the keeper takes no longer line
constexpr std::int64_t kMostDescriptor = 1'000'000;

/// The words as one line: another line would be another report.
Result<std::string, Refusal> read_report(const Args& args) {
  std::string text;
  for (const std::string& word : args.words) text += (text.empty() ? "" : " ") + word;
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Refusal{kExitUsage, "nothing to report: try 'cronce progress 40 copying'"};
  }
  if (text.find('\n') != std::string::npos) {
    return Refusal{kExitUsage, "a report is one line"};
  }
  if (text.size() > kLongest) {
    return Refusal{kExitUsage, fmt::format("a report has at most {} bytes", kLongest)};
  }
  return text;
}

Result<int, Refusal> find_descriptor() {
  const char* text = std::getenv("CRONCE_PROGRESS_FD");
  if (text == nullptr || *text == '\0') {
    return Refusal{kExitConfig,
                   "this is not a run of a job: CRONCE_PROGRESS_FD is not set; 'progress' is for "
                   "the command of a job, while a node runs it"};
  }
  const auto number = parse_number(text);
  struct stat found{};
  const bool in_range = number && *number >= 0 && *number <= kMostDescriptor;
  // Whoever closed it may have opened a file there since: that is not for us to write into.
  const bool pipe =
      in_range && fstat(static_cast<int>(*number), &found) == 0 && S_ISFIFO(found.st_mode);
  if (pipe) return static_cast<int>(*number);
  return Refusal{kExitConfig,
                 fmt::format("CRONCE_PROGRESS_FD: '{}' is not open as a pipe: something between "
                             "the node and this command has closed it",
                             text)};
}

}  // namespace

int run_progress(const Args& args, const Console& console) {
  const auto report = read_report(args);
  if (!report) return fail(console, report.error());
  const auto descriptor = find_descriptor();
  if (!descriptor) return fail(console, descriptor.error());
  const std::string line = "progress " + *report + "\n";
  std::signal(SIGPIPE, SIG_IGN);  // a keeper that is gone is an error, not an end
  ssize_t written = 0;
  do {
    written = write(*descriptor, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(line.size())) return kExitDone;
  return fail(console, kExitUnavailable,
              fmt::format("cannot report progress to descriptor {}: {}", *descriptor,
                          written < 0 ? std::strerror(errno) : "only a part was taken"));
}

}  // namespace cronce
