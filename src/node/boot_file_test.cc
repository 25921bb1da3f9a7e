#include "node/boot_file.h"

#include <gtest/gtest.h>

#include "test/support/scratch.h"

namespace cronce {
namespace {

constexpr StoreId kStore{{1, 2}};

TEST(BootFileTest, TellsEachBootUntilItIsKept) {
  const Scratch folder;
  const BootFile first(folder.path(), kStore, "a", "one");
  EXPECT_EQ(first.unserved(), "one");
  ASSERT_TRUE(first.keep().ok());
  EXPECT_EQ(first.unserved(), std::nullopt);
  EXPECT_EQ(BootFile(folder.path(), kStore, "a", "two").unserved(), "two");
}

TEST(BootFileTest, EachNodeAndStoreHasItsOwn) {
  const Scratch folder;
  ASSERT_TRUE(BootFile(folder.path(), kStore, "a", "one").keep().ok());
  EXPECT_EQ(BootFile(folder.path(), kStore, "b", "one").unserved(), "one");
  EXPECT_EQ(BootFile(folder.path(), StoreId{{3, 4}}, "a", "one").unserved(), "one");
}

TEST(BootFileTest, KnowsNoBootWithoutAName) {
  const Scratch folder;
  EXPECT_EQ(BootFile(folder.path(), kStore, "a", "").unserved(), std::nullopt);
}

}  // namespace
}  // namespace cronce
