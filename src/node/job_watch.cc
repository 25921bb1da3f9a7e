#include "node/job_watch.h"

#include <sys/inotify.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <filesystem>

#include "node/job_files.h"

namespace cronce {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kChanges =
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE;

/// As the kernel counts them before it takes them for a circle.
constexpr int kMostLinks = 40;

}  // namespace

JobWatch::JobWatch(std::vector<std::string> paths)
    : paths_(std::move(paths)), inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  arm();
}

/// What happens before the new numbers are known is passed over: the files are read after it. Not
/// with a new descriptor: closing the old one takes the kernel a while.
void JobWatch::arm() {
  troubles_.clear();
  if (!inotify_.open()) {
    troubles_.push_back(system_error("watch", "job files").message);
    return;
  }
  Watched now;
  for (const std::string& path : paths_) {
    follow(absolute_path(path), now);
    std::error_code failed;
    if (fs::is_directory(path, failed)) watch_all(absolute_path(path), now);
  }
  const std::lock_guard lock(mutex_);
  std::swap(watched_, now);
  const auto drop = [&](int number) {
    if (!watched_.has(number)) inotify_rm_watch(inotify_.get(), number);
  };
  for (const auto& [number, names] : now.names) drop(number);
  for (const int number : now.whole) drop(number);
}

/// From the root to what it leads to: the links on the way and its last two parts, the file and its
/// folder. What is not there yet may come.
void JobWatch::follow(const fs::path& path, Watched& watched) {
  std::deque<fs::path> parts(path.begin(), path.end());
  fs::path at;
  for (int links = 0; !parts.empty();) {
    const fs::path part = parts.front();
    parts.pop_front();
    std::error_code failed;
    const fs::file_type type = fs::symlink_status(at / part, failed).type();
    const bool is_link = type == fs::file_type::symlink;
    const bool is_missing = type == fs::file_type::not_found;
    if (is_link || is_missing || parts.size() <= 1) watch(at, part.string(), watched);
    if (is_missing) return;
    if (!is_link) {
      at = part == ".." ? at.parent_path() : at / part;
      continue;
    }
    const fs::path target = fs::read_symlink(at / part, failed);
    if (failed || ++links > kMostLinks) return;
    if (target.is_absolute()) at.clear();
    parts.insert(parts.begin(), target.begin(), target.end());
  }
}

void JobWatch::watch_all(const fs::path& folder, Watched& watched) {
  if (const auto number = watch(folder)) watched.whole.insert(*number);
  const auto files = list_job_files(folder.string());
  if (!files) return;
  for (const std::string& file : *files) {
    std::error_code failed;
    if (fs::is_symlink(file, failed)) follow(file, watched);
  }
}

void JobWatch::watch(const fs::path& folder, const std::string& name, Watched& watched) {
  if (folder.empty() || name.empty() || name == "." || name == "..") return;
  if (const auto number = watch(folder)) watched.names[*number].insert(name);
}

std::optional<int> JobWatch::watch(const fs::path& folder) {
  const int number = inotify_add_watch(inotify_.get(), folder.c_str(), kChanges);
  if (number >= 0) return number;
  troubles_.push_back(system_error("watch", folder.c_str()).message);
  return std::nullopt;
}

bool JobWatch::Watched::concerns(int number, const std::string& name) const {
  if (whole.contains(number) && is_job_file_name(name)) return true;
  const auto known = names.find(number);
  return known != names.end() && known->second.contains(name);
}

void JobWatch::read(Duration boot) {
  const std::lock_guard lock(mutex_);
  alignas(inotify_event) std::array<char, 4'096> room;
  for (;;) {
    const auto size = retry([&] { return ::read(inotify_.get(), room.data(), room.size()); });
    if (size <= 0) return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, room.data() + at, sizeof event);
      const std::string name = event.len > 0 ? room.data() + at + sizeof event : "";
      at += sizeof event + event.len;
      const bool gone = (event.mask & IN_IGNORED) != 0 && watched_.has(event.wd);
      const bool blind = gone || (event.mask & IN_Q_OVERFLOW) != 0;
      if (!blind && !watched_.concerns(event.wd, name)) continue;
      if (!first_) first_ = boot;
      due_ = std::min(boot + kQuiet, *first_ + kRestless);
    }
  }
}

}  // namespace cronce
