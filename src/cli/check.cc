#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "cli/files.h"
#include "cli/human.h"

namespace cronce {
namespace {

/// Jobs of one name in several files would fight over one cursor.
void add_conflicts(std::vector<ReadFile>& files) {
  std::map<std::string, std::string> owner;
  for (ReadFile& file : files) {
    for (const Job& job : file.content.set.jobs) {
      const auto [first, inserted] = owner.emplace(job.name.text(), file.path);
      if (inserted || first->second == file.path) continue;
      file.content.diagnostics.push_back({Severity::error, file.path, 0, 0, job.name.text(),
                                          fmt::format("job '{}' is defined in {} too: rename one",
                                                      job.name.text(), first->second)});
    }
  }
}

std::size_t count_of(const ReadFile& file, Severity severity) {
  const auto& all = file.content.diagnostics;
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [&](const Diagnostic& d) { return d.severity == severity; }));
}

std::size_t count_of(const std::vector<ReadFile>& files, Severity severity) {
  std::size_t total = 0;
  for (const ReadFile& file : files) total += count_of(file, severity);
  return total;
}

Colour colour_of(Severity severity) {
  if (severity == Severity::syntax || severity == Severity::error) return Colour::red;
  return severity == Severity::note ? Colour::dim : Colour::yellow;
}

/// `3 jobs, 1 warning`; jobs are counted only where all of them could be read.
std::string summary(const ReadFile& file, const Console& console) {
  const std::size_t wrong = count_of(file, Severity::syntax) + count_of(file, Severity::error);
  const std::size_t found = count_of(file, Severity::finding);
  const std::size_t doubtful = count_of(file, Severity::warning);
  const std::string jobs = counted(file.content.set.jobs.size(), "job");
  if (wrong + found + doubtful == 0) return paint(console, Colour::green, jobs + ", nothing wrong");
  std::string text = wrong > 0 ? counted(wrong, "error") : jobs;
  if (found > 0) text += ", " + counted(found, "finding");
  if (doubtful > 0) text += ", " + counted(doubtful, "warning");
  return text;
}

void print_human(const ReadFile& file, bool notes, const Console& console) {
  for (const Diagnostic& diagnostic : file.content.diagnostics) {
    if (diagnostic.severity == Severity::note && !notes) continue;
    fmt::print(console.out, "{}\n",
               paint(console, colour_of(diagnostic.severity), describe(diagnostic)));
  }
  fmt::print(console.out, "{}: {}\n", file.path, summary(file, console));
}

json::object diagnostic_json(const Diagnostic& diagnostic) {
  json::object out;
  out["severity"] = name(diagnostic.severity);
  out["line"] = diagnostic.line;
  out["column"] = diagnostic.column;
  if (!diagnostic.job.empty()) out["job"] = diagnostic.job;
  out["message"] = diagnostic.message;
  return out;
}

void print_json(const ReadFile& file, std::FILE* out) {
  json::object line;
  line["file"] = file.path;
  line["format"] = name(file.format);
  line["source"] = file.content.set.source;
  json::array jobs;
  for (const Job& job : file.content.set.jobs) jobs.push_back(json::value(job.name.text()));
  line["jobs"] = jobs;
  json::array diagnostics;
  for (const Diagnostic& d : file.content.diagnostics) diagnostics.push_back(diagnostic_json(d));
  line["diagnostics"] = diagnostics;
  fmt::print(out, "{}\n", json::print(line));
}

int exit_code(const std::vector<ReadFile>& files, bool strict) {
  if (count_of(files, Severity::syntax) > 0) return kExitBadData;
  const bool found = count_of(files, Severity::error) + count_of(files, Severity::finding) > 0;
  const bool doubt = strict && count_of(files, Severity::warning) > 0;
  return found || doubt ? kExitFound : kExitDone;
}

}  // namespace

int run_check(const Args& args, const Console& console) {
  if (args.has("--schema")) {
    fmt::print(console.out, "{}\n", job_file_schema());
    return kExitDone;
  }
  if (args.words.empty()) {
    return fail(console, kExitUsage,
                "check: no file: name job files, crontabs or folders, or - for standard input");
  }
  auto files = read_files(args.words, args.get("--format"), console);
  if (!files) return fail(console, files.error());
  if (files->empty() && !args.has("--json")) fmt::print(console.out, "no job files there\n");
  add_conflicts(*files);
  for (const ReadFile& file : *files) {
    if (args.has("--json")) {
      print_json(file, console.out);
    } else {
      print_human(file, args.has("--notes"), console);
    }
  }
  return exit_code(*files, args.has("--strict"));
}

}  // namespace cronce
