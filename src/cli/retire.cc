// `retire` and `recede`: what a person does to a job's plan.
#include <algorithm>

#include <fmt/format.h>

#include "cli/human.h"
#include "cli/ledger.h"
#include "cli/shown_node.h"
#include "cli/steer.h"

namespace cronce {
namespace {

// The store may have settled a slot since its time was read.
constexpr Duration kClockSlack{5'000};

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

/// Where a job stands; of one that runs everywhere, where the share does that is ahead of all.
struct Standing {
  Time cursor = kMinTime;
  std::optional<Time> next;
};

Standing standing_of(JobUid uid, const std::vector<JobRow>& rows) {
  Standing out;
  for (const JobRow& row : rows) {
    if ((row.uid != uid && row.whole != uid) || row.plan.cursor < out.cursor) continue;
    out = {row.plan.cursor, row.plan.next};
  }
  return out;
}

/// What was, what is now, and what stands in the way of more.
std::string shown_recede(const std::string& name, const Standing& was, const Standing& is,
                         const ReadStore& read) {
  const std::string why =
      "a slot of that time has a record, or had one that was purged: it must not run twice";
  const std::string until =
      fmt::format("nothing runs until then, {}", human_relative(is.cursor, read.now));
  const bool ahead = is.cursor > read.now + kClockSlack;
  if (is.cursor < was.cursor) {
    const std::string next = is.next ? "; next " + human_relative(*is.next, read.now) : "";
    return fmt::format("{} was settled to {}, and is to {} now{}", name, print(was.cursor),
                       print(is.cursor),
                       ahead ? fmt::format("; no further back: {}; {}", why, until) : next);
  }
  return ahead ? fmt::format("{} is settled to {}, and cannot recede: {}; {}", name,
                             print(is.cursor), why, until)
               : fmt::format("{} is settled to {}, which is not after now: it need not recede",
                             name, print(is.cursor));
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
  const auto rows = steer->read.store->jobs();
  if (!rows) return fail(console, store_failure(rows.error()));
  const Standing was = standing_of((*job)->uid, steer->read.jobs);
  const Standing is = standing_of((*job)->uid, *rows);
  const bool stuck = !done && is.cursor > steer->read.now + kClockSlack;
  if (args.has("--json")) {
    const json::object out{{"job", name},
                           {"receded", done},
                           {"was", print(was.cursor)},
                           {"cursor", print(is.cursor)},
                           {"next", time_json(is.next)}};
    put(console.out, json::print(out) + "\n");
    return stuck ? kExitTryLater : kExitDone;
  }
  const std::string text = shown_recede(name, was, is, steer->read);
  if (stuck) return fail(console, kExitTryLater, text);
  put(console.out, text + "\n");
  return kExitDone;
}

}  // namespace cronce
