// `doctor` on where things lie: disks, and who may do what there.
#include <algorithm>

#include <fmt/format.h>

#include "cli/doctor.h"
#include "cli/human.h"

namespace cronce {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

/// One of the two places, as it is named to people.
struct Spot {
  std::string_view name;
  const PathFacts& folder;
  const DiskFacts& disk;
};

std::vector<Spot> spots_of(const DoctorFacts& facts) {
  const HostFacts& host = facts.host;
  std::vector<Spot> places;
  if (facts.places.store_path()) places.push_back({"store", host.store_folder, host.store_disk});
  places.push_back({"state", host.state_folder, host.state_disk});
  return places;
}

Findings judge_disk(const Spot& place, Gravity of_network) {
  const DiskFacts& disk = place.disk;
  const std::string& folder = place.folder.path;
  if (disk.network) {
    Finding finding =
        found_error(fmt::format("{} folder {} lies on {}", place.name, folder, disk.type),
                    "locks and syncs there are promises of somebody else",
                    fmt::format("a folder on a local disk: --{}",
                                place.name == "store" ? "store sqlite:PATH" : "state FOLDER"));
    finding.severity = of_network;
    return {finding};
  }
  if (disk.read_only) {
    return {found_error(fmt::format("{} folder {} is mounted read-only", place.name, folder),
                        "a node must write there", fmt::format("mount -o remount,rw {}", folder))};
  }
  if (disk.type == "overlay") {
    return {found_note(
        fmt::format("{} folder {} lies in a container's own layer", place.name, folder),
        "it vanishes with the container", fmt::format("docker run -v cronce:{} ...", folder))};
  }
  if (disk.type == "tmpfs" || disk.type == "ramfs") {
    return {
        found_note(fmt::format("{} folder {} lies in memory ({})", place.name, folder, disk.type),
                   "it is gone when the host is started again",
                   fmt::format("a folder on a disk: --{}",
                               place.name == "store" ? "store sqlite:PATH" : "state FOLDER"))};
  }
  return {found_ok(fmt::format("{} on {}", place.name, disk.type.empty() ? "a disk" : disk.type))};
}

std::string shown_size(std::uint64_t bytes) {
  return bytes < 10 * 1024 * kMiB ? fmt::format("{} MiB", bytes / kMiB)
                                  : fmt::format("{} GiB", bytes / (1024 * kMiB));
}

}  // namespace

Findings check_store_disk(const DoctorFacts& facts) {
  const auto places = spots_of(facts);
  if (places.front().name != "store") return {};
  return judge_disk(places.front(), Gravity::error);
}

Findings check_state_disk(const DoctorFacts& facts) {
  return judge_disk(spots_of(facts).back(), Gravity::warning);
}

Findings check_space(const DoctorFacts& facts) {
  constexpr std::uint64_t kLittle = 64 * kMiB, kSome = 512 * kMiB, kFewFiles = 1'000;
  Findings found;
  std::vector<std::string> sizes;
  for (const Spot& place : spots_of(facts)) {
    if (!place.disk.free_bytes) continue;
    const std::uint64_t bytes = *place.disk.free_bytes;
    const std::string why = "without room no claim and no end can be stored";
    const std::string remedy = fmt::format("df -h {}; make room, or move it", place.folder.path);
    const std::string text = fmt::format("{} left for the {} folder {}", shown_size(bytes),
                                         place.name, place.folder.path);
    if (bytes < kLittle) {
      found.push_back(found_error(text, why, remedy));
    } else if (bytes < kSome) {
      found.push_back(found_warning(text, why, remedy));
    } else if (place.disk.free_files && *place.disk.free_files < kFewFiles) {
      found.push_back(
          found_warning(fmt::format("{} more files can be made in the {} folder {}",
                                    *place.disk.free_files, place.name, place.folder.path),
                        "each run has a log, and each end may need a file",
                        fmt::format("df -i {}; remove what is not needed", place.folder.path)));
    }
    if (sizes.empty() || sizes.back() != shown_size(bytes)) sizes.push_back(shown_size(bytes));
  }
  if (found.empty() && !sizes.empty()) found.push_back(found_ok(some_of(sizes) + " free"));
  return found;
}

Findings check_sync(const DoctorFacts& facts) {
  using Sync = DiskFacts::Sync;
  constexpr Duration kSlow{100};
  Findings found;
  Duration slowest{};
  bool tried = false;
  for (const Spot& place : spots_of(facts)) {
    const DiskFacts& disk = place.disk;
    const std::string why = "after a power cut a claim could be gone, and its slot run again";
    const std::string where = fmt::format("in the {} folder {}", place.name, place.folder.path);
    if (!disk.no_sync.empty()) {
      found.push_back(found_error(fmt::format("a sync {} does nothing: {}", where, disk.no_sync),
                                  why, "mount it without that, or name another folder"));
    } else if (disk.sync == Sync::failed) {
      found.push_back(
          found_error(fmt::format("no write can be synced {}: {}", where, disk.sync_error), why,
                      "dmesg | tail; name a folder on a disk that works"));
    } else if (disk.sync == Sync::hangs) {
      found.push_back(found_error(fmt::format("a sync {} takes longer than 5s", where),
                                  "every decision and every end waits for one",
                                  "dmesg | tail; iostat -x 1"));
    } else if (disk.sync == Sync::done && disk.sync_took >= kSlow) {
      found.push_back(
          found_note(fmt::format("a sync {} took {}", where, human_span(disk.sync_took)),
                     "every decision waits for one", "iostat -x 1; a faster disk"));
    }
    tried |= disk.sync == Sync::done;
    slowest = std::max(slowest, disk.sync_took);
  }
  if (found.empty() && tried) {
    found.push_back(found_ok(slowest < Duration{1} ? "a sync takes less than 1ms"
                                                   : "a sync takes " + human_span(slowest)));
  };
  return found;
}

Findings check_store_file(const DoctorFacts& facts) {
  const PathFacts& file = facts.host.store_file;
  const PathFacts& folder = facts.host.store_folder;
  if (!file.there) return {};
  Findings found;
  if (!file.writable) {
    found.push_back(found_error(
        fmt::format("{} of {} cannot be written by {}", file.path, file.owner, facts.host.user),
        "a node of this user is refused",
        file.own ? fmt::format("chmod u+w {}", file.path)
                 : fmt::format("sudo -u {} cronce doctor --store {}", file.owner,
                               shown_address(facts.places.store))));
  } else if (folder.there && !folder.writable) {
    found.push_back(
        found_error(fmt::format("nothing can be made in {} by {}", folder.path, facts.host.user),
                    "journal, lock and logs lie beside the store",
                    fmt::format("chown {} {}", file.owner, folder.path)));
  }
  if (file.writable && !file.own) {
    found.push_back(found_note(
        fmt::format("the store belongs to {}, and this is {}", file.owner, facts.host.user),
        "permissions, limits and the state folder are those of whom the nodes run as",
        fmt::format("sudo -u {} cronce doctor --store {}", file.owner,
                    shown_address(facts.places.store))));
  }
  if ((file.mode & 0002U) != 0) {
    found.push_back(found_error(fmt::format("everybody may write {}", file.path),
                                "who writes it has commands run by nodes without files",
                                fmt::format("chmod o-w {}", file.path)));
  } else if ((folder.mode & 01002U) == 0002U) {
    found.push_back(found_error(fmt::format("everybody may put another file in {}", folder.path),
                                "the store could be replaced",
                                fmt::format("chmod o-w {}", folder.path)));
  }
  if ((file.mode & 0004U) != 0 && file.reachable) {
    found.push_back(found_note(fmt::format("everybody on this host may read {}", file.path),
                               "it holds environments and output of jobs",
                               fmt::format("chmod o-r {}", file.path)));
  }
  if (found.empty()) found.push_back(found_ok(fmt::format("store of {}", file.owner)));
  return found;
}

Findings check_state_folder(const DoctorFacts& facts) {
  const PathFacts& folder = facts.host.state_folder;
  if (!folder.there && folder.writable) return {found_ok("the first node makes its state folder")};
  if (!folder.there) {
    return {
        found_error(fmt::format("{} cannot make the state folder {}", facts.host.user, folder.path),
                    "a node of this user cannot start",
                    fmt::format("install -d -m 700 -o {} {}", facts.host.user, folder.path))};
  }
  if (!folder.writable) {
    return {found_error(fmt::format("state folder {} of {} cannot be written by {}", folder.path,
                                    folder.owner, facts.host.user),
                        "a node of this user cannot start",
                        fmt::format("chown -R {} {}", facts.host.user, folder.path))};
  }
  if ((folder.mode & 0077U) != 0) {
    return {found_warning(
        fmt::format("others may use state folder {} ({:04o})", folder.path, folder.mode),
        "who can take its locks or read its spool can disturb a node",
        fmt::format("chmod 700 {}", folder.path))};
  }
  return {found_ok(fmt::format("state folder of {} alone", folder.owner))};
}

}  // namespace cronce
