#include "node/job_watch.h"

#include <sys/inotify.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include "node/job_files.h"

namespace cronce {
namespace {

constexpr std::uint32_t kChanges =
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE;

}  // namespace

JobWatch::JobWatch(const std::vector<std::string>& paths)
    : inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (!inotify_.open()) {
    troubles_.push_back(system_error("watch", "job files").message);
    return;
  }
  for (const std::string& path : paths) {
    std::error_code failed;
    const std::filesystem::path absolute = absolute_path(path);
    if (std::filesystem::is_directory(absolute, failed)) {
      watch(absolute.string(), std::nullopt);
    } else {
      watch(absolute.parent_path().string(), absolute.filename().string());
    }
  }
}

void JobWatch::watch(const std::string& folder, const std::optional<std::string>& name) {
  const int number = inotify_add_watch(inotify_.get(), folder.c_str(), kChanges);
  if (number < 0) {
    troubles_.push_back(system_error("watch", folder.c_str()).message);
  } else if (name) {
    names_[number].insert(*name);
  } else {
    whole_.insert(number);
  }
}

/// Kubernetes swaps the link `..data`, through which all files of a folder are read.
bool JobWatch::concerns(int number, const std::string& name) const {
  if (name.starts_with("..")) return true;
  if (whole_.contains(number) && is_job_file_name(name)) return true;
  const auto names = names_.find(number);
  return names != names_.end() && names->second.contains(name);
}

void JobWatch::read(Duration boot) {
  alignas(inotify_event) std::array<char, 4'096> room;
  for (;;) {
    const auto size = retry([&] { return ::read(inotify_.get(), room.data(), room.size()); });
    if (size <= 0) return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, room.data() + at, sizeof event);
      const std::string name = event.len > 0 ? room.data() + at + sizeof event : "";
      at += sizeof event + event.len;
      const bool lost_some = (event.mask & IN_Q_OVERFLOW) != 0;
      if (!lost_some && !concerns(event.wd, name)) continue;
      if (!first_) first_ = boot;
      due_ = std::min(boot + kQuiet, *first_ + kRestless);
    }
  }
}

}  // namespace cronce
