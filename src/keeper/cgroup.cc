#include "keeper/cgroup.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "base/rng.h"
#include "keeper/steady.h"

namespace cronce {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKeeperPrefix = "cronce-";
constexpr int kTries = 3;

/// `\040` and the like stand for blanks in mountinfo.
std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                               (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

struct Mount {
  std::string root;   // which folder of the hierarchy is mounted
  std::string point;  // where
};

/// `41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw`
std::optional<Mount> read_mount(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  Mount mount;
  words >> word >> word >> word >> mount.root >> mount.point;
  while (words >> word && word != "-") {
  }
  if (!(words >> word) || word != "cgroup2") return std::nullopt;
  return Mount{unescape(mount.root), unescape(mount.point)};
}

/// The line `0::/a/b`.
std::optional<std::string> own_group(std::string_view cgroup) {
  std::istringstream lines{std::string(cgroup)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return std::nullopt;
}

bool write_file(const std::string& path, std::string_view text) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.open() && write(file.get(), text.data(), text.size()) >= 0;
}

std::string read_all(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

template <class Deed>
void for_each_group(const std::string& path, const Deed& deed) {
  deed(path);
  std::error_code failed;
  for (fs::directory_iterator entry(path, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::error_code gone;
    if (entry->is_directory(gone)) for_each_group(entry->path().string(), deed);
  }
}

/// Without cgroup.kill (before Linux 5.14): nobody can fork while all are frozen, and a frozen
/// process can be killed.
void freeze_and_kill(const std::string& path) {
  write_file(path + "/cgroup.freeze", "1");
  for_each_group(path, [](const std::string& group) {
    std::ifstream file(group + "/cgroup.procs");
    for (pid_t pid = 0; file >> pid;) {
      if (pid > 0) kill(pid, SIGKILL);
    }
  });
  write_file(path + "/cgroup.freeze", "0");
}

/// Open and locked: whoever lives shares the lock, who has it alone knows that nobody does.
Descriptor lock_cgroup(const std::string& path, int lock) {
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.open() && flock(folder.get(), lock | LOCK_NB) != 0) folder.reset();
  return folder;
}

/// A hierarchy may be mounted and writable, and still refuse (other rights, sandboxes).
Status try_to_enter(const std::string& path) {
  const pid_t pid = fork();
  if (pid < 0) return system_error("fork");
  if (pid == 0) _exit(add_cgroup(path) && enter_cgroup(path) ? 0 : 1);
  int status = 0;
  retry([&] { return waitpid(pid, &status, 0); });
  remove_cgroup(path);
  if (status == 0) return Done{};
  return Error{Code::unavailable, "no process can enter " + path};
}

}  // namespace

std::optional<std::string> own_cgroup(std::string_view mountinfo, std::string_view cgroup) {
  const auto group = own_group(cgroup);
  if (!group) return std::nullopt;
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    const auto mount = read_mount(line);
    if (!mount) continue;
    const std::string root = mount->root == "/" ? "" : mount->root;
    if (*group != root && !group->starts_with(root + "/")) continue;
    const std::string below = group->substr(root.size());
    return below == "/" ? mount->point : mount->point + below;
  }
  return std::nullopt;
}

Result<KeeperCgroup> make_keeper_cgroup() {
  const auto own = own_cgroup(read_all("/proc/self/mountinfo"), read_all("/proc/self/cgroup"));
  if (!own) return Error{Code::not_found, "no control groups of version 2 are mounted here"};
  KeeperCgroup made;
  // One that another keeper took for dead before its lock was held is gone: then once more.
  for (int i = 0; i < kTries; ++i) {
    made.path = fmt::format("{}/{}{:016x}", *own, kKeeperPrefix, random_seed());
    if (const Status added = add_cgroup(made.path); !added) return added.error();
    made.life = lock_cgroup(made.path, LOCK_SH);
    if (made.life.open() || (errno != ENOENT && errno != EWOULDBLOCK)) break;
  }
  const Status tried = try_to_enter(made.path + "/try");
  if (tried) return made;
  remove_cgroup(made.path);
  return tried.error();
}

void remove_dead_keeper_cgroups(const KeeperCgroup& living) {
  std::error_code failed;
  std::vector<std::string> groups;
  for (fs::directory_iterator entry(fs::path(living.path).parent_path(), failed), end;
       !failed && entry != end; entry.increment(failed)) {
    if (entry->path().filename().string().starts_with(kKeeperPrefix)) {
      groups.push_back(entry->path().string());
    }
  }
  for (const std::string& group : groups) {
    if (lock_cgroup(group, LOCK_EX).open()) remove_cgroup(group);
  }
}

Status add_cgroup(const std::string& path) {
  if (mkdir(path.c_str(), 0755) != 0) return system_error("make", path.c_str());
  return Done{};
}

Status enter_cgroup(const std::string& path) {
  if (!write_file(path + "/cgroup.procs", "0")) return system_error("enter", path.c_str());
  return Done{};
}

void remove_cgroup(const std::string& path) {
  std::vector<std::string> groups;
  for_each_group(path, [&](const std::string& group) { groups.push_back(group); });
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) rmdir(group->c_str());
}

void kill_cgroup(const std::string& path) {
  if (!write_file(path + "/cgroup.kill", "1")) freeze_and_kill(path);
}

bool clear_cgroup(const std::string& path, Duration patience) {
  const Descriptor events(open((path + "/cgroup.events").c_str(), O_RDONLY | O_CLOEXEC));
  if (!events.open()) return errno == ENOENT;
  const Duration until = read_steady(Steady::monotonic) + patience;
  for (;;) {
    kill_cgroup(path);
    std::array<char, 256> text{};
    const auto size = pread(events.get(), text.data(), text.size(), 0);
    if (size < 0) return true;  // removed meanwhile
    if (std::string_view(text.data(), static_cast<std::size_t>(size)).find("populated 0") !=
        std::string_view::npos) {
      break;
    }
    if (read_steady(Steady::monotonic) >= until) return false;
    pollfd watch{events.get(), POLLPRI, 0};
    poll(&watch, 1, 20);
  }
  remove_cgroup(path);
  return true;
}

}  // namespace cronce
