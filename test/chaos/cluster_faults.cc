#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "test/chaos/cluster.h"

namespace cronce::chaos {

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
  }
  return false;
}

}  // namespace cronce::chaos
