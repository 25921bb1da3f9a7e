#include "test/scenario/commands.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "test/scenario/command_rows.h"

namespace cronce::scenario {
namespace {

std::vector<CommandRow> all_rows() {
  std::vector<CommandRow> rows;
  for (const auto part : {cluster_commands(), network_commands(), console_commands()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace

std::string perform_command(World& world, const Command& command) {
  static const std::vector<CommandRow> rows = all_rows();
  Args args(command.text);
  world.stage.quiet = args.take("quiet");
  const std::string first = args.word("a command");
  for (const CommandRow& row : rows) {
    if (row.word != first) continue;
    row.perform(world, args, command.body);
    if (!args.empty()) args.wrong(fmt::format("{} is one word too many", args.word("")));
    if (!args.mistake().empty()) return args.mistake();
    return row.has_body == command.body.empty() ? "indented lines are missing, or too many" : "";
  }
  return fmt::format("there is no command {}", first);
}

std::vector<std::string> command_words() {
  std::vector<std::string> words{"quiet"};
  for (const CommandRow& row : all_rows()) words.emplace_back(row.word);
  return words;
}

}  // namespace cronce::scenario
