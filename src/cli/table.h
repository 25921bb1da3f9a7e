// Rows in columns, for people.
//
// A column is as wide as its widest cell; one in which nobody has anything to say is left out.
// Where a terminal is narrower, the columns that may shrink are cut.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/human.h"

namespace cronce {

struct Cell {
  Cell() = default;
  Cell(std::string t) : text(std::move(t)) {}  // NOLINT: a text is a cell
  Cell(std::string t, Colour c) : text(std::move(t)), colour(c) {}

  std::string text;
  std::optional<Colour> colour;
};

struct Column {
  std::string_view title;
  enum class Side : std::uint8_t { left, right } side = Side::left;
  bool shrinks = false;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// A cell for each column.
  void add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  /// A line for the titles and one for each row, each after `indent`.
  std::string print(const Console& console, std::string_view indent = "") const;

 private:
  std::vector<std::size_t> widths(const Console& console, std::size_t indent) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// How many places the text takes: its characters, not its bytes.
std::size_t display_width(std::string_view text);

/// The text, or its beginning and a mark that there was more.
std::string cut_to(std::string_view text, std::size_t width);

}  // namespace cronce
