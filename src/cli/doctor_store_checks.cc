// `doctor` on the store itself: whether it is there, whether it is the one, and how it is kept.
#include <fmt/format.h>

#include "cli/doctor.h"

namespace cronce {
namespace {

std::string path_of_store(const DoctorFacts& facts) {
  return facts.places.store_path().value_or("");
}

/// What can be typed to have the store made. The folder of one that was named must be there.
std::string start_command(const DoctorFacts& facts) {
  if (!facts.places.named) return "cronce run FILE";
  const PathFacts& folder = facts.host.store_folder;
  const bool needs_folder = facts.places.store_path() && !folder.there;
  return fmt::format("{}cronce run --store {} FILE",
                     needs_folder ? fmt::format("mkdir -p {} && ", folder.path) : "",
                     shown_address(facts.places.store));
}

std::string as_owner(const DoctorFacts& facts) {
  const std::string& owner = facts.host.store_file.owner;
  return fmt::format("sudo {}cronce doctor --store {}",
                     owner.empty() || owner == "root" ? "" : fmt::format("-u {} ", owner),
                     shown_address(facts.places.store));
}

std::string owners_command(const ServerFacts& server) {
  return fmt::format("as its owner: cronce store sql --grant {} | psql {}", server.user,
                     server.database);
}

/// To a server that does not let us work.
std::string way_in(const DoctorFacts& facts) {
  const auto& server = facts.store.server;
  const bool lacks_rights = server && (server->has_schema ? !server->may_write : !server->may_make);
  return lacks_rights ? owners_command(*server)
                      : fmt::format("psql '{}'", shown_address(facts.places.store));
}

}  // namespace

Findings check_store(const DoctorFacts& facts) {
  const StoreFacts& store = facts.store;
  const std::string address = shown_address(facts.places.store);
  switch (store.trouble) {
    case StoreTrouble::none:
      return {found_ok(fmt::format("{}, grade {}", address, store.grade))};
    case StoreTrouble::missing:
      return {found_error(store.message, "nothing is scheduled here", start_command(facts))};
    case StoreTrouble::busy:
      return {found_error(store.message, "until it lets go no node can decide or end anything",
                          fmt::format("fuser -v {}-lock; kill -CONT PID of one that was stopped",
                                      path_of_store(facts)))};
    case StoreTrouble::unfinished:
      return {found_warning(store.message, "the next program that may write undoes it",
                            fmt::format("cronce jobs --store {}", address))};
    case StoreTrouble::unreadable:
      return {
          found_error(store.message, "a node of this user cannot work with it", as_owner(facts))};
    case StoreTrouble::foreign:
      return {found_error(store.message, "a node refuses it, and nothing was changed",
                          "cronce doctor --store sqlite:PATH of another file")};
    case StoreTrouble::away:
      return {found_error(store.message,
                          "no slot is decided while it is away; nodes wait and come back alone",
                          fmt::format("psql '{}'", address))};
    case StoreTrouble::refused:
      return {found_error(store.message, "a node of this user is refused", way_in(facts))};
    case StoreTrouble::damaged:
      return {found_error(store.message, "what ran and what did not cannot be told from it",
                          fmt::format("stop the nodes, put a copy in its place, then: "
                                      "cronce adopt --store {}",
                                      address))};
    default:
      return {};  // of another row
  }
}

Findings check_identity(const DoctorFacts& facts) {
  const StoreFacts& store = facts.store;
  if (store.trouble == StoreTrouble::copy) {
    return {found_error(store.message, "nothing of it may run twice",
                        fmt::format("cronce adopt --store {}", shown_address(facts.places.store)))};
  }
  if (store.trouble == StoreTrouble::device) {
    return {found_error(store.message, "it may be older than what was done on it elsewhere",
                        fmt::format("if its volume was moved, once: cronce run --store-moves "
                                    "--store {} FILE",
                                    shown_address(facts.places.store)))};
  }
  if (!store.was_read() || store.server) return {};
  return {found_ok(store.other_machine ? "the same file on another machine id"
                                       : "the same file as ever")};
}

Findings check_schema(const DoctorFacts& facts) {
  const StoreFacts& store = facts.store;
  if (store.trouble == StoreTrouble::newer) {
    return {found_error(store.message, "an older program would damage it",
                        "install the program that wrote it; this one: cronce version")};
  }
  if (store.schema == 0) return {};
  const std::string older =
      fmt::format("schema {}, and this program knows {}", store.schema, store.our_schema);
  if (store.needs_owner()) {
    return {found_error(older, "a node of this user is refused", owners_command(*store.server))};
  }
  if (store.schema < store.our_schema) {
    return {found_note(older, "the next node brings it up to date", start_command(facts))};
  }
  return {found_ok(fmt::format("schema {}", store.schema))};
}

Findings check_epoch(const DoctorFacts& facts) {
  const StoreFacts& store = facts.store;
  if (!store.was_read()) return {};
  const std::string epoch = fmt::format("epoch {}", store.epoch.value);
  if (!store.closed) return {found_ok(epoch)};
  return {found_warning(
      epoch + " is closed: the store has forgotten something",
      "nothing is decided until the living nodes have told what they remember, for one lease",
      store.nodes.empty() ? start_command(facts)
                          : fmt::format("wait, and look again: cronce nodes --store {}",
                                        shown_address(facts.places.store)))};
}

Findings check_library(const DoctorFacts& facts) {
  const StoreFacts& store = facts.store;
  if (store.library.empty()) return {};
  if (!store.library_is_older) return {found_ok(store.library)};
  return {found_warning(store.library + " is older than the one that this program was made with",
                        "what it does not know would fail", "apt-get install libsqlite3-0")};
}

Findings check_journal(const DoctorFacts& facts) {
  if (facts.store.trouble == StoreTrouble::journal) {
    return {found_warning(
        facts.store.message + ", which somebody turned on",
        "nodes keep a rollback journal, and refuse to start while others use this one",
        fmt::format("stop the nodes, then: sqlite3 {} 'PRAGMA journal_mode = PERSIST'",
                    path_of_store(facts)))};
  }
  if (!facts.store.was_read() || facts.store.server) return {};
  return {found_ok("journal PERSIST, synchronous FULL")};
}

}  // namespace cronce
