// A look at a PostgreSQL server by somebody who does not use it: before it is used, and for
// `cronce doctor` (store/inspect.h). Writes nothing.
#pragma once

#include "store/inspect.h"
#include "store/postgres/postgres_store.h"

namespace cronce {

/// Whether the namespace is there. An error if nobody should work with this server as it is, or the
/// user could not make what is missing, or tables of an older program would have to be changed by
/// who is not to `make` anything.
Result<bool> check_server(const PostgresStoreSettings& settings, bool make);

StoreFacts inspect_server(PostgresStoreSettings settings, const Clock& clock, Duration patience);

}  // namespace cronce
