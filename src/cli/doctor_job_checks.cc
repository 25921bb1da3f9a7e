// `doctor` on who is alive, and on what would not run or waits for a person.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "cli/doctor.h"
#include "cli/human.h"
#include "cli/shown_node.h"

namespace cronce {
namespace {

/// Due for so long without a decision is no delay any more.
constexpr Duration kOverdue{60'000};

std::vector<const Node*> heard_of(const StoreFacts& store) {
  std::vector<const Node*> living;
  for (const Node& node : store.nodes) {
    if (!is_silent(node, store.boot)) living.push_back(&node);
  }
  return living;
}

bool expects_slots(const JobRow& job) { return !job.retired() && !job.only_exec && !job.paused(); }

std::vector<std::string> overdue_jobs(const StoreFacts& store) {
  std::vector<std::string> jobs;
  for (const JobRow& job : store.jobs) {
    const Duration most = kOverdue + job.definition->jitter;
    const bool late = job.plan.next && *job.plan.next <= store.now - most;
    if (expects_slots(job) && !job.is_whole() && late) jobs.push_back(shown_name(job));
  }
  return jobs;
}

bool is_offered(const JobRow& job, const std::vector<const Node*>& living) {
  return std::any_of(living.begin(), living.end(), [&](const Node* node) {
    return node->works && !node->leaving && offers(*node, job);
  });
}

std::string wanted_labels(const JobRow& job) {
  std::vector<std::string> labels;
  for (const auto& [key, value] : *job.definition->on) {
    labels.push_back(fmt::format("{}={}", key, value));
  }
  return fmt::format("{}", fmt::join(labels, ","));
}

std::string shown_source(const JobRow& job) {
  return fmt::format("{} ({})", shown_name(job),
                     job.sources->empty() ? "no source" : job.sources->begin()->first);
}

/// `import 2026-03-28T22:15:00Z`, as commands take it.
std::string words_for(const Run& run, const StoreFacts& store) {
  const auto job = std::find_if(store.jobs.begin(), store.jobs.end(),
                                [&](const JobRow& row) { return row.uid == run.id.job; });
  return fmt::format("{} {}", job == store.jobs.end() ? "JOB" : shown_name(*job),
                     run.id.space == Space::slot ? print(run.id.slot) : run.id.request);
}

}  // namespace

Findings check_nodes(const DoctorFacts& facts) {
  const StoreFacts& store = facts.store;
  if (!store.was_read()) return {};
  Findings found;
  std::vector<std::string> names;
  std::set<std::string> versions;
  for (const Node& node : store.nodes) {
    if (is_silent(node, store.boot)) {
      found.push_back(found_warning(
          fmt::format("node {} was not heard of for {}", node.name,
                      human_span(silence(node, store.boot).value_or(Duration{}))),
          "what it runs is lost when its lease is over", "start it again, or see why it hangs"));
    } else {
      names.push_back(node.name);
      versions.insert(node.version);
    }
  }
  if (names.empty()) {
    const auto late = overdue_jobs(store);
    found.push_back(found_note("no node is alive", "nothing is started until one is",
                               fmt::format("cronce run{} FILE", store_flag(facts))));
    if (!late.empty()) {
      found.back().severity = Gravity::warning;
      found.back().found += fmt::format(", and {} overdue: {}",
                                        late.size() == 1 ? "a job is" : "jobs are", some_of(late));
    }
  }
  if (versions.size() > 1) {
    found.push_back(found_note(fmt::format("nodes of versions {}", fmt::join(versions, ", ")),
                               "the newest decides what differs", "bring all to the newest"));
  }
  if (found.empty()) {
    found.push_back(
        found_ok(fmt::format("{} alive: {}", counted(names.size(), "node"), some_of(names))));
  }
  return found;
}

Findings check_definitions(const DoctorFacts& facts) {
  if (!facts.store.was_read()) return {};
  Findings found;
  const auto living = heard_of(facts.store);
  for (const Node* node : living) {
    for (const std::string& source : outdated_sources(*node, facts.store.jobs)) {
      found.push_back(found_warning(
          fmt::format("{} offers another version of {} than the registered one", node->name,
                      source),
          "it runs none of that file's jobs",
          fmt::format("bring {} the same file; a new one wins by a greater `generation`",
                      node->name)));
    }
  }
  if (found.empty() && !living.empty()) found.push_back(found_ok("the nodes' files agree"));
  return found;
}

Findings check_runnable(const DoctorFacts& facts) {
  const auto living = heard_of(facts.store);
  if (!facts.store.was_read() || living.empty()) return {};
  std::vector<std::string> unoffered, unlabelled;
  std::string labels;  // of the first
  std::size_t right = 0;
  for (const JobRow& job : facts.store.jobs) {
    const bool waits = job.is_whole() || job.plan.next;
    // A share is its own node's, and that may be away.
    if (!expects_slots(job) || job.whole || !waits) continue;
    const bool fits = std::any_of(living.begin(), living.end(),
                                  [&](const Node* node) { return may_run(*node, job); });
    if (fits) {
      ++right;
    } else if (is_offered(job, living)) {
      if (labels.empty()) labels = wanted_labels(job);
      unlabelled.push_back(fmt::format("{} ({})", shown_name(job), wanted_labels(job)));
    } else {
      unoffered.push_back(shown_source(job));
    }
  }
  Findings found;
  const std::string why = "their slots wait, and end as skipped: no_node";
  if (!unlabelled.empty()) {
    found.push_back(
        found_warning("no living node has the labels of " + some_of(unlabelled), why,
                      fmt::format("cronce run --labels {}{} FILE", labels, store_flag(facts))));
  }
  if (!unoffered.empty()) {
    found.push_back(found_warning(
        "no living node offers the file of " + some_of(unoffered), why,
        fmt::format("cronce run{} FILE, or a node without files, which takes anything",
                    store_flag(facts))));
  }
  if (found.empty() && right > 0) {
    found.push_back(found_ok(fmt::format("{}, each with a node", counted(right, "job"))));
  }
  return found;
}

Findings check_overdue(const DoctorFacts& facts) {
  if (!facts.store.was_read() || heard_of(facts.store).empty()) return {};
  const auto late = overdue_jobs(facts.store);
  if (late.empty()) return {};
  return {found_warning(
      fmt::format("nodes are alive, and nobody has decided what is due of {}", some_of(late)),
      "their slots are late",
      fmt::format("cronce why {} next{}", late.front(), store_flag(facts)))};
}

Findings check_held(const DoctorFacts& facts) {
  const auto& held = facts.store.held;
  if (!facts.store.was_read() || held.empty()) return {};
  std::vector<std::string> runs;
  for (const Run& run : held) runs.push_back(words_for(run, facts.store));
  return {found_warning(
      fmt::format("{} for a person: {}", held.size() == 1 ? "a run waits" : "runs wait",
                  some_of(runs)),
      "its node vanished, it may have run, and on_lost is hold",
      fmt::format("cronce why {0}{1}, then cronce release {0}{1} or cronce cancel {0}{1}",
                  runs.front(), store_flag(facts)))};
}

Findings check_cursors(const DoctorFacts& facts) {
  if (!facts.store.was_read()) return {};
  std::vector<std::string> ahead;
  for (const JobRow& job : facts.store.jobs) {
    const bool future = job.plan.cursor > facts.store.now + Seconds{5};
    if (expects_slots(job) && future) ahead.push_back(shown_name(job));
  }
  if (ahead.empty()) return {};
  return {found_warning("settled beyond the store's time: " + some_of(ahead),
                        "a clock was ahead once; nothing of them runs until that time",
                        fmt::format("cronce recede {}{}", ahead.front(), store_flag(facts)))};
}

}  // namespace cronce
