// Whether what a store holds in memory is what is stored: a change that was not noted, or a row
// that was not read, shows here.
#pragma once

#include <string>

#include "store/embedded/tables.h"

namespace cronce {

/// Empty, or the first difference. `stored` holds all that there is, `held` not all of its jobs.
std::string difference(const embedded::Tables& held, const embedded::Tables& stored);

bool is_same(const embedded::Lane& one, const embedded::Lane& other);

}  // namespace cronce
