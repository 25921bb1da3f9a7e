// The files of a node as the sets that it offers.
#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "model/codec.h"
#include "node/job_files.h"

namespace cronce {
namespace {

std::vector<ReadFile> read_paths(const JobFileSettings& settings) {
  std::vector<ReadFile> files;
  const auto read = [&](const std::string& path) {
    const FileFormat format = settings.format.value_or(guess_format(absolute_path(path)));
    files.push_back(read_job_path(path, format));
  };
  for (const std::string& path : settings.paths) {
    std::error_code failed;
    if (!std::filesystem::is_directory(path, failed)) {
      read(path);
      continue;
    }
    const auto listed = list_job_files(path);
    if (listed) {
      for (const std::string& one : *listed) read(one);
    } else {
      files.push_back(unreadable_file(path, FileFormat::yaml, listed.error().message));
    }
  }
  return files;
}

/// Why this version cannot run a job as it is meant; running it without would be worse.
std::string missing_in(const Job& job) {
  if (!job.guards->empty()) return "guards: this version cannot hold foreign locks";
  return "";
}

class Loader {
 public:
  explicit Loader(const JobFileSettings& settings) : settings_(settings) {}

  LoadedJobs load() {
    for (ReadFile& file : read_paths(settings_)) add(file);
    for (auto& [source, set] : sets_) {
      out_.jobs += set.jobs.size();
      const std::string text = digest(set).hex();
      out_.offers.push_back({std::move(set), text});
    }
    out_.usable = std::none_of(out_.diagnostics.begin(), out_.diagnostics.end(),
                               [](const Diagnostic& one) { return refuses(one.severity); });
    return std::move(out_);
  }

 private:
  void add(ReadFile& file) {
    auto& diagnostics = file.content.diagnostics;
    out_.diagnostics.insert(out_.diagnostics.end(), diagnostics.begin(), diagnostics.end());
    const std::string source = settings_.source.value_or(file.content.set.source);
    JobSet& set = sets_[source];
    set.source = source;
    const auto generation =
        settings_.generation ? settings_.generation : file.content.set.generation;
    if (set.generation && generation && set.generation != generation) {
      complain(file, "",
               fmt::format("its generation {} is not that of the other files of the "
                           "source '{}', which is {}",
                           generation->value, source, set.generation->value));
    }
    if (generation) set.generation = generation;
    for (Shared<Job>& job : file.content.set.jobs) add(file, set, std::move(job));
  }

  void add(const ReadFile& file, JobSet& set, Shared<Job> job) {
    const std::string& name = job->name.text();
    if (const std::string missing = missing_in(job); !missing.empty()) {
      complain(file, name, fmt::format("job '{}': {}", name, missing));
    }
    const auto [first, is_new] = places_.try_emplace(name, file.path);
    if (!is_new) {
      complain(file, name, fmt::format("job '{}' is defined in {} too", name, first->second));
    }
    set.jobs.push_back(std::move(job));
  }

  void complain(const ReadFile& file, const std::string& job, const std::string& message,
                Severity severity = Severity::error) {
    out_.diagnostics.push_back({severity, file.path, 0, 0, job, message});
  }

  const JobFileSettings& settings_;
  std::map<std::string, JobSet> sets_;
  std::map<std::string, std::string> places_;  // file of each job
  LoadedJobs out_;
};

}  // namespace

LoadedJobs load_jobs(const JobFileSettings& settings) { return Loader(settings).load(); }

void log_diagnostics(const Log& log, const Diagnostics& diagnostics) {
  for (const Diagnostic& one : diagnostics) {
    if (refuses(one.severity)) {
      log.error(describe(one));
    } else if (one.severity != Severity::note) {
      log.warning(describe(one));
    }
  }
}

}  // namespace cronce
