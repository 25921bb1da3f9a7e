// `run --dry-run`: what a node that starts now would do, in words; it starts none.
#include "cli/dry_run.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "base/json.h"
#include "cli/human.h"
#include "cli/ledger.h"
#include "cli/shown_node.h"
#include "cli/table.h"
#include "engine/forecast.h"
#include "model/words.h"
#include "store/open_store.h"

namespace cronce {
namespace {

using Fate = JobForecast::Fate;

constexpr std::array<std::string_view, 7> kFates{"new",      "unchanged", "changed", "returns",
                                                 "conflict", "leaves",    "retired"};
constexpr std::size_t kDigestDigits = 12;

std::string_view fate_word(Fate fate) { return kFates.at(static_cast<std::size_t>(fate)); }

/// What the files say, with what is wrong with them as `check` has it.
Result<LoadedJobs, Refusal> load(const NodeSettings& settings, const Console& console) {
  LoadedJobs loaded = load_jobs(settings.files);
  for (const Diagnostic& one : loaded.diagnostics) {
    if (one.severity != Severity::note) put(console.err, describe(one) + "\n");
  }
  if (loaded.usable) return loaded;
  return Refusal{kExitBadData, "run: a job file is not right: mend what is told above"};
}

/// A store that is not there is an empty one, and stays away.
struct Seen {
  std::optional<ReadStore> read;
  std::vector<JobRow> rows;
  Time now{};
};

Seen without_store(const Console& console) {
  return {std::nullopt, {}, std::chrono::floor<Duration>(console.clock.wall())};
}

bool is_missing(const Places& places, const Console& console) {
  Rng rng(random_seed());
  const auto store = open_store(places.store, {.name_space = places.name_space, .make = false},
                                console.clock, rng);
  return !store && store.error().code == Code::not_found;
}

Result<Seen, Refusal> look(const Args& args, const Places& places, const Console& console) {
  namespace fs = std::filesystem;
  const auto path = places.store_path();
  std::error_code failed;
  if (path && !fs::exists(*path, failed) && !failed) {
    const fs::path folder = fs::absolute(*path).parent_path();
    if (places.named && !fs::exists(folder, failed)) {
      return Refusal{kExitRefused,
                     fmt::format("run: {}: No such file or directory", folder.string())};
    }
    return without_store(console);
  }
  if (is_server(places.store) && is_missing(places, console)) return without_store(console);
  auto read = read_store(args, console);
  if (!read) return read.error();
  Seen seen{std::nullopt, read->jobs, read->now};
  seen.read = *std::move(read);
  return seen;
}

/// A node without files takes what is registered, and registers nothing.
Forecast without_files(const std::vector<JobRow>& rows, const std::string& node, Time now) {
  Forecast all;
  std::map<JobUid, std::vector<JobRow>> with_shares;
  for (const JobRow& row : rows) with_shares[row.whole.value_or(row.uid)].push_back(row);
  for (const JobRow& row : rows) {
    if (row.retired() || row.only_exec || row.whole) continue;
    const std::string source = row.sources->begin()->first;
    const Forecast one = forecast({{{source, std::nullopt, {row.definition}}, ""}},
                                  with_shares.at(row.uid), node, now);
    all.jobs.push_back(one.jobs.front());
  }
  return all;
}

std::int64_t skipped_of(const JobForecast& job) {
  std::int64_t count = 0;
  for (const SkippedRange& range : job.settles->skipped) count += range.count;
  return count;
}

/// `runs the newest of 3, skips 2 as missed`
std::string shown_owed(const JobForecast& job) {
  if (!job.settles) return "";
  const auto runs = static_cast<std::int64_t>(job.settles->runs.size());
  const std::int64_t skipped = skipped_of(job);
  std::string skips = skipped == 0 ? ""
                                   : fmt::format("skips {} as {}", skipped,
                                                 word(job.settles->skipped.front().reason));
  if (runs == 0) return skips;
  if (runs == 1 && skipped == 0) return "runs " + print(job.settles->runs.front().slot);
  if (runs == 1) return fmt::format("runs the newest of {}, {}", skipped + 1, skips);
  return fmt::format("runs {}, oldest first{}{}", runs, skips.empty() ? "" : "; ", skips);
}

std::string shown_fate(const JobForecast& job) {
  std::string text(fate_word(job.fate));
  if (!job.changes.empty()) text += fmt::format(": {}", fmt::join(job.changes, ", "));
  const bool others = job.fate == Fate::conflict || job.fate == Fate::leaves;
  if (others) text += fmt::format("; {} has it too", fmt::join(job.others, ", "));
  return text;
}

std::string shown_next(const JobForecast& job, Time now) {
  if (job.fate == Fate::conflict || job.fate == Fate::retired) return "";
  if (job.paused) return "paused";
  if (!job.next) return runs_at_boot(*job.job) ? "when the host starts" : "never again";
  return human_relative(*job.next, now);
}

json::object forecast_json(const JobForecast& job) {
  json::object out;
  out["job"] = job.job->name.text();
  out["source"] = job.source;
  out["change"] = json::value(fate_word(job.fate));
  out["changed"] = json::array(job.changes.begin(), job.changes.end());
  out["other_sources"] = json::array(job.others.begin(), job.others.end());
  out["paused"] = job.paused;
  json::array runs;
  if (job.settles) {
    for (const SlotToRun& run : job.settles->runs) runs.emplace_back(print(run.slot));
  }
  out["runs_now"] = runs;
  out["skips_now"] = job.settles ? skipped_of(job) : 0;
  const bool skips = job.settles && !job.settles->skipped.empty();
  out["skip_reason"] =
      skips ? json::value(word(job.settles->skipped.front().reason)) : json::value();
  out["next"] = time_json(job.next);
  return out;
}

bool is_replaced(const SourceForecast& source) {
  return source.registered && *source.registered != source.digest;
}

/// The living nodes that have the version of the file which would be replaced.
Result<std::vector<std::string>, Refusal> offers_of(const SourceForecast& source, const Seen& seen,
                                                    const Console& console) {
  std::vector<std::string> names;
  if (!is_replaced(source)) return names;
  const auto nodes = read_nodes(*seen.read);
  if (!nodes) return nodes.error();
  for (const Node& node : *nodes) {
    const auto own = node.digests.find(source.source);
    const bool same = own != node.digests.end() && own->second == *source.registered;
    if (same && !is_silent(node, console)) names.push_back(node.name);
  }
  return names;
}

/// Who would run another version of the file, and who would be refused theirs.
std::string shown_source(const SourceForecast& source, const std::vector<std::string>& offer) {
  const std::string name =
      fmt::format("{} ({})", source.source, source.digest.substr(0, kDigestDigits));
  if (!source.registered) return name + " is new to the store";
  if (!is_replaced(source)) return name + " is registered as it is";
  const std::string old = source.registered->substr(0, kDigestDigits);
  if (offer.empty()) return fmt::format("{} would take the place of {}", name, old);
  const bool one = offer.size() == 1;
  return fmt::format(
      "{} would take the place of {}, which {} offer{}: {} none of its jobs then, until {} this "
      "one too",
      name, old, fmt::join(offer, ", "), one ? "s" : "", one ? "it runs" : "they run",
      one ? "it has" : "they have");
}

json::object source_json(const SourceForecast& source, const std::vector<std::string>& offer) {
  const Fate fate = source.refused        ? Fate::conflict
                    : !source.registered  ? Fate::created
                    : is_replaced(source) ? Fate::changed
                                          : Fate::unchanged;
  json::object out;
  out["source"] = source.source;
  out["change"] = json::value(fate_word(fate));
  out["digest"] = source.digest;
  out["registered"] = source.registered ? json::value(*source.registered) : json::value();
  out["offered_by"] = json::array(offer.begin(), offer.end());
  return out;
}

void print_table(const Forecast& found, Time now, const Console& console) {
  Table table({{"JOB"}, {"CHANGE", Column::Side::left, true}, {"NOW"}, {"NEXT"}});
  for (const JobForecast& job : found.jobs) {
    table.add({job.job->name.text(), shown_fate(job), shown_owed(job), shown_next(job, now)});
  }
  if (!table.empty()) put(console.out, table.print(console));
}

/// `3 jobs: 1 new, 2 unchanged; nothing was done`
std::string summary(const Forecast& found) {
  std::array<std::size_t, kFates.size()> counts{};
  for (const JobForecast& job : found.jobs) ++counts.at(static_cast<std::size_t>(job.fate));
  std::string text = counted(found.jobs.size(), "job");
  std::string_view before = ": ";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts.at(i) == 0) continue;
    text += fmt::format("{}{} {}", before, counts.at(i), kFates.at(i));
    before = ", ";
  }
  return text + "; nothing was done";
}

int print_fates_of_sources(const Forecast& found, const Seen& seen, bool as_json,
                           const Console& console) {
  for (const SourceForecast& source : found.sources) {
    const auto offer = offers_of(source, seen, console);
    if (!offer) return fail(console, offer.error());
    put(console.out,
        (as_json ? json::print(source_json(source, *offer)) : shown_source(source, *offer)) + "\n");
  }
  return kExitDone;
}

void print_jobs(const Forecast& found, Time now, bool as_json, const Console& console) {
  if (!as_json) return print_table(found, now, console);
  for (const JobForecast& job : found.jobs) {
    put(console.out, json::print(forecast_json(job)) + "\n");
  }
}

/// A set is taken as a whole or not at all.
void print_refused(const Forecast& found, const Console& console) {
  for (const SourceForecast& source : found.sources) {
    if (!source.refused) continue;
    put(console.out,
        fmt::format("{} would be refused as a whole: a job has one definition\n", source.source));
  }
}

}  // namespace

int dry_run(const NodeSettings& settings, const Args& args, const Console& console) {
  const auto loaded = load(settings, console);
  if (!loaded) return fail(console, loaded.error());
  const auto seen = look(args, settings.places, console);
  if (!seen) return fail(console, seen.error());
  const Forecast found = settings.files.paths.empty()
                             ? without_files(seen->rows, settings.node, seen->now)
                             : forecast(loaded->offers, seen->rows, settings.node, seen->now);
  const bool as_json = args.has("--json");
  if (!seen->read && !as_json) {
    put(console.out,
        fmt::format("there is no store at {} yet: it would be made\n",
                    settings.places.store_path().value_or(shown_address(settings.places.store))));
  }
  if (const int failed = print_fates_of_sources(found, *seen, as_json, console);
      failed != kExitDone) {
    return failed;
  }
  print_jobs(found, seen->now, as_json, console);
  if (!as_json) {
    print_refused(found, console);
    put(console.out, summary(found) + "\n");
  }
  const bool refused = std::any_of(found.sources.begin(), found.sources.end(),
                                   [](const SourceForecast& source) { return source.refused; });
  return refused ? kExitFound : kExitDone;
}

}  // namespace cronce
