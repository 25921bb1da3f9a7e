// A store on a network file system, as far as the kernel's answer makes one.
#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/rng.h"
#include "store/open_store.h"
#include "test/support/scratch.h"

namespace {

bool is_network = false;  // every file system, for this program

}  // namespace

/// In the place of the library's: whatever opens a store in this program asks here.
extern "C" int statfs(const char* path, struct statfs* found) noexcept {
  const auto answer = static_cast<int>(syscall(SYS_statfs, path, found));
  if (is_network) found->f_type = NFS_SUPER_MAGIC;
  return answer;
}

namespace cronce::test {
namespace {

Result<Opened> open_at(const std::string& path) {
  Rng rng(1);
  const auto store = open_store("sqlite:" + path, {}, system_clock(), rng);
  return store ? (*store)->open() : Result<Opened>(store.error());
}

TEST(NodeDisk, of_a_network_is_refused_before_anything_is_written) {
  const Scratch folder;
  is_network = true;
  const auto refused = open_at(folder.file("cronce.db"));
  is_network = false;
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("cannot lie on NFS"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_TRUE(open_at(folder.file("cronce.db"))) << "the same place, as it is";
}

}  // namespace
}  // namespace cronce::test
