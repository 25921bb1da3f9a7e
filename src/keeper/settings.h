// How a keeper is to work, told once when it is started.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"
#include "keeper/steady.h"

namespace cronce {

struct KeeperSettings {
  std::string state;  // folder for spool and locks, of this node's user alone
  Steady clock = Steady::boottime;
  Duration lease_stop{2'000};   // between TERM and KILL when the lease is lost
  bool use_cgroups = true;      // where they can be used
  Duration spool_after{5'000};  // an end that is not stored by then goes to the disk
  Duration keep_free{10'000};   // so long stay the processes that a burst needed
  std::int64_t log_limit_bytes = 16 << 20;

  std::string spool_folder() const { return state + "/spool"; }
  std::string lock_folder() const { return state + "/keepers"; }
};

}  // namespace cronce
