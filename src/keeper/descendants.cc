#include "keeper/descendants.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace cronce {
namespace {

namespace fs = std::filesystem;

std::optional<pid_t> as_pid(std::string_view text) {
  pid_t pid = 0;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (failed != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return pid;
}

/// The kernel's own list, one for each thread; none where it keeps none.
std::optional<std::vector<pid_t>> listed_children(const fs::path& process) {
  std::vector<pid_t> children;
  std::error_code failed;
  bool listed = false;
  for (fs::directory_iterator task(process / "task", failed), end; !failed && task != end;
       task.increment(failed)) {
    std::ifstream file(task->path() / "children");
    listed = listed || file.is_open();
    for (pid_t child = 0; file >> child;) children.push_back(child);
  }
  if (!listed) return std::nullopt;
  return children;
}

/// The fourth word of /proc/PID/stat; the second is a name in parentheses that may hold anything.
std::optional<pid_t> parent_of(const fs::path& process) {
  std::ifstream file(process / "stat");
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(name_end + 1));
  std::string state;
  pid_t parent = 0;
  if (!(rest >> state >> parent)) return std::nullopt;
  return parent;
}

/// The processes of these numbers that are children of `parent`, or were until it died just now:
/// then they are ours.
std::vector<HeldProcess> hold_all(const std::vector<pid_t>& pids, const HeldProcess* parent) {
  std::vector<HeldProcess> held;
  for (const pid_t pid : pids) {
    auto process = HeldProcess::hold(pid);
    const auto above = process ? process->parent() : std::nullopt;
    if (!above) continue;
    const bool is_below_parent = parent != nullptr && *above == parent->pid() && parent->parent();
    if (*above == getpid() || is_below_parent) held.push_back(std::move(*process));
  }
  return held;
}

/// Its children are held before it is told: it may end at once, and leave them to us.
void signal_tree(const HeldProcess& top, int signal) {
  const std::vector<HeldProcess> children = hold_all(top.children(), &top);
  top.send(signal);
  for (const HeldProcess& child : children) signal_tree(child, signal);
}

}  // namespace

std::optional<HeldProcess> HeldProcess::hold(pid_t pid) {
  Descriptor folder(open(fmt::format("/proc/{}", pid).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.open()) return std::nullopt;
  return HeldProcess(pid, std::move(folder));
}

std::string HeldProcess::path() const { return fmt::format("/proc/self/fd/{}", folder_.get()); }

std::optional<pid_t> HeldProcess::parent() const { return parent_of(path()); }

std::vector<pid_t> HeldProcess::children() const {
  if (auto listed = listed_children(path())) return *listed;
  return parent() ? children_by_search(pid_) : std::vector<pid_t>{};
}

bool HeldProcess::send(int signal) const {
  return syscall(SYS_pidfd_send_signal, folder_.get(), signal, nullptr, 0) == 0;
}

std::optional<std::vector<pid_t>> own_children() {
  if (auto listed = listed_children("/proc/self")) return listed;
  const bool has_list =
      access(fmt::format("/proc/self/task/{}/children", getpid()).c_str(), F_OK) == 0;
  if (has_list) return std::nullopt;
  return children_by_search(getpid());
}

void signal_descendants(int signal) {
  const auto children = own_children().value_or(std::vector<pid_t>{});
  for (const HeldProcess& child : hold_all(children, nullptr)) signal_tree(child, signal);
}

void kill_with_descendants(const std::vector<pid_t>& children) {
  for (const HeldProcess& child : hold_all(children, nullptr)) signal_tree(child, SIGKILL);
}

std::vector<pid_t> children_by_search(pid_t parent) {
  std::vector<pid_t> found;
  std::error_code failed;
  for (fs::directory_iterator process("/proc", failed), end; !failed && process != end;
       process.increment(failed)) {
    const auto pid = as_pid(process->path().filename().string());
    if (pid && parent_of(process->path()) == parent) found.push_back(*pid);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace cronce
