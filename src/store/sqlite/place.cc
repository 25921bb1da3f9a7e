#include "store/sqlite/place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace cronce::sqlite {
namespace {

struct Refusal {
  std::uint64_t magic;
  const char* name;
};

/// Shared between hosts, or served by a program: locks there are promises of somebody else, and
/// hosts have no common clock.
constexpr std::array kRefused{
    Refusal{0x6969, "NFS"},
    Refusal{0x517B, "SMB"},
    Refusal{0xFF534D42, "CIFS"},
    Refusal{0xFE534D42, "SMB"},
    Refusal{0x01021997, "9p"},
    Refusal{0x00C36400, "Ceph"},
    Refusal{0x5346414F, "AFS"},
    Refusal{0x6B414653, "AFS"},
    Refusal{0x73757245, "Coda"},
    Refusal{0x564C, "NCP"},
    Refusal{0x0BD00BD0, "Lustre"},
    Refusal{0x01161970, "GFS2"},
    Refusal{0x7461636F, "OCFS2"},
    Refusal{0x786F4256, "VirtualBox shared folder"},
    Refusal{0xBACBACBC, "VMware shared folder"},
};
constexpr std::uint64_t kFuse = 0x65735546;
constexpr std::uint64_t kOverlay = 0x794C7630;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// The type of the mount with this device: the field after the lone dash.
std::string mount_type(std::uint32_t major, std::uint32_t minor) {
  std::ifstream mounts("/proc/self/mountinfo");
  const std::string wanted = fmt::format("{}:{}", major, minor);
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string id, parent, device, word, type;
    fields >> id >> parent >> device;
    if (device != wanted) continue;
    while (fields >> word && word != "-") {
    }
    fields >> type;
    return type;
  }
  return "";
}

std::string machine_id() {
  std::ifstream file("/etc/machine-id");
  std::string id;
  std::getline(file, id);
  return id;
}

Result<struct statx> stat_of(const std::string& path, unsigned mask) {
  struct statx found{};
  if (statx(AT_FDCWD, path.c_str(), 0, mask, &found) != 0) {
    return Error{Code::invalid, fmt::format("{}: {}", path, std::strerror(errno))};
  }
  return found;
}

}  // namespace

Result<Place> place_of(const std::string& path) {
  const auto found = stat_of(path, STATX_INO | STATX_BTIME);
  if (!found) return found.error();
  Place place{makedev(found->stx_dev_major, found->stx_dev_minor), found->stx_ino, 0, ""};
  if ((found->stx_mask & STATX_BTIME) != 0U) {
    place.birth = found->stx_btime.tv_sec * 1'000'000'000 + found->stx_btime.tv_nsec;
  }
  static const std::string machine = machine_id();
  place.machine = machine;
  return place;
}

Moved compare(const Place& stored, const Place& actual) {
  if (stored.inode != actual.inode || stored.birth != actual.birth) return Moved::copy;
  if (stored.device != actual.device) return Moved::device;
  return stored.machine == actual.machine ? Moved::no : Moved::machine;
}

Result<std::optional<std::string>> judge_file_system(std::uint64_t magic, std::string_view type) {
  const auto refuse = [](std::string_view name) {
    return Error{
        Code::invalid,
        fmt::format("an SQLite store cannot lie on {}: locks and syncs there are not to be "
                    "relied on; use a local disk, or another kind of store",
                    name)};
  };
  for (const Refusal& row : kRefused) {
    if (magic == row.magic) return refuse(row.name);
  }
  if (magic == kFuse && type != "fuseblk") return refuse(type.empty() ? "FUSE" : type);
  if (magic != kOverlay) return std::optional<std::string>{};
  return std::optional<std::string>(
      "the store lies in a container's own layer and vanishes with it; use a volume");
}

Result<std::optional<std::string>> judge_folder_of(const std::string& path) {
  const std::string folder = folder_of(path);
  struct statfs found{};
  if (statfs(folder.c_str(), &found) != 0) {
    return Error{Code::invalid, fmt::format("{}: {}", folder, std::strerror(errno))};
  }
  const auto magic = static_cast<std::uint64_t>(found.f_type) & 0xFFFFFFFF;
  if (magic != kFuse) return judge_file_system(magic, "");
  const auto folder_stat = stat_of(folder, STATX_INO);
  if (!folder_stat) return folder_stat.error();
  return judge_file_system(magic,
                           mount_type(folder_stat->stx_dev_major, folder_stat->stx_dev_minor));
}

}  // namespace cronce::sqlite
