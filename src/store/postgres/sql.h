// Statements that write many rows at once, made from the names of their columns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/postgres/values.h"

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

  // Each takes the rows, and leaves none. Their values come after those that a statement has
  // already, of which the first is the number of the namespace.

  std::string insert(Columns& rows, std::vector<Value>& values) const;
  std::string upsert(Columns& rows, std::vector<Value>& values) const;
  std::string update(Columns& rows, std::vector<Value>& values) const;
  /// Of rows that have the columns of the key alone.
  std::string remove(Columns& rows, std::vector<Value>& values) const;
};

/// Rows that are given with a statement, as the table `v`; `ns` of each is $1. Takes them, as
/// above. The server does not look through it: it has to look up what is joined with it row by row,
/// and cannot believe, as it does while it has no statistics, that the whole namespace is read as
/// quickly.
std::string given_rows(std::span<const Column> columns, Columns& rows, std::vector<Value>& values);

}  // namespace cronce::postgres
