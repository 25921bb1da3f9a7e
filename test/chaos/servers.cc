#include "test/chaos/servers.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <sstream>

#include <fmt/format.h>

namespace cronce::chaos {
namespace {

/// As a child of nobody here.
void spawn_apart(const std::vector<std::string>& command, int input, int output) {
  const pid_t between = fork();
  if (between != 0) {
    waitpid(between, nullptr, 0);
    return;
  }
  if (fork() != 0) _exit(0);
  setsid();
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

Servers::Servers(const std::string& program, int nodes, bool is_synchronous,
                 const std::string& shim) {
  signal(SIGPIPE, SIG_IGN);
  int orders[2], answers[2];
  if (pipe2(orders, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) return;
  spawn_apart({program, fmt::format("{}", nodes), is_synchronous ? "sync" : "async", shim},
              orders[0], answers[1]);
  close(orders[0]);
  close(answers[1]);
  orders_ = orders[1];
  answers_ = answers[0];
  while (!ready_ && !failed_) {
    pollfd more{answers_, POLLIN, 0};
    poll(&more, 1, -1);
    read_answers();
  }
}

Servers::~Servers() {
  close(orders_);
  char rest[256];
  while (read(answers_, rest, sizeof rest) > 0) {
  }
  close(answers_);
}

void Servers::tell(const std::string& order) {
  const std::string line = order + "\n";
  failed_ = failed_ || write(orders_, line.data(), line.size()) < 0;
}

bool Servers::begin(const std::string& action) {
  if (is_busy()) return false;
  busy_ = true;
  tell("do " + action);
  return true;
}

bool Servers::is_busy() {
  read_answers();
  return busy_ && !failed_;
}

void Servers::read_answers() {
  pollfd more{answers_, POLLIN, 0};
  while (!failed_ && poll(&more, 1, 0) > 0) {
    char bytes[4096];
    const ssize_t size = read(answers_, bytes, sizeof bytes);
    failed_ = size <= 0;
    if (size > 0) text_.append(bytes, static_cast<std::size_t>(size));
  }
  for (std::size_t end = 0; (end = text_.find('\n')) != std::string::npos;) {
    hear(text_.substr(0, end));
    text_.erase(0, end + 1);
  }
}

void Servers::hear(const std::string& line) {
  std::istringstream words(line);
  std::string first, number, address;
  words >> first;
  ready_ = ready_ || first == "ready";
  if (first == "address" && words >> number >> address) addresses_.push_back(address);
  if (first != "done") return;
  busy_ = false;
  Forgotten one;
  if (words >> one.from >> one.to) forgotten_.push_back(one);
}

}  // namespace cronce::chaos
