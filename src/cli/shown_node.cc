#include "cli/shown_node.h"

#include <algorithm>
#include <tuple>

#include "engine/rank.h"
#include "store/inspect.h"
#include "store/open_store.h"

namespace cronce {
namespace {

constexpr Duration kAhead{1'000};  // readings of one moment do not differ by more

}  // namespace

Result<std::vector<Node>, Refusal> read_nodes(const ReadStore& read) {
  auto nodes = read.store->nodes();
  if (!nodes) return store_failure(nodes.error());
  if (is_server(read.places.store)) see_from_here(*nodes, read.now, read.boot);
  std::sort(nodes->begin(), nodes->end(), [](const Node& a, const Node& b) {
    return std::tie(a.name, a.incarnation) < std::tie(b.name, b.incarnation);
  });
  return *std::move(nodes);
}

Duration clock_offset(const Node& node, const ReadStore& read) {
  return node.clock_reading - (read.now.time_since_epoch() - read.boot);
}

std::optional<Duration> silence(const Node& node, Duration boot) {
  if (!node.wall) return std::nullopt;
  const Duration sent = node.wall->time_since_epoch() - node.clock_reading;
  if (sent > boot + kAhead) return std::max(boot, node.lease);  // before this machine's last start
  return std::max(boot - sent, Duration{0});
}

std::optional<Duration> silence(const Node& node, const Console& console) {
  return silence(node, console.clock.boot());
}

bool is_silent(const Node& node, Duration boot) {
  const auto silent = silence(node, boot);
  return silent && *silent > node.lease / 2;
}

bool is_silent(const Node& node, const Console& console) {
  return is_silent(node, console.clock.boot());
}

std::vector<std::string> outdated_sources(const Node& node, const std::vector<JobRow>& jobs) {
  std::vector<std::string> outdated;
  for (const auto& [source, digest] : node.digests) {
    const bool other = std::any_of(jobs.begin(), jobs.end(), [&](const JobRow& job) {
      const auto current = job.sources->find(source);
      return current != job.sources->end() && current->second != digest;
    });
    if (other) outdated.push_back(source);
  }
  return outdated;
}

bool offers(const Node& node, const JobRow& job) {
  return node.digests.empty() ||
         std::any_of(job.sources->begin(), job.sources->end(), [&](const auto& source) {
           const auto offered = node.digests.find(source.first);
           return offered != node.digests.end() && offered->second == source.second;
         });
}

bool may_run(const Node& node, const JobRow& job) {
  if (!node.works || node.leaving || (job.whole && *job.member != node.name)) return false;
  for (const auto& [key, value] : *job.definition->on) {
    const auto label = node.labels.find(key);
    if (label == node.labels.end() || label->second != value) return false;
  }
  return offers(node, job);
}

const Node* home_of(const JobRow& job, const std::vector<Node>& nodes, const Console& console) {
  std::vector<Candidate> deciders;
  for (const Node& node : nodes) {
    const bool decides = job.whole ? node.name == *job.member : node.schedules;
    if (!decides || is_silent(node, console)) continue;
    const Tier tier = may_run(node, job) ? Tier::fits : Tier::decides;
    deciders.push_back({node.incarnation, knows_less(node, job.pointed_by) ? Tier::older : tier});
  }
  const auto first = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) {
    return !deciders.empty() && rank_of(job.uid, node.incarnation, deciders) == 0;
  });
  return first == nodes.end() ? nullptr : &*first;
}

}  // namespace cronce
