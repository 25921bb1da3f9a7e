#include "keeper/folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "keeper/descriptor.h"

namespace cronce {
namespace {

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = retry([&] { return write(file, bytes.data(), bytes.size()); });
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Status make_folder(const std::string& path) {
  std::filesystem::path whole;
  for (const auto& part : std::filesystem::path(path)) {
    whole /= part;
    if (mkdir(whole.c_str(), 0700) != 0 && errno != EEXIST) {
      return system_error("make", whole.c_str());
    }
  }
  return Done{};
}

Status write_durably(const std::string& path, std::string_view bytes) {
  const std::string draft = path + ".draft";
  {
    const Descriptor file(open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file.open() || !write_all(file.get(), bytes) || fsync(file.get()) != 0) {
      const Error error = system_error("write", draft.c_str());
      unlink(draft.c_str());
      return error;
    }
  }
  if (rename(draft.c_str(), path.c_str()) != 0) return system_error("rename", draft.c_str());
  return Done{};
}

Status append_durably(const std::string& path, std::string_view bytes) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file.open() || !write_all(file.get(), bytes) || fdatasync(file.get()) != 0) {
    return system_error("write", path.c_str());
  }
  return Done{};
}

Status sync_folder(const std::string& path) {
  const Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.open() || fsync(folder.get()) != 0) return system_error("sync", path.c_str());
  return Done{};
}

Result<std::string> read_file(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return system_error("open", path.c_str());
  std::string bytes;
  std::array<char, 16 * 1024> room;
  for (;;) {
    const auto size = retry([&] { return read(file.get(), room.data(), room.size()); });
    if (size < 0) return system_error("read", path.c_str());
    if (size == 0) return bytes;
    bytes.append(room.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace cronce
