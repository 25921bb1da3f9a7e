// Where the file lies: which file it is, and whether locks and syncs there mean anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cronce::sqlite {

/// Tells a file from its copies. The birth is 0 where the file system keeps none.
struct Place {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t birth = 0;  // ns
  std::string machine;     // proves nothing alone: it is baked into images
  bool operator==(const Place&) const = default;
};

/// By its name, without opening it: closing any descriptor of a file drops this process's locks.
Result<Place> place_of(const std::string& path);

enum class Moved : std::uint8_t {
  no,
  machine,  // another container or host name with the same disk: harmless
  device,   // the same file on another device: a volume that was moved, or a snapshot of one
  copy,     // another file
};
Moved compare(const Place& stored, const Place& actual);

/// A file system by the number that statfs() gives and, where that is not enough, its type in the
/// list of mounts. An error says why a store cannot lie there; a remark is for people.
Result<std::optional<std::string>> judge_file_system(std::uint64_t magic, std::string_view type);

/// The same of the folder in which a file lies or will lie.
Result<std::optional<std::string>> judge_folder_of(const std::string& path);

}  // namespace cronce::sqlite
