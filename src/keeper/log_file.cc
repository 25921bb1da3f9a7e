#include "keeper/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "keeper/folder.h"

namespace cronce {
namespace {

Descriptor open_to_append(const std::string& path) {
  return Descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
}

}  // namespace

Result<LogFile> LogFile::open(std::string path, std::int64_t limit_bytes) {
  const Status made = make_folder(std::filesystem::path(path).parent_path().string());
  if (!made) return made.error();
  Descriptor file = open_to_append(path);
  struct stat facts{};
  if (!file.open() || fstat(file.get(), &facts) != 0) return system_error("open", path.c_str());
  return LogFile(std::move(path), std::max<std::int64_t>(limit_bytes, 1), std::move(file),
                 facts.st_size);
}

Status LogFile::rotate() {
  if (rename(path_.c_str(), (path_ + ".1").c_str()) != 0) {
    return system_error("rename", path_.c_str());
  }
  file_.reset();
  size_ = 0;
  return Done{};
}

Status LogFile::write(std::string_view& bytes) {
  while (!bytes.empty()) {
    if (size_ >= limit_) {
      if (const Status rotated = rotate(); !rotated) return rotated;
    }
    if (!file_.open()) file_ = open_to_append(path_);
    if (!file_.open()) return system_error("open", path_.c_str());
    const auto room = static_cast<std::size_t>(limit_ - size_);
    const auto written =
        retry([&] { return ::write(file_.get(), bytes.data(), std::min(room, bytes.size())); });
    if (written < 0) return system_error("write", path_.c_str());
    size_ += written;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return Done{};
}

Status LogFile::append(std::string_view bytes) {
  Status written = Done{};
  if (left_out_ > 0) {
    const std::string told = fmt::format("\n[{} bytes left out: the disk was full]\n", left_out_);
    std::string_view rest = told;
    written = write(rest);
    if (written) left_out_ = 0;
  }
  if (written) written = write(bytes);
  left_out_ += bytes.size();
  return written;
}

}  // namespace cronce
