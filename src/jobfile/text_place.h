// Where a byte of a text stands: line and column as a person counts them.
//
// Lines end as YAML ends them (LF, CR, CR LF, and the three line breaks of Unicode); columns count
// characters, not bytes. Text that is not UTF-8 is counted, never refused.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace cronce {

struct Place {
  std::size_t line = 1;
  std::size_t column = 1;
  bool operator==(const Place&) const = default;
};

/// The number of characters in UTF-8 text.
std::size_t count_characters(std::string_view text);

/// Where the character begins that should have gone on at `offset`, if it is cut short there;
/// otherwise `offset`.
std::size_t start_of_character(std::string_view text, std::size_t offset);

/// Finds places in one text, which must outlive it. A look-up reads at most a few lines.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);

  Place place(std::size_t offset) const;

  /// The text from a place on; empty where there is no such place.
  std::string_view from(Place place) const;

 private:
  std::string_view text_;
  std::vector<std::size_t>
      starts_;  // of every 64th line, so that a file of line breaks costs little
};

}  // namespace cronce
