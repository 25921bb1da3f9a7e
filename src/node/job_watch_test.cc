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
  static void read_again(JobWatch& watch) {
    watch.done();
    watch.arm();
  }
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

TEST_F(JobWatchTest, SeesTheLinkThatKubernetesSwapsInAFolder) {
  fs::create_directory(path("..1"));
  fs::create_directory_symlink("..1", path("..data"));
  write("..data/jobs.yaml");
  fs::create_symlink("..data/jobs.yaml", path("jobs.yaml"));
  JobWatch watch({folder_.path()});
  for (const char* next : {"..2", "..3"}) {
    fs::create_directory(path(next));
    std::ofstream(path(next) + "/jobs.yaml") << "x";
    fs::create_directory_symlink(next, path("..data_tmp"));
    watch.read(milliseconds{0});
    EXPECT_EQ(watch.due(), std::nullopt) << "nothing leads there";
    fs::rename(path("..data_tmp"), path("..data"));
    watch.read(milliseconds{0});
    EXPECT_NE(watch.due(), std::nullopt) << next;
    read_again(watch);
    watch.read(milliseconds{0});
    EXPECT_EQ(watch.due(), std::nullopt);
  }
}

TEST_F(JobWatchTest, SeesWhatALinkLeadsTo) {
  fs::create_directory(path("there"));
  write("there/jobs.yaml");
  fs::create_symlink(path("there/jobs.yaml"), path("jobs.yaml"));
  JobWatch watch({path("jobs.yaml")});
  write("there/jobs.yaml");
  watch.read(milliseconds{0});
  EXPECT_NE(watch.due(), std::nullopt);
}

TEST_F(JobWatchTest, SeesAFolderThatTakesTheOthersPlace) {
  for (const bool whole : {false, true}) {
    const std::string name = whole ? "a" : "b";
    fs::create_directory(path(name));
    write(name + "/jobs.yaml");
    JobWatch watch({path(whole ? name : name + "/jobs.yaml")});
    fs::rename(path(name), path(name + "-old"));
    watch.read(milliseconds{0});
    EXPECT_NE(watch.due(), std::nullopt) << "gone";
    read_again(watch);
    fs::create_directory(path(name));
    watch.read(milliseconds{0});
    EXPECT_NE(watch.due(), std::nullopt) << "back, and empty";
    read_again(watch);
    write(name + "/jobs.yaml");
    watch.read(milliseconds{0});
    EXPECT_NE(watch.due(), std::nullopt) << "filled";
  }
}

TEST_F(JobWatchTest, SeesAnotherReleaseBehindALink) {
  for (const char* release : {"1", "2"}) {
    fs::create_directory(path(release));
    write(std::string(release) + "/jobs.yaml");
  }
  fs::create_directory_symlink("1", path("current"));
  JobWatch watch({path("current/jobs.yaml")});
  fs::create_directory_symlink("2", path("next"));
  fs::rename(path("next"), path("current"));
  watch.read(milliseconds{0});
  EXPECT_NE(watch.due(), std::nullopt);
  read_again(watch);
  write("2/jobs.yaml");
  watch.read(milliseconds{0});
  EXPECT_NE(watch.due(), std::nullopt) << "the new one is watched now";
}

TEST_F(JobWatchTest, EndsWithLinksInACircle) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_TRUE(JobWatch({path("a")}).troubles().empty());
}

TEST_F(JobWatchTest, SeesAFolderThatComesLater) {
  JobWatch watch({path("none/jobs.yaml")});
  EXPECT_TRUE(watch.troubles().empty());
  fs::create_directory(path("none"));
  watch.read(milliseconds{0});
  EXPECT_NE(watch.due(), std::nullopt);
}

}  // namespace
}  // namespace cronce
