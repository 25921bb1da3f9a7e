// What a node with these settings would do if it started now. It writes nothing: no store, no lock,
// no state folder.
#pragma once

#include "cli/store_args.h"
#include "node/settings.h"

namespace cronce {

int dry_run(const NodeSettings& settings, const Args& args, const Console& console);

}  // namespace cronce
