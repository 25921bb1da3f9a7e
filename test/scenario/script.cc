#include "test/scenario/script.h"

#include <utility>

#include <fmt/format.h>

namespace cronce::scenario {
namespace {

constexpr std::string_view kRule = "----";
constexpr std::string_view kIndent = "  ";

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

void read_command(std::string_view line, std::size_t number, Block& block, Script& script) {
  if (line.empty() || line.starts_with('#')) return;
  if (!line.starts_with(' ')) {
    block.commands.push_back({number, std::string(line), ""});
  } else if (block.commands.empty() || !line.starts_with(kIndent)) {
    script.mistakes.push_back(fmt::format("{}: an indented line below no command", number));
  } else {
    block.commands.back().body += std::string(line.substr(kIndent.size())) + "\n";
  }
}

}  // namespace

Script parse_script(std::string_view text) {
  Script script;
  Block block;
  bool expects = false;
  std::size_t number = 0;
  for (std::string& line : split_lines(text)) {
    ++number;
    if (expects && !line.empty()) {
      block.expected.push_back(std::move(line));
      continue;
    }
    if (expects) script.blocks.push_back(std::exchange(block, {}));
    expects = line == kRule;
    if (!expects) read_command(line, number, block, script);
    block.lines.push_back(std::move(line));
  }
  if (expects) {
    script.blocks.push_back(std::exchange(block, {}));
  } else if (!block.commands.empty()) {
    script.mistakes.push_back(
        fmt::format("{}: no {} after this command", block.commands.back().line, kRule));
  }
  script.rest = std::move(block.lines);
  return script;
}

std::string print_script(const Script& script) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) text += line + "\n";
  };
  for (const Block& block : script.blocks) {
    add(block.lines);
    add(block.expected);
  }
  add(script.rest);
  return text;
}

std::string difference(const Block& block, const std::vector<std::string>& said) {
  std::size_t same = 0;
  while (same < said.size() && same < block.expected.size() && said[same] == block.expected[same])
    ++same;
  if (same == said.size() && same == block.expected.size()) return "";
  std::string text;
  const auto add = [&](std::string_view title, const std::vector<std::string>& lines) {
    text += fmt::format("{}\n", title);
    for (std::size_t i = 0; i < lines.size(); ++i)
      text += fmt::format("{} {}\n", i == same ? ">" : " ", lines[i]);
    if (same == lines.size()) text += "> (no more)\n";
  };
  add("expected", block.expected);
  add("but it was", said);
  return text;
}

}  // namespace cronce::scenario
