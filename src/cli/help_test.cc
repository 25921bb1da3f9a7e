#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

#include "cli/command.h"

namespace cronce {
namespace {

CommandRow row(std::string_view text) {
  CommandRow command{};
  command.name = "x";
  command.text = text;
  command.examples = "cronce x\ncronce x y";
  return command;
}

TEST(Help, BreaksLinesBetweenWords) {
  const std::string word(30, 'w');
  const std::string line = word + " " + word;
  const auto help = command_help(row(line + " " + word + " end"));
  EXPECT_NE(help.find("\n" + line + "\n" + word + " end\n"), std::string::npos) << help;
}

TEST(Help, KeepsLineBreaksAndLongWords) {
  const std::string word(200, 'w');
  const auto help = command_help(row("one\ntwo " + word + " three"));
  EXPECT_NE(help.find("\none\ntwo\n" + word + "\nthree\n"), std::string::npos) << help;
}

TEST(Help, IndentsEveryExample) {
  EXPECT_NE(command_help(row("text")).find("Examples\n  cronce x\n  cronce x y\n"),
            std::string::npos);
}

TEST(Help, FitsATerminalAndLeavesNoBlanksBehind) {
  for (const CommandRow& command : commands()) {
    std::istringstream lines(command_help(command) + overview_help());
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 100U) << line;
      EXPECT_FALSE(line.ends_with(' ')) << command.name << ": '" << line << "'";
    }
  }
}

TEST(Help, OfAllCommandsFitsAScreen) {
  const std::string help = overview_help();
  EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 30);
}

TEST(Commands, EveryRowIsWhole) {
  for (const CommandRow& command : commands()) {
    EXPECT_NE(command.run, nullptr) << command.name;
    EXPECT_FALSE(command.summary.empty()) << command.name;
    EXPECT_FALSE(command.examples.empty()) << command.name;
    for (const Flag& flag : command.flags) EXPECT_TRUE(flag.name.starts_with("--")) << flag.name;
  }
}

}  // namespace
}  // namespace cronce
