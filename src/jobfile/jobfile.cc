#include "jobfile/jobfile.h"

#include <algorithm>

namespace cronce {

FileFormat guess_format(std::string_view path) {
  if (path.ends_with(".yaml") || path.ends_with(".yml")) return FileFormat::yaml;
  const std::string_view folder = path.substr(0, path.rfind('/'));
  if (path == "/etc/crontab" || folder.ends_with("/cron.d")) return FileFormat::crontab_system;
  return FileFormat::crontab;
}

bool JobFile::usable() const {
  return std::none_of(diagnostics.begin(), diagnostics.end(),
                      [](const Diagnostic& found) { return refuses(found.severity); });
}

JobFile read_job_file(std::string_view text, FileFormat format, const FileContext& context) {
  if (format == FileFormat::yaml) return read_yaml_jobs(text, context);
  return read_crontab(text, format == FileFormat::crontab_system, context);
}

}  // namespace cronce
