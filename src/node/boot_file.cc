#include "node/boot_file.h"

#include <utility>

#include <fmt/format.h>

#include "keeper/folder.h"

namespace cronce {

BootFile::BootFile(const std::string& state, const StoreId& store, const std::string& node,
                   std::string boot)
    : folder_(fmt::format("{}/boots/{}", state, print(store))),
      path_(fmt::format("{}/{}", folder_, node)),
      boot_(std::move(boot)) {}

std::optional<std::string> BootFile::unserved() const {
  if (boot_.empty()) return std::nullopt;
  const auto kept = read_file(path_);
  if (kept && *kept == boot_ + "\n") return std::nullopt;
  return boot_;
}

Status BootFile::keep() const {
  if (const Status made = make_folder(folder_); !made) return made;
  return write_durably(path_, boot_ + "\n");
}

}  // namespace cronce
