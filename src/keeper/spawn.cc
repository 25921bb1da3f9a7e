#include "keeper/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/quote.h"
#include "keeper/clone.h"

// What runs in the child may touch no memory that a sanitizer watches over: the stack is not the
// one it knows, and the functions do not return.
#define IN_THE_CHILD __attribute__((no_sanitize("address", "undefined", "thread")))

namespace cronce {
namespace {

constexpr std::size_t kStack = 128 * 1024;

/// One stack serves all children: the parent sleeps until the child has become another program.
char* child_stack() {
  static char* const stack = [] {
    void* room = mmap(nullptr, kStack, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    CHECK(room != MAP_FAILED);
    return static_cast<char*>(room);
  }();
  return stack;
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts) out.push_back(text.c_str());
  out.push_back(nullptr);
  return out;
}

/// The command's own PATH, as env(1) and a shell look for programs.
std::string_view path_of(const std::vector<std::string>& environment) {
  constexpr std::string_view kName = "PATH=";
  for (const std::string& entry : environment) {
    if (entry.starts_with(kName)) return std::string_view(entry).substr(kName.size());
  }
  return "/usr/local/bin:/usr/bin:/bin";
}

std::string_view limit_name(int resource) {
  switch (resource) {
    case RLIMIT_NOFILE:
      return "nofile";
    case RLIMIT_CPU:
      return "cpu";
    case RLIMIT_AS:
      return "memory";
    case RLIMIT_NPROC:
      return "processes";
    default:
      return "core";
  }
}

}  // namespace

rlimit raise_open_files() {
  rlimit before{};
  CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit raised{before.rlim_max, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &raised);
  return before;
}

void occupy_low_descriptors() {
  int number = 0;
  do number = open("/dev/null", O_RDWR | O_CLOEXEC);
  while (number >= 0 && number <= kProgressDescriptor);
  if (number >= 0) close(number);
}

Launch::Launch(const Start& start, rlimit open_files)
    : start_(start), argv_(pointers(start.argv)), environment_(pointers(start.environment)) {
  const auto limit = [&](int resource, const std::optional<std::int64_t>& value) {
    if (!value) return;
    const auto most = static_cast<rlim_t>(*value);
    limits_.push_back({resource, {most, most}});
  };
  const Limits& limits = start.limits;
  limits_.push_back({RLIMIT_NOFILE, open_files});
  limit(RLIMIT_NOFILE, limits.nofile);
  limit(RLIMIT_CPU, limits.cpu_seconds);
  limit(RLIMIT_AS, limits.memory_bytes);
  limit(RLIMIT_NPROC, limits.processes);
  limit(RLIMIT_CORE, limits.core_bytes);
  // Without privileges a process can only stay who it is.
  if (start.user) switches_user_ = geteuid() == 0 || start.user->uid != geteuid();
  if (start.user) groups_.assign(start.user->groups.begin(), start.user->groups.end());
  find_candidates();
}

void Launch::find_candidates() {
  if (start_.argv.empty()) return;
  const std::string& name = start_.argv.front();
  if (name.find('/') != std::string::npos) {
    candidates_ = {name};
    return;
  }
  std::string_view path = path_of(start_.environment);
  while (!name.empty()) {
    const std::size_t colon = path.find(':');
    const std::string_view folder = path.substr(0, colon);
    candidates_.push_back(fmt::format("{}/{}", folder.empty() ? "." : folder, name));
    if (colon == std::string_view::npos) return;
    path.remove_prefix(colon + 1);
  }
}

Result<pid_t, SpawnFailure> Launch::spawn(const ChildDescriptors& descriptors) {
  if (!start_.refusal.empty()) return SpawnFailure{start_.refusal, std::nullopt};
  if (candidates_.empty()) return SpawnFailure{"the command is empty", 127};
  descriptors_ = descriptors;
  give_pipes_to_user();
  parent_ = getpid();
  failed_ = {};

  clone_args arguments{};
  arguments.flags = CLONE_VM | CLONE_VFORK;
  arguments.exit_signal = SIGCHLD;
  arguments.stack = reinterpret_cast<std::uint64_t>(child_stack());
  arguments.stack_size = kStack;
  const long pid = clone_and_run(arguments, run_child, this);
  if (pid < 0) return failure({Stage::clone, static_cast<int>(-pid), 0});
  if (failed_.error == 0) return static_cast<pid_t>(pid);
  retry([&] { return waitpid(static_cast<pid_t>(pid), nullptr, 0); });
  return failure(failed_);
}

/// So that it may open /dev/stdout and the like, which a pipe of somebody else's does not allow.
void Launch::give_pipes_to_user() const {
  if (!switches_user_) return;
  for (const int pipe : {descriptors_.output, descriptors_.progress}) {
    [[maybe_unused]] const int given = fchown(pipe, start_.user->uid, start_.user->gid);
  }
}

// ---- in the child ------------------------------------------------------------------------------

IN_THE_CHILD int Launch::run_child(void* launch) {
  static_cast<Launch*>(launch)->become_command();
  return 127;
}

IN_THE_CHILD void Launch::fail(Stage stage, std::size_t which) { failed_ = {stage, errno, which}; }

IN_THE_CHILD void Launch::become_command() {
  if (syscall(SYS_setsid) < 0) return fail(Stage::session);
  set_limits();
  if (failed_.error == 0 && start_.nice != 0) {
    const long now = 20 - syscall(SYS_getpriority, PRIO_PROCESS, 0);
    if (syscall(SYS_setpriority, PRIO_PROCESS, 0, now + start_.nice) < 0) fail(Stage::nice);
  }
  if (failed_.error == 0) set_user();
  if (failed_.error == 0) set_files();
  if (failed_.error == 0) exec();
}

IN_THE_CHILD void Launch::set_limits() {
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const Limit& limit = limits_.data()[i];
    if (syscall(SYS_prlimit64, 0, limit.resource, &limit.value, nullptr) < 0) {
      return fail(Stage::limit, i);
    }
  }
}

/// By raw system calls: those of the C library would change all threads of a program.
IN_THE_CHILD void Launch::set_user() {
  if (switches_user_) {
    const uid_t uid = start_.user->uid;
    const gid_t gid = start_.user->gid;
    if (syscall(SYS_setgroups, groups_.size(), groups_.data()) < 0 ||
        syscall(SYS_setresgid, gid, gid, gid) < 0 || syscall(SYS_setresuid, uid, uid, uid) < 0) {
      return fail(Stage::user);
    }
  }
  // A change of user forgets this, so it comes after. If the parent died before, nobody tells us.
  if (syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL) < 0) return fail(Stage::parent);
  if (syscall(SYS_getppid) != parent_) {
    errno = ESRCH;
    return fail(Stage::parent);
  }
  if (start_.umask) syscall(SYS_umask, *start_.umask);
  if (!start_.cwd.empty() && syscall(SYS_chdir, start_.cwd.c_str()) < 0) fail(Stage::cwd);
}

IN_THE_CHILD void Launch::set_files() {
  const bool moved = syscall(SYS_dup3, descriptors_.input, 0, 0) >= 0 &&
                     syscall(SYS_dup3, descriptors_.output, 1, 0) >= 0 &&
                     syscall(SYS_dup3, descriptors_.output, 2, 0) >= 0 &&
                     syscall(SYS_dup3, descriptors_.progress, kProgressDescriptor, 0) >= 0;
  if (!moved || syscall(SYS_close_range, kProgressDescriptor + 1, ~0U, 0) < 0) {
    return fail(Stage::files);
  }
  const std::uint64_t none = 0;
  if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, sizeof none) < 0) {
    fail(Stage::files);
  }
}

/// As execvp does it: the first that can be run; one that must not be run is remembered.
IN_THE_CHILD void Launch::exec() {
  bool forbidden = false;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    syscall(SYS_execve, candidates_.data()[i].c_str(), argv_.data(), environment_.data());
    if (errno == EACCES) forbidden = true;
    if (errno != EACCES && errno != ENOENT && errno != ENOTDIR) return fail(Stage::exec);
  }
  errno = forbidden ? EACCES : ENOENT;
  fail(Stage::exec);
}

// ---- in words ----------------------------------------------------------------------------------

SpawnFailure Launch::failure(const Failed& failed) const {
  std::optional<std::int64_t> code;
  if (failed.stage == Stage::exec) code = failed.error == ENOENT ? 127 : 126;
  return {sentence(failed), code};
}

std::string Launch::sentence(const Failed& failed) const {
  const char* reason = std::strerror(failed.error);
  switch (failed.stage) {
    case Stage::clone:
      return fmt::format("no new process: {}", reason);
    case Stage::session:
      return fmt::format("no session of its own: {}", reason);
    case Stage::limit: {
      const Limit& limit = limits_[failed.which];
      return fmt::format("cannot set the limit {} to {}: {}{}", limit_name(limit.resource),
                         limit.value.rlim_max, reason,
                         failed.error == EPERM ? ": it is above the hard limit of this node" : "");
    }
    case Stage::nice:
      return fmt::format("cannot set nice to {}: {}", start_.nice, reason);
    case Stage::user:
      return fmt::format("cannot become user {}: {}", quote(start_.user->name), reason);
    case Stage::parent:
      return fmt::format("the keeper died: {}", reason);
    case Stage::cwd:
      return fmt::format("cannot work in {}: {}", quote(start_.cwd), reason);
    case Stage::files:
      return fmt::format("cannot set its descriptors: {}", reason);
    case Stage::exec:
      break;
  }
  return exec_sentence(failed.error);
}

std::string Launch::exec_sentence(int error) const {
  const std::string& name = start_.argv.front();
  const bool searched = name.find('/') == std::string::npos;
  switch (error) {
    case ENOENT:
      if (searched) {
        return fmt::format("command not found: {} is in no folder of PATH {}", quote(name),
                           quote(path_of(start_.environment)));
      }
      if (access(name.c_str(), F_OK) == 0) {
        return fmt::format("command not found: what {} names as its interpreter does not exist",
                           quote(name));
      }
      return fmt::format("command not found: {}", quote(name));
    case EACCES:
      return fmt::format("not executable: {}", quote(name));
    case ENOEXEC:
      return fmt::format("not executable: {} is no program, and no script that begins with #!",
                         quote(name));
    default:
      return fmt::format("cannot execute {}: {}", quote(name), std::strerror(error));
  }
}

}  // namespace cronce
