// Job files, crontabs and folders of them, read from the disk; and as a node offers them.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "engine/event.h"
#include "jobfile/jobfile.h"

namespace cronce {

/// No job file comes near it, and a device or a pipe may never end.
inline constexpr std::size_t kLargestJobFile = std::size_t{64} << 20;

struct ReadFile {
  std::string path;      // as messages show it: `<stdin>` for `-`
  std::string identity;  // the same for all spellings of one file
  FileFormat format = FileFormat::yaml;
  JobFile content;
  std::string unreadable;  // why it could not be read, which `content` says too; otherwise empty
};

/// `/etc/cron.d/report`, also where it was named `./report`; as it was named if nobody knows.
std::string absolute_path(const std::string& path);

/// A file in a folder of job files: .yaml, .yml, and what run-parts would take.
bool is_job_file_name(const std::string& name);

/// The job files of a folder, sorted by name, not deeper; the error is why they cannot be listed.
Result<std::vector<std::string>> list_job_files(const std::string& folder);

/// What is wrong with a file, also that it is not there or too large, is in its diagnostics.
/// `stream` is read instead, if there is one.
ReadFile read_job_path(const std::string& path, FileFormat format, std::FILE* stream = nullptr);
ReadFile unreadable_file(const std::string& path, FileFormat format, const std::string& why);

struct JobFileSettings {
  std::vector<std::string> paths;
  std::optional<FileFormat> format;      // none: by the name
  std::optional<std::string> source;     // all files are this one source
  std::optional<Generation> generation;  // of all of them
};

/// What a node's files say.
struct LoadedJobs {
  std::vector<Offered> offers;  // one for each source
  Diagnostics diagnostics;
  bool usable = true;
  std::size_t jobs = 0;
};

/// Files of one source are one set. A node that cannot do what a job asks for must not offer it:
/// that is an error too.
LoadedJobs load_jobs(const JobFileSettings& settings);

/// What is wrong with the files, and what is doubtful.
void log_diagnostics(const Log& log, const Diagnostics& diagnostics);

}  // namespace cronce
