#include "cli/table.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace cronce {
namespace {

constexpr std::size_t kBetween = 2;
constexpr std::size_t kNarrowest = 12;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// With the blanks that bring it to its width; colours take no place.
std::string padded(const Console& console, const Cell& cell, const Column& column,
                   std::size_t width) {
  const std::string text = cut_to(cell.text, width);
  const std::string blanks(width - display_width(text), ' ');
  const std::string shown = cell.colour ? paint(console, *cell.colour, text) : text;
  return column.side == Column::Side::right ? blanks + shown : shown + blanks;
}

std::size_t total(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (const std::size_t width : widths) sum += width == 0 ? 0 : width + kBetween;
  return sum == 0 ? 0 : sum - kBetween;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string cut_to(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t kept = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (begins_character(text[end]) && ++kept == width) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

void Table::add(std::vector<Cell> row) {
  CHECK(row.size() == columns_.size());
  rows_.push_back(std::move(row));
}

/// 0 for a column without a text.
std::vector<std::size_t> Table::widths(const Console& console, std::size_t indent) const {
  std::vector<std::size_t> widths(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (const auto& row : rows_) widths[i] = std::max(widths[i], display_width(row[i].text));
    if (widths[i] > 0) widths[i] = std::max(widths[i], columns_[i].title.size());
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t all = indent + total(widths);
    if (!columns_[i].shrinks || console.width == 0 || all <= console.width) continue;
    const std::size_t over = all - console.width;
    const std::size_t least = std::min(widths[i], kNarrowest);
    widths[i] = widths[i] - std::min(over, widths[i] - least);
  }
  return widths;
}

std::string Table::print(const Console& console, std::string_view indent) const {
  const auto wide = widths(console, indent.size());
  std::string out;
  const auto line = [&](const std::vector<Cell>& cells) {
    std::string text(indent);
    std::string blanks;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (wide[i] == 0) continue;
      // Blanks go before the next text, so that no line ends with them.
      if (cells[i].text.empty()) {
        blanks += std::string(wide[i] + kBetween, ' ');
        continue;
      }
      text += blanks + padded(console, cells[i], columns_[i], wide[i]);
      blanks = std::string(kBetween, ' ');
    }
    out += trim_right(text) + "\n";
  };
  std::vector<Cell> titles;
  for (const Column& column : columns_) titles.emplace_back(std::string(column.title), Colour::dim);
  line(titles);
  for (const auto& row : rows_) line(row);
  return out;
}

}  // namespace cronce
