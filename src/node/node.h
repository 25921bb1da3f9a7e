// A node from its start to its end: keeper, store, threads, loop.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "node/settings.h"

namespace cronce {

/// Why a node did not begin, or how it ended.
struct NodeEnd {
  enum class Why : std::uint8_t {
    left,           // in order
    failed,         // something of ours broke
    bad_files,      // a job file that cannot be used; each mistake was told
    store_away,     // nothing was started
    store_refused,  // a person must do something
    no_keeper,      // the keeper could not be started
    no_name,        // its name could not be taken on this machine
  };
  Why why = Why::left;
  std::string message;  // a sentence, unless it has left
  bool hangs = false;   // a thread is in a call that does not return: only _exit() ends the process
};

/// Logs to standard error. To be called before the process has any other thread.
NodeEnd run_node(NodeSettings settings, const Clock& clock);

}  // namespace cronce
