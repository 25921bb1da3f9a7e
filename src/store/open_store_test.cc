#include "store/open_store.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

std::string refusal(const std::string& address) {
  Rng rng(1);
  const auto store = open_store(address, {}, system_clock(), rng);
  return store ? "opened" : store.error().message;
}

TEST(OpenStore, knows_the_kinds_of_stores_by_their_addresses) {
  EXPECT_EQ(refusal("memory:"), "opened");
  EXPECT_EQ(refusal("memory:x"), "memory: nothing can follow the colon");
  EXPECT_EQ(refusal("sqlite:"), "sqlite: the path of a file must follow the colon");
  EXPECT_EQ(refusal("redis://a"), "'redis://a' is no store; there are: sqlite:PATH, memory:");
  EXPECT_EQ(refusal("sqlite"), "'sqlite' is no store; there are: sqlite:PATH, memory:");
}

TEST(AdoptStore, needs_a_file) {
  Rng rng(1);
  EXPECT_EQ(adopt_store("memory:", system_clock(), rng).error().code, Code::invalid);
  EXPECT_EQ(adopt_store("sqlite:/no/such/file", system_clock(), rng).error().code, Code::not_found);
}

TEST(BackupStore, needs_a_file) {
  Rng rng(1);
  EXPECT_EQ(backup_store("memory:", "/tmp/x", system_clock(), rng).error().code, Code::invalid);
  EXPECT_EQ(backup_store("sqlite:/no/such/file", "/tmp/x", system_clock(), rng).error().code,
            Code::not_found);
}

}  // namespace
}  // namespace cronce
