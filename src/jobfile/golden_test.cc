// Every message about a file, as a user reads it: test/golden/jobfile/NAME.yaml and
// test/golden/crontab/NAME.crontab, and what is said about each in NAME.txt beside it.
// NAME.system.crontab is read in the system form. With CRONCE_UPDATE=1 in the environment the texts
// are rewritten.
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

std::vector<fs::path> golden_files() {
  std::vector<fs::path> paths;
  for (const char* folder : {"/test/golden/jobfile", "/test/golden/crontab"}) {
    for (const auto& entry : fs::directory_iterator(CRONCE_SOURCE_DIR + std::string(folder))) {
      if (entry.path().extension() != ".txt") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

JobFile read_example(const fs::path& path) {
  const bool yaml = path.extension() == ".yaml";
  const bool system_form = path.stem().extension() == ".system";
  const FileContext context{path.filename(), "/srv/jobs", yaml ? "UTC" : "Europe/Berlin", "host"};
  return yaml ? read_yaml_jobs(read_text(path), context)
              : read_crontab(read_text(path), system_form, context);
}

std::string describe_all(const JobFile& file) {
  std::string said;
  for (const Diagnostic& diagnostic : file.diagnostics) said += describe(diagnostic) + "\n";
  return said;
}

TEST(Golden, EveryMessage) {
  const bool update = std::getenv("CRONCE_UPDATE") != nullptr;
  for (const fs::path& path : golden_files()) {
    fs::path expected = path;
    expected.replace_extension(".txt");
    const std::string said = describe_all(read_example(path));
    if (update) std::ofstream(expected, std::ios::binary) << said;
    EXPECT_TRUE(fs::exists(expected)) << expected;
    EXPECT_EQ(read_text(expected), said) << path;
  }
}

TEST(Golden, ManyMessagesAreCovered) {
  std::set<std::string> messages;
  for (const fs::path& path : golden_files()) {
    for (const Diagnostic& diagnostic : read_example(path).diagnostics)
      messages.insert(diagnostic.message);
  }
  EXPECT_GE(messages.size(), 250U);
}

TEST(Golden, EveryMessageIsOneLineWithAPlaceInFileOrder) {
  for (const fs::path& path : golden_files()) {
    std::pair<std::size_t, std::size_t> last{1, 1};
    for (const Diagnostic& diagnostic : read_example(path).diagnostics) {
      EXPECT_EQ(diagnostic.message.find('\n'), std::string::npos) << path;
      EXPECT_GE(diagnostic.column, 1U) << describe(diagnostic);
      const std::pair here{diagnostic.line, diagnostic.column};
      EXPECT_LE(last, here) << describe(diagnostic);
      last = here;
    }
  }
}

TEST(Golden, TheExamplesHaveNothingToCorrect) {
  for (const char* name : {"/examples/jobs.yaml", "/examples/crontab"}) {
    const JobFile file = read_example(CRONCE_SOURCE_DIR + std::string(name));
    EXPECT_GE(file.set.jobs.size(), 8U);
    for (const Diagnostic& diagnostic : file.diagnostics) {
      EXPECT_EQ(diagnostic.severity, Severity::note) << describe(diagnostic);
    }
  }
}

}  // namespace
}  // namespace cronce
