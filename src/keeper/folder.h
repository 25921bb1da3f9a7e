// Files that are there as a whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cronce {

/// The folder and those above it, for their owner alone; those that exist stay as they are.
Status make_folder(const std::string& path);

/// Written under another name, on the disk, renamed, and the name on the disk as well.
Status write_durably(const std::string& folder, const std::string& name, std::string_view bytes);

Result<std::string> read_file(const std::string& path);

}  // namespace cronce
