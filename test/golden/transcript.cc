#include "test/golden/transcript.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace cronce::golden {
namespace {

constexpr std::string_view kPrompt = "$ ";
constexpr std::string_view kFence = "```";

// What comes before the first blank decides. `cat` and its like feed our command lines.
constexpr std::array<std::string_view, 5> kRun{"cronce", "build/cronce", "echo", "printf", "cat"};
constexpr std::array<std::string_view, 6> kShow{"make", "git", "export", "cd", "sudo", "crontab"};

using Lines = std::vector<std::string>;

Lines split_lines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_comment(std::string_view line) { return line.starts_with('#'); }

/// Whether the output of a block ends before lines[at]; `end` is where the text ends.
bool ends_output(const Lines& lines, std::size_t at, std::size_t end) {
  if (at == end || lines[at].starts_with(kPrompt)) return true;
  if (!lines[at].empty()) return false;
  return at + 1 == end || lines[at + 1].starts_with(kPrompt) || is_comment(lines[at + 1]);
}

/// `[exit 65]` as the last line becomes the code.
void take_exit_code(Outcome& outcome) {
  constexpr std::string_view kBefore = "[exit ";
  if (outcome.lines.empty()) return;
  const std::string_view last = outcome.lines.back();
  if (!last.starts_with(kBefore) || !last.ends_with(']')) return;
  const char* end = last.data() + last.size() - 1;
  const auto [stop, error] = std::from_chars(last.data() + kBefore.size(), end, outcome.exit_code);
  if (error == std::errc{} && stop == end) outcome.lines.pop_back();
}

/// Reads the block whose command is lines[at]; `at` then stands behind its output.
Block read_block(const std::string& path, const Lines& lines, std::size_t& at, std::size_t end) {
  Block block;
  block.place = path + ":" + std::to_string(at + 1);
  block.command = lines[at].substr(kPrompt.size());
  for (++at; !ends_output(lines, at, end); ++at) block.expected.lines.push_back(lines[at]);
  take_exit_code(block.expected);
  return block;
}

/// The lines of a fenced block, without the indentation of the fence.
void read_fence(const std::string& path, Lines& lines, std::size_t& at, const std::string& indent,
                Transcript& page) {
  std::size_t end = at;
  while (end < lines.size() && !lines[end].starts_with(indent + std::string(kFence))) ++end;
  for (std::size_t i = at; i < end; ++i) {
    if (lines[i].starts_with(indent)) lines[i].erase(0, indent.size());
  }
  while (at < end) {
    if (lines[at].starts_with(kPrompt)) {
      Block block = read_block(path, lines, at, end);
      block.indent = indent;
      block.elastic = true;
      page.parts.emplace_back(std::move(block));
      continue;
    }
    if (!lines[at].empty() && !is_comment(lines[at])) {
      page.mistakes.push_back(path + ":" + std::to_string(at + 1) + ": output without a command");
    }
    page.parts.emplace_back(lines[at].empty() ? "" : indent + lines[at]);
    ++at;
  }
}

/// Whether the lines match, `...` in `expected` standing for any number of them.
bool matches(const Lines& expected, std::size_t i, const Lines& got, std::size_t j) {
  if (i == expected.size()) return j == got.size();
  if (expected[i] != "...") {
    return j < got.size() && expected[i] == got[j] && matches(expected, i + 1, got, j + 1);
  }
  for (std::size_t next = j; next <= got.size(); ++next) {
    if (matches(expected, i + 1, got, next)) return true;
  }
  return false;
}

void append_block(const Block& block, std::string& out) {
  const auto line = [&](std::string_view text) {
    if (!text.empty()) out += block.indent;
    out += text;
    out += '\n';
  };
  line(std::string(kPrompt) + block.command);
  for (const std::string& text : block.expected.lines) line(text);
  if (block.expected.exit_code != 0) {
    line("[exit " + std::to_string(block.expected.exit_code) + "]");
  }
}

std::string show(std::string_view title, const Outcome& outcome) {
  std::string text = std::string(title) + ", exit " + std::to_string(outcome.exit_code) + ":\n";
  for (const std::string& line : outcome.lines) text += "  | " + line + "\n";
  return text;
}

}  // namespace

Lines split_output(std::string_view output) {
  Lines lines = split_lines(output);
  if (!output.empty() && output.back() != '\n') lines.emplace_back(kNoLineBreak);
  return lines;
}

Transcript parse_transcript(const std::string& path, std::string_view text) {
  const Lines lines = split_lines(text);
  Transcript transcript;
  for (std::size_t at = 0; at < lines.size();) {
    if (lines[at].starts_with(kPrompt)) {
      transcript.parts.emplace_back(read_block(path, lines, at, lines.size()));
      continue;
    }
    if (!lines[at].empty() && !is_comment(lines[at])) {
      transcript.mistakes.push_back(path + ":" + std::to_string(at + 1) +
                                    ": neither command nor comment");
    }
    transcript.parts.emplace_back(lines[at]);
    ++at;
  }
  return transcript;
}

Transcript parse_page(const std::string& path, std::string_view text) {
  Lines lines = split_lines(text);
  Transcript page;
  for (std::size_t at = 0; at < lines.size();) {
    page.parts.emplace_back(lines[at]);
    const std::size_t indent = lines[at].find_first_not_of(' ');
    const bool opens =
        indent != std::string::npos && lines[at].substr(indent) == std::string(kFence) + "console";
    const std::string blanks = opens ? lines[at].substr(0, indent) : "";
    ++at;
    if (opens) read_fence(path, lines, at, blanks, page);
  }
  return page;
}

std::string print(const Transcript& transcript) {
  std::string out;
  for (const auto& part : transcript.parts) {
    if (const auto* block = std::get_if<Block>(&part)) {
      append_block(*block, out);
    } else {
      out += std::get<std::string>(part) + "\n";
    }
  }
  return out;
}

std::string difference(const Block& block, const Outcome& outcome) {
  const Outcome& expected = block.expected;
  const bool same_lines = block.elastic ? matches(expected.lines, 0, outcome.lines, 0)
                                        : expected.lines == outcome.lines;
  if (same_lines && expected.exit_code == outcome.exit_code) return "";
  const auto parted = std::mismatch(expected.lines.begin(), expected.lines.end(),
                                    outcome.lines.begin(), outcome.lines.end());
  const auto number = parted.first - expected.lines.begin() + 1;
  return block.place + ": $ " + block.command + "\n" + show("expected", expected) +
         show("got", outcome) + "first difference in output line " + std::to_string(number) + "\n";
}

Use use_of(std::string_view command) {
  const std::string_view word = command.substr(0, command.find(' '));
  if (std::find(kRun.begin(), kRun.end(), word) != kRun.end()) return Use::run;
  return std::find(kShow.begin(), kShow.end(), word) != kShow.end() ? Use::show : Use::refuse;
}

std::string runnable(std::string command) {
  constexpr std::string_view kBuilt = "build/cronce";
  for (std::size_t at = 0; (at = command.find(kBuilt, at)) != std::string::npos;) {
    command.replace(at, kBuilt.size(), "cronce");
  }
  return command;
}

}  // namespace cronce::golden
