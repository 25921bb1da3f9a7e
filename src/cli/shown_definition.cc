// A job's definition: its keys as the job file has them, for people only what is not the default.
#include <fmt/format.h>

#include "cli/human.h"
#include "cli/shown_job.h"
#include "model/describe.h"
#include "model/words.h"
#include "schedule/in_words.h"

namespace cronce {
namespace {

std::string joined(const std::map<std::string, std::string>& map) {
  std::string text;
  for (const auto& [key, value] : map) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key, value);
  }
  return text;
}

/// Values may be secrets.
std::string names_in(const std::map<std::string, std::string>& map) {
  std::string text;
  for (const auto& [name, value] : map) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string catch_up_text(const CatchUp& policy) {
  std::string text(word(policy.mode));
  if (policy.window) text += " within " + print(*policy.window);
  if (policy.mode == CatchUp::Mode::all) text += fmt::format(", at most {}", policy.cap);
  return text;
}

std::string retries_text(const Retries& retries) {
  if (retries.max == 0) return "";
  return fmt::format("{}, after {} x {}, at most {}", retries.max, print(retries.backoff),
                     retries.factor, print(retries.limit));
}

std::string limits_text(const Limits& limits) {
  std::string text;
  const auto add = [&](std::string_view name, const std::optional<std::int64_t>& value) {
    if (value) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, *value);
  };
  add("nofile", limits.nofile);
  add("cpu", limits.cpu_seconds);
  add("memory", limits.memory_bytes);
  add("processes", limits.processes);
  add("core", limits.core_bytes);
  return text;
}

std::string optional_text(const std::optional<Duration>& duration) {
  return duration ? print(*duration) : "";
}

/// Of an http action, beside its address: of headers and body only what is no secret.
void add_call_keys(const HttpCall& call, std::vector<JobKey>& keys) {
  keys.push_back({"headers", names_in(call.headers), true});
  if (!call.body.empty()) keys.push_back({"body", fmt::format("{} bytes", call.body.size()), true});
  keys.push_back({"answer", human_range(call.expect_low, call.expect_high), true});
}

json::value text_json(const std::string& text) {
  return text.empty() ? json::value() : json::value(text);
}

template <class T>
json::value optional_json(const std::optional<T>& value) {
  return value ? json::value(*value) : json::value();
}

json::value duration_json(const std::optional<Duration>& duration) {
  return duration ? json::value(print(*duration)) : json::value();
}

json::object policies_json(const Job& job) {
  json::object out;
  out["overlap"] = word(job.overlap);
  out["catch_up"] = {{"mode", word(job.catch_up.mode)},
                     {"window", duration_json(job.catch_up.window)},
                     {"cap", job.catch_up.cap}};
  out["on_lost"] = word(job.on_lost);
  out["on_lease_loss"] = job.on_lease_loss ? json::value(word(*job.on_lease_loss)) : json::value();
  out["retries"] = {{"max", job.retries->max},
                    {"backoff", print(job.retries->backoff)},
                    {"factor", job.retries->factor},
                    {"limit", print(job.retries->limit)}};
  out["timeout"] = duration_json(job.timeout);
  out["kill_after"] = print(job.kill_after);
  out["grace"] = print(job.grace);
  out["jitter"] = print(job.jitter);
  out["priority"] = job.priority;
  out["everywhere"] = job.everywhere;
  return out;
}

}  // namespace

std::vector<JobKey> definition_of(const Job& job) {
  const Job usual{.name = job.name, .schedule = {}, .command = {}};
  const auto differs = [&](auto member) { return !(job.*member == usual.*member); };
  std::vector<JobKey> keys{
      {"command", describe(job.command), true},
      {"overlap", std::string(word(job.overlap)), true},
      {"catch_up", catch_up_text(job.catch_up), differs(&Job::catch_up)},
      {"on_lost", std::string(word(job.on_lost)), differs(&Job::on_lost)},
      {"on_lease_loss", job.on_lease_loss ? std::string(word(*job.on_lease_loss)) : "", true},
      {"retries", retries_text(job.retries), true},
      {"timeout", optional_text(job.timeout), true},
      {"kill_after", print(job.kill_after), differs(&Job::kill_after)},
      {"grace", print(job.grace), differs(&Job::grace)},
      {"jitter", print(job.jitter), differs(&Job::jitter)},
      {"on", joined(job.on), true},
      {"everywhere", job.everywhere ? "true" : "", true},
      {"priority", std::to_string(job.priority), differs(&Job::priority)},
      {"concurrency",
       job.concurrency ? fmt::format("{} of group {}", job.concurrency->max, job.concurrency->group)
                       : "",
       true},
      {"env", names_in(job.env), true},
      {"user", *job.user, true},
      {"cwd", *job.cwd, true},
      {"limits", limits_text(job.limits), true},
      {"umask", job.umask ? fmt::format("{:03o}", *job.umask) : "", true},
      {"nice", std::to_string(job.nice), differs(&Job::nice)},
      {"expect", optional_text(job.expect_within), true},
  };
  if (const auto* call = std::get_if<Shared<HttpCall>>(&job.command)) add_call_keys(*call, keys);
  for (const GuardSpec& guard : *job.guards) keys.push_back({"guard", guard.kind, true});
  return keys;
}

json::object definition_json(const Job& job) {
  json::object out;
  out["words"] = in_words(job.schedule);
  out["gap"] = word(job.schedule.dst.gap);
  out["fold"] = word(job.schedule.dst.fold);
  out["command"] = describe(job.command);
  for (const auto& [key, value] : policies_json(job)) out[key] = value;
  json::object labels;
  for (const auto& [key, value] : *job.on) labels[key] = value;
  out["on"] = labels;
  json::array names;
  for (const auto& [name, value] : *job.env) names.push_back(json::value(name));
  out["env"] = names;
  out["user"] = text_json(*job.user);
  out["cwd"] = text_json(*job.cwd);
  out["umask"] = optional_json(job.umask);
  out["nice"] = job.nice;
  return out;
}

}  // namespace cronce
