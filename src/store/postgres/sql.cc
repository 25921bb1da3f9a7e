#include "store/postgres/sql.h"

#include <fmt/format.h>

namespace cronce::postgres {
namespace {

/// `a = v.a, b = v.b`
std::string equal(std::span<const Column> columns, std::string_view left, std::string_view right,
                  std::string_view between) {
  std::string out;
  for (const Column& column : columns) {
    out += fmt::format("{}{}{} = {}{}", out.empty() ? "" : between, left, column.name, right,
                       column.name);
  }
  return out;
}

/// `ns, a, b, c`
std::string names_of(std::span<const Column> columns) {
  std::string out = "ns";
  for (const Column& column : columns) out += fmt::format(", {}", column.name);
  return out;
}

}  // namespace

std::string given_rows(std::span<const Column> columns, Columns& rows, std::vector<Value>& values) {
  std::string same = "$1::integer AS ns", arrays, names;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    const std::size_t number = values.size() + i + 1;
    if (rows.is_array(i)) {
      const char* between = names.empty() ? "" : ", ";
      arrays += fmt::format("{}${}::{}[]", between, number, column.type);
      names += fmt::format("{}{}", between, column.name);
    } else {
      same += fmt::format(", ${}::{} AS {}", number, column.type, column.name);
    }
  }
  rows.take_after(values);
  if (names.empty()) return fmt::format("(SELECT {} OFFSET 0) AS v", same);
  return fmt::format("(SELECT {}, a.* FROM unnest({}) AS a({}) OFFSET 0) AS v", same, arrays,
                     names);
}

std::string TableShape::insert(Columns& rows, std::vector<Value>& values) const {
  const std::string names = names_of(columns);
  return fmt::format("INSERT INTO cronce.{} ({}) SELECT {} FROM {}", name, names, names,
                     given_rows(columns, rows, values));
}

std::string TableShape::upsert(Columns& rows, std::vector<Value>& values) const {
  const std::span all(columns);
  const auto rest = all.subspan(keys);
  return fmt::format("{} ON CONFLICT ({}) DO {}", insert(rows, values), names_of(all.first(keys)),
                     rest.empty() ? "NOTHING" : "UPDATE SET " + equal(rest, "", "excluded.", ", "));
}

std::string TableShape::update(Columns& rows, std::vector<Value>& values) const {
  const std::span all(columns);
  return fmt::format("UPDATE cronce.{} AS t SET {} FROM {} WHERE t.ns = v.ns AND {}", name,
                     equal(all.subspan(keys), "", "v.", ", "), given_rows(columns, rows, values),
                     equal(all.first(keys), "t.", "v.", " AND "));
}

std::string TableShape::remove(Columns& rows, std::vector<Value>& values) const {
  const auto key = std::span(columns).first(keys);
  return fmt::format("DELETE FROM cronce.{} AS t USING {} WHERE t.ns = v.ns AND {}", name,
                     given_rows(key, rows, values), equal(key, "t.", "v.", " AND "));
}

}  // namespace cronce::postgres
