// The table of `doctor`, and what its rows share.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/doctor.h"

namespace cronce {
namespace {

constexpr std::string_view kOfStore = "Store", kOfDisk = "Disk", kOfAccess = "Permissions",
                           kOfClock = "Clocks", kOfZone = "Zone data", kOfLimit = "Limits",
                           kOfKeeper = "Keeper", kOfWork = "Nodes, jobs";

constexpr std::array kChecks{
    CheckRow{kOfStore, "store", check_store},
    CheckRow{kOfStore, "identity", check_identity},
    CheckRow{kOfStore, "schema", check_schema},
    CheckRow{kOfStore, "epoch", check_epoch},
    CheckRow{kOfStore, "library", check_library},
    CheckRow{kOfStore, "journal", check_journal},
    CheckRow{kOfStore, "server", check_server_kind},
    CheckRow{kOfStore, "durability", check_durability},
    CheckRow{kOfStore, "standbys", check_standbys},
    CheckRow{kOfStore, "connections", check_connections},
    CheckRow{kOfDisk, "store_disk", check_store_disk},
    CheckRow{kOfDisk, "state_disk", check_state_disk},
    CheckRow{kOfDisk, "space", check_space},
    CheckRow{kOfDisk, "sync", check_sync},
    CheckRow{kOfAccess, "store_file", check_store_file},
    CheckRow{kOfAccess, "state_folder", check_state_folder},
    CheckRow{kOfClock, "synchronised", check_synchronised},
    CheckRow{kOfClock, "wall_clock", check_wall_clock},
    CheckRow{kOfClock, "node_clocks", check_node_clocks},
    CheckRow{kOfZone, "zone_data", check_zone_data},
    CheckRow{kOfZone, "node_zone_data", check_node_zone_data},
    CheckRow{kOfZone, "job_zones", check_job_zones},
    CheckRow{kOfLimit, "open_files", check_open_files},
    CheckRow{kOfLimit, "processes", check_processes},
    CheckRow{kOfLimit, "job_limits", check_job_limits},
    CheckRow{kOfKeeper, "cgroups", check_cgroups},
    CheckRow{kOfKeeper, "users", check_users},
    CheckRow{kOfKeeper, "http", check_http},
    CheckRow{kOfWork, "nodes", check_nodes},
    CheckRow{kOfWork, "definitions", check_definitions},
    CheckRow{kOfWork, "runnable", check_runnable},
    CheckRow{kOfWork, "overdue", check_overdue},
    CheckRow{kOfWork, "held", check_held},
    CheckRow{kOfWork, "cursors", check_cursors},
};

/// What `run` would answer, or another command that uses the store.
std::optional<int> exit_code_of_store(const DoctorFacts& facts) {
  switch (facts.store.trouble) {
    case StoreTrouble::none:
    case StoreTrouble::journal:
      break;
    case StoreTrouble::missing:
    case StoreTrouble::busy:
    case StoreTrouble::unfinished:
    case StoreTrouble::away:
      return kExitUnavailable;
    default:
      return kExitRefused;
  }
  const PathFacts& file = facts.host.store_file;
  if ((file.there && !file.writable) || facts.store.needs_owner()) return kExitRefused;
  return std::nullopt;
}

}  // namespace

std::span<const CheckRow> doctor_checks() { return kChecks; }

Findings examine(const DoctorFacts& facts) {
  Findings all;
  for (const CheckRow& row : kChecks) {
    for (Finding& finding : row.judge(facts)) {
      finding.check = row.name;
      all.push_back(std::move(finding));
    }
  }
  return all;
}

int exit_code_of(const DoctorFacts& facts, const Findings& findings) {
  if (const auto code = exit_code_of_store(facts)) return *code;
  const bool found = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.severity >= Gravity::warning;
  });
  return found ? kExitFound : kExitDone;
}

std::string_view word(Gravity severity) {
  constexpr std::array<std::string_view, 4> kWords{"ok", "note", "warning", "error"};
  return kWords[static_cast<std::size_t>(severity)];
}

Finding found_ok(std::string found) { return {{}, Gravity::ok, std::move(found)}; }

Finding found_note(std::string found, std::string why, std::string remedy) {
  return {{}, Gravity::note, std::move(found), std::move(why), std::move(remedy)};
}

Finding found_warning(std::string found, std::string why, std::string remedy) {
  return {{}, Gravity::warning, std::move(found), std::move(why), std::move(remedy)};
}

Finding found_error(std::string found, std::string why, std::string remedy) {
  return {{}, Gravity::error, std::move(found), std::move(why), std::move(remedy)};
}

std::string store_flag(const DoctorFacts& facts) {
  return facts.places.named ? " --store " + shown_address(facts.places.store) : "";
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  const std::size_t shown = std::min(names.size(), kNamed);
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (names.size() > kNamed) text += fmt::format(" and {} more", names.size() - kNamed);
  return text;
}

}  // namespace cronce
