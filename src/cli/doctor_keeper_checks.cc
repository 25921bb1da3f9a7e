// `doctor` on what the keeper needs of the host.
#include <linux/capability.h>

#include <algorithm>

#include <fmt/format.h>

#include "cli/doctor.h"
#include "cli/human.h"
#include "cli/store_args.h"

namespace cronce {
namespace {

/// Of descriptors or processes: what our own processes need, and what each run does.
struct Need {
  std::string_view what;
  std::uint64_t own;
  std::uint64_t each;
  std::string_view remedy;
};

/// A living run is a channel and two pipes in the keeper, a sub-keeper and at least one command.
constexpr Need kFiles{"open files", 64, 3, "ulimit -Hn 65536; in a unit: LimitNOFILE=65536"};
constexpr Need kProcesses{"processes", 32, 2, "ulimit -Hu 65536; in a unit: TasksMax=65536"};

/// The most that a living node wants to run at once.
std::uint64_t wanted_at_once(const StoreFacts& store) {
  std::int64_t most = 0;
  for (const Node& node : store.nodes) most = std::max(most, node.max_running);
  return static_cast<std::uint64_t>(most);
}

Findings judge_limit(const Need& need, const std::optional<std::uint64_t>& limit,
                     std::uint64_t wanted) {
  constexpr std::uint64_t kFew = 100, kMany = 1'000;
  if (!limit) return {found_ok(fmt::format("no limit of {}", need.what))};
  const std::uint64_t room = *limit <= need.own ? 0 : (*limit - need.own) / need.each;
  const std::string text =
      fmt::format("{} {}, about {} at once", *limit, need.what, counted(room, "run"));
  if (room < kFew || room < wanted) {
    return {
        found_warning(text, "what does not fit ends as failed: spawn", std::string(need.remedy))};
  }
  if (room < kMany) {
    return {found_note(text, "a busy minute may need more", std::string(need.remedy))};
  }
  return {found_ok(text)};
}

bool is_above(const std::optional<std::int64_t>& wanted, const std::optional<std::uint64_t>& most) {
  return wanted && most && static_cast<std::uint64_t>(*wanted) > *most;
}

}  // namespace

Findings check_open_files(const DoctorFacts& facts) {
  return judge_limit(kFiles, facts.host.open_files, wanted_at_once(facts.store));
}

Findings check_processes(const DoctorFacts& facts) {
  return judge_limit(kProcesses, facts.host.processes, wanted_at_once(facts.store));
}

Findings check_job_limits(const DoctorFacts& facts) {
  const HostFacts& host = facts.host;
  if (host.capabilities.contains(CAP_SYS_RESOURCE)) return {};
  std::vector<std::string> jobs;
  for (const JobRow& job : facts.store.jobs) {
    const Limits& limits = *job.definition->limits;
    const bool above = is_above(limits.nofile, host.open_files) ||
                       is_above(limits.processes, host.hard_processes) ||
                       is_above(limits.memory_bytes, host.hard_memory) ||
                       is_above(limits.core_bytes, host.hard_core);
    if (above && !job.retired() && !job.whole) jobs.push_back(shown_name(job));
  }
  if (!jobs.empty()) {
    return {found_warning(
        fmt::format("{} ask{} for more than the hard limits: {}", counted(jobs.size(), "job"),
                    jobs.size() == 1 ? "s" : "", some_of(jobs)),
        "without CAP_SYS_RESOURCE such a start ends as failed: spawn",
        "lower `limits` in the job file, or in a unit: AmbientCapabilities=CAP_SYS_RESOURCE")};
  }
  if (!host.root) return {};
  return {found_note("root without CAP_SYS_RESOURCE", "a job's `limits` can only lower what is",
                     "of a container: docker run --cap-add SYS_RESOURCE ...")};
}

Findings check_cgroups(const DoctorFacts& facts) {
  const HostFacts& host = facts.host;
  if (!host.cgroups) {
    return {found_note(
        fmt::format("no control group for each run, but sub-keepers: {}", host.no_cgroups),
        "what clears its environment survives if all our processes are killed at once",
        "in a unit: Delegate=yes; docker run --cgroupns private -v "
        "/sys/fs/cgroup:/sys/fs/cgroup:rw ...")};
  }
  return {found_ok(host.cgroup_kill ? "a control group for each run, killed in one step"
                                    : "a control group for each run, frozen and killed")};
}

Findings check_users(const DoctorFacts& facts) {
  const HostFacts& host = facts.host;
  if (host.users.empty()) return {};
  std::vector<std::string> unknown, all;
  for (const auto& [user, known] : host.users) {
    all.push_back(user);
    if (!known) unknown.push_back(user);
  }
  Findings found;
  if (!unknown.empty()) {
    found.push_back(found_error(
        fmt::format("jobs name users that are not known here: {}", some_of(unknown)),
        "their runs end as failed: spawn", fmt::format("useradd --system {}", unknown.front())));
  }
  const auto lacks = [&](int capability) { return !host.capabilities.contains(capability); };
  if (lacks(CAP_SETUID) || lacks(CAP_SETGID) || lacks(CAP_KILL)) {
    found.push_back(found_error(
        fmt::format("{} cannot run commands as {}", host.user, some_of(all)),
        "it needs CAP_SETUID, CAP_SETGID and, to end them, CAP_KILL",
        "run the node as root, or in a unit: AmbientCapabilities=CAP_SETUID CAP_SETGID CAP_KILL"));
  }
  if (found.empty()) found.push_back(found_ok("can run commands as " + some_of(all)));
  return found;
}

Findings check_http(const DoctorFacts& facts) {
  if (!facts.host.no_http) return {};
  std::vector<std::string> jobs;
  for (const JobRow& job : facts.store.jobs) {
    if (calls_http(job)) jobs.push_back(shown_name(job));
  }
  return {found_error(
      fmt::format("the calls of {} cannot be made here: {}", some_of(jobs), *facts.host.no_http),
      "they fail before anything is sent, and so do notices by webhook",
      "apt-get install libcurl4")};
}

}  // namespace cronce
