// The process that writes a keeper's files, so that the keeper never waits for a disk.
//
// A disk that hangs takes whoever writes to it along, and a keeper that hangs kills nobody at the
// deadline: often at the very time when the store cannot be reached for the same reason. So spool
// and logs are written by a process of their own. It lives until its keeper is gone and all it was
// given is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keeper/channel.h"
#include "keeper/message.h"
#include "keeper/poller.h"
#include "keeper/trees.h"

namespace cronce {

struct ScribeSettings {
  std::string spool;
  std::int64_t log_limit_bytes = 0;
};

/// The life of a scribe, in a process just forked. Never returns.
[[noreturn]] void run_scribe(Descriptor channel, const ScribeSettings& settings);

/// What the scribe tells: an end is safe, or something could not be written.
struct ScribeNote {
  std::optional<EndKey> end;
  std::string trouble;  // empty: it is safe
};

/// The keeper's side. Nothing here waits.
class Scribe {
 public:
  Scribe(Descriptor channel, Poller& poller);

  void open_log(RunTag run, const std::string& path);
  void append_log(RunTag run, std::string_view bytes);
  void close_log(RunTag run);
  void put(const EndKey& key, const FinishEntry& end);
  void remove(const EndKey& key);

  /// Writes what it can; to be called at the end of each round of the keeper's loop.
  void flush();
  /// For the end, when waiting harms nobody.
  void flush_for(int milliseconds) { channel_.flush_for(milliseconds); }
  /// Bytes that it has not taken yet.
  std::size_t backlog() const { return channel_.backlog(); }

  std::vector<ScribeNote> read();
  bool gone() const { return channel_.closed(); }

 private:
  Channel channel_;
  Poller& poller_;
  bool writing_ = false;
};

}  // namespace cronce
