#include "keeper/kept_run.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

constexpr int kExitOne = 1 << 8;  // as waitpid() has them
constexpr int kKilled = 9;

FinishEntry end_of(bool is_call, int status, std::optional<Stopping> stopping = {}) {
  Start start;
  start.is_call = is_call;
  KeptRun run(start);
  run.status = status;
  run.stopping = std::move(stopping);
  return run.end(std::nullopt);
}

TEST(KeptRun, of_a_command_ends_with_its_exit_code) {
  EXPECT_EQ(end_of(false, 0).state, RunState::succeeded);
  EXPECT_EQ(end_of(false, 0).exit_code, 0);
  EXPECT_EQ(end_of(false, kExitOne).reason, Reason::exit);
  EXPECT_EQ(end_of(false, kExitOne).exit_code, 1);
}

// What our own program returned would be taken for something of the job's, or for a status.
TEST(KeptRun, of_a_call_has_no_exit_code) {
  EXPECT_EQ(end_of(true, 0).state, RunState::succeeded);
  EXPECT_EQ(end_of(true, 0).exit_code, std::nullopt);
  EXPECT_EQ(end_of(true, kExitOne).state, RunState::failed);
  EXPECT_EQ(end_of(true, kExitOne).reason, Reason::http);
  EXPECT_EQ(end_of(true, kExitOne).exit_code, std::nullopt);
}

TEST(KeptRun, of_a_call_that_was_killed_ends_as_a_command) {
  EXPECT_EQ(end_of(true, kKilled).reason, Reason::signal);
  EXPECT_EQ(end_of(true, kKilled).exit_code, 137);
  const Stopping cancel{RunState::cancelled, Reason::drain, {}, ""};
  EXPECT_EQ(end_of(true, kKilled, cancel).state, RunState::cancelled);
  EXPECT_EQ(end_of(true, kExitOne, cancel).reason, Reason::drain);
}

}  // namespace
}  // namespace cronce
