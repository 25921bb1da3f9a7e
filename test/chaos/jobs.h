// The fifty jobs of a chaos run, always the same: what varies is what is done to them.
#pragma once

#include <string>
#include <vector>

namespace cronce::chaos {

struct JobSpec {
  std::string name;
  int every_s = 1;
  std::string overlap = "skip";  // skip, queue or replace: never two at once
  int takes_ms = 0;
  std::string manner = "plain";  // how the actor goes about it, see actor.cc
  int retries = 0;               // with some, the first attempt fails
  int timeout_s = 0;             // 0: none
  bool rerun = false;            // on_lost
  bool hold = false;             // the same
  std::string catch_up;          // as in the job file; empty: the latest
  bool guest = false;            // of a file that drops it now and then
};

std::vector<JobSpec> all_jobs();
/// Of another file, which comes and goes.
std::vector<JobSpec> guest_jobs();

/// The command of a job: the actor with its arguments.
std::vector<std::string> command_of(const JobSpec& job, const std::string& actor,
                                    const std::string& witness);

/// As a job file of ours, numbered if it has a number.
std::string as_yaml(const std::vector<JobSpec>& jobs, const std::string& actor,
                    const std::string& witness, int generation = 0);

/// `NAME SECONDS COMMAND...`, a line for each job.
std::string as_table(const std::vector<JobSpec>& jobs, const std::string& actor,
                     const std::string& witness);

}  // namespace cronce::chaos
