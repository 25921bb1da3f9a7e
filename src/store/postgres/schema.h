// The tables in the server: how they come into being, and who may write them.
#pragma once

#include <cstdint>
#include <string>

#include "store/postgres/session.h"

namespace cronce::postgres {

/// What this program makes and needs, as a number.
std::int64_t schema_version();

/// What a person may run instead of leaving it to us: all of it, or nothing if it is there.
std::string schema_sql(std::int64_t version = schema_version());

/// Makes or extends the schema, under a lock; one round trip if there is nothing to do. Throws if
/// only a newer program may write it.
void migrate(Session& session);

}  // namespace cronce::postgres
