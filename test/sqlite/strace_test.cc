// What a write really asks the kernel to do.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test/support/scratch.h"

namespace cronce {
namespace {

/// The calls between the two words of the program, in order. A search for leaks is not possible
/// under strace.
std::vector<std::string> calls_of(const std::string& what, const Scratch& folder) {
  const std::string trace = folder.file("trace");
  const std::string command =
      "strace -E ASAN_OPTIONS=detect_leaks=0 -y -o " + trace +
      " -e trace=write,pwrite64,fdatasync,fsync,unlink,unlinkat,ftruncate " +
      std::string(CRONCE_STORE_CLIENT) + " " + folder.file("store") + " " + what + " 2>/dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::vector<std::string> calls;
  std::ifstream file(trace);
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.find("\"end") != std::string::npos) inside = false;
    if (inside) calls.push_back(line);
    if (line.find("\"begin") != std::string::npos) inside = true;
  }
  return calls;
}

std::ptrdiff_t count(const std::vector<std::string>& calls, const std::string& text) {
  return std::count_if(calls.begin(), calls.end(), [&](const std::string& call) {
    return call.find(text) != std::string::npos;
  });
}

TEST(Commit, ends_with_a_sync_of_the_journal_and_removes_nothing) {
  const Scratch folder;
  const auto calls = calls_of("trace", folder);
  ASSERT_FALSE(calls.empty());
  EXPECT_EQ(count(calls, "unlink"), 0);
  EXPECT_EQ(calls.back().rfind("fdatasync(", 0), 0U) << calls.back();
  EXPECT_NE(calls.back().find("store-journal"), std::string::npos) << calls.back();
  // The journal before the file, the file before the end of the journal.
  EXPECT_GE(count(calls, "fdatasync("), 3);
  EXPECT_GE(count(calls, "/store>)"), 1);
  std::printf("%td syncs and %td writes for a beat\n", count(calls, "fdatasync("),
              count(calls, "pwrite64("));
}

/// What the same look would show of the usual settings.
TEST(Commit, of_the_usual_journal_is_seen_to_end_without_a_sync) {
  const Scratch folder;
  const auto calls = calls_of("delete", folder);
  ASSERT_FALSE(calls.empty());
  EXPECT_EQ(calls.back().rfind("unlink(", 0), 0U) << calls.back();
}

}  // namespace
}  // namespace cronce
