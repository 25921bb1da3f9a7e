#include "keeper/leftovers.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "keeper/cgroup.h"
#include "keeper/folder.h"
#include "keeper/steady.h"

namespace cronce {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCgroup = "cgroup ";
constexpr int kPauseMs = 10;

std::string path_of(const std::string& folder, const Incarnation& incarnation) {
  return folder + "/" + print(incarnation);
}

/// Open and locked, or not. Who lives shares the lock; who wants it alone finds out about them.
Descriptor open_locked(const std::string& path, int flags, int lock) {
  Descriptor file(open(path.c_str(), flags | O_CLOEXEC, 0600));
  if (file.open() && flock(file.get(), lock | LOCK_NB) != 0) file.reset();
  return file;
}

bool was_removed(const Descriptor& file) {
  struct stat facts{};
  return fstat(file.get(), &facts) != 0 || facts.st_nlink == 0;
}

/// Processes whose environment has this entry, each held by a descriptor that names it and no
/// other, whatever becomes of its number.
std::vector<Descriptor> processes_with(const std::string& entry) {
  std::vector<Descriptor> found;
  std::error_code failed;
  for (fs::directory_iterator process("/proc", failed), end; !failed && process != end;
       process.increment(failed)) {
    const std::string name = process->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    Descriptor held(static_cast<int>(syscall(SYS_pidfd_open, std::stoi(name), 0)));
    if (!held.open()) continue;
    const auto environment = read_file(process->path().string() + "/environ");
    if (!environment) continue;
    const std::string text = '\0' + *environment;
    if (text.find('\0' + entry + '\0') != std::string::npos) found.push_back(std::move(held));
  }
  return found;
}

Status kill_by_environment(const Incarnation& incarnation, Duration patience) {
  const std::string entry = fmt::format("{}={}", kIncarnationVariable, print(incarnation));
  const char* own = std::getenv(std::string(kIncarnationVariable).c_str());
  if (own != nullptr && print(incarnation) == own) {
    return Error{Code::conflict, "this node was started by a run of that incarnation"};
  }
  const Duration until = read_steady(Steady::monotonic) + patience;
  for (;;) {
    const std::vector<Descriptor> left = processes_with(entry);
    if (left.empty()) return Done{};
    for (const Descriptor& process : left) {
      syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
    }
    if (read_steady(Steady::monotonic) >= until) {
      return Error{Code::unavailable, fmt::format("{} processes do not die", left.size())};
    }
    poll(nullptr, 0, kPauseMs);
  }
}

Status kill_left(const Incarnation& incarnation, const std::string& record, Duration patience) {
  if (record.starts_with(kCgroup)) {
    const std::string path = record.substr(kCgroup.size(), record.find('\n') - kCgroup.size());
    if (!clear_cgroup(path, patience)) {
      return Error{Code::unavailable, "processes in " + path + " do not die"};
    }
  }
  return kill_by_environment(incarnation, patience);
}

std::vector<Incarnation> recorded(const std::string& folder) {
  std::vector<Incarnation> found;
  std::error_code failed;
  for (fs::directory_iterator file(folder, failed), end; !failed && file != end;
       file.increment(failed)) {
    if (const auto bits = parse_token(file->path().filename().string())) found.push_back({*bits});
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// In place, for who reads up to the end of the first line.
bool write_record(const Descriptor& file, const std::string& record) {
  const auto size = static_cast<ssize_t>(record.size());
  return pwrite(file.get(), record.data(), record.size(), 0) == size &&
         ftruncate(file.get(), size) == 0;
}

/// The file of that name, which must be there. If it cannot say where the runs are now, its lock is
/// held all the same: a free one would say that they are nobody's.
Descriptor join(const std::string& path, const std::string& record) {
  Descriptor file = open_locked(path, O_RDWR, LOCK_SH);
  if (file.open() && was_removed(file)) file.reset();
  if (file.open()) static_cast<void>(write_record(file, record));
  return file;
}

/// A new file, which nobody ever sees without its lock, or without what it says.
Descriptor create(const std::string& path, const std::string& record) {
  const std::string draft = fmt::format("{}.{}", path, getpid());
  Descriptor file = open_locked(draft, O_RDWR | O_CREAT, LOCK_SH);
  if (!file.open()) return file;
  if (write_record(file, record) && rename(draft.c_str(), path.c_str()) == 0) return file;
  const int failed = errno;
  unlink(draft.c_str());
  errno = failed;
  return {};
}

}  // namespace

Result<IncarnationLock> IncarnationLock::take(const std::string& folder,
                                              const Incarnation& incarnation,
                                              const std::optional<std::string>& cgroup) {
  if (const Status made = make_folder(folder); !made) return made.error();
  const std::string path = path_of(folder, incarnation);
  const std::string record = cgroup ? fmt::format("{}{}\n", kCgroup, *cgroup) : "environment\n";
  Descriptor file = join(path, record);
  if (!file.open() && access(path.c_str(), F_OK) != 0) file = create(path, record);
  if (!file.open()) return system_error("lock", path.c_str());
  return IncarnationLock(path, std::move(file));
}

void IncarnationLock::remove() {
  unlink(path_.c_str());
  file_.reset();
}

KeeperLife keeper_life(const std::string& folder, const Incarnation& incarnation) {
  const std::string path = path_of(folder, incarnation);
  if (access(path.c_str(), F_OK) != 0) return KeeperLife::unknown;
  const Descriptor file = open_locked(path, O_RDWR, LOCK_EX);
  if (file.open()) return was_removed(file) ? KeeperLife::unknown : KeeperLife::gone;
  return errno == EWOULDBLOCK ? KeeperLife::alive : KeeperLife::unknown;
}

Cleared clear_leftovers(const std::string& folder, Duration patience) {
  Cleared cleared;
  for (const Incarnation& incarnation : recorded(folder)) {
    const std::string path = path_of(folder, incarnation);
    const Descriptor file = open_locked(path, O_RDWR, LOCK_EX);
    if (!file.open() || was_removed(file)) continue;
    const auto record = read_file(path);
    const Status killed =
        record ? kill_left(incarnation, *record, patience) : Status(record.error());
    if (killed) {
      unlink(path.c_str());
      cleared.gone.push_back(incarnation);
    } else {
      cleared.troubles.push_back(fmt::format("incarnation {} left something behind: {}",
                                             print(incarnation), killed.error().message));
    }
  }
  return cleared;
}

}  // namespace cronce
