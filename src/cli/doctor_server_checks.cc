// `doctor` on a store in a server: how it keeps what it acknowledges, and what we may do there.
#include <fmt/format.h>

#include "cli/doctor.h"

namespace cronce {
namespace {

std::string setting(const char* line) {
  return fmt::format("psql -c \"ALTER SYSTEM SET {}\" -c 'SELECT pg_reload_conf()'", line);
}

}  // namespace

Findings check_server_kind(const DoctorFacts& facts) {
  const auto& server = facts.store.server;
  if (!server) return {};
  if (server->encoding != "UTF8" && server->encoding != "SQL_ASCII") {
    return {found_warning(
        fmt::format("database {} has the encoding {}", server->database, server->encoding),
        "a job's name or output that it cannot write is refused",
        fmt::format("createdb -E UTF8 -T template0 {}_utf8, and name that", server->database))};
  }
  return {found_ok(
      fmt::format("user {} in database {}, {}", server->user, server->database, server->encoding))};
}

Findings check_durability(const DoctorFacts& facts) {
  const auto& server = facts.store.server;
  if (!server) return {};
  Findings found;
  if (!server->fsync) {
    found.push_back(found_error("fsync is off on the server",
                                "after a crash a claim could be gone, and its slot run again",
                                setting("fsync = on")));
  }
  if (!server->full_page_writes) {
    found.push_back(found_error("full_page_writes is off on the server",
                                "a crash in the middle of a page damages tables, unless the file "
                                "system writes pages whole",
                                setting("full_page_writes = on")));
  }
  if (server->synchronous_commit == "off") {
    found.push_back(found_note("synchronous_commit is off on the server",
                               "what cronce writes is on the disk all the same: it asks for that "
                               "in each transaction; what jobs write there may be lost",
                               setting("synchronous_commit = on")));
  }
  if (found.empty()) {
    found.push_back(
        found_ok(fmt::format("fsync on, synchronous_commit {}", server->synchronous_commit)));
  }
  return found;
}

Findings check_standbys(const DoctorFacts& facts) {
  const auto& server = facts.store.server;
  if (!server || server->standby) return {};
  if (server->synchronous_standbys && server->synchronous_commit == "local") {
    return {found_warning(
        "synchronous_commit is local: no commit waits for the synchronous standby",
        "a fail-over may forget claims; nodes that saw them put them back, dead ones cannot",
        setting("synchronous_commit = on"))};
  }
  if (server->synchronous_standbys) return {found_ok("a commit waits for a standby")};
  if (server->standbys == 0) return {found_ok("no standby")};
  return {found_note(
      fmt::format("{}, and no commit waits for one",
                  server->standbys == 1 ? "a standby follows"
                                        : fmt::format("{} standbys follow", server->standbys)),
      "a fail-over may forget the last claims: nodes that live put theirs back, those of a node "
      "that died with the server may run again",
      setting("synchronous_standby_names = '*'"))};
}

Findings check_connections(const DoctorFacts& facts) {
  constexpr std::int64_t kFew = 5;  // a node has three, a command two
  const auto& server = facts.store.server;
  if (!server) return {};
  const std::int64_t left = server->most_connections - server->connections;
  if (left >= kFew) {
    return {found_ok(
        fmt::format("{} of {} connections", server->connections, server->most_connections))};
  }
  return {found_warning(
      fmt::format("{} of {} connections are in use", server->connections, server->most_connections),
      "a node needs three, and one that gets none decides nothing",
      "raise max_connections, or put a pooler between (transaction mode will do)")};
}

}  // namespace cronce
