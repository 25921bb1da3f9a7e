#include "test/chaos/cluster.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace cronce::chaos {
namespace {

/// No two clocks of a real cluster agree.
std::int64_t usual_error(int node) { return node * std::int64_t{100'000'000}; }

std::int64_t* map_clock(const std::string& path) {
  write_file(path, std::string(sizeof(std::int64_t), '\0'));
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  void* page = mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return static_cast<std::int64_t*>(page);
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const std::size_t begin = text.find_last_of('\n', end);
  return text.substr(begin + 1, end - begin);
}

}  // namespace

int now_ms() {
  static const auto start = std::chrono::steady_clock::now();
  return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(
                              std::chrono::steady_clock::now() - start)
                              .count());
}

Cluster::Cluster(Site site, int nodes, std::uint64_t seed) : site_(std::move(site)), random_(seed) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (!site_.failing_program.empty()) {
    for (const std::string& one : all_failpoints()) failpoints_.push_back(one);
  }
  for (int i = 0; i < nodes; ++i) {
    Node node;
    node.number = i;
    node.clock = map_clock(fmt::format("{}/clock-{}", site_.folder, i));
    *node.clock = usual_error(i);
    nodes_.push_back(std::move(node));
  }
}

/// Again and again: what is killed here may have started something the moment before.
Cluster::~Cluster() {
  for (;;) {
    const auto left = below(getpid());
    if (left.empty()) break;
    for (const Process& one : left) kill(one.pid, SIGKILL);
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    usleep(1'000);
  }
}

// ---- lives

void Cluster::start_all() {
  for (Node& node : nodes_) start(node);
}

void Cluster::start(Node& node) {
  const std::string name = fmt::format("node-{}", node.number);
  const bool armed = !node.failpoint.empty();
  std::map<std::string, std::string> environment{
      {"LD_PRELOAD", site_.clock_shim},
      {"CHAOS_CLOCK", fmt::format("{}/clock-{}", site_.folder, node.number)}};
  if (armed) {
    static constexpr int kVisits = 6;
    node.fired = fmt::format("{}/fired-{}-{}", site_.folder, node.number, node.lives);
    environment["CHAOS_FAILPOINT"] =
        fmt::format("{}:{}:{}", node.failpoint, 1 + random_() % kVisits, node.fired);
  }
  ++node.lives;
  node.killed = node.asked = node.fell = false;
  node.start_at.reset();
  node.pid = spawn({armed ? site_.failing_program : site_.program, "run", "--node", name, "--store",
                    "sqlite:" + site_.store(), "--state", site_.folder + "/state", "--lease", "5s",
                    "--drain", "5s", site_.jobs()},
                   environment, fmt::format("{}/log-{}", site_.folder, node.number));
}

void Cluster::tick() {
  reap();
  const int now = now_ms();
  for (Node& node : nodes_) {
    if (node.start_at && *node.start_at <= now) start(node);
    if (!node.frozen.empty() && node.thaw_at <= now) thaw(node);
    if (node.clock_right_at <= now) *node.clock = usual_error(node.number);
    if (!node.failpoint.empty()) look_at_failpoint(node);
  }
  if (lock_ >= 0 && lock_until_ <= now) {
    close(lock_);
    lock_ = -1;
  }
}

void Cluster::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    for (Node& node : nodes_) {
      if (node.pid == pid) ended(node, status);
    }
  }
}

void Cluster::ended(Node& node, int status) {
  look_at_failpoint(node);
  const bool as_asked = node.asked && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  const bool as_killed =
      (node.killed || node.fell) && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (!as_asked && !as_killed) {
    troubles_.push_back(
        fmt::format("node-{} ended by itself, with {} {}; its last words: {}", node.number,
                    WIFEXITED(status) ? "exit code" : "signal",
                    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
                    last_line(read_file(fmt::format("{}/log-{}", site_.folder, node.number)))));
  }
  node.pid = 0;
  thaw(node);
  if (!leaving_ && !node.start_at) node.start_at = now_ms();
}

void Cluster::thaw(Node& node) {
  for (const pid_t pid : std::exchange(node.frozen, {})) kill(pid, SIGCONT);
}

// ---- failpoints

std::vector<std::string> Cluster::unvisited() const {
  std::vector<std::string> out;
  if (site_.failing_program.empty()) return out;
  for (const std::string& one : all_failpoints()) {
    if (!visited_.contains(one)) out.push_back(one);
  }
  return out;
}

/// The node is killed, and its next life is to die of the next failpoint.
bool Cluster::arm(Node& node) {
  if (failpoints_.empty() || !node.failpoint.empty()) return false;
  node.failpoint = failpoints_.front();
  failpoints_.pop_front();
  node.provoke_at = now_ms() + 6'000;
  std::vector<pid_t> all = processes(node, "cronce");
  kill_pids(node, all);
  node.start_at = now_ms();
  return true;
}

void Cluster::look_at_failpoint(Node& node) {
  if (node.failpoint.empty() || node.fired.empty()) return;
  if (!std::filesystem::exists(node.fired)) {
    if (node.provoke_at <= now_ms() && node.pid != 0) provoke(node);
    return;
  }
  node.fell = true;
  visited_.insert(node.failpoint);
  failpoints_.push_back(node.failpoint);
  fmt::print("{:7.3f} node-{} died of {}\n", now_ms() / 1'000.0, node.number, node.failpoint);
  node.failpoint.clear();
  node.fired.clear();
  count(Kind::failpoint);
}

/// Brings a node to the moment it is to die at.
void Cluster::provoke(Node& node) {
  static constexpr int kAgain_ms = 9'000;
  static constexpr int kLong_ms = 7'000;
  node.provoke_at = now_ms() + kAgain_ms;
  const std::string& name = node.failpoint;
  Fault fault{now_ms(), Kind::kill_all, node.number, 0, 0};
  if (name.starts_with("keeper.leave")) fault.kind = Kind::term_node;
  if (name.starts_with("keeper.kill_all")) fault = {0, Kind::stop_node, node.number, kLong_ms, 0};
  if (name.starts_with("spool.put") || name.starts_with("spool.sync")) fault.kind = Kind::kill_node;
  if (name.starts_with("spool.remove")) fault = {0, Kind::hold_store, node.number, kLong_ms, 0};
  fmt::print("{} to come to {}\n", describe(fault), name);
  apply_to(node, fault);
}

// ---- faults

std::vector<pid_t> Cluster::processes(const Node& node, const std::string& name) const {
  std::vector<pid_t> out;
  if (node.pid == 0) return out;
  for (const Process& one : below(node.pid)) {
    if (one.name.starts_with(name)) out.push_back(one.pid);
  }
  return out;
}

/// Nobody of them may see another die.
void Cluster::kill_pids(Node& node, const std::vector<pid_t>& pids) {
  std::vector<pid_t> all = pids;
  if (node.pid != 0) all.push_back(node.pid);
  node.killed = true;
  for (const pid_t pid : all) kill(pid, SIGSTOP);
  for (const pid_t pid : all) kill(pid, SIGKILL);
}

bool Cluster::freeze(Node& node, const std::vector<pid_t>& pids, int milliseconds) {
  static constexpr long kMost = 2;
  const auto frozen = std::count_if(nodes_.begin(), nodes_.end(),
                                    [](const Node& one) { return !one.frozen.empty(); });
  if (pids.empty() || frozen >= kMost || !node.frozen.empty()) return false;
  for (const pid_t pid : pids) kill(pid, SIGSTOP);
  node.frozen = pids;
  node.thaw_at = now_ms() + milliseconds;
  return true;
}

/// As if a writer took that long.
bool Cluster::hold_store(int milliseconds) {
  if (lock_ >= 0) return false;
  const int lock = open((site_.store() + "-lock").c_str(), O_RDWR | O_CLOEXEC);
  if (lock < 0) return false;
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    close(lock);
    return false;
  }
  lock_ = lock;
  lock_until_ = now_ms() + milliseconds;
  return true;
}

/// One clock at a time: most of them must be right, or nobody can know the time.
bool Cluster::set_clock(Node& node, const Fault& fault) {
  const bool all_right = std::all_of(
      nodes_.begin(), nodes_.end(), [](const Node& one) { return one.clock_right_at <= now_ms(); });
  if (!all_right) return false;
  *node.clock = fault.offset_ms * 1'000'000;
  node.clock_right_at = now_ms() + fault.amount_ms;
  return true;
}

Cluster::Node* Cluster::pick(int number) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[(static_cast<std::size_t>(number) + i) % nodes_.size()];
    if (node.pid != 0 && !node.killed && !node.asked && node.frozen.empty()) return &node;
  }
  return nullptr;
}

bool Cluster::apply(const Fault& fault) {
  Node* node = pick(fault.node);
  if (node == nullptr || !apply_to(*node, fault)) return false;
  if (fault.kind == Kind::failpoint) {
    fmt::print("{} {}\n", describe(fault), node->failpoint);
  } else {
    fmt::print("{}{}\n", describe(fault),
               node->number == fault.node ? "" : fmt::format(" -> node-{}", node->number));
  }
  return true;
}

bool Cluster::apply_to(Node& node, const Fault& fault) {
  const auto one_of = [&](const char* name) {
    auto found = processes(node, name);
    if (found.empty()) return false;
    return kill(found[random_() % found.size()], SIGKILL) == 0;
  };
  const auto with_keeper = [&] {
    auto found = processes(node, "cronce-keeper");
    if (!found.empty()) found.push_back(node.pid);
    return found;
  };
  const auto kill_with = [&](const char* name) {
    const auto found = processes(node, name);
    if (found.empty()) return false;
    kill_pids(node, found);
    node.start_at = now_ms() + fault.amount_ms;
    return true;
  };
  bool done = false;
  switch (fault.kind) {
    case Kind::kill_node:
      kill_pids(node, {});
      node.start_at = now_ms() + fault.amount_ms;
      done = true;
      break;
    case Kind::kill_keeper:
      done = one_of("cronce-keeper");
      break;
    case Kind::kill_both:
      done = kill_with("cronce-keeper");
      break;
    case Kind::kill_all:
      done = kill_with("cronce");
      break;
    case Kind::kill_sub_keeper:
      done = one_of("cronce-run");
      break;
    case Kind::kill_job:
      done = one_of("chaos_actor");
      break;
    case Kind::stop_node:
      done = freeze(node, {node.pid}, fault.amount_ms);
      break;
    case Kind::stop_keeper:
      done = freeze(node, processes(node, "cronce-keeper"), fault.amount_ms);
      break;
    case Kind::stop_both:
      done = freeze(node, with_keeper(), fault.amount_ms);
      break;
    case Kind::term_node:
      node.asked = kill(node.pid, SIGTERM) == 0;
      done = node.asked;
      break;
    case Kind::wrong_clock:
      done = set_clock(node, fault);
      break;
    case Kind::hold_store:
      done = hold_store(fault.amount_ms);
      break;
    case Kind::failpoint:
      return arm(node);
  }
  if (done) count(fault.kind);
  return done;
}

// ---- the end

void Cluster::calm() {
  lock_until_ = 0;
  for (Node& node : nodes_) {
    thaw(node);
    node.clock_right_at = 0;
    if (node.failpoint.empty()) continue;
    failpoints_.push_front(node.failpoint);
    node.failpoint.clear();
    node.fired.clear();
    if (node.pid != 0) kill_pids(node, {});
  }
  tick();
}

bool Cluster::is_calm() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const Node& node) { return node.pid != 0 && !node.killed; });
}

void Cluster::leave() {
  leaving_ = true;
  for (Node& node : nodes_) {
    node.start_at.reset();
    node.asked = true;
    if (node.pid != 0) kill(node.pid, SIGTERM);
  }
}

bool Cluster::has_left() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.pid == 0; });
}

}  // namespace cronce::chaos
