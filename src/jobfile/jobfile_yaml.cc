// A YAML job file: its top level, and the rules that no key can check alone.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/quote.h"
#include "jobfile/job_keys.h"
#include "jobfile/job_schedule.h"
#include "jobfile/jobfile.h"
#include "jobfile/yaml_reader.h"
#include "jobfile/yaml_tree.h"

namespace cronce {
namespace {

/// Where a job was written, and whether it can be used.
struct JobPlace {
  const YamlNode* key;
  const YamlNode* was;  // none without one
  bool right = true;
};

std::string base_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path.empty() || path == "-") return "stdin";
  return std::string(path.substr(path.rfind('/') + 1));
}

class JobFileReader {
 public:
  JobFileReader(const YamlTree& tree, const FileContext& context)
      : tree_(tree), in_(tree, context), draft_{make_draft()} {}

  JobFile read(const FileContext& context) {
    JobFile file;
    file.set.source = base_name(context.path);
    if (tree_.root() != nullptr) read_root(*tree_.root(), file);
    drop_wrong_jobs();
    file.set.jobs = std::move(jobs_);
    file.diagnostics = in_.finish();
    if (tree_.root() == nullptr && file.diagnostics.empty()) {
      file.diagnostics.push_back({Severity::error, context.path, 1, 1, "",
                                  "the file is empty: expected jobs: with a map of jobs"});
    }
    return file;
  }

 private:
  static JobDraft make_draft() {
    return {Job{*parse_job_name("defaults"), {}, {}}, {}, std::nullopt, nullptr};
  }

  void read_root(const YamlNode& root, JobFile& file) {
    FileKeys keys;
    if (!in_.expect_map(root, "a map with jobs:")) return;
    if (find_value(root, "apiVersion") != nullptr && find_value(root, "kind") != nullptr) {
      return in_.error(root,
                       "this is a Kubernetes manifest: a job file begins with jobs: and a map");
    }
    in_.map<FileKeys>(root, file_keys(), keys);
    if (keys.generation) file.set.generation = Generation{*keys.generation};
    if (!keys.source.empty()) file.set.source = keys.source;
    if (keys.jobs == nullptr) return in_.error(root, "jobs: is missing: nothing would run");
    if (keys.defaults != nullptr && !read_defaults(*keys.defaults, *keys.jobs)) return;
    read_jobs(*keys.jobs);
    check_names();
    check_renames();
  }

  void drop_wrong_jobs() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (!places_[i].right) continue;
      if (kept != i) jobs_[kept] = std::move(jobs_[i]);
      ++kept;
    }
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(kept), jobs_.end());
  }

  bool read_defaults(const YamlNode& defaults, const YamlNode& jobs) {
    if (!in_.expect_map(defaults, "defaults to be a map of job keys")) return true;
    const std::size_t bytes = weight(defaults) * std::max<std::size_t>(jobs.count / 2, 1);
    if (bytes > kMostSharedBytes) {
      in_.error(defaults,
                fmt::format("the defaults are too large for {} jobs: {} MiB in all, at most "
                            "{} MiB",
                            jobs.count / 2, bytes >> 20, kMostSharedBytes >> 20));
      return false;
    }
    defaults_ = &defaults;
    for (const YamlNode* key = defaults.first; key != nullptr; key = key->next->next) {
      check_default_key(*key);
    }
    JobDraft read = draft_;
    in_.map<JobDraft>(defaults, job_keys(), read);
    read.job.schedule.elements.clear();
    read.elements.clear();
    read.prefix_zone.reset();
    read.job.command = {};
    read.job.was.reset();
    draft_ = std::move(read);
    return true;
  }

  void check_default_key(const YamlNode& key) {
    const auto* row = job_keys().find(key.text);
    if (row != nullptr && row->own) {
      in_.error(key, fmt::format("defaults cannot hold {}: write it in each job", key.text));
    }
  }

  void read_jobs(const YamlNode& jobs) {
    if (!in_.expect_map(jobs, "jobs to be a map with each job under its name")) return;
    if (jobs.count == 0) in_.warning(jobs, "jobs: the file defines no job");
    if (jobs.count / 2 > kMostJobs) {
      return in_.error(jobs, fmt::format("{} jobs are too many for one file: at most {}",
                                         jobs.count / 2, kMostJobs));
    }
    jobs_.reserve(jobs.count / 2);
    for (const YamlNode* key = jobs.first; key != nullptr; key = key->next->next) {
      if (in_.too_many_errors()) break;
      read_job(*key, *key->next);
    }
    in_.enter_job("");
  }

  void read_job(const YamlNode& key, const YamlNode& value) {
    const std::size_t before = in_.errors();
    auto name = parse_job_name(key.text);
    in_.enter_job(name ? name->text() : shorten(key.text));
    if (!name) in_.error(key, name.error().message);
    JobDraft draft = draft_;
    if (name) draft.job.name = *std::move(name);
    if (value.kind == YamlNode::Kind::map) {
      in_.map<JobDraft>(value, job_keys(), draft);
      check_job(key, value, draft, before);
    } else {
      in_.wrong_kind(value, "a map with schedule: and run:");
    }
    const YamlNode* was = find_value(value, "was");
    jobs_.emplace_back(std::move(draft.job));
    places_.push_back({&key, was, in_.errors() == before});
  }

  void check_job(const YamlNode& key, const YamlNode& value, JobDraft& draft, std::size_t before) {
    check_command(key, value);
    check_losses(value, draft.job);
    if (find_value(value, "schedule") == nullptr) {
      in_.error(key,
                "the job has no schedule: add schedule: \"0 2 * * *\" or schedule: {every: 15m}");
    }
    if (draft.job.concurrency && draft.job.concurrency->group.empty()) {
      draft.job.concurrency->group = draft.job.name.text();
    }
    if (in_.errors() != before) return;
    check_schedule(in_, draft, value, defaults_);
    check_call(value, draft.job);
  }

  void check_command(const YamlNode& key, const YamlNode& value) {
    const YamlNode* run = find_value(value, "run");
    const YamlNode* http = find_value(value, "http");
    if (run == nullptr && http == nullptr) {
      in_.error(key, "the job does nothing: add run: [program, argument] or http: {url: ...}");
    } else if (run != nullptr && http != nullptr) {
      in_.error(*http, fmt::format("the job has run at {}:{} and http: keep one of them", run->line,
                                   run->column));
    }
  }

  /// No program of the job is started for a call, and nothing but a timeout ends one.
  void check_call(const YamlNode& value, const Job& job) {
    const YamlNode* http = find_value(value, "http");
    if (http == nullptr) return;
    for (const std::string_view key : {"cwd", "limits", "umask", "nice"}) {
      if (const YamlNode* useless = find_value(value, key)) {
        in_.warning(*useless, fmt::format("{} has no effect on an http call: leave it out", key));
      }
    }
    if (!job.timeout) {
      in_.note(*http, "without timeout: a server that never answers keeps the run alive for ever");
    }
  }

  /// A run that goes on without its lease may still be alive when its slot is run again.
  void check_losses(const YamlNode& value, const Job& job) {
    if (job.on_lost != OnLost::rerun || job.on_lease_loss != OnLeaseLoss::carry_on) return;
    const YamlNode* at = find_value(value, "on_lease_loss");
    if (at == nullptr) at = find_value(value, "on_lost");
    if (at == nullptr) at = find_value(*defaults_, "on_lease_loss");
    in_.error(*at,
              "on_lost: rerun with on_lease_loss: continue could run a slot twice at a time: use "
              "on_lease_loss: kill");
  }

  void check_names() {
    std::map<std::string, const YamlNode*> seen;
    for (JobPlace& each : places_) {
      const auto [other, fresh] = seen.emplace(ascii_lower(each.key->text), each.key);
      if (fresh) continue;
      in_.error(*each.key, fmt::format("the name {} differs from {} at {}:{} only in case",
                                       quote(each.key->text), quote(other->second->text),
                                       other->second->line, other->second->column));
      each.right = false;
    }
  }

  void check_renames() {
    std::map<std::string_view, const YamlNode*> names;
    std::map<std::string_view, const YamlNode*> renamed;
    for (const JobPlace& each : places_) names.emplace(each.key->text, each.key);
    for (JobPlace& each : places_) {
      if (each.was == nullptr || !each.right) continue;
      const std::string_view old = each.was->text;
      const auto [first, fresh] = renamed.emplace(old, each.was);
      const auto named = names.find(old);
      if (fresh && named == names.end()) continue;
      each.right = false;
      if (old == each.key->text) {
        in_.error(*each.was, "was: that is the job's own name: leave it out");
      } else if (named != names.end()) {
        in_.error(*each.was,
                  fmt::format("was: {} is the name of the job at {}:{}: only a name that no "
                              "job has any more can be taken over",
                              quote(old), named->second->line, named->second->column));
      } else {
        in_.error(*each.was, fmt::format("was: {} is taken over at {}:{} already", quote(old),
                                         first->second->line, first->second->column));
      }
    }
  }

  const YamlTree& tree_;
  YamlReader in_;
  JobDraft draft_;  // what every job starts from
  const YamlNode* defaults_ = nullptr;
  std::vector<Shared<Job>> jobs_;
  std::vector<JobPlace> places_;  // of each
};

}  // namespace

JobFile read_yaml_jobs(std::string_view text, const FileContext& context) {
  const YamlTree tree = YamlTree::parse(text);
  return JobFileReader(tree, context).read(context);
}

}  // namespace cronce
