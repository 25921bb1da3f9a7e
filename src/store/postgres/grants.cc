#include "store/postgres/grants.h"

#include <fmt/format.h>

#include "store/postgres/schema.h"

namespace cronce::postgres {
namespace {

std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string sql_for_person(const std::string& role) {
  const std::string begin =
      "-- The tables of cronce, in a schema of their own. It can be run again: after an update of\n"
      "-- the program it brings them up to date.\n";
  const std::string who = role.empty() ? "ROLE" : quoted(role);
  const std::string sign = role.empty() ? "-- " : "";
  return fmt::format(
      "{0}{1}\n-- What the role of the nodes needs{2}\n"
      "{3}GRANT USAGE ON SCHEMA cronce TO {4};\n"
      "{3}GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA cronce TO {4};\n"
      "{3}GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA cronce TO {4};\n",
      begin, schema_sql(), role.empty() ? " (cronce store sql --grant ROLE):" : ":", sign, who);
}

}  // namespace cronce::postgres
