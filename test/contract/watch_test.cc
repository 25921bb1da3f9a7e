// The watch sees what no rule asks for: shown on tables that are told wrongly.
#include "test/contract/watch.h"

#include <gtest/gtest.h>

#include "test/contract/lying_store.h"
#include "test/contract/world.h"

namespace cronce::contract {
namespace {

using Found = std::vector<std::string>;

/// 10 runs, and so 20 and 30 come into being as `skipped`: the one as a range, the other as a row.
TEST(Watch, objects_to_a_row_that_comes_into_being_as_if_it_had_run) {
  World w(stores()[0]);
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  a.start(j);
  LyingStore liar(w.direct(), Lie::never_claimed);
  Watch honest, deceived;
  EXPECT_EQ(honest.look(w.direct()), Found{});
  EXPECT_EQ(deceived.look(liar), Found{});
  w.pass(20s);
  EXPECT_EQ(told(a.run(j)), "skipped: overlap");
  EXPECT_EQ(honest.look(w.direct()), Found{});
  const Found births{"slot 2026-01-01T00:00:30Z #1 succeeded: overlap came into being so",
                     "slot 2026-01-01T00:00:20Z #1 to 2026-01-01T00:00:20Z (1 slots) succeeded: "
                     "missed came into being so"};
  EXPECT_EQ(deceived.look(liar), births);
}

}  // namespace
}  // namespace cronce::contract
