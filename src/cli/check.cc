#include <algorithm>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/json.h"
#include "cli/check_times.h"
#include "cli/files.h"
#include "cli/human.h"
#include "cli/store_args.h"

namespace cronce {
namespace {

struct Owner {
  const ReadFile* file;
  std::string name;
};

/// Where a file speaks of a job; its beginning if it never does.
Diagnostic place_of(const ReadFile& file, const std::string& job) {
  for (const Diagnostic& found : file.content.diagnostics) {
    if (found.job == job && found.line > 0) return found;
  }
  return {Severity::error, file.path, 1, 1, job, ""};
}

std::string conflict_text(const ReadFile& file, const std::string& job, const Owner& owner) {
  const std::string what = job == owner.name
                               ? fmt::format("job '{}' is defined in {} too", job, owner.file->path)
                               : fmt::format("job '{}' differs only in case from '{}' in {}", job,
                                             owner.name, owner.file->path);
  const bool lines = file.format != FileFormat::yaml;  // lines of a crontab have no name to change
  return what + (lines ? ": name one by a comment above its line, as in '# cronce: name=NAME'"
                       : ": rename one");
}

/// Jobs of one name in several files would fight over one cursor.
void add_conflicts(std::vector<ReadFile>& files) {
  std::map<std::string, Owner> owners;
  for (ReadFile& file : files) {
    for (const Job& job : file.content.set.jobs) {
      const std::string& name = job.name.text();
      const auto [first, inserted] = owners.emplace(ascii_lower(name), Owner{&file, name});
      const Owner& owner = first->second;
      if (inserted || owner.file->identity == file.identity) continue;
      const Diagnostic place = place_of(file, name);
      file.content.diagnostics.push_back({Severity::error, file.path, place.line, place.column,
                                          name, conflict_text(file, name, owner)});
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
  if (refuses(severity)) return Colour::red;
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

/// What `run` would refuse runs never.
void print_human(const ReadFile& file, const Args& args, const Begin& begin,
                 const Console& console) {
  for (const Diagnostic& diagnostic : file.content.diagnostics) {
    if (diagnostic.severity == Severity::note && !args.has("--notes")) continue;
    const auto line = paint(console, colour_of(diagnostic.severity), describe(diagnostic));
    put(console.out, line + "\n");
  }
  put(console.out, fmt::format("{}: {}\n", file.path, summary(file, console)));
  if (args.has("--quiet") || !file.content.usable()) return;
  put(console.out, times_table(file.content.set, begin, console));
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

void print_json(const ReadFile& file, const Args& args, const Begin& begin, std::FILE* out) {
  const bool with_times = !args.has("--quiet") && file.content.usable();
  json::object line;
  line["file"] = file.path;
  line["format"] = name(file.format);
  line["source"] = file.content.set.source;
  json::array jobs;
  for (const Job& job : file.content.set.jobs) jobs.push_back(json::value(job.name.text()));
  line["jobs"] = jobs;
  line["times"] = with_times ? times_json(file.content.set, begin) : json::array{};
  json::array diagnostics;
  for (const Diagnostic& d : file.content.diagnostics) diagnostics.push_back(diagnostic_json(d));
  line["diagnostics"] = diagnostics;
  put(out, json::print(line) + "\n");
}

/// What cannot be parsed weighs most, then what cannot be read, then what was found.
int exit_code(const std::vector<ReadFile>& files, bool strict) {
  if (count_of(files, Severity::syntax) > 0) return kExitBadData;
  const bool unread = std::any_of(files.begin(), files.end(),
                                  [](const ReadFile& file) { return !file.unreadable.empty(); });
  if (unread) return kExitNotFound;
  const bool found = count_of(files, Severity::error) + count_of(files, Severity::finding) > 0;
  const bool doubt = strict && count_of(files, Severity::warning) > 0;
  return found || doubt ? kExitFound : kExitDone;
}

/// --from, in each job's own zone if it has no offset; or now.
Result<Begin, Refusal> read_begin(const Args& args, const Console& console) {
  const Time now = console.clock.wall();
  const auto text = args.get("--from");
  if (!text) return Begin{[now](const Zone&) { return now; }};
  const auto read = [text, now](const Zone& zone) {
    return read_moment("--from", *text, Edge::begin, zone, now);
  };
  const auto in_utc = read(**load_zone("UTC"));
  if (!in_utc) return in_utc.error();
  return Begin{[read](const Zone& zone) { return *read(zone); }};
}

/// The schema is the same whatever else is said, so nothing else may be said.
int print_schema(const Args& args, const Console& console) {
  std::string extra = args.words.empty() ? "" : args.words.front();
  for (const auto& [flag, value] : args.flags) {
    if (flag != "--schema") extra = flag;
  }
  if (!extra.empty()) {
    return fail(console, kExitUsage,
                fmt::format("check: '{}' does not go with --schema, which stands alone", extra));
  }
  put(console.out, job_file_schema() + "\n");
  return kExitDone;
}

}  // namespace

int run_check(const Args& args, const Console& console) {
  if (args.has("--schema")) return print_schema(args, console);
  if (args.words.empty()) {
    return fail(console, kExitUsage,
                "check: no file: name job files, crontabs or folders, or - for standard input");
  }
  const auto begin = read_begin(args, console);
  if (!begin) return fail(console, begin.error());
  auto found = read_files(args.words, args.get("--format"), console);
  if (!found) return fail(console, found.error());
  add_conflicts(found->files);
  for (const ReadFile& file : found->files) {
    if (args.has("--json")) {
      print_json(file, args, *begin, console.out);
    } else {
      print_human(file, args, *begin, console);
    }
  }
  for (const std::string& folder : found->empty_folders) {
    if (!args.has("--json")) put(console.out, folder + ": no job files\n");
  }
  return exit_code(found->files, args.has("--strict"));
}

}  // namespace cronce
