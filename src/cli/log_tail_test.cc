#include "cli/log_tail.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "test/support/scratch.h"

namespace cronce {
namespace {

namespace fs = std::filesystem;

class LogTailTest : public testing::Test {
 protected:
  void append(const std::string& text) const { std::ofstream(path_, std::ios::app) << text; }
  void rotate() const { fs::rename(path_, path_ + ".1"); }

  /// What is new; `none` if there is no file.
  std::string copied() {
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* stream = open_memstream(&text, &size);
    const auto count = tail_->copy(stream);
    std::fclose(stream);
    std::string out(text, size);
    std::free(text);
    EXPECT_EQ(count.value_or(0), out.size());
    return count ? out : "none";
  }
  void begin() { tail_.emplace(path_); }

  Scratch folder_;
  std::string path_ = folder_.file("run.log");
  std::optional<LogTail> tail_;
};

TEST_F(LogTailTest, TellsWhatIsNew) {
  append("a\n");
  begin();
  EXPECT_EQ(copied(), "a\n");
  EXPECT_EQ(copied(), "");
  append("b\nc");
  EXPECT_EQ(copied(), "b\nc");
}

TEST_F(LogTailTest, AFileMayComeLater) {
  begin();
  EXPECT_EQ(copied(), "none");
  append("a");
  EXPECT_EQ(copied(), "a");
}

TEST_F(LogTailTest, BeginsWithThePartBefore) {
  append("a");
  rotate();
  append("b");
  begin();
  EXPECT_EQ(copied(), "ab");
}

TEST_F(LogTailTest, FollowsAFileThatIsBegunAnew) {
  append("a");
  begin();
  EXPECT_EQ(copied(), "a");
  append("b");
  rotate();
  EXPECT_EQ(copied(), "b");
  append("c");
  EXPECT_EQ(copied(), "c");
}

TEST_F(LogTailTest, WaitsForWhatHappens) {
  append("a");
  begin();
  EXPECT_FALSE(tail_->wait(Duration{0}));  // watches from now on
  append("b");
  EXPECT_TRUE(tail_->wait(std::chrono::hours{1}));
  EXPECT_EQ(copied(), "ab");
}

}  // namespace
}  // namespace cronce
