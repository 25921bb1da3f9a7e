// Files, folders and the disks below them, looked at for `doctor`.
//
// The disk is tried with a file that has no name and is gone when it is closed; a disk that does
// not answer is waited for in a process of its own, and not for long.
#pragma once

#include <string>

#include "cli/doctor.h"

namespace cronce {

PathFacts look_at_path(const std::string& path);
DiskFacts look_at_disk(const std::string& folder);

}  // namespace cronce
