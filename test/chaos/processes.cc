#include "test/chaos/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace cronce::chaos {
namespace {

/// `12 (name) S 1 ...`; a name may have anything in it, but is the last thing in brackets.
Process read_process(const std::string& pid) {
  const std::string text = read_file("/proc/" + pid + "/stat");
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(") ");
  if (open == std::string::npos || close == std::string::npos) return {};
  std::istringstream rest(text.substr(close + 2));
  char state = 0;
  Process out;
  rest >> state >> out.parent;
  if (state == 'Z' || state == 'X') return {};
  out.pid = static_cast<pid_t>(std::atol(pid.c_str()));
  out.name = text.substr(open + 1, close - open - 1);
  return out;
}

std::vector<Process> all_processes() {
  std::vector<Process> out;
  DIR* folder = opendir("/proc");
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const Process one = read_process(entry->d_name);
    if (one.pid != 0) out.push_back(one);
  }
  closedir(folder);
  return out;
}

std::vector<char*> as_argv(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  return argv;
}

}  // namespace

std::vector<Process> below(pid_t root) {
  const auto all = all_processes();
  std::set<pid_t> known{root};
  std::vector<Process> out;
  for (bool more = true; more;) {
    more = false;
    for (const Process& one : all) {
      if (!known.contains(one.parent) || !known.insert(one.pid).second) continue;
      out.push_back(one);
      more = true;
    }
  }
  return out;
}

pid_t spawn(const std::vector<std::string>& command,
            const std::map<std::string, std::string>& environment, const std::string& output) {
  const auto argv = as_argv(command);
  const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const pid_t pid = fork();
  if (pid == 0) {
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // whoever stops us stops this too
    setpgid(0, 0);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(out);
  return pid;
}

Spoken run(const std::vector<std::string>& command) {
  const auto argv = as_argv(command);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  Spoken out;
  char buffer[65536];
  for (ssize_t size = 1; size > 0;) {
    size = read(ends[0], buffer, sizeof buffer);
    if (size > 0) out.text.append(buffer, static_cast<std::size_t>(size));
    if (size < 0 && errno == EINTR) size = 1;
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) != pid && errno == EINTR) {
  }
  out.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace cronce::chaos
