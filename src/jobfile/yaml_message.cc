#include "jobfile/yaml_message.h"

#include <array>

#include <fmt/format.h>

namespace cronce {
namespace {

/// A row per complaint of libyaml: what both of its texts must contain, and our words. `{}` stands
/// for where the unfinished thing began.
struct MessageRow {
  std::string_view problem;
  std::string_view context;
  std::string_view words;
};

constexpr std::string_view kTab = "a tab cannot indent: use blanks";

constexpr auto kMessages = std::to_array<MessageRow>({
    {"mapping values are not allowed", "",
     "':' cannot stand here: put a text that contains ': ' in quotes, or check the indentation"},
    {"block sequence entries are not allowed", "",
     "'- ' cannot stand here: begin the list on a line of its own"},
    {"block mapping keys are not allowed", "",
     "a key cannot stand here: begin the map on a line of its own"},
    {"tab character", "", kTab},
    {"did not find expected key", "block mapping",
     "this line does not fit the map that begins at {}: give its keys the same indentation and "
     "each a "
     "':'"},
    {"did not find expected '-' indicator", "",
     "this line does not fit the list that begins at {}: begin each entry with '- ' at the same "
     "indentation"},
    {"did not find expected ',' or ']'", "",
     "the list that begins at {} goes on: ',' or ']' is expected here"},
    {"did not find expected ',' or '}'", "",
     "the map that begins at {} goes on: ',' or '}' is expected here"},
    {"could not find expected ':'", "", "the key that begins at {} has no ':' on its line"},
    {"found unexpected end of stream", "quoted scalar",
     "the quote that begins here is never closed"},
    {"found unexpected document indicator", "",
     "the quote that begins at {} is not closed before the document ends"},
    {"found unknown escape character", "",
     "unknown escape: in double quotes write \\\\ for a backslash, or use single quotes"},
    {"did not find expected hexdecimal number", "",
     "\\x takes two hexadecimal digits, \\u four and \\U eight"},
    {"found invalid Unicode character escape", "", "the escape names no Unicode character"},
    {"did not find expected alphabetic or numeric", "alias",
     "a text cannot begin with '*', which stands for an alias: put it in quotes, as in \"*/5 * * * "
     "*\""},
    {"did not find expected alphabetic or numeric", "anchor",
     "a text cannot begin with '&', which stands for an anchor: put it in quotes"},
    {"did not find expected <document start>", "",
     "nothing may follow the document: check the indentation of this line"},
    {"did not find expected node content", "", "a value is missing here"},
    {"found character that cannot start any token", "", ""},
    {"found undefined tag handle", "",
     "a text cannot begin with '!', which stands for a tag: put it in quotes"},
    {"", "tag", "a text cannot begin with '!', which stands for a tag: put it in quotes"},
    {"", "block scalar",
     "after | or > only + - or a digit may stand, and the text begins on the next line"},
    {"%YAML directive", "", "the %YAML line is wrong: leave it out"},
    {"", "directive", "a line cannot begin with '%': put the text in quotes"},
});

std::string explain_start(std::string_view rest) {
  const char c = rest.empty() ? '\0' : rest.front();
  if (c == '\t') return std::string(kTab);
  if (c == '@') return "a text cannot begin with '@': put it in quotes, as in \"@daily\"";
  return fmt::format("a text cannot begin with '{}': put it in quotes", c);
}

std::string fill(std::string_view words, const YamlComplaint& complaint) {
  std::string text(words);
  const std::size_t gap = text.find("{}");
  if (gap == std::string::npos) return text;
  return text.replace(gap, 2,
                      fmt::format("{}:{}", complaint.context_line, complaint.context_column));
}

}  // namespace

std::string explain_yaml(const YamlComplaint& complaint) {
  // Where an indentation went wrong the tab itself is seldom what libyaml stops at.
  if (complaint.rest.starts_with('\t')) return std::string(kTab);
  for (const MessageRow& row : kMessages) {
    if (complaint.problem.find(row.problem) == std::string_view::npos ||
        complaint.context.find(row.context) == std::string_view::npos) {
      continue;
    }
    return row.words.empty() ? explain_start(complaint.rest) : fill(row.words, complaint);
  }
  if (complaint.context.empty()) return std::string(complaint.problem);
  return fmt::format("{} {}", complaint.context, complaint.problem);
}

std::string explain_bad_byte(std::string_view problem, std::string_view rest) {
  const unsigned byte = rest.empty() ? 0U : static_cast<unsigned char>(rest.front());
  if (problem.find("control character") == std::string_view::npos) {
    return fmt::format("the byte 0x{:02x} is not UTF-8: save the file as UTF-8", byte);
  }
  const std::string what = byte < 0x80 ? fmt::format("the control character 0x{:02x}", byte)
                                       : std::string("this invisible character");
  return what + " cannot stand in YAML: remove it, or write it in double quotes as an escape";
}

}  // namespace cronce
