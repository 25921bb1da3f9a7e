#include <algorithm>

#include <fmt/format.h>

#include "base/suggest.h"
#include "cli/command.h"
#include "keeper/call.h"

namespace cronce {
namespace {

bool is_help(std::string_view word) { return word == "--help" || word == "-h"; }

/// What follows `--` is not for us.
bool asks_for_help(std::span<const std::string> words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::any_of(words.begin(), end, is_help);
}

const CommandRow* find_command(std::string_view name) {
  const auto rows = commands();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const CommandRow& command) { return command.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

int unknown_command(std::string_view name, const Console& console) {
  std::vector<std::string_view> names;
  for (const CommandRow& command : commands()) names.push_back(command.name);
  const auto nearest = suggest(name, names);
  const auto hint = nearest ? fmt::format("did you mean '{}'?", *nearest) : "try 'cronce --help'";
  const std::string_view what = name.starts_with('-') ? "flag" : "command";
  return fail(console, kExitUsage, fmt::format("unknown {} '{}': {}", what, name, hint));
}

/// `help`, `help COMMAND`
int print_help(std::span<const std::string> words, const Console& console) {
  if (words.empty()) {
    put(console.out, overview_help());
    return kExitDone;
  }
  const CommandRow* command = find_command(words.front());
  if (command == nullptr) return unknown_command(words.front(), console);
  put(console.out, command_help(*command));
  return kExitDone;
}

}  // namespace

bool Args::has(std::string_view flag) const { return flags.contains(std::string(flag)); }

std::optional<std::string> Args::get(std::string_view flag) const {
  const auto found = flags.find(std::string(flag));
  return found == flags.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Args::all(std::string_view flag) const {
  const auto found = lists.find(std::string(flag));
  return found == lists.end() ? std::vector<std::string>{} : found->second;
}

void put(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

int fail(const Console& console, int exit_code, std::string_view message) {
  put(console.err, fmt::format("cronce: {}\n", message));
  return exit_code;
}

int fail(const Console& console, const Refusal& refusal) {
  return fail(console, refusal.exit_code, refusal.message);
}

int run_cli(std::span<const std::string> words, const Console& console) {
  if (words.empty()) {
    put(console.err, overview_help());
    return kExitUsage;
  }
  const std::string& name = words.front();
  const auto rest = words.subspan(1);
  if (is_help(name) || name == "help") return print_help(rest, console);
  if (name == kCallCommand) return run_call(console);
  const CommandRow* command = find_command(name == "--version" ? "version" : name);
  if (command == nullptr) return unknown_command(name, console);
  if (asks_for_help(rest)) {
    put(console.out, command_help(*command));
    return kExitDone;
  }
  const auto args = parse_args(*command, rest);
  if (!args) return fail(console, kExitUsage, args.error().message);
  return command->run(*args, console);
}

}  // namespace cronce
