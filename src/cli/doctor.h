// `cronce doctor`: whether a store and this host are as a node needs them.
//
// Facts are gathered first (gather_host() here, store/inspect.h), then judged by the rows of a
// table, one function each. The judging is pure: any machine can be presented to it. Nothing is
// changed, neither in the store nor around it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "node/settings.h"
#include "store/inspect.h"

namespace cronce {

/// A file or a folder, as this user finds it.
struct PathFacts {
  std::string path;
  bool there = false;
  std::uint32_t mode = 0;  // the permissions alone
  std::string owner;
  bool own = true;        // it is this user's
  bool writable = true;   // for this user; of what is not there: it can be made
  bool reachable = true;  // for everybody: all folders above it let them through
};

/// The disk of a folder, or of the nearest folder above it that is there.
struct DiskFacts {
  std::string type;  // as the list of mounts has it: `ext4`
  bool network = false;
  bool read_only = false;
  std::string no_sync;  // why a sync there does nothing, if so: `the mount option 'volatile'`
  std::optional<std::uint64_t> free_bytes;
  std::optional<std::uint64_t> free_files;

  /// What became of a write and a sync of a file without a name.
  enum class Sync : std::uint8_t { untried, done, failed, hangs };
  Sync sync = Sync::untried;
  Duration sync_took{};
  std::string sync_error;
};

struct HostFacts {
  std::string user;
  bool root = false;
  std::set<int> capabilities;  // that are in effect, by their numbers

  Time wall{};
  Duration boot{};           // what the boot clock showed then
  bool clock_known = false;  // what follows
  bool synchronised = false;
  Duration clock_error{};  // at most, by the kernel's word
  Duration boot_shift{};   // of this time namespace

  std::string zone_data;    // `2026f`
  std::string zone_folder;  // where zones are read from
  bool zones_there = true;
  std::set<std::string> unknown_zones;  // that jobs name

  // None: no limit.
  std::optional<std::uint64_t> open_files;  // that the keeper can have
  std::optional<std::uint64_t> processes;
  std::optional<std::uint64_t> hard_processes, hard_memory, hard_core;

  bool cgroups = false;
  std::string no_cgroups;   // why not
  bool cgroup_kill = true;  // all of a group can be killed in one step

  std::map<std::string, bool>
      users;  // that jobs name, but for this one: whether there is such a one

  std::optional<std::string> no_http;  // why nothing can be called, if a job calls something

  PathFacts store_file, store_folder, state_folder;
  DiskFacts store_disk, state_disk;
};

struct DoctorFacts {
  Places places;
  StoreFacts store;
  HostFacts host;
};

enum class Gravity : std::uint8_t { ok, note, warning, error };
std::string_view word(Gravity severity);

struct Finding {
  std::string_view check = {};  // the row's name
  Gravity severity = Gravity::ok;
  std::string found;
  std::string why = {};
  std::string remedy = {};  // what can be typed, where that is possible
};
using Findings = std::vector<Finding>;

/// A question to the facts. It answers with what it found, or with one `ok`; with nothing if it
/// does not apply.
struct CheckRow {
  std::string_view group;
  std::string_view name;
  Findings (*judge)(const DoctorFacts& facts);
};
/// In the order in which they are told, groups together.
std::span<const CheckRow> doctor_checks();

/// By all rows.
Findings examine(const DoctorFacts& facts);

/// What the findings mean for whoever scripts it: 69 the store is away, 77 it would be refused, 1
/// something was found, 0.
int exit_code_of(const DoctorFacts& facts, const Findings& findings);

/// Looks at this machine. Jobs are those of the store.
HostFacts gather_host(const Places& places, const std::vector<JobRow>& jobs, const Clock& clock);

/// Whether it has an http action, or tells something to a webhook.
bool calls_http(const JobRow& job);

/// Of the list of mounts (/proc/self/mountinfo) the one that a path lies on: type and options.
struct MountFacts {
  std::string type;
  std::string options;  // those of the mount and those of the file system, with commas around
};
MountFacts mount_of(std::string_view mountinfo, const std::string& path);

// The functions of the rows.

Findings check_store(const DoctorFacts& facts);
Findings check_identity(const DoctorFacts& facts);
Findings check_schema(const DoctorFacts& facts);
Findings check_library(const DoctorFacts& facts);
Findings check_journal(const DoctorFacts& facts);
Findings check_epoch(const DoctorFacts& facts);
Findings check_server_kind(const DoctorFacts& facts);
Findings check_durability(const DoctorFacts& facts);
Findings check_standbys(const DoctorFacts& facts);
Findings check_connections(const DoctorFacts& facts);

Findings check_store_disk(const DoctorFacts& facts);
Findings check_state_disk(const DoctorFacts& facts);
Findings check_space(const DoctorFacts& facts);
Findings check_sync(const DoctorFacts& facts);
Findings check_store_file(const DoctorFacts& facts);
Findings check_state_folder(const DoctorFacts& facts);

Findings check_synchronised(const DoctorFacts& facts);
Findings check_wall_clock(const DoctorFacts& facts);
Findings check_node_clocks(const DoctorFacts& facts);
Findings check_zone_data(const DoctorFacts& facts);
Findings check_node_zone_data(const DoctorFacts& facts);
Findings check_job_zones(const DoctorFacts& facts);

Findings check_open_files(const DoctorFacts& facts);
Findings check_processes(const DoctorFacts& facts);
Findings check_job_limits(const DoctorFacts& facts);
Findings check_cgroups(const DoctorFacts& facts);
Findings check_users(const DoctorFacts& facts);
Findings check_http(const DoctorFacts& facts);

Findings check_nodes(const DoctorFacts& facts);
Findings check_definitions(const DoctorFacts& facts);
Findings check_runnable(const DoctorFacts& facts);
Findings check_overdue(const DoctorFacts& facts);
Findings check_held(const DoctorFacts& facts);
Findings check_cursors(const DoctorFacts& facts);

// What they share.

Finding found_ok(std::string found);
Finding found_note(std::string found, std::string why, std::string remedy);
Finding found_warning(std::string found, std::string why, std::string remedy);
Finding found_error(std::string found, std::string why, std::string remedy);

/// ` --store sqlite:/srv/cronce.db`, for a command; the default store needs no name.
std::string store_flag(const DoctorFacts& facts);

/// `a, b, c and 17 more`
std::string some_of(const std::vector<std::string>& names);

}  // namespace cronce
