#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "test/chaos/cluster.h"

namespace cronce::chaos {
namespace {

constexpr int kFlapMs = 300;
/// So long a node waits for an answer that does not come any more.
constexpr int kAnswerMs = 3'000;
/// Of the servers, after each fault: a lease, and what a closed epoch needs.
constexpr int kRestMs = 8'000;
constexpr unsigned kBatchFaults = 5;

}  // namespace

std::vector<pid_t> Cluster::processes(const Node& node, const std::string& name) const {
  std::vector<pid_t> out;
  if (node.pid == 0) return out;
  for (const Process& one : below(node.pid)) {
    if (one.name.starts_with(name)) out.push_back(one.pid);
  }
  return out;
}

bool Cluster::kill_one(const std::vector<pid_t>& pids) {
  return !pids.empty() && kill(pids[random_() % pids.size()], SIGKILL) == 0;
}

/// At one moment: nobody of them may see another die.
bool Cluster::kill_with(Node& node, std::vector<pid_t> pids, int restart_after) {
  pids.push_back(node.pid);
  node.killed = true;
  node.restart_after = restart_after;
  for (const pid_t pid : pids) kill(pid, SIGSTOP);
  for (const pid_t pid : pids) kill(pid, SIGKILL);
  return true;
}

bool Cluster::freeze(Node& node, const std::vector<pid_t>& pids, int milliseconds) {
  static constexpr long kMost = 2;
  const auto frozen = std::count_if(nodes_.begin(), nodes_.end(),
                                    [](const Node& one) { return !one.frozen.empty(); });
  if (frozen >= kMost || !node.frozen.empty()) return false;
  for (const pid_t pid : pids) kill(pid, SIGSTOP);
  note_hard_time(node, milliseconds);
  node.frozen = pids;
  node.thaw_at = now_ms() + milliseconds;
  return true;
}

/// As if a writer took that long.
bool Cluster::hold_store(int milliseconds) {
  if (servers_ != nullptr) return servers_->begin(fmt::format("hold {}", milliseconds));
  if (lock_ >= 0) return false;
  const int lock = open((site_.file() + "-lock").c_str(), O_RDWR | O_CLOEXEC);
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
  const bool done = act(node, fault);
  if (done && fault.kind != Kind::failpoint) count(fault.kind);
  return done;
}

bool Cluster::act(Node& node, const Fault& fault) {
  const int amount = fault.amount_ms;
  const auto keeper = processes(node, "cronce-keeper");
  switch (fault.kind) {
    case Kind::kill_node:
      return kill_with(node, {}, amount);
    case Kind::kill_keeper:
      return kill_one(keeper);
    case Kind::kill_both:
      return !keeper.empty() && kill_with(node, keeper, amount);
    case Kind::kill_all:
      return kill_with(node, processes(node, "cronce"), amount);
    case Kind::kill_sub_keeper:
      return kill_one(processes(node, "cronce-run"));
    case Kind::kill_job:
      return kill_one(processes(node, "chaos_actor"));
    case Kind::stop_node:
      return freeze(node, {node.pid}, amount);
    case Kind::stop_keeper:
      return !keeper.empty() && freeze(node, keeper, amount);
    case Kind::stop_both:
      return !keeper.empty() && freeze(node, {node.pid, keeper.front()}, amount);
    case Kind::term_node:
      node.restart_after = amount;
      return node.asked = kill(node.pid, SIGTERM) == 0;
    case Kind::wrong_clock:
      return set_clock(node, fault);
    case Kind::hold_store:
      return hold_store(amount);
    case Kind::failpoint:
      return arm(node);
    default:
      return act_on_line(node, fault);
  }
}

// ---- of a run with servers

bool Cluster::act_on_line(Node& node, const Fault& fault) {
  const int amount = fault.amount_ms;
  switch (fault.kind) {
    case Kind::cut:
      return cut_line(node, "cut", amount);
    case Kind::cut_requests:
      return cut_line(node, "no_requests", amount);
    case Kind::cut_answers:
      return cut_line(node, "no_answers", amount);
    case Kind::cut_all:
      return cut_all(amount);
    case Kind::half_open:
      return cut_line(node, "forget", amount);
    case Kind::slow:
      return cut_line(node, fmt::format("slow {}", slowness(fault)), amount);
    case Kind::reset:
      return cut_line(node, "reset", amount);
    case Kind::flap:
      if (!cut_line(node, "reset", amount)) return false;
      node.flaps_up = false;
      node.flap_at = now_ms() + kFlapMs;
      return true;
    case Kind::lose_batch:
      return lose_batch(node, fault);
    case Kind::server_clock:
      return step_servers_clock(fault);
    case Kind::deploy:
      return begin_deploy();
    default:
      return begin_at_servers(fault);
  }
}

/// Also heals it. One fault on a line at a time.
bool Cluster::cut_line(Node& node, const std::string& state, int milliseconds) {
  const bool heals = milliseconds == 0;
  if (!heals && node.line_right_at != 0) return false;
  servers_->tell(fmt::format("line {} {}", node.number, state));
  node.line_right_at = heals ? 0 : now_ms() + milliseconds;
  if (!heals) note_hard_time(node, milliseconds + kAnswerMs);
  node.flap_at = 0;
  return true;
}

bool Cluster::cut_all(int milliseconds) {
  for (Node& node : nodes_) {
    if (node.line_right_at != 0) return false;
  }
  for (Node& node : nodes_) cut_line(node, "cut", milliseconds);
  return true;
}

void Cluster::flap(Node& node) {
  node.flaps_up = !node.flaps_up;
  servers_->tell(fmt::format("line {} {}", node.number, node.flaps_up ? "open" : "reset"));
  node.flap_at = now_ms() + kFlapMs;
}

void Cluster::note_hard_time(const Node& node, int milliseconds) {
  const Millis now = wall_ms();
  hard_times_.push_back({fmt::format("node-{}", node.number), now, now + milliseconds});
}

/// Of a node, or of a person.
bool Cluster::lose_batch(Node& node, const Fault& fault) {
  note_hard_time(node, kAnswerMs);
  const bool of_person = fault.variant % 4 == 0;
  servers_->tell(fmt::format("line {} batch {}",
                             of_person ? site_.hosts() : static_cast<std::size_t>(node.number),
                             fault.variant / 4 % kBatchFaults));
  return true;
}

bool Cluster::step_servers_clock(const Fault& fault) {
  if (servers_clock_right_at_ != 0) return false;
  servers_->tell(fmt::format("clock {}", server_step(fault)));
  servers_clock_right_at_ = now_ms() + fault.amount_ms;
  return true;
}

/// After each there is a while in which nodes can find together again.
bool Cluster::begin_at_servers(const Fault& fault) {
  if (servers_->is_busy()) servers_rest_until_ = now_ms() + kRestMs;
  if (now_ms() < servers_rest_until_) return false;
  return servers_->begin(fmt::format("{} {}", server_action(fault), fault.amount_ms));
}

/// One host after the other gets the newest file, and its node leaves and comes back.
bool Cluster::begin_deploy() {
  if (deployed_ >= 0) return false;
  deployed_ = 0;
  return true;
}

void Cluster::go_on_with_deploy() {
  if (deployed_ < 0) return;
  const auto is_up = [](const Node& node) {
    return node.pid != 0 && !node.asked && !node.killed && node.frozen.empty();
  };
  if (!std::all_of(nodes_.begin(), nodes_.end(), is_up)) return;
  if (deployed_ == static_cast<int>(nodes_.size())) {
    deployed_ = -1;
    return;
  }
  Node& node = nodes_[static_cast<std::size_t>(deployed_++)];
  deploy_(static_cast<std::size_t>(node.number));
  node.asked = kill(node.pid, SIGTERM) == 0;
}

}  // namespace cronce::chaos
