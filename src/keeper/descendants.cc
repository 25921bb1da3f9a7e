#include "keeper/descendants.h"

#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>

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
bool append_children(pid_t parent, std::vector<pid_t>& out) {
  std::error_code failed;
  bool listed = false;
  const fs::path tasks = fmt::format("/proc/{}/task", parent);
  for (fs::directory_iterator task(tasks, failed), end; !failed && task != end;
       task.increment(failed)) {
    std::ifstream file(task->path() / "children");
    listed = listed || file.is_open();
    for (pid_t child = 0; file >> child;) out.push_back(child);
  }
  return listed;
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

}  // namespace

std::vector<pid_t> own_children() {
  std::vector<pid_t> children;
  if (append_children(getpid(), children)) return children;
  for (const pid_t pid : descendants_by_search(getpid())) {
    if (parent_of(fmt::format("/proc/{}", pid)) == getpid()) children.push_back(pid);
  }
  return children;
}

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found;
  if (!append_children(root, found)) return descendants_by_search(root);
  for (std::size_t i = 0; i < found.size(); ++i) append_children(found[i], found);
  return found;
}

std::vector<pid_t> descendants_by_search(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  std::error_code failed;
  for (fs::directory_iterator process("/proc", failed), end; !failed && process != end;
       process.increment(failed)) {
    const auto pid = as_pid(process->path().filename().string());
    if (!pid) continue;
    if (const auto parent = parent_of(process->path())) children.emplace(*parent, *pid);
  }
  std::vector<pid_t> found;
  const auto append = [&](pid_t parent) {
    const auto [first, last] = children.equal_range(parent);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
  };
  append(root);
  for (std::size_t i = 0; i < found.size(); ++i) append(found[i]);
  return found;
}

void kill_with_descendants(const std::vector<pid_t>& children) {
  for (const pid_t child : children) {
    const std::vector<pid_t> below = descendants(child);
    kill(child, SIGKILL);
    for (const pid_t pid : below) kill(pid, SIGKILL);
  }
}

}  // namespace cronce
