#include "test/node/world.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/rng.h"
#include "store/open_store.h"

namespace cronce::test {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65'534;

std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

pid_t parent_of(pid_t pid) {
  const std::string text = read_text(fmt::format("/proc/{}/stat", pid));
  const std::size_t name = text.rfind(')');
  if (name == std::string::npos) return 0;
  std::istringstream rest(text.substr(name + 1));
  char state = 0;
  pid_t parent = 0;
  rest >> state >> parent;
  return parent;
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return found;
}

bool runs_our_program(pid_t pid) {
  static const fs::path program = fs::canonical(CRONCE_PROGRAM);
  std::error_code failed;
  return fs::read_symlink(fmt::format("/proc/{}/exe", pid), failed) == program;
}

bool is_below(pid_t pid, pid_t root) {
  while (pid > 1 && pid != root) pid = parent_of(pid);
  return pid == root;
}

}  // namespace

std::chrono::seconds patience() { return std::chrono::seconds{60}; }

bool wait_until(const std::function<bool()>& happened) {
  const auto end = std::chrono::steady_clock::now() + patience();
  while (!happened()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return true;
}

// ---- a node

NodeProcess::NodeProcess(const std::string& program, const std::vector<std::string>& arguments,
                         const std::string& log,
                         const std::map<std::string, std::string>& environment, bool as_nobody)
    : log_(log) {
  std::vector<char*> argv;
  for (const std::string& one : arguments) argv.push_back(const_cast<char*>(one.c_str()));
  argv.push_back(nullptr);
  // Opened with our rights: nobody may not be able to come this way.
  const Descriptor file(open(program.c_str(), O_RDONLY | O_CLOEXEC));
  const Descriptor out(open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  pid_ = fork();
  if (pid_ != 0) return;
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  setpgid(0, 0);
  dup2(out.get(), STDOUT_FILENO);
  dup2(out.get(), STDERR_FILENO);
  if (as_nobody && geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(126);
  fexecve(file.get(), argv.data(), environ);
  _exit(127);
}

NodeProcess::~NodeProcess() {
  const auto left = keepers();
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const pid_t keeper : left) kill(keeper, SIGKILL);
  if (testing::Test::HasFailure()) std::fputs((log_ + ":\n" + log()).c_str(), stderr);
}

void NodeProcess::send(int signal) const { kill(pid_, signal); }

std::string NodeProcess::log() const { return read_text(log_); }

bool NodeProcess::says(const std::string& text) const {
  return wait_until([&] { return log().find(text) != std::string::npos; });
}

int NodeProcess::end() {
  int status = 0;
  const bool ended = wait_until([&] { return waitpid(pid_, &status, WNOHANG) == pid_; });
  if (!ended) return -1;
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<pid_t> NodeProcess::keepers() const {
  auto found = tree();
  std::erase_if(found, [&](pid_t pid) { return pid == pid_ || !runs_our_program(pid); });
  return found;
}

std::vector<pid_t> NodeProcess::tree() const {
  if (pid_ == 0) return {};
  auto found = all_processes();
  std::erase_if(found, [&](pid_t pid) { return !is_below(pid, pid_); });
  return found;
}

// ---- the world

World::World() {
  fs::create_directory(path("store"));
  store = "sqlite:" + path("store/cronce.db");
  state = path("state");
}

World::~World() { nodes_.clear(); }

std::string World::telling(const std::string& rest) const {
  return fmt::format(
      "echo start $CRONCE_JOB $CRONCE_SLOT $CRONCE_ATTEMPT $CRONCE_FENCE $CRONCE_NODE >> {}{}{}",
      path("witness"), rest.empty() ? "" : "; ", rest);
}

void World::write(const std::string& name, const std::string& text) const {
  const std::string draft = path(name) + "~";
  std::ofstream(draft, std::ios::binary) << text;
  fs::rename(draft, path(name));
}

std::vector<std::string> World::store_flags() const {
  if (name_space == kDefaultNamespace) return {"--store", store};
  return {"--store", store, "--namespace", name_space};
}

NodeProcess& World::start(const std::string& name, const std::vector<std::string>& arguments,
                          const std::map<std::string, std::string>& environment) {
  std::vector<std::string> all{"cronce", "run", "--state", state, "--lease", lease, "--node", name};
  const auto where = store_flags();
  all.insert(all.end(), where.begin(), where.end());
  all.insert(all.end(), arguments.begin(), arguments.end());
  nodes_.push_back(std::make_unique<NodeProcess>(
      program, all, path(fmt::format("log-{}-{}", nodes_.size(), name)), environment));
  return *nodes_.back();
}

NodeProcess& World::start_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"cronce"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const auto where = store_flags();
  all.insert(all.end(), where.begin(), where.end());
  nodes_.push_back(std::make_unique<NodeProcess>(
      program, all, path(fmt::format("log-{}-{}", nodes_.size(), arguments.front())),
      std::map<std::string, std::string>{{"CRONCE_WHO", "anna@desk"}}));
  return *nodes_.back();
}

World::Said World::command(const std::vector<std::string>& arguments) {
  NodeProcess& process = start_command(arguments);
  const int exit_code = process.end();
  return {exit_code, process.log()};
}

NodeProcess& World::start_default(const std::vector<std::string>& arguments,
                                  const std::map<std::string, std::string>& environment) {
  std::vector<std::string> all{"cronce", "run"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  if (geteuid() == 0) {
    EXPECT_EQ(chown(folder_.path().c_str(), kNobody, kNobody), 0);
  }
  nodes_.push_back(std::make_unique<NodeProcess>(
      program, all, path(fmt::format("log-{}", nodes_.size())), environment, true));
  return *nodes_.back();
}

std::vector<std::string> World::lines() const {
  std::istringstream text(read_text(path("witness")));
  std::vector<std::string> out;
  for (std::string line; std::getline(text, line);) out.push_back(line);
  return out;
}

bool World::sees(const std::string& line) const {
  return wait_until([&] {
    const auto all = lines();
    return std::any_of(all.begin(), all.end(),
                       [&](const std::string& one) { return one.starts_with(line); });
  });
}

std::vector<Start> World::starts() const {
  std::vector<Start> out;
  for (const std::string& line : lines()) {
    std::istringstream words(line);
    std::string word;
    std::string slot;
    Start start;
    if (!(words >> word >> start.job >> slot >> start.attempt >> start.fence >> start.node))
      continue;
    if (word != "start") continue;
    start.slot = parse_time(slot).value();
    out.push_back(start);
  }
  return out;
}

bool World::sees_slots(std::size_t count) const {
  return wait_until([&] {
    std::set<Time> slots;
    for (const Start& start : starts()) slots.insert(start.slot);
    return slots.size() >= count;
  });
}

void World::expect_once() const {
  std::set<std::tuple<std::string, Time, int>> seen;
  for (const Start& start : starts()) {
    EXPECT_TRUE(seen.insert({start.job, start.slot, start.attempt}).second)
        << start.job << "@" << print(start.slot) << " started twice";
  }
}

void World::expect_growing_fences() const {
  std::map<std::string, std::uint64_t> fences;
  for (const Start& start : starts()) {
    EXPECT_GT(start.fence, fences[start.job]) << start.job << "@" << print(start.slot);
    fences[start.job] = start.fence;
  }
}

Descriptor World::make_unreadable(const std::string& name, const NodeProcess& node) const {
  EXPECT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  fs::rename(path("pipe"), path(name));
  node.send(SIGHUP);
  Descriptor writer(open(path(name).c_str(), O_WRONLY | O_CLOEXEC));  // waits for the reader
  EXPECT_TRUE(writer.open());
  return writer;
}

Descriptor World::lock_store() const {
  Descriptor lock(open(path("store/cronce.db-lock").c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_TRUE(lock.open() && flock(lock.get(), LOCK_EX) == 0);
  return lock;
}

std::vector<Run> World::runs() const {
  Rng rng(random_seed());
  const auto opened = open_store(store, {.name_space = name_space}, system_clock(), rng);
  EXPECT_TRUE(opened.ok());
  if (!opened || !(*opened)->open()) return {};
  const auto runs = (*opened)->runs({});
  EXPECT_TRUE(runs.ok());
  return runs ? *runs : std::vector<Run>{};
}

bool World::has_run(const std::function<bool(const Run&)>& is_so) const {
  return wait_until([&] {
    const auto all = runs();
    return std::any_of(all.begin(), all.end(), is_so);
  });
}

void kill_with_keepers(NodeProcess& node) {
  auto dying = node.keepers();
  dying.push_back(node.pid());
  for (const pid_t pid : dying) kill(pid, SIGSTOP);
  for (const pid_t pid : dying) kill(pid, SIGKILL);
  EXPECT_EQ(node.end(), 128 + SIGKILL);
  // As long as one of them is dying, the next node takes the incarnation for one that lives.
  EXPECT_TRUE(wait_until([&] { return std::none_of(dying.begin(), dying.end(), is_alive); }));
}

}  // namespace cronce::test
