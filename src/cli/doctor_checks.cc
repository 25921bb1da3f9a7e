// The table of `doctor`, and what its rows share.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/doctor.h"

namespace cronce {
namespace {

constexpr std::string_view kStore = "Store", kDisk = "Disk", kAccess = "Permissions",
                           kClock = "Clocks", kZone = "Zone data", kLimit = "Limits",
                           kKeeper = "Keeper", kWork = "Nodes, jobs";

constexpr std::array kChecks{
    CheckRow{kStore, "store", check_store},
    CheckRow{kStore, "identity", check_identity},
    CheckRow{kStore, "schema", check_schema},
    CheckRow{kStore, "epoch", check_epoch},
    CheckRow{kStore, "library", check_library},
    CheckRow{kStore, "journal", check_journal},
    CheckRow{kDisk, "store_disk", check_store_disk},
    CheckRow{kDisk, "state_disk", check_state_disk},
    CheckRow{kDisk, "space", check_space},
    CheckRow{kDisk, "sync", check_sync},
    CheckRow{kAccess, "store_file", check_store_file},
    CheckRow{kAccess, "state_folder", check_state_folder},
    CheckRow{kClock, "synchronised", check_synchronised},
    CheckRow{kClock, "wall_clock", check_wall_clock},
    CheckRow{kClock, "node_clocks", check_node_clocks},
    CheckRow{kZone, "zone_data", check_zone_data},
    CheckRow{kZone, "node_zone_data", check_node_zone_data},
    CheckRow{kZone, "job_zones", check_job_zones},
    CheckRow{kLimit, "open_files", check_open_files},
    CheckRow{kLimit, "processes", check_processes},
    CheckRow{kLimit, "job_limits", check_job_limits},
    CheckRow{kKeeper, "cgroups", check_cgroups},
    CheckRow{kKeeper, "users", check_users},
    CheckRow{kWork, "nodes", check_nodes},
    CheckRow{kWork, "definitions", check_definitions},
    CheckRow{kWork, "runnable", check_runnable},
    CheckRow{kWork, "overdue", check_overdue},
    CheckRow{kWork, "held", check_held},
    CheckRow{kWork, "cursors", check_cursors},
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
      return kExitUnavailable;
    default:
      return kExitRefused;
  }
  const PathFacts& file = facts.host.store_file;
  if (file.there && !file.writable) return kExitRefused;
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

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  const std::size_t shown = std::min(names.size(), kMost);
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

}  // namespace cronce
