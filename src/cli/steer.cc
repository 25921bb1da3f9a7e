#include "cli/steer.h"

#include <fnmatch.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/host.h"
#include "node/hint.h"

namespace cronce {
namespace {

std::string user_name() {
  const uid_t user = geteuid();
  const passwd* found = getpwuid(user);  // NOLINT(concurrency-mt-unsafe): before any thread
  return found == nullptr ? fmt::format("uid {}", user) : found->pw_name;
}

bool is_pattern(const std::string& word) { return word.find_first_of("*?[") != std::string::npos; }

/// Not the shares: they follow the job that they are of.
std::vector<const JobRow*> jobs_like(const ReadStore& read, const std::string& pattern) {
  std::vector<const JobRow*> found;
  for (const JobRow& job : read.jobs) {
    const bool like = fnmatch(pattern.c_str(), job.definition->name.text().c_str(), 0) == 0;
    if (like && !job.whole && !job.retired()) found.push_back(&job);
  }
  return found;
}

Result<std::vector<const JobRow*>, Refusal> jobs_of_word(const ReadStore& read,
                                                         const std::string& word) {
  if (!is_pattern(word)) {
    const auto found = find_jobs(read, word);
    if (!found) return found.error();
    const JobRow* job = found->front();
    if (!job->whole) return std::vector{job};
    return Refusal{kExitUsage, fmt::format("{} is a node's share of {}: name the job", word,
                                           job->definition->name.text())};
  }
  auto found = jobs_like(read, word);
  if (!found.empty()) return found;
  return Refusal{kExitNotFound,
                 fmt::format("no job is like '{}': 'cronce jobs' lists what there is", word)};
}

}  // namespace

std::string who_asks() {
  const char* said = std::getenv("CRONCE_WHO");
  if (said != nullptr && *said != '\0') return said;
  const std::string user = user_name();
  const char* sudo = std::getenv("SUDO_USER");
  const bool by_sudo = sudo != nullptr && *sudo != '\0' && user != sudo;
  return fmt::format("{}{}@{}", by_sudo ? std::string(sudo) + " as " : "", user, host_name());
}

Result<Steer, Refusal> open_steer(const Args& args, const Console& console) {
  auto read = read_store(args, console);
  if (!read) return read.error();
  Steer steer{*std::move(read), nullptr, {who_asks(), args.get("--note").value_or("")}};
  const auto nodes = steer.read.store->nodes();
  if (!nodes) return store_failure(nodes.error());
  const auto latest = latest_for_people(*nodes, console.clock.wall());
  const Places places = steer.read.places;
  steer.steering = std::make_unique<Steering>(*steer.read.store, *steer.read.rng, latest,
                                              [places] { Hint(places).tell(); });
  return steer;
}

Result<std::vector<const JobRow*>, Refusal> choose_jobs(const Args& args, const ReadStore& read,
                                                        std::string_view command) {
  const bool all = args.has("--all");
  if (all && !args.words.empty()) {
    return Refusal{kExitUsage, fmt::format("{}: --all and a job: which is meant?", command)};
  }
  if (all) return jobs_like(read, "*");
  if (args.words.empty()) {
    return Refusal{
        kExitUsage,
        fmt::format("{}: no job: name one, a pattern such as 'billing-*', or --all", command)};
  }
  std::vector<const JobRow*> jobs;
  for (const std::string& word : args.words) {
    const auto found = jobs_of_word(read, word);
    if (!found) return found.error();
    for (const JobRow* job : *found) {
      if (std::find(jobs.begin(), jobs.end(), job) == jobs.end()) jobs.push_back(job);
    }
  }
  return jobs;
}

Refusal refusal_of(Refused refused, const std::string& what) {
  switch (refused) {
    case Refused::gone:
      return {kExitNotFound, what + ": it is gone from the store"};
    case Refused::retired:
      return {kExitNotFound, what + ": the job is retired: no file defines it any more"};
    case Refused::closed:
      return {kExitTryLater,
              what +
                  ": the store has forgotten something, and its nodes are mending that: try "
                  "again in a minute"};
    case Refused::future:
      return {kExitTryLater, what +
                                 ": the store's clock went past what was computed, again and "
                                 "again: try again"};
    case Refused::invalid:
      return {kExitBadData, what + ": that cannot be asked of this job"};
    default:
      return {kExitTryLater, what + ": somebody else was first: look at it again"};
  }
}

Refusal unanswered(const Error& error, const std::string& what) {
  if (error.code == Code::not_found) return {kExitNotFound, what + ": " + error.message};
  if (error.code != Code::conflict) return store_failure(error);
  return {kExitTryLater,
          fmt::format("{}: the store did not answer, and it is not known whether it was done: {}: "
                      "look at it when the store is back",
                      what, error.message)};
}

}  // namespace cronce
