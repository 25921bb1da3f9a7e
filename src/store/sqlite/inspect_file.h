// A look at the file of a store by somebody who does not use it (store/inspect.h).
#pragma once

#include <string>

#include "store/inspect.h"

namespace cronce {

StoreFacts inspect_sqlite_store(const std::string& path, const Clock& clock, Duration patience);

}  // namespace cronce
