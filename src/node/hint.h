// A word to the other nodes of a store: look now, there is news.
//
// Of a SQLite store a file beside it, which whoever has news touches and everybody watches; of a
// server its own means, on a thread that may wait for it. Nothing depends on it but how soon the
// others look: a hint that gets lost is made good by their next beat.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "keeper/descriptor.h"
#include "node/settings.h"
#include "store/hint_line.h"

namespace cronce {

class Hint {
 public:
  explicit Hint(const Places& places);
  ~Hint();
  Hint(const Hint&) = delete;
  Hint& operator=(const Hint&) = delete;

  /// Hears what a server's others tell, from now on; telling waits for nobody then.
  void listen();

  void tell();
  /// Readable when somebody has told something; -1 where nobody can.
  int fd() const { return heard_.get(); }
  /// True if there was something.
  bool heard();

 private:
  void watch_file(const std::string& store);
  void work();

  std::string path_;
  Descriptor heard_;  // of the file, or of the thread
  std::unique_ptr<HintLine> line_;
  Descriptor orders_;  // to the thread: that one of these has changed
  std::atomic<bool> has_news_ = false;
  std::atomic<bool> ends_ = false;
  std::thread thread_;  // the last one: it uses the others
};

}  // namespace cronce
