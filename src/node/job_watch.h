// Notices that job files may have changed.
//
// It watches the folders in which they are, because editors and deployments put a new file in the
// place of the old one, and likewise a new folder, or a link that leads to another one. Of a path
// it follows every link, the file and its folder; not the folders farther up. A change is told once
// it has been quiet for a moment, or has been restless for long: whoever writes several files wants
// them read together. For one thread, but for arm().
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "keeper/descriptor.h"

namespace cronce {

class JobWatch {
 public:
  static constexpr Duration kQuiet{200};
  static constexpr Duration kRestless{2'000};

  /// Files and folders; what cannot be watched is named in `troubles`.
  explicit JobWatch(std::vector<std::string> paths);

  /// Readable when something happened in a folder.
  int fd() const { return inotify_.get(); }
  void read(Duration boot);
  /// As if something had changed, without waiting.
  void changed_now(Duration boot) { first_ = due_ = boot; }

  /// When the files should be read again, if so.
  std::optional<Duration> due() const { return due_; }
  void done() { first_ = due_ = std::nullopt; }

  /// Watches what the paths lead to now; to be called before the files are read again, from any
  /// thread: it waits for the disk.
  void arm();

  /// Of the last arm().
  const std::vector<std::string>& troubles() const { return troubles_; }

 private:
  /// By the kernel's number of each folder.
  struct Watched {
    std::map<int, std::set<std::string>> names;  // of files and links in it
    std::set<int> whole;                         // those of which every job file counts

    bool has(int number) const { return names.contains(number) || whole.contains(number); }
    bool concerns(int number, const std::string& name) const;
  };

  void follow(const std::filesystem::path& path, Watched& watched);
  void watch_all(const std::filesystem::path& folder, Watched& watched);
  std::optional<int> watch(const std::filesystem::path& folder);
  void watch(const std::filesystem::path& folder, const std::string& name, Watched& watched);

  std::vector<std::string> paths_;
  Descriptor inotify_;
  std::vector<std::string> troubles_;
  std::mutex mutex_;
  Watched watched_;  // under the lock
  std::optional<Duration> first_;
  std::optional<Duration> due_;
};

}  // namespace cronce
