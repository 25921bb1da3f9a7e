// Files that define jobs: YAML job files and crontabs.
//
// Reading never throws and never stops at the first mistake: it returns every job that is right and
// a Diagnostic for everything that is not (a YAML syntax error ends the list). Pure: text in,
// values out; the caller reads the file. What depends on the host comes in as FileContext.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "jobfile/diagnostic.h"
#include "model/job.h"

namespace cronce {

enum class FileFormat : std::uint8_t { yaml, crontab, crontab_system };

/// `.yaml` and `.yml` are YAML; `/etc/crontab` and files in a `cron.d` folder are crontabs with a
/// user column; everything else is a crontab. Takes an absolute path without `.` and `..`: the form
/// of a file must not depend on where the program was started.
FileFormat guess_format(std::string_view path);

/// A file defines at most so many jobs.
inline constexpr std::size_t kMostJobs = 250'000;
/// What jobs share is copied into each; a large map times many jobs would be a bomb.
inline constexpr std::size_t kMostSharedBytes = 512UL << 20;

struct FileContext {
  std::string path;       // as the user named it, for messages
  std::string folder;     // absolute; relative paths in a YAML file start here
  std::string host_zone;  // the zone of crontabs without CRON_TZ
  std::string host_name;  // for the default source of crontabs
};

struct JobFile {
  JobSet set;
  Diagnostics diagnostics;  // in the order of the file

  /// Nothing that `run` would refuse.
  bool usable() const;
};

JobFile read_job_file(std::string_view text, FileFormat format, const FileContext& context);

/// The same for one format; read_job_file() calls these.
JobFile read_yaml_jobs(std::string_view text, const FileContext& context);
JobFile read_crontab(std::string_view text, bool system_form, const FileContext& context);

/// The JSON schema of the YAML form, for editors. It refuses nothing that is read here, but for an
/// umask without quotes, which YAML readers take for different numbers. It cannot know what is
/// wrong inside a schedule, a zone or a time, nor the ranges of durations: that is for reading.
std::string job_file_schema();

}  // namespace cronce
