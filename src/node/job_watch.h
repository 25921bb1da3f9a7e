// Notices that job files may have changed.
//
// It watches the folders in which they are, because editors and deployments put a new file in the
// place of the old one. A change is told once it has been quiet for a moment, or has been restless
// for long: whoever writes several files wants them read together. For one thread.
#pragma once

#include <map>
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
  explicit JobWatch(const std::vector<std::string>& paths);

  /// Readable when something happened in a folder.
  int fd() const { return inotify_.get(); }
  void read(Duration boot);
  /// As if something had changed, without waiting.
  void changed_now(Duration boot) { first_ = due_ = boot; }

  /// When the files should be read again, if so.
  std::optional<Duration> due() const { return due_; }
  void done() { first_ = due_ = std::nullopt; }

  const std::vector<std::string>& troubles() const { return troubles_; }

 private:
  void watch(const std::string& folder, const std::optional<std::string>& name);
  bool concerns(int number, const std::string& name) const;

  Descriptor inotify_;
  std::map<int, std::set<std::string>> names_;  // of files, by their folder
  std::set<int> whole_;                         // folders of which every job file counts
  std::vector<std::string> troubles_;
  std::optional<Duration> first_;
  std::optional<Duration> due_;
};

}  // namespace cronce
