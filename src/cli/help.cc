#include <fmt/format.h>

#include "cli/command.h"

namespace cronce {
namespace {

constexpr std::size_t kHelpWidth = 88;

/// Breaks a paragraph into lines of at most kHelpWidth.
std::string wrap(std::string_view text) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (column > 0 && column + 1 + word.size() > kHelpWidth) {
      out += '\n';
      column = 0;
    }
    if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    if (end < text.size() && text[end] == '\n') {
      out += '\n';
      column = 0;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string indent(std::string_view lines) {
  std::string out = "  ";
  for (const char c : lines) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

std::string flag_lines(std::span<const Flag> flags) {
  std::string out;
  for (const Flag& flag : flags) {
    const std::string letter = flag.letter.empty() ? "" : std::string(flag.letter) + ", ";
    const auto shown =
        fmt::format("{}{}{}{}", letter, flag.name, flag.value.empty() ? "" : " ", flag.value);
    out += fmt::format("  {:<18} {}\n", shown, flag.help);
  }
  return out + fmt::format("  {:<18} {}\n", "--help", "print this");
}

}  // namespace

/// One line for each command, with the purpose before the first of a group: all of it is to fit a
/// screen.
std::string overview_help() {
  std::string out =
      "cronce: cron, once. Each slot of a job runs once, however many machines schedule it.\n\n";
  std::string_view purpose;
  for (const CommandRow& command : commands()) {
    out += fmt::format("{:<11} {:<11} {}\n", command.purpose == purpose ? "" : command.purpose,
                       command.name, command.summary);
    purpose = command.purpose;
  }
  return out +
         "\n'cronce COMMAND --help' explains one. Start with: cronce explain '0 9 * * MON-FRI'\n";
}

std::string command_help(const CommandRow& command) {
  const bool takes_words = !command.words.empty();
  return fmt::format("Usage: cronce {}{}{}{}\n\n{}\n\nFlags\n{}\nExamples\n{}\n", command.name,
                     takes_words ? " " : "", command.words, command.flags.empty() ? "" : " [FLAGS]",
                     wrap(command.text), flag_lines(command.flags), indent(command.examples));
}

}  // namespace cronce
