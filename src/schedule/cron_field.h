// One field of a cron expression: `*/15`, `1-5,SUN`, `jan-mar`.
//
// A field's kind decides its numbers and names; the text becomes a set. The first thing wrong ends
// the reading, with its place.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schedule/cron_expr.h"
#include "schedule/parse_error.h"

namespace cronce {

enum class FieldKind : std::uint8_t { second, minute, hour, day, month, weekday };

inline constexpr std::array<FieldKind, 6> kFieldOrder{FieldKind::second, FieldKind::minute,
                                                      FieldKind::hour,   FieldKind::day,
                                                      FieldKind::month,  FieldKind::weekday};

/// A field's text and where it stands in the expression.
struct CronWord {
  std::size_t offset = 0;
  std::string_view text;
};

struct CronField {
  std::uint64_t values = 0;  // bit n stands for the value n
  bool star = false;         // the text starts with * or ?
  bool wildcard = false;     // the text is exactly * or */n
  unsigned star_step = 0;    // the n of */n, otherwise 0
  std::vector<CronRemark> remarks;
};

/// Offsets of errors count from the start of the expression.
Result<CronField, ParseError> parse_cron_field(FieldKind kind, CronWord word);

/// A character as a person can recognise it, whatever bytes there are: `'x'`, `the character
/// U+00A0`.
std::string show_character(std::string_view text, std::size_t at);

}  // namespace cronce
