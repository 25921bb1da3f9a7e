#include "node/job_watch.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "test/support/scratch.h"

namespace cronce {
namespace {

using std::chrono::milliseconds;
namespace fs = std::filesystem;

/// inotify tells in the same moment, so nothing here waits.
class JobWatchTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }
  void write(const std::string& name) const { std::ofstream(path(name)) << "x"; }

  Scratch folder_;
};

TEST_F(JobWatchTest, TellsOnceItIsQuiet) {
  write("jobs.yaml");
  JobWatch watch({path("jobs.yaml")});
  watch.read(milliseconds{0});
  EXPECT_EQ(watch.due(), std::nullopt);
  write("jobs.yaml");
  watch.read(milliseconds{1'000});
  EXPECT_EQ(watch.due(), milliseconds{1'000} + JobWatch::kQuiet);
  write("jobs.yaml");
  watch.read(milliseconds{1'100});
  EXPECT_EQ(watch.due(), milliseconds{1'100} + JobWatch::kQuiet);
  watch.done();
  EXPECT_EQ(watch.due(), std::nullopt);
}

TEST_F(JobWatchTest, DoesNotWaitForEverForQuiet) {
  JobWatch watch({folder_.path()});
  for (Duration boot{0}; boot < 2 * JobWatch::kRestless; boot += JobWatch::kQuiet / 2) {
    write("jobs.yaml");
    watch.read(boot);
  }
  EXPECT_EQ(watch.due(), JobWatch::kRestless);
}

TEST_F(JobWatchTest, SeesAFileThatTakesTheOthersPlace) {
  write("jobs.yaml");
  JobWatch watch({path("jobs.yaml")});
  write("draft");
  watch.read(milliseconds{0});
  EXPECT_EQ(watch.due(), std::nullopt) << "of no concern";
  fs::rename(path("draft"), path("jobs.yaml"));
  watch.read(milliseconds{0});
  EXPECT_NE(watch.due(), std::nullopt);
}

TEST_F(JobWatchTest, SeesWhatComesAndGoesInAFolder) {
  JobWatch watch({folder_.path()});
  write("notes.txt");
  watch.read(milliseconds{0});
  EXPECT_EQ(watch.due(), std::nullopt) << "no job file";
  write("backup");
  watch.read(milliseconds{0});
  EXPECT_NE(watch.due(), std::nullopt);
  watch.done();
  fs::remove(path("backup"));
  watch.read(milliseconds{0});
  EXPECT_NE(watch.due(), std::nullopt);
}

TEST_F(JobWatchTest, SeesTheLinkThatKubernetesSwaps) {
  fs::create_directory(path("1"));
  fs::create_directory_symlink(path("1"), path("..data"));
  write("..data/jobs.yaml");
  fs::create_symlink("..data/jobs.yaml", path("jobs.yaml"));
  JobWatch watch({path("jobs.yaml")});
  fs::create_directory(path("2"));
  fs::create_directory_symlink(path("2"), path("..data_tmp"));
  fs::rename(path("..data_tmp"), path("..data"));
  watch.read(milliseconds{0});
  EXPECT_NE(watch.due(), std::nullopt);
}

TEST_F(JobWatchTest, NamesAFolderThatIsNotThere) {
  EXPECT_EQ(JobWatch({path("none/jobs.yaml")}).troubles().size(), 1U);
}

}  // namespace
}  // namespace cronce
