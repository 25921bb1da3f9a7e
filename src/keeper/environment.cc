#include "keeper/environment.h"

#include <array>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/time.h"
#include "keeper/leftovers.h"
#include "keeper/spawn.h"
#include "model/words.h"

namespace cronce {
namespace {

using Variables = std::map<std::string, std::string>;

constexpr std::string_view kCronPath = "/usr/bin:/bin";

/// What belongs to the node: its store's password would otherwise reach every job.
bool is_ours(std::string_view name) {
  for (const std::string_view prefix : {"CRONCE_", "PG", "LISTEN_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return name == "NOTIFY_SOCKET";
}

Variables inherited(const std::vector<std::string>& node_environment) {
  Variables out;
  for (const std::string& entry : node_environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    const std::string name = entry.substr(0, equals);
    if (!is_ours(name)) out[name] = entry.substr(equals + 1);
  }
  return out;
}

Variables cron_base(const Job& job, const User& user) {
  const auto* command = std::get_if<ShellCommand>(&job.command);
  return {{"HOME", user.home},
          {"LOGNAME", user.name},
          {"PATH", std::string(kCronPath)},
          {"SHELL", command != nullptr ? command->shell : "/bin/sh"}};
}

Variables base(const Job& job, const User& user, const std::vector<std::string>& node_environment) {
  if (job.env_base == EnvBase::cron) return cron_base(job, user);
  Variables out = inherited(node_environment);
  if (!job.user->empty()) {
    out["HOME"] = user.home;
    out["LOGNAME"] = user.name;
    out["USER"] = user.name;
    out["SHELL"] = user.shell;
  }
  return out;
}

std::vector<std::string> entries_of(const Variables& variables) {
  std::vector<std::string> entries;
  entries.reserve(variables.size());
  for (const auto& [name, value] : variables) {
    entries.push_back(fmt::format("{}={}", name, value));
  }
  return entries;
}

std::string print_if(const std::optional<Time>& time) { return time ? print(*time) : ""; }

void tell_of_run(Variables& out, const Claim& claim, const Job& job, const RunFacts& facts) {
  out["CRONCE_JOB"] = job.name.text();
  out["CRONCE_SLOT"] = print(told_slot(claim));
  out["CRONCE_SLOT_LOCAL"] = facts.slot_local;
  out["CRONCE_RUN"] = run_label(job.name, claim.run);
  out["CRONCE_ATTEMPT"] = fmt::format("{}", claim.run.attempt.value);
  out["CRONCE_FENCE"] = fmt::format("{}", claim.fence.value);
  out["CRONCE_KEY"] = claim.key;
  out["CRONCE_NODE"] = facts.node;
  out["CRONCE_NAMESPACE"] = facts.name_space;
  out["CRONCE_DEADLINE"] = print_if(facts.deadline);
  out["CRONCE_PREVIOUS_SLOT"] = print_if(facts.previous_slot);
  out["CRONCE_PROGRESS_FD"] = fmt::format("{}", kProgressDescriptor);
  out[std::string(kIncarnationVariable)] = print(claim.incarnation);
}

}  // namespace

bool loads_code(std::string_view name) {
  return name.starts_with("LD_") || name == "PATH" || name == "BASH_ENV" || name == "ENV";
}

std::string run_label(const JobName& job, const RunId& run) {
  const std::string slot = run.space == Space::slot
                               ? print(run.slot)
                               : fmt::format("{}/{}", word(run.space), run.request);
  return fmt::format("{}@{}#{}", job.text(), slot, run.attempt.value);
}

Time told_slot(const Claim& claim) {
  return claim.run.space == Space::slot ? claim.run.slot : claim.due;
}

std::vector<std::string> inherited_environment(const std::vector<std::string>& node_environment) {
  return entries_of(inherited(node_environment));
}

std::vector<std::string> child_environment(const Claim& claim, const Job& job,
                                           const RunFacts& facts, const User& user,
                                           const std::vector<std::string>& node_environment) {
  Variables variables = base(job, user, node_environment);
  for (const auto& [name, value] : *job.env) variables[name] = value;
  for (const auto& [name, value] : *claim.env) {
    if (!loads_code(name)) variables[name] = value;
  }
  // cron does not let a crontab say who its user is.
  if (job.env_base == EnvBase::cron) variables["LOGNAME"] = user.name;
  tell_of_run(variables, claim, job, facts);
  return entries_of(variables);
}

}  // namespace cronce
