// A word to the other nodes of a store that has no channel of its own: look now, there is news.
//
// A file beside the SQLite store, which whoever has news touches and everybody watches. Nothing
// depends on it but how soon the others look: a hint that gets lost is made good by their next
// beat. Other stores have their own.
#pragma once

#include <optional>
#include <string>

#include "keeper/descriptor.h"
#include "node/settings.h"

namespace cronce {

class Hint {
 public:
  explicit Hint(const Places& places);

  void tell() const;
  /// Readable when somebody has told something; -1 where nobody can.
  int fd() const { return inotify_.get(); }
  /// True if there was something.
  bool heard();

 private:
  std::string path_;
  Descriptor inotify_;
};

}  // namespace cronce
