// Every message about a crontab, as a user reads it: test/golden/crontab/NAME.crontab and what is
// said about it in NAME.txt. NAME.system.crontab is read in the system form. With CRONCE_UPDATE=1
// in the environment the texts are rewritten.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

std::vector<fs::path> crontabs() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(CRONCE_SOURCE_DIR "/test/golden/crontab")) {
    if (entry.path().extension() == ".crontab") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string describe_all(const fs::path& path) {
  const bool system_form = path.stem().extension() == ".system";
  const FileContext context{path.filename(), path.parent_path(), "Europe/Berlin", "host"};
  std::string said;
  for (const auto& diagnostic : read_crontab(read_text(path), system_form, context).diagnostics) {
    said += describe(diagnostic) + "\n";
  }
  return said;
}

TEST(CrontabGolden, EveryMessage) {
  const bool update = std::getenv("CRONCE_UPDATE") != nullptr;
  ASSERT_FALSE(crontabs().empty());
  for (const fs::path& path : crontabs()) {
    fs::path expected = path;
    expected.replace_extension(".txt");
    const std::string said = describe_all(path);
    if (update) std::ofstream(expected, std::ios::binary) << said;
    EXPECT_TRUE(fs::exists(expected)) << expected;
    EXPECT_EQ(read_text(expected), said) << path;
  }
}

TEST(CrontabGolden, TheExampleIsClean) {
  const FileContext context{"crontab", "/", "Europe/Berlin", "host"};
  const JobFile file =
      read_crontab(read_text(CRONCE_SOURCE_DIR "/examples/crontab"), false, context);
  EXPECT_EQ(file.set.jobs.size(), 8U);
  for (const Diagnostic& diagnostic : file.diagnostics) {
    EXPECT_EQ(diagnostic.severity, Severity::note) << describe(diagnostic);
  }
}

}  // namespace
}  // namespace cronce
