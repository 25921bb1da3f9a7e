// Files that are there as a whole or not at all, and files that grow.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cronce {

/// The folder and those above it, for their owner alone; those that exist stay as they are.
Status make_folder(const std::string& path);

/// Written under another name, on the disk, and renamed. Its name is safe after sync_folder().
Status write_durably(const std::string& path, std::string_view bytes);
/// At the end of a file that may not be there yet; on the disk when it returns. What a crash
/// interrupts is there in part.
Status append_durably(const std::string& path, std::string_view bytes);
Status sync_folder(const std::string& path);

Result<std::string> read_file(const std::string& path);

}  // namespace cronce
