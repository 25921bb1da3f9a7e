#include "keeper/leftovers.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "keeper/folder.h"
#include "test/support/full_disk.h"
#include "test/support/scratch.h"

namespace cronce {
namespace {

class Lock : public testing::Test {
 protected:
  Result<IncarnationLock> take(const std::optional<std::string>& cgroup) {
    return IncarnationLock::take(folder_.path(), incarnation_, cgroup);
  }
  KeeperLife life() const { return keeper_life(folder_.path(), incarnation_); }
  std::string record() const { return *read_file(folder_.file(print(incarnation_))); }

  Scratch folder_;
  Incarnation incarnation_{{1, 2}};
};

TEST_F(Lock, is_held_by_whoever_lives_and_free_after_the_last) {
  {
    auto node = take("/a/longer/group");
    ASSERT_TRUE(node);
    {
      const auto keeper = take("/group");
      ASSERT_TRUE(keeper);
    }
    EXPECT_EQ(life(), KeeperLife::alive);
    EXPECT_EQ(record(), "cgroup /group\n");
  }
  EXPECT_EQ(life(), KeeperLife::gone);
  take(std::nullopt)->remove();
  EXPECT_EQ(life(), KeeperLife::unknown);
}

/// A file with a free lock would say that the node is dead: others would end it.
TEST_F(Lock, that_a_full_disk_does_not_take_is_not_seen_at_all) {
  {
    const FullDisk full;
    EXPECT_FALSE(take("/group"));
  }
  EXPECT_EQ(life(), KeeperLife::unknown);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  EXPECT_TRUE(take("/group"));
}

TEST_F(Lock, of_somebody_else_is_shared_on_a_full_disk_too) {
  auto node = take("/group");
  ASSERT_TRUE(node);
  const FullDisk full;
  const auto keeper = take("/group");
  ASSERT_TRUE(keeper);
  node = Error{};
  EXPECT_EQ(life(), KeeperLife::alive);
  EXPECT_EQ(record(), "cgroup /group\n");
}

}  // namespace
}  // namespace cronce
