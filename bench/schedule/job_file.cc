// Time to read and check a job file of 100,000 jobs, for bench/schedule/run. One JSON object.
#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "jobfile/jobfile.h"

namespace cronce {
namespace {

constexpr int kJobs = 100'000;
constexpr int kRepetitions = 5;

std::string make_file() {
  std::string text = "defaults: { timezone: UTC, overlap: skip }\njobs:\n";
  for (int i = 0; i < kJobs; ++i) {
    text += fmt::format(
        "  job-{}:\n    schedule: \"{} {} * * {}\"\n    timezone: Europe/Berlin\n"
        "    run: [\"./task\", \"--shard\", \"{}\"]\n    timeout: {}m\n",
        i, i % 60, i / 60 % 24, i % 7, i, 1 + i % 90);
  }
  return text;
}

int run() {
  const std::string text = make_file();
  const FileContext context{"jobs.yaml", "/srv/jobs", "UTC", "host"};
  fmt::print("{{\"jobs\":{},\"bytes\":{},\"seconds\":[", kJobs, text.size());
  for (int i = 0; i < kRepetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const JobFile file = read_job_file(text, FileFormat::yaml, context);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    CHECK(file.usable() && file.set.jobs.size() == kJobs);
    fmt::print("{}{:.3f}", i == 0 ? "" : ",", took.count());
  }
  fmt::print("]}}\n");
  return 0;
}

}  // namespace
}  // namespace cronce

int main() { return cronce::run(); }
