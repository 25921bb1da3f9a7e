#include "test/chaos/jobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cronce::chaos {
namespace {

constexpr int kJobs = 50;

/// Of ten jobs with one interval each is of another sort.
JobSpec sort_of(int number) {
  switch (number % 10) {
    case 0:
      return {.takes_ms = 20, .hold = number >= kJobs / 2};
    case 1:
      return {.takes_ms = 20, .rerun = true};
    case 2:
      return {.overlap = "queue", .takes_ms = 50, .rerun = true};
    case 3:
      return {.takes_ms = 30, .retries = 2};
    case 4:
      return {.takes_ms = 1'500, .rerun = true};
    case 5:
      return {
          .overlap = "queue", .takes_ms = 1'000, .manner = "stubborn", .catch_up = "{ cap: 5 }"};
    case 6:
      return {.overlap = "replace", .takes_ms = 3'000, .rerun = true};
    case 7:
      return {.takes_ms = 2'500, .manner = "forks", .rerun = true};
    case 8:
      return {.takes_ms = 3'000, .manner = "stubborn", .timeout_s = 1};
    default:
      return {.overlap = "queue",
              .takes_ms = 100,
              .retries = 1,
              .rerun = true,
              .catch_up = "{ mode: all, cap: 10 }"};
  }
}

}  // namespace

std::vector<JobSpec> all_jobs() {
  std::vector<JobSpec> jobs;
  for (int i = 0; i < kJobs; ++i) {
    JobSpec job = sort_of(i);
    job.every_s = 1 + i / 10;
    job.name = fmt::format("job-{:02}", i);
    jobs.push_back(job);
  }
  return jobs;
}

std::vector<JobSpec> guest_jobs() {
  return {{.name = "guest-0", .every_s = 1, .takes_ms = 20, .guest = true},
          {.name = "guest-1",
           .every_s = 2,
           .overlap = "queue",
           .takes_ms = 700,
           .rerun = true,
           .guest = true},
          {.name = "guest-2", .every_s = 1, .takes_ms = 2'500, .retries = 1, .guest = true}};
}

std::vector<std::string> command_of(const JobSpec& job, const std::string& actor,
                                    const std::string& witness) {
  return {actor, witness, job.manner, fmt::format("{}", job.takes_ms),
          job.retries > 0 ? "fails-first" : "succeeds"};
}

std::string as_yaml(const std::vector<JobSpec>& jobs, const std::string& actor,
                    const std::string& witness, int generation) {
  // Nothing may be purged: the judge wants to see every slot.
  std::string text = generation > 0 ? fmt::format("generation: {}\n", generation) : "";
  text +=
      "defaults:\n"
      "  history: { succeeded: 100000, failed: 100000, skipped: 100000 }\n"
      "  kill_after: 1s\n"
      "jobs:\n";
  for (const JobSpec& job : jobs) {
    text += fmt::format("  {}:\n    schedule: {{ every: {}s }}\n    overlap: {}\n", job.name,
                        job.every_s, job.overlap);
    text +=
        fmt::format("    run: [\"{}\"]\n", fmt::join(command_of(job, actor, witness), "\", \""));
    if (job.retries > 0) {
      text += fmt::format("    retries: {{ max: {}, backoff: 200ms }}\n", job.retries);
    }
    if (job.timeout_s > 0) text += fmt::format("    timeout: {}s\n", job.timeout_s);
    if (job.rerun) text += "    on_lost: rerun\n";
    if (job.hold) text += "    on_lost: hold\n";
    // Each version is another definition.
    if (generation > 0) text += fmt::format("    env: {{ VERSION: \"{}\" }}\n", generation);
    if (!job.catch_up.empty()) text += fmt::format("    catch_up: {}\n", job.catch_up);
  }
  return text;
}

std::string as_table(const std::vector<JobSpec>& jobs, const std::string& actor,
                     const std::string& witness) {
  std::string text;
  for (const JobSpec& job : jobs) {
    text += fmt::format("{} {} {}\n", job.name, job.every_s,
                        fmt::join(command_of(job, actor, witness), " "));
  }
  return text;
}

}  // namespace cronce::chaos
