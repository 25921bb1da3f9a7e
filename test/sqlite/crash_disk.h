// A file layer for SQLite that knows what a power cut would leave.
//
// Everything is handed on to the system's layer. Beside that, each file has an image of what is
// surely on the disk: a write, a cut or a removal gets there only by a sync of that file, of a
// removal only by a sync of its folder. At every sync, just before it takes effect, and whenever a
// test asks, the disk notes what could be found after a power cut at that moment: nothing of what
// was not synced, or all of it of some files, or the older half of it.
#pragma once

#include <sqlite3.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cronce {

class CrashDisk {
 public:
  using Files = std::map<std::string, std::string>;  // name without folder -> bytes

  /// Registers the layer under this name, for as long as it lives.
  explicit CrashDisk(std::string name);
  ~CrashDisk();
  CrashDisk(const CrashDisk&) = delete;
  CrashDisk& operator=(const CrashDisk&) = delete;

  const char* name() const { return name_.c_str(); }
  /// Syncs are answered as done, and nothing is.
  void lie() { lies_ = true; }
  /// After so many writes the disk is full, or broken: every write, or every sync, fails from then
  /// on, until it is mended.
  void fill_after(std::size_t writes) { writes_left_ = writes; }
  void break_after(std::size_t syncs) { syncs_left_ = syncs; }
  void mend() { writes_left_ = syncs_left_ = kForEver; }
  /// Called with each set of files that a power cut could leave now.
  void watch(std::function<void(const Files&)> watcher) { watcher_ = std::move(watcher); }
  /// A power cut now.
  void cut();
  std::size_t syncs() const { return syncs_; }

 private:
  friend struct CrashLayer;
  struct Change {
    enum class Kind { write, truncate, remove } kind;
    sqlite3_int64 offset = 0;
    std::string bytes;
  };
  struct Image {
    std::optional<std::string> durable;
    std::vector<Change> pending;
  };

  static constexpr std::size_t kForEver = ~std::size_t{0};

  /// One of what is left, if any is.
  static bool use(std::size_t& left) {
    if (left == 0) return false;
    left -= left == kForEver ? 0U : 1U;
    return true;
  }
  static void apply(const Change& change, std::optional<std::string>& bytes);
  void note(const std::string& file, Change change) {
    images_[file].pending.push_back(std::move(change));
  }
  void sync(const std::string& file);

  std::string name_;
  sqlite3_vfs* real_;
  sqlite3_vfs layer_{};
  bool lies_ = false;
  std::size_t writes_left_ = kForEver;
  std::size_t syncs_left_ = kForEver;
  std::function<void(const Files&)> watcher_;
  std::map<std::string, Image> images_;
  std::size_t syncs_ = 0;
};

}  // namespace cronce
