#include "store/postgres/sql.h"

#include <span>

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

std::string arrays(std::span<const Column> columns) { return arrays_from(2, columns); }

}  // namespace

std::string arrays_from(std::size_t first, std::span<const Column> columns) {
  std::string types, names;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    types += fmt::format("{}${}::{}[]", i > 0 ? ", " : "", i + first, columns[i].type);
    names += fmt::format("{}{}", i > 0 ? ", " : "", columns[i].name);
  }
  return fmt::format("unnest({}) AS v({})", types, names);
}

std::string names_of(const std::vector<Column>& columns, std::string_view before) {
  std::string out;
  for (const Column& column : columns) {
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ", before, column.name);
  }
  return out;
}

std::string TableShape::insert() const {
  return fmt::format("INSERT INTO cronce.{} (ns, {}) SELECT $1::integer, {} FROM {}", name,
                     names_of(columns), names_of(columns, "v."), arrays(columns));
}

std::string TableShape::upsert() const {
  const std::span all(columns);
  std::string key = "ns";
  for (const Column& column : all.first(keys)) key += fmt::format(", {}", column.name);
  const auto rest = all.subspan(keys);
  if (rest.empty()) return fmt::format("{} ON CONFLICT ({}) DO NOTHING", insert(), key);
  return fmt::format("{} ON CONFLICT ({}) DO UPDATE SET {}", insert(), key,
                     equal(rest, "", "excluded.", ", "));
}

std::string TableShape::update() const {
  const std::span all(columns);
  return fmt::format("UPDATE cronce.{} AS t SET {} FROM {} WHERE t.ns = $1::integer AND {}", name,
                     equal(all.subspan(keys), "", "v.", ", "), arrays(columns),
                     equal(all.first(keys), "t.", "v.", " AND "));
}

std::string TableShape::remove() const {
  const auto key = std::span(columns).first(keys);
  return fmt::format("DELETE FROM cronce.{} AS t USING {} WHERE t.ns = $1::integer AND {}", name,
                     arrays(key), equal(key, "t.", "v.", " AND "));
}

}  // namespace cronce::postgres
