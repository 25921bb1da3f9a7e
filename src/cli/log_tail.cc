#include "cli/log_tail.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace cronce {
namespace {

bool is_same_file(int file, const std::string& path) {
  struct stat open{}, named{};
  return fstat(file, &open) == 0 && stat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

Descriptor open_to_read(const std::string& path) {
  return Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

LogTail::LogTail(std::string path)
    : path_(std::move(path)), watch_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

std::size_t LogTail::copy_rest(std::FILE* out) const {
  std::array<char, 65'536> buffer{};
  std::size_t copied = 0;
  for (;;) {
    const ssize_t got = read(file_.get(), buffer.data(), buffer.size());
    if (got <= 0) return copied;
    copied += std::fwrite(buffer.data(), 1, static_cast<std::size_t>(got), out);
  }
}

/// The file that bears the name now, if that is another one than before; at first the part before
/// it.
bool LogTail::open_next() {
  if (file_.open() && is_same_file(file_.get(), path_)) return false;
  Descriptor next;
  if (!file_.open()) next = open_to_read(path_ + ".1");
  if (!next.open()) next = open_to_read(path_);
  if (!next.open()) return false;
  file_ = std::move(next);
  return true;
}

std::optional<std::size_t> LogTail::copy(std::FILE* out) {
  std::size_t copied = 0;
  // A file is read to its end before the next one is begun: it may have grown until it was renamed.
  do {
    if (file_.open()) copied += copy_rest(out);
  } while (open_next());
  return file_.open() ? std::optional(copied) : std::nullopt;
}

bool LogTail::wait(Duration most) {
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  if (!watching_) {
    watching_ =
        inotify_add_watch(watch_.get(), folder.c_str(), IN_MODIFY | IN_CREATE | IN_MOVED_TO) >= 0;
  }
  pollfd event{watch_.get(), POLLIN, 0};
  if (poll(&event, watching_ ? 1 : 0, static_cast<int>(most.count())) <= 0) return false;
  std::array<char, 4'096> events{};
  while (read(watch_.get(), events.data(), events.size()) > 0) continue;
  return true;
}

}  // namespace cronce
