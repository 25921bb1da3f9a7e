#include "test/support/server_folder.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "base/check.h"

extern char** environ;

namespace cronce::test {
namespace {

// Twice removed from the test and in a session of its own: whoever kills the test with its children
// or its group does not meet it. A zombie has no working directory.
constexpr const char* kGuardian = R"(
exec 3<&0
(
  cat <&3 >/dev/null
  find "$0" -name '*.pid' -o -name pid | while read -r file; do
    read -r pid <"$file"
    signal=QUIT tries=0
    while case $(readlink "/proc/$pid/cwd") in "$0"*) true ;; *) false ;; esac; do
      kill -$signal "$pid"
      tries=$((tries + 1))
      if [ $tries -gt 100 ]; then signal=KILL; fi
      sleep 0.05
    done
  done
  rm -rf "$0"
) </dev/null 2>/dev/null &
)";

std::string new_folder(bool on_disk) {
  const std::filesystem::path memory = "/dev/shm";
  std::error_code failed;
  const auto room = std::filesystem::space(memory, failed);
  const bool fits = !failed && room.available > (std::uintmax_t{1} << 30);
  const auto base = !on_disk && fits ? memory : std::filesystem::temp_directory_path();
  std::string path = base / "cronce-server-XXXXXX";
  CHECK(mkdtemp(path.data()) != nullptr && chmod(path.c_str(), 0755) == 0);
  if (geteuid() == 0) {
    const passwd* user = getpwnam("postgres");
    CHECK(user != nullptr && chown(path.c_str(), user->pw_uid, user->pw_gid) == 0);
  }
  return path;
}

void spawn_guardian(const std::string& path, int alive, int gone) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, alive, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, gone, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::array<std::string, 4> words = {"sh", "-c", kGuardian, path};
  std::array<char*, 5> argv = {words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                               nullptr};
  pid_t made = 0;
  CHECK(posix_spawn(&made, "/bin/sh", &actions, &attributes, argv.data(), environ) == 0);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  CHECK(waitpid(made, &status, 0) == made && status == 0);
}

/// bind() or connect() to a port of the loopback.
template <class Call>
bool works_with(Call call, int port) {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);  // as the servers do
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool works = call(made, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(made);
  return works;
}

}  // namespace

ServerFolder::ServerFolder(bool on_disk) : path_(new_folder(on_disk)) {
  std::array<int, 2> life{};
  std::array<int, 2> end{};
  CHECK(pipe2(life.data(), O_CLOEXEC) == 0 && pipe2(end.data(), O_CLOEXEC) == 0);
  spawn_guardian(path_, life[0], end[1]);
  close(life[0]);
  close(end[1]);
  alive_ = life[1];
  gone_ = end[0];
}

ServerFolder::~ServerFolder() {
  close(alive_);
  char nothing = 0;
  while (::read(gone_, &nothing, 1) > 0) {
  }
  close(gone_);
}

void ServerFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(file(name)) << text;
}

std::string ServerFolder::read(const std::string& name) const {
  std::ostringstream all;
  all << std::ifstream(file(name)).rdbuf();
  return all.str();
}

pid_t ServerFolder::read_pid(const std::string& name) const {
  pid_t pid = 0;
  std::ifstream(file(name)) >> pid;
  return pid;
}

bool ServerFolder::run(const std::string& line) const {
  // Nothing of ours stays open in a server: a test that waits for the end of a pipe would wait.
  std::string command = "cd " + path_ + " && exec env -i PATH=\"$PATH\" LC_ALL=C ";
  if (geteuid() == 0) command += "setpriv --reuid=postgres --regid=postgres --clear-groups ";
  command += line + " >log 2>&1 </dev/null";
  if (std::system(command.c_str()) == 0) return true;
  std::fprintf(stderr, "%s\n%s\n", line.c_str(), read("log").c_str());
  return false;
}

int free_port() {
  std::random_device random;
  for (;;) {
    const int port = 20'000 + static_cast<int>(random() % 12'000);
    if (works_with(bind, port)) return port;
  }
}

bool is_listening(int port) { return works_with(connect, port); }

bool is_alive(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string all;
  std::getline(file, all);
  const std::size_t name_end = all.rfind(") ");
  return name_end != std::string::npos && all[name_end + 2] != 'Z';
}

bool comes_true(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return true;
}

}  // namespace cronce::test
