// The judge himself: each planted lie or accident, and nothing else, must be seen.
#include "test/chaos/judge_test.h"

namespace cronce::chaos {
namespace {

/// One job of every second, five slots, all of them run by the book.
class Judges : public JudgeTest {
 protected:
  Judges() {
    evidence_.jobs = {{.name = "tick"}};
    evidence_.from = kStart;
    evidence_.to = kStart + 5'000;
    for (int i = 1; i <= 5; ++i) {
      const Millis slot = kStart + i * 1'000;
      const auto fence = 10 + static_cast<std::uint64_t>(i);
      const WitnessLine begin{"begin", "tick", slot, 1, fence, "a", 100 + i, slot + 5, 0};
      WitnessLine end = begin;
      end.what = "end";
      evidence_.witness.insert(evidence_.witness.end(), {begin, end});
      evidence_.records.push_back({"tick", slot, 1, "succeeded", "", fence, "a", 0});
    }
    evidence_.lines = {{"tick", kStart + 6'000, 0}};
  }

  WitnessLine& begin(std::size_t slot) { return evidence_.witness.at(2 * slot); }
  WitnessLine& end(std::size_t slot) { return evidence_.witness.at(2 * slot + 1); }
  Record& record(std::size_t slot) { return evidence_.records.at(slot); }
  void forget_lines(std::size_t slot) {
    evidence_.witness.erase(evidence_.witness.begin() + static_cast<std::ptrdiff_t>(2 * slot),
                            evidence_.witness.begin() + static_cast<std::ptrdiff_t>(2 * slot + 2));
  }
};

TEST_F(Judges, object_to_nothing_that_is_right) { expect({}); }

TEST_F(Judges, see_an_attempt_that_began_twice) {
  WitnessLine again = begin(4);
  again.fence = 99;
  record(4).fence = 99;
  begin(4).fence = 99;
  evidence_.witness.push_back(again);
  expect({Rule::twice, Rule::fence});
}

TEST_F(Judges, see_a_slot_that_ran_again_unasked) {
  WitnessLine again = begin(4);
  again.attempt = 2;
  again.fence = 99;
  evidence_.witness.push_back(again);
  record(4).state = "lost";
  Record second = record(4);
  second.attempt = 2;
  second.fence = 99;
  second.kind = "rerun";
  evidence_.records.push_back(second);
  expect({Rule::twice});
  evidence_.jobs.front().rerun = true;
  expect({});
}

TEST_F(Judges, see_two_alive_by_the_lock) {
  begin(2).what = "beside";
  expect({Rule::overlap});
}

TEST_F(Judges, see_two_alive_by_the_order) {
  std::swap(end(1), begin(2));
  expect({Rule::overlap});
}

TEST_F(Judges, see_a_fence_that_does_not_grow) {
  begin(3).fence = end(3).fence = record(3).fence = 12;
  expect({Rule::fence});
}

TEST_F(Judges, miss_a_slot_that_nobody_speaks_of) {
  forget_lines(2);
  evidence_.records.erase(evidence_.records.begin() + 2);
  expect({Rule::missing});
}

TEST_F(Judges, miss_the_end_of_what_waits) {
  forget_lines(4);
  record(4) = {"tick", kStart + 5'000, 1, "pending", "", 0, "", {}};
  expect({Rule::missing});
}

TEST_F(Judges, accept_a_slot_that_was_skipped) {
  forget_lines(2);
  record(2) = {"tick", kStart + 3'000, 1, "skipped", "missed", 0, "", {}};
  expect({});
}

TEST_F(Judges, see_a_record_of_no_slot) {
  evidence_.records.push_back({"tick", kStart + 1'500, 1, "skipped", "missed", 0, "", {}});
  expect({Rule::extra});
}

TEST_F(Judges, see_two_records_of_one_attempt) {
  forget_lines(2);
  record(2) = {"tick", kStart + 3'000, 1, "skipped", "missed", 0, "", {}};
  evidence_.records.push_back(record(2));
  EXPECT_TRUE(std::ranges::count(rules(), Rule::extra));
}

TEST_F(Judges, see_a_success_that_never_ended) {
  evidence_.witness.erase(evidence_.witness.begin() + 3);
  expect({Rule::untrue});
  record(1).state = "lost";
  expect({});
}

TEST_F(Judges, see_another_exit_code) {
  end(1).exit_code = 3;
  expect({Rule::untrue});
}

TEST_F(Judges, see_a_skipped_slot_that_ran) {
  record(2) = {"tick", kStart + 3'000, 1, "skipped", "overlap", 0, "", {}};
  expect({Rule::untrue});
}

TEST_F(Judges, see_a_returned_attempt_that_ran) {
  record(4).state = "returned";
  Record second = record(4);
  second.attempt = 2;
  second.state = "skipped";
  evidence_.records.push_back(second);
  expect({Rule::untrue});
}

TEST_F(Judges, see_a_run_without_a_record) {
  WitnessLine more = begin(4);
  more.slot += 1'000;
  more.at += 1'000;
  more.fence += 1;
  evidence_.witness.push_back(more);
  expect({Rule::untrue});
}

TEST_F(Judges, see_a_run_that_is_said_to_go_on) {
  evidence_.records.push_back({"tick", kStart + 6'000, 1, "running", "", 20, "a", {}});
  expect({Rule::untrue});
}

TEST_F(Judges, see_a_start_before_its_slot) {
  begin(2).at -= 1'100;
  expect({Rule::early});
}

TEST_F(Judges, hold_why_against_history) {
  evidence_.stories[{"tick", kStart + 1'000}] =
      "tick@" + print_time(kStart + 1'000) + "  succeeded";
  expect({});
  evidence_.stories[{"tick", kStart + 2'000}] = "tick@" + print_time(kStart + 2'000) + "  failed";
  expect({Rule::untrue});
}

TEST_F(Judges, see_a_plan_that_stands_still) {
  evidence_.lines.front().next = kStart + 5'000;
  expect({Rule::untrue});
}

TEST(Witness, is_read_line_by_line) {
  std::vector<std::string> trouble;
  const auto lines = read_witness(
      "begin job-07 2027-01-15T08:00:01Z 1 1099511627777 node-1 key 42 1800000001005000000 7\n"
      "end job-07 2027-01-15T08:00:01Z 1 1099511627777 node-1 key 42 1800000001025000000 8 3\n"
      "end job-07 2027-01-15T0\n",
      trouble);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].slot, kStart + 1'000);
  EXPECT_EQ(lines[0].at, kStart + 1'005);
  EXPECT_EQ(lines[1].exit_code, 3);
  EXPECT_EQ(trouble.size(), 1U);
}

TEST(Times, are_read_with_and_without_a_fraction) {
  EXPECT_EQ(read_time("2027-01-15T08:00:00Z"), kStart);
  EXPECT_EQ(read_time("2027-01-15T08:00:00.250Z"), kStart + 250);
  EXPECT_EQ(read_time("2027-01-15T08:00:00"), std::nullopt);
  EXPECT_EQ(read_time(""), std::nullopt);
  EXPECT_EQ(print_time(kStart), "2027-01-15T08:00:00Z");
}

}  // namespace
}  // namespace cronce::chaos
