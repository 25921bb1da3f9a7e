// The ends of runs, kept until the store has them.
//
// In memory at first: a node that is well has an end stored within milliseconds, and a disk that
// syncs for each of them would be the slowest part of a burst. What is not stored after a while, or
// when the node is gone, goes to the spool.
#pragma once

#include <map>
#include <optional>

#include "keeper/scribe.h"

namespace cronce {

class Ends {
 public:
  Ends(Scribe& scribe, Duration in_memory) : scribe_(scribe), in_memory_(in_memory) {}

  void hold(const EndKey& key, const FinishEntry& end, Duration now);
  void stored(const EndKey& key);
  bool holds(const EndKey& key) const { return ends_.contains(key); }
  void noted(const ScribeNote& note, Duration now);

  /// When something is to be done next.
  std::optional<Duration> due() const;
  void act(Duration now);
  /// Nobody is there to store them: do not wait.
  void hurry(Duration now);

  /// Every end is on the disk, or stored, or was tried so often while leaving that it never will
  /// be.
  bool all_safe() const { return unsafe_ == 0; }
  /// For when the scribe is gone, and waiting for the disk harms nobody any more.
  void write_directly(const std::string& folder);

 private:
  enum class State : std::uint8_t { in_memory, being_written, safe };
  struct Held {
    FinishEntry end;
    State state = State::in_memory;
    int tries = 0;
  };

  void put(const EndKey& key, Held& held);
  void make_safe(Held& held);

  Scribe& scribe_;
  Duration in_memory_;  // and between two tries to write one
  std::map<EndKey, Held> ends_;
  std::multimap<Duration, EndKey> waiting_;  // when to be written
  std::size_t unsafe_ = 0;
  bool hurried_ =
      false;  // the keeper wants to leave: what cannot be written is given up in the end
};

}  // namespace cronce
