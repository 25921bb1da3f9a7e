#include "cli/doctor_disk.h"

#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "keeper/descriptor.h"
#include "store/sqlite/place.h"

namespace cronce {
namespace {

namespace fs = std::filesystem;

std::string owner_name(uid_t uid) {
  std::array<char, 4096> room{};
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(uid, &entry, room.data(), room.size(), &found);
  return found == nullptr ? fmt::format("{}", uid) : found->pw_name;
}

fs::path nearest_there(fs::path path) {
  std::error_code failed;
  while (!fs::exists(path, failed) && path.has_relative_path()) path = path.parent_path();
  return path;
}

bool is_open_to_all(const fs::path& folder) {
  struct stat found{};
  if (stat(folder.c_str(), &found) != 0 || (found.st_mode & S_IXOTH) == 0) return false;
  return !folder.has_relative_path() || is_open_to_all(folder.parent_path());
}

bool has_option(const std::string& options, const std::string& option) {
  return options.find("," + option + ",") != std::string::npos;
}

/// What makes a sync an empty promise, as far as anybody can see it.
std::string reason_of_no_sync(const std::string& options) {
  for (const char* option : {"volatile", "nobarrier", "barrier=0"}) {
    if (has_option(options, option)) return fmt::format("the mount option '{}'", option);
  }
  const char* preloaded = std::getenv("LD_PRELOAD");
  const bool eats = preloaded != nullptr && std::strstr(preloaded, "eatmydata") != nullptr;
  return eats ? "eatmydata in LD_PRELOAD" : "";
}

/// What the trying process tells.
struct Trial {
  int error = 0;
  std::int64_t micros = 0;
};

Trial try_sync(const char* folder) {
  timespec begin{}, end{};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) return {errno};
  static constexpr std::array<char, 4096> kBlock{};
  if (write(file, kBlock.data(), kBlock.size()) < 0 || fdatasync(file) != 0) return {errno};
  clock_gettime(CLOCK_MONOTONIC, &end);
  return {0, (end.tv_sec - begin.tv_sec) * 1'000'000 + (end.tv_nsec - begin.tv_nsec) / 1'000};
}

/// A process in the hands of a disk that hangs cannot be killed: it is left behind, and not waited
/// for.
void probe_sync(const std::string& folder, DiskFacts& disk) {
  constexpr int kPatience = 5'000;
  auto ends = make_pipe();
  if (!ends) return;
  const pid_t pid = fork();
  if (pid < 0) return;
  if (pid == 0) {
    const Trial trial = try_sync(folder.c_str());
    _exit(write((*ends)[1].get(), &trial, sizeof trial) == sizeof trial ? 0 : 1);
  }
  (*ends)[1].reset();
  pollfd ready{(*ends)[0].get(), POLLIN, 0};
  Trial trial;
  const bool answered = retry([&] { return poll(&ready, 1, kPatience); }) > 0;
  if (!answered) {
    disk.sync = DiskFacts::Sync::hangs;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, WNOHANG);
    return;
  }
  const auto size = retry([&] { return read((*ends)[0].get(), &trial, sizeof trial); });
  retry([&] { return waitpid(pid, nullptr, 0); });
  if (size != sizeof trial) return;
  // There are file systems without files that have no name.
  if (trial.error == EOPNOTSUPP || trial.error == EISDIR || trial.error == ENOENT) return;
  disk.sync = trial.error == 0 ? DiskFacts::Sync::done : DiskFacts::Sync::failed;
  disk.sync_took = Duration{trial.micros / 1'000};
  if (trial.error != 0) disk.sync_error = std::strerror(trial.error);
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 3 >= text.size()) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(std::strtol(std::string(text.substr(i + 1, 3)).c_str(), nullptr, 8));
    i += 3;
  }
  return out;
}

bool lies_below(const std::string& path, const std::string& point) {
  return point == "/" || path == point || path.starts_with(point + "/");
}

}  // namespace

MountFacts mount_of(std::string_view mountinfo, const std::string& path) {
  MountFacts found;
  std::size_t longest = 0;
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, point, options, type, source, more;
    words >> word >> word >> word >> word >> point >> options;
    while (words >> word && word != "-") {
    }
    words >> type >> source >> more;
    point = unescaped(point);
    // Of two at one place the later one lies on top.
    if (!lies_below(path, point) || point.size() < longest) continue;
    longest = point.size();
    found = {type, fmt::format(",{},{},", options, more)};
  }
  return found;
}

PathFacts look_at_path(const std::string& path) {
  PathFacts facts;
  facts.path = path;
  struct stat found{};
  facts.there = stat(path.c_str(), &found) == 0;
  if (!facts.there) {
    facts.writable = access(nearest_there(path).c_str(), W_OK) == 0;
    return facts;
  }
  facts.mode = found.st_mode & 07777;
  facts.owner = owner_name(found.st_uid);
  facts.own = found.st_uid == geteuid();
  facts.writable = access(path.c_str(), W_OK) == 0;
  facts.reachable = is_open_to_all(fs::path(path).parent_path());
  return facts;
}

DiskFacts look_at_disk(const std::string& folder) {
  DiskFacts disk;
  std::error_code failed;
  const fs::path there = fs::canonical(nearest_there(folder), failed);
  if (failed) return disk;
  std::ifstream mounts("/proc/self/mountinfo");
  const auto mount = mount_of({std::string{std::istreambuf_iterator<char>(mounts), {}}}, there);
  disk.type = mount.type;
  disk.no_sync = reason_of_no_sync(mount.options);
  struct statfs system{};
  struct statvfs space{};
  if (statfs(there.c_str(), &system) != 0 || statvfs(there.c_str(), &space) != 0) return disk;
  const auto magic = static_cast<std::uint64_t>(system.f_type) & 0xFFFFFFFF;
  disk.network = !sqlite::judge_file_system(magic, mount.type).ok();
  disk.read_only = (space.f_flag & ST_RDONLY) != 0;
  disk.free_bytes = space.f_bavail * space.f_frsize;
  if (space.f_files > 0) disk.free_files = space.f_favail;
  if (!disk.network && access(there.c_str(), W_OK) == 0) probe_sync(there, disk);
  return disk;
}

}  // namespace cronce
