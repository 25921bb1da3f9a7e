// Job files, crontabs and folders of them, as the user names them on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "jobfile/jobfile.h"

namespace cronce {

struct ReadFile {
  std::string path;  // as messages show it: `<stdin>` for `-`
  FileFormat format = FileFormat::yaml;
  JobFile content;
};

/// `-` is standard input and needs a format. A folder means its .yaml and .yml files and the files
/// that run-parts would take, sorted by name, not deeper. A file that is not there ends it; what is
/// wrong inside a file is in its diagnostics.
Result<std::vector<ReadFile>, Refusal> read_files(const std::vector<std::string>& paths,
                                                  const std::optional<std::string>& format,
                                                  const Console& console);

/// `yaml`, `crontab`, `crontab-system`
std::string_view name(FileFormat format);

}  // namespace cronce
