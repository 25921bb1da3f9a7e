// What a person runs who does not leave the tables to us.
#pragma once

#include <string>

namespace cronce::postgres {

/// Makes or extends the tables, and grants a role what a node needs; without a role it says how.
/// Can be run again.
std::string sql_for_person(const std::string& role);

}  // namespace cronce::postgres
