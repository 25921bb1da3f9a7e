// Statements that write many rows at once, made from the names of their columns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cronce::postgres {

struct Column {
  std::string_view name;
  std::string_view type;
};

/// The columns of a table but its first, the number of the namespace; those of its key come first.
struct TableShape {
  std::string_view name;
  std::size_t keys;
  std::vector<Column> columns;

  /// Each takes the number of the namespace as $1 and an array for each column.
  std::string insert() const;
  std::string upsert() const;
  std::string update() const;
  /// Takes the columns of the key alone.
  std::string remove() const;
};

/// `unnest($4::bigint[], $5::text[]) AS v(uid, name)`: with that number for the first.
std::string arrays_from(std::size_t first, std::span<const Column> columns);

/// `a, b, c`; of each name with that before it.
std::string names_of(const std::vector<Column>& columns, std::string_view before = "");

}  // namespace cronce::postgres
