#include "test/chaos/cluster.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
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

Millis wall_ms() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<Millis>(now.tv_sec) * 1'000 + now.tv_nsec / 1'000'000;
}

Cluster::Cluster(Site site, Servers* servers, int nodes, std::uint64_t seed)
    : site_(std::move(site)), servers_(servers), random_(seed) {
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
  const auto host = static_cast<std::size_t>(node.number);
  const bool armed = !node.failpoint.empty();
  std::map<std::string, std::string> environment{
      {"LD_PRELOAD", site_.clock_shim},
      {"CHAOS_CLOCK", fmt::format("{}/clock-{}", site_.folder, node.number)}};
  if (armed) {
    environment["CHAOS_FAILPOINT"] =
        fmt::format("{}:{}:{}", node.failpoint, node.visit, node.fired);
  }
  node.killed = node.asked = node.fell = false;
  node.started_at = wall_ms();
  node.restart_after = 0;
  node.pid = spawn({armed ? site_.failing_program : site_.program, "run", "--node", name, "--store",
                    site_.store(host), "--state", site_.state(host), "--lease", "5s", "--drain",
                    "5s", site_.guests(host), site_.jobs()},
                   environment, fmt::format("{}/log-{}", site_.folder, node.number));
}

void Cluster::tick() {
  reap();
  const int now = now_ms();
  for (Node& node : nodes_) {
    if (node.pid == 0 && !leaving_ && node.start_at <= now) start(node);
    if (!node.frozen.empty() && node.thaw_at <= now) thaw(node);
    if (node.clock_right_at <= now) *node.clock = usual_error(node.number);
    if (!node.failpoint.empty()) look_at_failpoint(node);
    if (node.line_right_at != 0 && node.line_right_at <= now) cut_line(node, "open", 0);
    if (node.flap_at != 0 && node.flap_at <= now) flap(node);
  }
  if (servers_clock_right_at_ != 0 && servers_clock_right_at_ <= now) {
    servers_clock_right_at_ = 0;
    servers_->tell("clock 0");
  }
  go_on_with_deploy();
  if (lock_ >= 0 && lock_until_ <= now) {
    close(lock_);
    lock_ = -1;
  }
}

void Cluster::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto node =
        std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& one) { return one.pid == pid; });
    if (node == nodes_.end()) {
      told_(pid, status);
    } else {
      ended(*node, status);
    }
  }
}

void Cluster::ended(Node& node, int status) {
  look_at_failpoint(node);
  // TERM at the very beginning finds a process that is no node yet.
  const bool as_asked =
      node.asked && (WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGTERM);
  const bool as_killed =
      (node.killed || node.fell) && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (!as_asked && !as_killed) {
    troubles_.push_back(
        fmt::format("node-{} ended by itself, with {} {}; its last words: {}", node.number,
                    WIFEXITED(status) ? "exit code" : "signal",
                    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
                    last_line(read_file(fmt::format("{}/log-{}", site_.folder, node.number)))));
  }
  lives_.push_back({fmt::format("node-{}", node.number), node.started_at, wall_ms()});
  node.pid = 0;
  thaw(node);
  node.start_at = now_ms() + node.restart_after;
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

/// Two nodes are left to go on with the work.
void Cluster::visit_more() {
  for (int i = 0; i + 2 < static_cast<int>(nodes_.size()); ++i) {
    if (failpoints_.empty() || visited_.contains(failpoints_.front())) return;
    apply({now_ms(), Kind::failpoint, i, 0, 0});
  }
}

namespace {

/// The Nth visit is the last one, with N up to this.
constexpr int kVisits = 4;
/// How long a node is waited for to come to a failpoint by itself.
constexpr int kProvokeMs = 4'000;
constexpr int kProvokeAgainMs = 8'000;
/// Longer than a lease.
constexpr int kLongMs = 7'000;

}  // namespace

/// The node is killed, and its next life is to die of the next failpoint.
bool Cluster::arm(Node& node) {
  if (failpoints_.empty() || !node.failpoint.empty()) return false;
  node.failpoint = failpoints_.front();
  failpoints_.pop_front();
  // Whichever life comes to it first: a keeper outlives its node.
  node.fired = fmt::format("{}/fired-{}", site_.folder, ++armed_);
  const bool often = comes_often(node.failpoint);
  node.visit = often ? 1 + static_cast<int>(random_() % kVisits) : 1;
  node.provoke_at = now_ms() + kProvokeMs;
  return kill_with(node, processes(node, "cronce"), 0);
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
  node.provoke_at = now_ms() + kProvokeAgainMs;
  const std::string& name = node.failpoint;
  Fault fault{now_ms(), Kind::kill_all, node.number, 0, 0};
  if (name.starts_with("keeper.leave")) fault.kind = Kind::term_node;
  if (name.starts_with("keeper.kill_all")) {
    fault.kind = Kind::stop_node;
    fault.amount_ms = kLongMs;
  }
  if (name.starts_with("spool.put") || name.starts_with("spool.sync")) fault.kind = Kind::kill_node;
  if (name.starts_with("spool.remove")) {
    fault.kind = Kind::hold_store;
    fault.amount_ms = kLongMs;
  }
  fmt::print("{} to come to {}\n", describe(fault), name);
  apply_to(node, fault);
}

// ---- the end

void Cluster::calm() {
  lock_until_ = 0;
  servers_clock_right_at_ = std::min(servers_clock_right_at_, 1);
  if (servers_ != nullptr) servers_->tell(fmt::format("line {} open", site_.hosts()));
  for (Node& node : nodes_) {
    thaw(node);
    node.clock_right_at = 0;
    node.line_right_at = std::min(node.line_right_at, 1);
    if (node.failpoint.empty()) continue;
    failpoints_.push_front(node.failpoint);
    node.failpoint.clear();
    node.fired.clear();
    if (node.pid != 0) kill_with(node, {}, 0);
  }
  tick();
}

bool Cluster::is_calm() const {
  if (deployed_ >= 0 || (servers_ != nullptr && servers_->is_busy())) return false;
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const Node& node) { return node.pid != 0 && !node.killed; });
}

void Cluster::leave() {
  leaving_ = true;
  for (Node& node : nodes_) {
    node.asked = true;
    if (node.pid != 0) kill(node.pid, SIGTERM);
  }
}

bool Cluster::has_left() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.pid == 0; });
}

}  // namespace cronce::chaos
