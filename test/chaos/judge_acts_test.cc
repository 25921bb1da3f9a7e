// The judge of what people asked for: each word that was not kept must be seen.
#include "test/chaos/judge_test.h"

namespace cronce::chaos {
namespace {

constexpr Millis at(int second) { return kStart + second * kSecond; }

/// One job of every second for twenty seconds, all skipped but those that a test has run.
class JudgesOfActs : public JudgeTest {
 protected:
  JudgesOfActs() {
    evidence_.jobs = {{.name = "tick"}};
    evidence_.from = kStart;
    evidence_.to = at(20);
    for (int i = 1; i <= 20; ++i) {
      evidence_.records.push_back({"tick", at(i), 1, "skipped", "paused", 0, "", {}});
    }
    evidence_.lines = {{"tick", at(21), 0}};
  }

  Record& record(int slot) { return evidence_.records.at(static_cast<std::size_t>(slot - 1)); }

  /// It ran, and succeeded.
  Record& run(Record record, Millis time) {
    record.state = "succeeded";
    record.reason = "";
    record.fence = ++fence_;
    record.node = "a";
    record.exit_code = 0;
    record.claimed_at = time;
    std::string key = record.request.empty() ? "tick@slot" : "tick@manual/" + record.request;
    if (record.kind == "backfill" && record.attempt > 1) key += "+2";
    const WitnessLine begin{"begin",
                            "tick",
                            record.request.empty() ? record.slot : time,
                            record.attempt,
                            fence_,
                            "a",
                            7,
                            time,
                            0,
                            key,
                            record.request};
    WitnessLine end = begin;
    end.what = "end";
    evidence_.witness.insert(evidence_.witness.end(), {begin, end});
    const auto same = std::find_if(evidence_.records.begin(), evidence_.records.end(),
                                   [&](const Record& one) { return one.ref() == record.ref(); });
    if (same != evidence_.records.end()) return *same = record;
    return evidence_.records.emplace_back(record);
  }
  Record attempt(int slot, int number, const char* kind) {
    return {"tick", at(slot), number, "", "", 0, "", {}, kind};
  }
  Record request(const char* id, int number = 1) {
    return {"tick", 0, number, "", "", 0, "", {}, number == 1 ? "manual" : "retry", id};
  }

  Act& act(What what, Millis began, Millis ended) {
    Act one{.what = what, .jobs = {"tick"}, .began = began, .ended = ended, .exit_code = 0};
    return evidence_.acts.emplace_back(one);
  }
  void trigger(const char* id) { act(What::trigger, at(1), at(2)).request = id; }
  Act& backfill(int slot, int number) {
    Act& one = act(What::backfill, at(15), at(16));
    one.from = at(slot);
    one.to = at(slot);
    one.runs = {{{"tick", at(slot)}, number}};
    return one;
  }

  std::uint64_t fence_ = 10;
};

TEST_F(JudgesOfActs, accept_a_request_that_ran_once) {
  trigger("one");
  trigger("one");
  run(request("one"), at(3));
  expect({});
}

TEST_F(JudgesOfActs, see_a_request_that_ran_twice) {
  trigger("one");
  run(request("one"), at(3));
  run(request("one"), at(4));
  EXPECT_TRUE(std::ranges::count(rules(), Rule::twice));
}

TEST_F(JudgesOfActs, see_a_request_that_two_rows_were_made_of) {
  trigger("one");
  evidence_.records.push_back(run(request("one"), at(3)));
  EXPECT_TRUE(std::ranges::count(rules(), Rule::extra));
}

TEST_F(JudgesOfActs, see_another_attempt_of_a_request_that_nobody_wants) {
  trigger("one");
  run(request("one"), at(3));
  run(request("one", 2), at(4));
  expect({Rule::twice});
  evidence_.jobs.front().retries = 1;
  expect({});
}

TEST_F(JudgesOfActs, miss_a_request_that_was_granted) {
  trigger("one");
  expect({Rule::missing});
  evidence_.acts.front().exit_code = 75;  // nobody knows
  expect({});
}

TEST_F(JudgesOfActs, miss_the_end_of_a_request) {
  trigger("one");
  Record waits = request("one");
  waits.state = "pending";
  evidence_.records.push_back(waits);
  expect({Rule::missing});
}

TEST_F(JudgesOfActs, see_a_request_of_nobody) {
  run(request("one"), at(3));
  expect({Rule::extra});
}

TEST_F(JudgesOfActs, see_a_start_inside_a_pause) {
  act(What::pause, at(1), at(2));
  act(What::resume, at(10), at(11));
  run(record(11), at(11));
  expect({});
  run(record(12), at(12));
  expect({});
  run(record(6), at(12));  // a slot of the pause, caught up
  EXPECT_TRUE(std::ranges::count(rules(), Rule::word));
}

TEST_F(JudgesOfActs, let_a_backfill_of_a_slot_of_a_pause_be_tried_again) {
  act(What::pause, at(1), at(2));
  act(What::resume, at(10), at(11));
  backfill(6, 2);
  run(attempt(6, 2, "backfill"), at(16));
  run(attempt(6, 3, "rerun"), at(18));
  for (WitnessLine& line : evidence_.witness) line.key = "tick@slot+2";
  EXPECT_FALSE(std::ranges::count(rules(), Rule::word));
}

TEST_F(JudgesOfActs, see_what_waited_start_inside_a_pause) {
  act(What::pause, at(3), at(4));
  run(record(2), at(7));
  expect({Rule::word});
  evidence_.acts.front().until_ms = 3'000;
  expect({});
}

TEST_F(JudgesOfActs, let_requests_start_inside_a_pause) {
  act(What::pause, at(1), at(2));
  trigger("one");
  run(request("one"), at(7));
  expect({});
}

TEST_F(JudgesOfActs, take_a_pause_for_over_when_somebody_may_have_ended_it) {
  act(What::pause, at(1), at(2));
  run(record(8), at(8));
  expect({Rule::word});
  act(What::resume, at(5), at(6)).exit_code = 75;
  expect({});
}

TEST_F(JudgesOfActs, see_a_cancelled_slot_tried_again) {
  evidence_.jobs.front().retries = 1;
  run(record(3), at(3)).state = "cancelled";
  run(attempt(3, 2, "retry"), at(4));
  expect({Rule::word});
}

TEST_F(JudgesOfActs, see_another_attempt_of_what_was_lost_after_a_cancel) {
  evidence_.jobs.front().rerun = true;
  run(record(3), at(3)).state = "lost";
  run(attempt(3, 2, "rerun"), at(4));
  expect({});
  act(What::cancel, at(3), at(4)).runs = {{{"tick", at(3)}, 1}};
  expect({Rule::word});
}

TEST_F(JudgesOfActs, accept_a_backfill_that_was_asked_for) {
  run(attempt(3, 2, "backfill"), at(16));
  expect({Rule::word});
  backfill(3, 2);
  expect({});
}

TEST_F(JudgesOfActs, see_a_backfill_of_what_had_run) {
  run(record(3), at(3));
  run(attempt(3, 2, "backfill"), at(16));
  Act& asked = backfill(3, 2);
  expect({Rule::twice});
  asked.again = true;
  expect({});
}

TEST_F(JudgesOfActs, see_a_backfill_of_what_had_run_with_the_same_key) {
  run(record(3), at(3));
  run(attempt(3, 2, "backfill"), at(16));
  backfill(3, 2).again = true;
  evidence_.witness.at(2).key = evidence_.witness.at(0).key;
  expect({Rule::word});
}

TEST_F(JudgesOfActs, accept_a_backfill_as_the_first_record_only_where_there_was_no_job) {
  run(attempt(0, 2, "backfill"), at(16));
  backfill(0, 2).again = true;
  expect({});
  evidence_.from = at(-1);
  expect({Rule::extra});
}

TEST_F(JudgesOfActs, miss_a_backfill_that_was_granted) {
  backfill(3, 2);
  expect({Rule::word});
}

TEST_F(JudgesOfActs, see_a_held_run_that_nobody_released) {
  evidence_.jobs.front().hold = true;
  run(record(3), at(3)).state = "lost";
  run(attempt(3, 2, "rerun"), at(6));
  expect({Rule::word});
  act(What::release, at(5), at(6)).runs = {{{"tick", at(3)}, 2}};
  expect({});
}

TEST_F(JudgesOfActs, allow_a_gap_only_where_no_file_named_the_job) {
  evidence_.records.erase(evidence_.records.begin() + 4);
  expect({Rule::missing});
  evidence_.jobs.front().guest = true;
  expect({Rule::missing});
  act(What::drop, at(4), at(6));
  expect({});
}

TEST_F(JudgesOfActs, see_exit_codes_that_are_not_documented) {
  for (const int code : {70, 134, 139, 1, 64}) {
    evidence_.acts.clear();
    act(What::pause, at(1), at(2)).exit_code = code;
    expect({Rule::harness});
  }
  evidence_.acts.clear();
  act(What::cancel, at(1), at(2)).exit_code = 66;
  act(What::resume, at(1), at(2)).exit_code = 69;
  expect({});
}

/// The store was put back, at ten, to what it was at four.
class JudgesOfWhatWasForgotten : public JudgesOfActs {
 protected:
  JudgesOfWhatWasForgotten() {
    for (Record& one : evidence_.records) one.reason = "store_regressed";
  }
  void forget() { evidence_.forgotten = {{at(4), at(10)}}; }
};

TEST_F(JudgesOfWhatWasForgotten, demand_nothing_that_was_granted_then) {
  trigger("early");
  act(What::trigger, at(5), at(6)).request = "later";
  backfill(3, 2);
  expect({Rule::missing, Rule::word});
  forget();
  expect({Rule::missing, Rule::word});
  evidence_.acts.at(2).began = at(7);
  run(request("early"), at(3));
  expect({});
}

TEST_F(JudgesOfWhatWasForgotten, take_no_pause_of_that_time_for_certain) {
  run(record(14), at(14));
  act(What::pause, at(5), at(6));
  expect({Rule::word});
  forget();
  expect({});
  evidence_.acts.front().began = at(1);
  evidence_.acts.front().ended = at(2);
  expect({Rule::word});
}

TEST_F(JudgesOfWhatWasForgotten, accept_what_a_node_has_put_back_and_nothing_else) {
  evidence_.jobs.front().retries = 1;
  run(record(5), at(5)).state = "failed";
  record(5).exit_code = evidence_.witness.back().exit_code = 3;
  record(5).reason = "exit";
  run(attempt(5, 3, "manual"), at(6)).node = "";
  evidence_.findings = {{"duplicate", {{"tick", at(5)}, 3}, "text"}};
  expect({Rule::twice, Rule::missing, Rule::extra, Rule::untrue});
  forget();
  expect({});
  evidence_.jobs.front().retries = 0;
  expect({Rule::twice});
  act(What::backfill, at(5), at(6));
  evidence_.acts.back().from = evidence_.acts.back().to = at(5);
  expect({});
}

TEST_F(JudgesOfWhatWasForgotten, see_an_attempt_that_began_twice_all_the_same) {
  forget();
  run(record(5), at(5));
  WitnessLine again = evidence_.witness.front();
  again.fence = 99;
  again.at = at(12);
  evidence_.witness.push_back(again);
  EXPECT_TRUE(std::ranges::count(rules(), Rule::twice));
}

/// What ran at five is unknown to the store, and the next epoch begins at eighteen.
class JudgesOfWhatNobodyTold : public JudgesOfWhatWasForgotten {
 protected:
  JudgesOfWhatNobodyTold() {
    forget();
    run(record(5), at(5));
    record(5) = {"tick", at(5), 1, "skipped", "store_regressed", 0, "", {}};
    fence_ = std::uint64_t{2} << 40U;
    run(record(18), at(18));
    evidence_.lives = {{"a", at(0), at(20)}};
  }
  bool sees_a_lie() const { return std::ranges::count(rules(), Rule::untrue) > 0; }
};

TEST_F(JudgesOfWhatNobodyTold, do_not_excuse_a_node_that_lived_and_could_tell) {
  EXPECT_TRUE(sees_a_lie());
  evidence_.hard_times = {{"b", at(1), at(20)}, {"a", at(6), at(11)}};
  EXPECT_TRUE(sees_a_lie());
  evidence_.hard_times = {{"a", at(6), at(13)}};
  EXPECT_FALSE(sees_a_lie());
  record(5).reason = "overlap";
  EXPECT_TRUE(sees_a_lie());
}

TEST_F(JudgesOfWhatNobodyTold, excuse_a_node_that_died_before_it_could) {
  evidence_.lives = {{"a", at(0), at(9)}, {"a", at(10), at(20)}};
  EXPECT_TRUE(sees_a_lie());  // its next process could
  evidence_.lives = {{"a", at(0), at(9)}, {"a", at(13), at(20)}};
  EXPECT_FALSE(sees_a_lie());
  evidence_.lives = {{"a", at(0), at(7)}, {"a", at(10), at(20)}};
  EXPECT_FALSE(sees_a_lie());
}

TEST(Runs, are_read_out_of_what_a_command_says) {
  const auto runs = read_runs(
      "{\"job\":\"tick\",\"slot\":\"2027-01-15T08:00:01Z\",\"attempt\":2}\n"
      "{\"job\":\"tick\",\"slot\":null,\"attempt\":1,\"request\":\"one\"}\n"
      "{\"job\":\"tick\",\"paused\":true}\n"
      "cronce: something else\n");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(print(runs[0]), "tick@2027-01-15T08:00:01Z#2");
  EXPECT_EQ(print(runs[1]), "tick@manual/one#1");
}

}  // namespace
}  // namespace cronce::chaos
