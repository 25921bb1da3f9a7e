// Properties of a JobFile, whatever text it was read from.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "jobfile/jobfile.h"
#include "schedule/schedule.h"
#include "test/fuzz/property.h"

namespace cronce::fuzz {

/// `lines`: how many the text has, an unfinished or empty last one included.
inline void check_diagnostics(const JobFile& file, std::string_view text, std::size_t lines) {
  for (const Diagnostic& diagnostic : file.diagnostics) {
    CHECK(diagnostic.line >= 1 && diagnostic.column >= 1);
    CHECK(diagnostic.line <= lines + 1);  // the end of a file may count as a line
    CHECK(diagnostic.column <= text.size() + 1);
    CHECK(!diagnostic.message.empty());
    CHECK(is_one_line(diagnostic.message));
    CHECK(is_one_line(describe(diagnostic)));
  }
  CHECK(std::is_sorted(file.diagnostics.begin(), file.diagnostics.end(),
                       [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; }));
}

/// Every job that was read can be run, also when others of its file cannot.
inline void check_jobs(const JobFile& file) {
  std::set<std::string> names;
  for (const Job& job : file.set.jobs) {
    CHECK(parse_job_name(job.name.text()).ok());
    CHECK(names.insert(job.name.text()).second);
    CHECK(Schedule::build(job.schedule).ok());
  }
}

}  // namespace cronce::fuzz
