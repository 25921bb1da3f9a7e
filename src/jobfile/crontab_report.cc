#include "jobfile/crontab_report.h"

#include <algorithm>

namespace cronce::crontab {

void Report::add(Place place, Severity severity, std::string message, std::string_view job) {
  if (refuses(severity)) ++errors_;
  const auto after = std::upper_bound(
      diagnostics_.begin(), diagnostics_.end(), place, [](const Place& a, const Diagnostic& b) {
        return std::pair(a.line, a.column) < std::pair(b.line, b.column);
      });
  diagnostics_.insert(
      after, {severity, path_, place.line, place.column, std::string(job), std::move(message)});
}

}  // namespace cronce::crontab
