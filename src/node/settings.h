// How a node is to work, and where its things are on this machine.
//
// What is not given by a flag comes from the environment, and otherwise from a default:
//
//   store   --store, CRONCE_STORE: what the nodes agree in
//   space   --namespace, CRONCE_NAMESPACE: which of the stores in a server
//   state   --state, CRONCE_STATE: one folder per machine and user, for what must outlive a node
//   and
//           must not be lost together with the store: marks, the spool, the locks of keepers
//   logs    the whole output of runs: beside a SQLite store, so that whoever finds the one finds
//   the
//           other; otherwise in the state folder
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/time.h"
#include "engine/trust.h"
#include "model/run.h"
#include "node/job_files.h"
#include "store/open_store.h"

namespace cronce {

/// getenv(), or what a test says.
using Environment = std::function<const char*(const char* name)>;

/// Where things are. Everything that reads a store needs no more than this.
struct Places {
  std::string store;  // its address
  std::string state;  // a folder
  std::string name_space = kDefaultNamespace;
  bool named = true;  // the store, by somebody: otherwise it is the default one

  /// Of a file in a SQLite store; none for other stores.
  std::optional<std::string> store_path() const;
  std::string log_folder() const;
};

/// `sqlite:/var/lib/cronce/cronce.db` for root, and below the user's state folder for others.
std::string default_store_address(const Environment& environment);

/// What flags say.
struct NamedPlaces {
  std::optional<std::string> store = {}, state = {}, name_space = {};
};

/// Flag before environment before default. Paths become absolute: who reads them may be elsewhere.
Places find_places(const NamedPlaces& flags, const Environment& environment);

/// The folder of the default store, which nobody else would make. That of a store that somebody
/// named must be there: a path that is not right must not become a new, empty store.
Status make_store_folder(const Places& places);

/// The whole output of a run: LOGS/JOB UID/2026-03-29T01:30:00Z.1.log, LOGS/JOB
/// UID/manual-r-17.1.log. When it grew beyond 16 MiB, the part before is in PATH.1.
std::string run_log_path(const Places& places, const RunId& run);

/// The lease with all that follows from it; what it can be at least is an error's to say.
Result<LeaseSettings> lease_settings(Duration lease);
/// Between TERM and KILL when the lease was lost; the rest of `stop` is for being gone.
Duration lease_stop(const LeaseSettings& lease);

struct NodeSettings {
  Places places;
  std::string node;  // its name; a living one of that name makes it NAME-2
  std::map<std::string, std::string> labels;
  bool schedules = true;
  bool works = true;
  std::int64_t max_running = 0;  // 0: no limit
  std::string version;
  std::vector<std::string> environment;  // of this process: what commands inherit

  JobFileSettings files;  // none: it runs what is registered
  bool watch = true;      // files, for changes

  LeaseSettings lease;
  Duration standby{300};
  Duration skew_budget{30'000};
  Duration drain{60'000};
  bool once_until_idle = false;
  bool store_moves = false;
  std::optional<Duration> store_wait;  // for a store that is away at the start; none: for ever

  LogFormat log_format = LogFormat::text;
  LogLevel log_level = LogLevel::info;
};

/// `eu=1,disk=local`
Result<std::map<std::string, std::string>> parse_labels(const std::string& text);

}  // namespace cronce
