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

std::string insert_sql(const TableShape& shape, const Columns& rows) {
  const std::string names = names_of(shape.columns);
  return fmt::format("INSERT INTO cronce.{} ({}) SELECT {} FROM {}", shape.name, names, names,
                     given_rows(2, shape.columns, rows));
}

}  // namespace

std::string given_rows(std::size_t first, std::span<const Column> columns, const Columns& rows) {
  std::string values = "$1::integer AS ns", arrays, names;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    if (rows.is_array(i)) {
      const char* between = names.empty() ? "" : ", ";
      arrays += fmt::format("{}${}::{}[]", between, i + first, column.type);
      names += fmt::format("{}{}", between, column.name);
    } else {
      values += fmt::format(", ${}::{} AS {}", i + first, column.type, column.name);
    }
  }
  if (names.empty()) return fmt::format("(SELECT {} OFFSET 0) AS v", values);
  return fmt::format("(SELECT {}, a.* FROM unnest({}) AS a({}) OFFSET 0) AS v", values, arrays,
                     names);
}

PostgresStatement TableShape::insert(Columns& rows, const std::string& ns) const {
  std::string sql = insert_sql(*this, rows);
  return {std::move(sql), rows.take_after({ns})};
}

PostgresStatement TableShape::upsert(Columns& rows, const std::string& ns) const {
  const std::span all(columns);
  const auto rest = all.subspan(keys);
  std::string sql =
      fmt::format("{} ON CONFLICT ({}) DO {}", insert_sql(*this, rows), names_of(all.first(keys)),
                  rest.empty() ? "NOTHING" : "UPDATE SET " + equal(rest, "", "excluded.", ", "));
  return {std::move(sql), rows.take_after({ns})};
}

PostgresStatement TableShape::update(Columns& rows, const std::string& ns) const {
  const std::span all(columns);
  std::string sql =
      fmt::format("UPDATE cronce.{} AS t SET {} FROM {} WHERE t.ns = v.ns AND {}", name,
                  equal(all.subspan(keys), "", "v.", ", "), given_rows(2, columns, rows),
                  equal(all.first(keys), "t.", "v.", " AND "));
  return {std::move(sql), rows.take_after({ns})};
}

PostgresStatement TableShape::remove(Columns& rows, const std::string& ns) const {
  const auto key = std::span(columns).first(keys);
  std::string sql = fmt::format("DELETE FROM cronce.{} AS t USING {} WHERE t.ns = v.ns AND {}",
                                name, given_rows(2, key, rows), equal(key, "t.", "v.", " AND "));
  return {std::move(sql), rows.take_after({ns})};
}

}  // namespace cronce::postgres
