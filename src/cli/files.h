// Job files, crontabs and folders of them, as the user names them on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "node/job_files.h"

namespace cronce {

struct ReadFiles {
  std::vector<ReadFile> files;
  std::vector<std::string> empty_folders;  // as they were named
};

/// `-` is standard input and needs a format. A folder means its .yaml and .yml files and the files
/// that run-parts would take, sorted by name, not deeper. What is wrong with a file, also that it
/// is not there or too large, is in its diagnostics; only a format that does not exist ends it.
Result<ReadFiles, Refusal> read_files(const std::vector<std::string>& paths,
                                      const std::optional<std::string>& format,
                                      const Console& console);

/// `yaml`, `crontab`, `crontab-system`
std::string_view name(FileFormat format);

}  // namespace cronce
