// The keys of a job, one row each.
//
// To add a key: a field in model/job.h, a row in job_keys.cc, and a reading function in the file of
// its family: job_schedule (when), job_policy (under which rules), job_command (what). Messages,
// suggestions and the JSON schema follow from the row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobfile/yaml_reader.h"
#include "model/job.h"

namespace cronce {

/// A job while its keys are read; its name is a placeholder until then.
struct JobDraft {
  Job job;
  std::vector<const YamlNode*> elements;   // where each schedule element was written
  std::optional<std::string> prefix_zone;  // from TZ= in a schedule
  const YamlNode* prefix_node = nullptr;
};

KeyTable<JobDraft> job_keys();

/// Those that `defaults` takes as well: all that can be true of many jobs.
KeyTable<JobDraft> default_keys();

}  // namespace cronce
