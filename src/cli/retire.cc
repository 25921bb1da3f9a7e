// `retire` and `recede`: what a person does to a job's plan.
#include <algorithm>

#include <fmt/format.h>

#include "cli/human.h"
#include "cli/ledger.h"
#include "cli/shown_node.h"
#include "cli/steer.h"

namespace cronce {
namespace {

/// The job that is named; a node's share has no life of its own.
Result<const JobRow*, Refusal> whole_job(const Args& args, const ReadStore& read,
                                         std::string_view command) {
  if (args.words.empty()) {
    return Refusal{kExitUsage, fmt::format("no job: try 'cronce {} JOB'", command)};
  }
  const auto found = find_jobs(read, args.words.front());
  if (!found) return found.error();
  const JobRow* job = found->front();
  if (!job->whole) return job;
  const std::string name = job->definition->name.text();
  return Refusal{kExitUsage, fmt::format("{} is a node's share of {}: try 'cronce {} {}'",
                                         args.words.front(), name, command, name)};
}

/// Nodes that are alive and whose files define the job: they would bring it back.
Result<std::vector<std::string>, Refusal> who_offers(const ReadStore& read, const JobRow& job,
                                                     const Console& console) {
  const auto nodes = read_nodes(read);
  if (!nodes) return nodes.error();
  std::vector<std::string> names;
  for (const Node& node : *nodes) {
    const bool offers =
        std::any_of(job.sources->begin(), job.sources->end(), [&](const auto& source) {
          const auto own = node.digests.find(source.first);
          return own != node.digests.end() && own->second == source.second;
        });
    if (offers && !is_silent(node, console)) names.push_back(node.name);
  }
  return names;
}

/// A living node would run the file's other jobs, and this one again after its next start: neither
/// retired nor not.
std::optional<Refusal> still_offered(const ReadStore& read, const JobRow& job,
                                     const Console& console) {
  const auto nodes = who_offers(read, job, console);
  if (!nodes) return nodes.error();
  if (nodes->empty()) return std::nullopt;
  std::vector<std::string> sources;
  for (const auto& [source, digest] : *job.sources) sources.push_back(source);
  return Refusal{kExitTryLater,
                 fmt::format("{}: {} still defines it, for {}: take it out of the file, and that "
                             "retires it; to hold it back, use 'cronce pause'",
                             shown_name(job), fmt::join(sources, ", "), fmt::join(*nodes, ", "))};
}

/// As the store has it now.
Result<JobRow, Refusal> look_at(const Steer& steer, JobUid uid) {
  const auto jobs = steer.read.store->jobs();
  if (!jobs) return store_failure(jobs.error());
  for (const JobRow& job : *jobs) {
    if (job.uid == uid) return job;
  }
  return Refusal{kExitNotFound, "the job is gone"};
}

}  // namespace

int run_retire(const Args& args, const Console& console) {
  auto steer = open_steer(args, console);
  if (!steer) return fail(console, steer.error());
  const auto job = whole_job(args, steer->read, "retire");
  if (!job) return fail(console, job.error());
  const std::string name = shown_name(**job);
  const bool before = (*job)->retired();
  if (!before) {
    if (const auto refusal = still_offered(steer->read, **job, console)) {
      return fail(console, *refusal);
    }
    const auto answer = steer->steering->retire((*job)->uid, steer->by);
    if (!answer) return fail(console, unanswered(answer.error(), name));
    if (answer->refused != Refused::none) return fail(console, refusal_of(answer->refused, name));
  }
  if (args.has("--json")) {
    const json::object out{{"job", name}, {"retired", true}, {"was_retired", before}};
    put(console.out, json::print(out) + "\n");
    return kExitDone;
  }
  const std::string live = (*job)->live.empty() ? "" : "; what runs goes on to its end";
  put(console.out,
      before ? name + " is retired already\n"
             : fmt::format("{} is retired{}; a file that names it again brings it back, from then "
                           "on\n",
                           name, live));
  return kExitDone;
}

int run_recede(const Args& args, const Console& console) {
  auto steer = open_steer(args, console);
  if (!steer) return fail(console, steer.error());
  const auto job = whole_job(args, steer->read, "recede");
  if (!job) return fail(console, job.error());
  const std::string name = shown_name(**job);
  const auto answer = steer->steering->recede((*job)->uid, steer->by);
  if (!answer) return fail(console, unanswered(answer.error(), name));
  const bool done = answer->refused == Refused::none;
  if (!done && answer->refused != Refused::moved) {
    return fail(console, refusal_of(answer->refused, name));
  }
  const auto now = look_at(*steer, (*job)->uid);
  if (!now) return fail(console, now.error());
  if (args.has("--json")) {
    const json::object out{{"job", name},
                           {"receded", done},
                           {"cursor", print(now->plan.cursor)},
                           {"next", time_json(now->plan.next)}};
    put(console.out, json::print(out) + "\n");
  } else if (done) {
    put(console.out, fmt::format("{} is settled to {} now, and was to {}\n", name,
                                 print(now->plan.cursor), print((*job)->plan.cursor)));
  } else {
    put(console.out, fmt::format("{} need not recede: nothing after now is settled but what has a "
                                 "record\n",
                                 name));
  }
  return kExitDone;
}

}  // namespace cronce
