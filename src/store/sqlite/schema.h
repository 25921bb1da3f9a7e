// The tables of the file, and how an older file becomes one of ours.
#pragma once

#include <cstdint>

#include "store/sqlite/database.h"

namespace cronce::sqlite {

/// What this program writes, and the oldest program that may write beside it.
inline constexpr std::int64_t kSchema = 1;
inline constexpr std::int64_t kOldestWriter = 1;

/// Whether the file has our tables; throws if it is another program's.
bool has_schema(Database& database);

/// Makes the tables, or brings them up to date, inside a transaction. Throws if only a newer
/// program may write this file.
void migrate(Database& database);

}  // namespace cronce::sqlite
