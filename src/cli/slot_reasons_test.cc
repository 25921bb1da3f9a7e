#include <gtest/gtest.h>

#include "cli/slot_story.h"

namespace cronce {
namespace {

std::string why_failed(const std::string& output) {
  Run run;
  run.state = RunState::failed;
  run.reason = Reason::http;
  run.output_tail = output;
  return explain_state(run, Job{.name = parse_job_name("pay").value()});
}

TEST(SlotReasons, of_a_call_are_in_the_last_line_of_its_output) {
  EXPECT_EQ(why_failed("sorry\ncronce: HTTP 503, expected 200-299\n"),
            "the call failed: HTTP 503, expected 200-299");
  EXPECT_EQ(why_failed("cronce: no answer: \xff\n"), "the call failed: no answer: \xef\xbf\xbd");
}

TEST(SlotReasons, of_a_call_do_without_an_output_that_was_not_kept) {
  for (const std::string output : {"", "P 503, expected 200-299\n", "[5 bytes left out]\n"}) {
    EXPECT_EQ(why_failed(output), "the answer was not the expected one");
  }
}

}  // namespace
}  // namespace cronce
