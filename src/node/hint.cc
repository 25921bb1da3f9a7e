#include "node/hint.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <array>

namespace cronce {

Hint::Hint(const Places& places) {
  const auto store = places.store_path();
  if (!store) return;
  path_ = *store + "-hint";
  const Descriptor made(open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!made.open()) return;
  inotify_.reset(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  const bool watches =
      inotify_.open() && inotify_add_watch(inotify_.get(), path_.c_str(), IN_ATTRIB) >= 0;
  if (!watches) inotify_.reset();
}

void Hint::tell() const {
  if (!path_.empty()) utimensat(AT_FDCWD, path_.c_str(), nullptr, 0);
}

bool Hint::heard() {
  std::array<char, 4'096> room;
  bool something = false;
  while (retry([&] { return read(inotify_.get(), room.data(), room.size()); }) > 0) {
    something = true;
  }
  return something;
}

}  // namespace cronce
