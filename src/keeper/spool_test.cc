#include "keeper/spool.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/digest.h"
#include "keeper/log_file.h"
#include "test/support/full_disk.h"
#include "test/support/scratch.h"

namespace cronce {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  std::string text(const std::string& path) const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Scratch folder_;
  Spool spool_{folder_.file("a/spool")};
};

EndKey key(std::uint64_t store, std::uint64_t fence, std::string name_space = "prod") {
  RunId run;
  run.request = "../../etc/passwd";
  return {{{store, 0}}, std::move(name_space), run, {fence}};
}

FinishEntry end_of(const EndKey& key) {
  FinishEntry end;
  end.run = key.run;
  end.fence = key.fence;
  end.output_tail = std::string("\0\n", 2);
  return end;
}

TEST_F(Files, hold_ends_until_they_are_removed) {
  EXPECT_TRUE(spool_.read_all({{1, 0}}, "prod").value().ends.empty());  // no folder yet
  for (const std::uint64_t fence : {1U, 2U, 3U}) {
    ASSERT_TRUE(spool_.put(key(1, fence), end_of(key(1, fence))));
    ASSERT_TRUE(spool_.put(key(1, fence), end_of(key(1, fence))));  // once more is once
  }
  EXPECT_EQ(spool_.read_all({{1, 0}}, "prod").value().ends.size(), 3U);
  ASSERT_TRUE(spool_.remove(key(1, 2)));
  ASSERT_TRUE(spool_.remove(key(1, 2)));
  const auto kept = spool_.read_all({{1, 0}}, "prod").value();
  ASSERT_EQ(kept.ends.size(), 2U);
  EXPECT_EQ(kept.ends[0].output_tail, std::string("\0\n", 2));
  struct stat facts{};
  ASSERT_EQ(stat(folder_.file("a/spool").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700U);
}

TEST_F(Files, keep_the_ends_of_other_stores_and_namespaces) {
  ASSERT_TRUE(spool_.put(key(1, 1), end_of(key(1, 1))));
  ASSERT_TRUE(spool_.put(key(2, 1), end_of(key(2, 1))));
  ASSERT_TRUE(spool_.put(key(1, 1, "test"), end_of(key(1, 1))));
  EXPECT_EQ(spool_.read_all({{1, 0}}, "prod").value().ends.size(), 1U);
  ASSERT_TRUE(spool_.remove(key(1, 1)));
  EXPECT_EQ(spool_.read_all({{2, 0}}, "prod").value().ends.size(), 1U);
  EXPECT_EQ(spool_.read_all({{1, 0}}, "test").value().ends.size(), 1U);
}

TEST_F(Files, that_are_damaged_stay_and_are_named) {
  ASSERT_TRUE(spool_.put(key(1, 1), end_of(key(1, 1))));
  const auto file = fs::directory_iterator(folder_.file("a/spool"))->path();
  const std::string whole = text(file.string());
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    std::ofstream(file, std::ios::binary) << whole.substr(0, size);
    const auto kept = spool_.read_all({{1, 0}}, "prod").value();
    EXPECT_TRUE(kept.ends.empty());
    ASSERT_EQ(kept.unreadable.size(), 1U);
    EXPECT_EQ(kept.unreadable[0], file.filename());
  }
  std::ofstream(file.string() + ".draft") << "half";
  std::ofstream(file, std::ios::binary) << whole;
  EXPECT_EQ(spool_.read_all({{1, 0}}, "prod").value().ends.size(), 1U);
}

/// Files of this form are on disks: another form needs another head, and a reader for this one.
TEST_F(Files, have_the_form_of_version_1) {
  FinishEntry end = end_of(key(1, 2));
  end.incarnation = {{3, 4}};
  end.state = RunState::failed;
  end.reason = Reason::exit;
  end.started_at = Time{Duration{5}};
  end.exit_code = 7;
  end.progress = "40 copying";
  ASSERT_TRUE(spool_.put(key(1, 2), end));
  const std::string name = fs::directory_iterator(folder_.file("a/spool"))->path().filename();
  EXPECT_EQ(name, "029cb279cb329bb730337c65eb6de0c5393e4ea5.end");
  EXPECT_EQ(sha256(text(folder_.file("a/spool/" + name))).hex(16), "0ce7b5f6d1aa6011");
}

TEST_F(Files, cannot_be_written_where_there_is_no_folder) {
  std::ofstream(folder_.file("a")) << "a file";
  EXPECT_FALSE(spool_.put(key(1, 1), end_of(key(1, 1))));
}

TEST_F(Files, of_logs_go_on_and_are_rotated) {
  const std::string path = folder_.file("logs/job/x.log");
  for (const std::string_view part : {"0123", "4567", "89"}) {
    auto log = LogFile::open(path, 8);
    ASSERT_TRUE(log);
    ASSERT_TRUE(log->append(part));
  }
  EXPECT_EQ(text(path + ".1"), "01234567");
  EXPECT_EQ(text(path), "89");
  auto log = LogFile::open(path, 8);
  ASSERT_TRUE(log->append("abcdefghijklmnopqrstuvwxyz"));
  // 89abcdef, ghijklmn, opqrstuv, wxyz
  EXPECT_EQ(text(path + ".1"), "opqrstuv");
  EXPECT_EQ(text(path), "wxyz");
}

TEST_F(Files, of_logs_say_how_much_a_full_disk_did_not_take) {
  const std::string path = folder_.file("x.log");
  auto log = LogFile::open(path, 1'000);
  ASSERT_TRUE(log && log->append("before\n"));
  {
    const FullDisk full(10);
    EXPECT_FALSE(log->append("0123456789"));  // seven too many
    EXPECT_FALSE(log->append("more"));
  }
  EXPECT_TRUE(log->append(""));
  EXPECT_TRUE(log->append("after\n"));
  EXPECT_EQ(text(path), "before\n012\n[11 bytes left out: the disk was full]\nafter\n");
}

}  // namespace
}  // namespace cronce
