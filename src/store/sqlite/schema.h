// The tables of the file, and how an older file becomes one of ours.
#pragma once

#include <cstdint>
#include <span>

#include "store/sqlite/database.h"

namespace cronce::sqlite {

/// Whether the file has our tables; throws if it is another program's.
bool has_schema(Database& database);

/// What a file of ours says about its tables; zeros as long as nothing is written there.
struct Versions {
  std::int64_t schema = 0;
  std::int64_t oldest_writer = 0;
};
Versions versions_of(const Database& database);

/// What a program knows of the tables: the step from each version to the next, and the oldest
/// program that can live with the last of them.
struct Schema {
  std::span<const char* const> steps;
  std::int64_t oldest_writer = 1;
};
const Schema& our_schema();

/// Throws if only a newer program may write a file that says this.
void check_writer(std::int64_t oldest_writer, const Schema& schema = our_schema());

/// Makes the tables, or brings them up to date, inside a transaction. Throws if only a newer
/// program may write this file.
void migrate(Database& database, const Schema& schema = our_schema());

}  // namespace cronce::sqlite
