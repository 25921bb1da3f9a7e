// Every message about a YAML job file, as a user reads it: test/golden/jobfile/NAME.yaml and what
// is said about it in NAME.txt. With CRONCE_UPDATE=1 in the environment the texts are rewritten.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "jobfile/jobfile.h"

namespace cronce {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<fs::path> job_files() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(CRONCE_SOURCE_DIR "/test/golden/jobfile")) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

JobFile read(const fs::path& path) {
  const FileContext context{path.filename(), "/srv/jobs", "UTC", "host"};
  return read_job_file(read_text(path), FileFormat::yaml, context);
}

std::string describe_all(const JobFile& file) {
  std::string said;
  for (const Diagnostic& diagnostic : file.diagnostics) said += describe(diagnostic) + "\n";
  return said;
}

TEST(JobFileGolden, EveryMessage) {
  const bool update = std::getenv("CRONCE_UPDATE") != nullptr;
  for (const fs::path& path : job_files()) {
    fs::path expected = path;
    expected.replace_extension(".txt");
    const std::string said = describe_all(read(path));
    if (update) std::ofstream(expected, std::ios::binary) << said;
    EXPECT_TRUE(fs::exists(expected)) << expected;
    EXPECT_EQ(read_text(expected), said) << path;
  }
}

TEST(JobFileGolden, ManyMessagesAreCovered) {
  std::set<std::string> messages;
  for (const fs::path& path : job_files()) {
    for (const Diagnostic& diagnostic : read(path).diagnostics) messages.insert(diagnostic.message);
  }
  EXPECT_GE(messages.size(), 150U);
}

TEST(JobFileGolden, EveryMessageIsOneLineInFileOrder) {
  for (const fs::path& path : job_files()) {
    std::pair<std::size_t, std::size_t> last{0, 0};
    for (const Diagnostic& diagnostic : read(path).diagnostics) {
      EXPECT_EQ(diagnostic.message.find('\n'), std::string::npos) << path;
      const std::pair here{diagnostic.line, diagnostic.column};
      EXPECT_LE(last, here) << path << " " << diagnostic.message;
      last = here;
    }
  }
}

TEST(JobFileGolden, TheExampleHasNothingToCorrect) {
  const JobFile file = read(CRONCE_SOURCE_DIR "/examples/jobs.yaml");
  EXPECT_EQ(file.set.jobs.size(), 8U);
  for (const Diagnostic& diagnostic : file.diagnostics) {
    EXPECT_EQ(diagnostic.severity, Severity::note) << describe(diagnostic);
  }
}

}  // namespace
}  // namespace cronce
