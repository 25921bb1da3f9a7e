// Which kind of line it is; assignments and name comments taken apart.
#include <algorithm>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/quote.h"
#include "jobfile/crontab.h"

namespace cronce::crontab {
namespace {

bool is_variable_name(std::string_view name) {
  if (name.empty() || is_digit(name.front())) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

/// Where the name of an assignment ends and where its `=` stands.
struct Equals {
  std::size_t name_end = 0;
  std::size_t at = 0;
};

std::optional<Equals> find_equals(std::string_view line) {
  const std::size_t begin = skip_blanks(line, 0);
  const std::size_t name_end = std::min(line.find_first_of(" \t=", begin), line.size());
  const std::size_t at = skip_blanks(line, name_end);
  if (name_end == begin || at == line.size() || line[at] != '=') return std::nullopt;
  return Equals{name_end, at};
}

bool is_quoted(std::string_view text) {
  return text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
         text.find(text.front(), 1) == text.size() - 1;
}

/// What people expect of a value, and cron does not do.
void doubt_value(const Piece& value, Remarks* remarks) {
  const std::string_view text = value.text;
  if (text.starts_with('"') || text.starts_with('\'')) {
    remarks->push_back({Severity::warning, value.offset,
                        "the quotes do not enclose the whole value, so they stay part of it"});
  }
  if (const std::size_t hash = text.find(" #"); hash != std::string_view::npos) {
    remarks->push_back({Severity::warning, value.offset + hash + 1,
                        "a comment needs a line of its own: this one is part of the value"});
  }
}

void doubt_dollar(const Piece& value, Remarks* remarks) {
  const std::size_t dollar = value.text.find('$');
  if (dollar == std::string_view::npos || dollar + 1 == value.text.size()) return;
  const char next = value.text[dollar + 1];
  if (!is_letter(next) && next != '_' && next != '{') return;
  remarks->push_back(
      {Severity::warning, value.offset + dollar,
       "a crontab does not expand variables: '$' stays as it is; write the value out"});
}

}  // namespace

LineKind kind(std::string_view line) {
  const std::size_t begin = skip_blanks(line, 0);
  if (begin == line.size()) return LineKind::blank;
  if (line[begin] == '#') return LineKind::comment;
  return find_equals(line) ? LineKind::assignment : LineKind::job;
}

std::optional<Assignment> read_assignment(std::string_view line, Remarks* remarks) {
  const auto equals = find_equals(line);
  if (!equals) return std::nullopt;
  const std::size_t begin = skip_blanks(line, 0);
  std::string_view name = line.substr(begin, equals->name_end - begin);
  if (is_quoted(name)) name = name.substr(1, name.size() - 2);
  if (!is_variable_name(name)) {
    remarks->push_back({Severity::syntax, begin,
                        fmt::format("{} is not a variable's name: use letters, digits and _, as in "
                                    "MAILTO=ops@example.com",
                                    quote(name))});
    return std::nullopt;
  }
  Piece value = trimmed(line, equals->at + 1);
  if (is_quoted(value.text)) {
    value = {value.offset + 1, value.text.substr(1, value.text.size() - 2)};
  } else {
    doubt_value(value, remarks);
  }
  doubt_dollar(value, remarks);
  return Assignment{name, value};
}

std::optional<Piece> read_name_comment(std::string_view line, Remarks* remarks) {
  constexpr std::string_view kMark = "cronce:";
  constexpr std::string_view kKey = "name=";
  const Piece comment = trimmed(line, skip_blanks(line, 0) + 1);
  if (!comment.text.starts_with(kMark)) return std::nullopt;
  if (auto remark = foreign_character(line)) {
    remarks->push_back(*std::move(remark));
    return std::nullopt;
  }
  const Piece setting = trimmed(line, comment.offset + kMark.size());
  if (!setting.text.starts_with(kKey)) {
    remarks->push_back({Severity::warning, setting.offset,
                        "only a name is read here, as in '# cronce: name=billing'"});
    return std::nullopt;
  }
  return Piece{setting.offset + kKey.size(), setting.text.substr(kKey.size())};
}

}  // namespace cronce::crontab
