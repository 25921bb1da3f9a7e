// What a store looks like from outside, for `cronce doctor`.
//
// Nothing is written or made, and no node waits: what is read is copied a little at a time, and
// whoever holds the store for longer than our patience is reported instead of waited for. A store
// that a node would refuse is looked at as far as that can be done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/node.h"
#include "model/plan.h"
#include "model/run.h"

namespace cronce {

/// Why nobody can work with it as it is.
enum class StoreTrouble : std::uint8_t {
  none,
  missing,     // nothing is there, or an empty file
  busy,        // somebody holds it
  unfinished,  // a write was cut off: whoever may write undoes it first
  journal,     // its journal is one that a look would write to
  network,     // a file system that makes no promises
  unreadable,
  foreign,  // another program's
  damaged,
  newer,    // only a newer program may write it
  copy,     // it must be adopted
  device,   // its volume was moved
  away,     // the server does not answer, or not now
  refused,  // the server, or we it
};

/// A server, and what this user may do there.
struct ServerFacts {
  std::int64_t version_number = 0;
  std::string version;  // `15.14`
  std::string user, database;
  std::string encoding;
  bool standby = false;
  bool fsync = true;
  bool full_page_writes = true;
  std::string synchronous_commit;
  bool synchronous_standbys = false;  // a commit waits for one
  std::int64_t standbys = 0;          // that follow it now
  std::int64_t connections = 0, most_connections = 0;
  Time now{};             // by its clock
  bool may_make = false;  // a schema
  bool has_schema = false;
  bool may_write = false;   // all tables of it
  bool may_change = false;  // as their owner
};

struct StoreFacts {
  StoreTrouble trouble = StoreTrouble::none;
  std::string message;  // what is in the way

  std::string grade;              // what its answers are worth: `full`
  std::string library;            // `SQLite 3.40.1`; empty where there is none
  bool library_is_older = false;  // than the one that this program was made with
  std::int64_t schema = 0;
  std::int64_t our_schema = 0;
  std::optional<ServerFacts> server;  // none: the store is no server's, or was not reached
  bool other_machine = false;  // than that of the last move: a new container on the same volume

  // If it was read.
  Epoch epoch;
  bool closed = false;
  Time now{};                // store time
  Duration boot{};           // what the reader's clock showed then
  bool disputed = false;     // the living nodes' clocks disagree: nobody decides
  std::vector<Node> nodes;   // that have not been ended
  std::vector<JobRow> jobs;  // without their runs
  std::vector<Run> held;     // that wait for a person; without output

  /// All of it. What a copy says of nodes and runs is not true of it.
  bool was_read() const { return trouble == StoreTrouble::none && epoch.value > 0; }
  /// Its tables are of an older program, and this user may not change them.
  bool needs_owner() const {
    return schema > 0 && schema < our_schema && server && !server->may_change;
  }
};

/// The nodes of a server's store have clocks of other hosts, which start anew with each host: as
/// if this one's had shown what theirs did. How far their clocks are off is not known from that,
/// unless they are ahead.
void see_from_here(std::vector<Node>& nodes, Time store_time, Duration boot);

inline constexpr Duration kInspectPatience{3'000};

/// `address` is one of a store (store/open_store.h).
StoreFacts inspect_store(const std::string& address, const std::string& name_space,
                         const Clock& clock, Duration patience = kInspectPatience);

}  // namespace cronce
