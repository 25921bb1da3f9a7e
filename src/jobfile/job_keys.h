// The keys of a job file, one row each: those at its top, and those of a job.
//
// To add a key: a field in model/job.h, a row in job_keys.cc, and a reading function in the file of
// its family: job_schedule (when), job_policy (under which rules), job_command (what). Messages,
// suggestions and the JSON schema follow from the row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobfile/yaml_reader.h"
#include "model/job.h"

namespace cronce {

struct FileKeys {
  std::optional<std::uint64_t> generation;
  std::string source;
  const YamlNode* defaults = nullptr;
  const YamlNode* jobs = nullptr;
};

KeyTable<FileKeys> file_keys();

/// A job while its keys are read; whoever reads them names it.
struct JobDraft {
  Job job;
  std::vector<const YamlNode*> elements;   // where each schedule element was written
  std::optional<std::string> prefix_zone;  // from TZ= in a schedule
  const YamlNode* prefix_node = nullptr;
};

/// `defaults` takes those that are not a job's own.
KeyTable<JobDraft> job_keys();

}  // namespace cronce
