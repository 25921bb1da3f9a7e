#include "engine/notice_test.h"

#include <gtest/gtest.h>

#include "model/words.h"

namespace cronce {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Notices, of_an_end_are_its_state) {
  struct Row {
    RunState state;
    Reason reason;
    const char* told;
  };
  for (const Row& row : {
           Row{RunState::succeeded, Reason::none, "succeeded#1"},
           Row{RunState::failed, Reason::exit, "failed#1"},
           Row{RunState::timed_out, Reason::none, "timed_out#1"},
           Row{RunState::cancelled, Reason::by_operator, "cancelled#1"},
           Row{RunState::skipped, Reason::overlap, "skipped#1"},
           Row{RunState::lost, Reason::node, "lost#1"},
           Row{RunState::pending, Reason::none, "late#1"},
           Row{RunState::running, Reason::none, "nothing"},
           Row{RunState::returned, Reason::none, "nothing"},
       }) {
    const std::vector<LedgerRow> runs{ran(row.state, row.reason)};
    EXPECT_EQ(told_of(noticed(kAllWords), runs), row.told) << word(row.state);
    EXPECT_EQ(told_of(noticed({}), runs), "nothing") << word(row.state);
  }
}

TEST(Notices, are_those_that_were_asked_for) {
  const std::vector<std::pair<std::string, LedgerRow>> ends{
      {"cancelled", ran(RunState::cancelled)}, {"failed", ran(RunState::failed)},
      {"late", ran(RunState::pending)},        {"lost", ran(RunState::lost)},
      {"skipped", ran(RunState::skipped)},     {"succeeded", ran(RunState::succeeded)},
  };
  for (const auto& [asked, own] : ends) {
    for (const auto& [other, run] : ends) {
      EXPECT_EQ(told_of(noticed({asked}), {run}), asked == other ? asked + "#1" : "nothing")
          << asked << " and a run that is " << other;
    }
  }
}

TEST(Notices, of_a_time_out_are_a_failure_unless_it_is_asked_for_by_itself) {
  const std::vector<LedgerRow> runs{ran(RunState::timed_out)};
  EXPECT_EQ(told_of(noticed({"failed"}), runs), "failed#1");
  EXPECT_EQ(told_of(noticed({"timed_out"}), runs), "timed_out#1");
  EXPECT_EQ(told_of(noticed({"failed", "timed_out"}), runs), "timed_out#1");
  EXPECT_EQ(told_of(noticed({"succeeded"}), runs), "nothing");
}

TEST(Notices, of_an_end_wait_for_the_last_attempt) {
  struct Row {
    const char* what;
    std::vector<LedgerRow> runs;
    const char* told;
  };
  const LedgerRow failed = ran(RunState::failed, Reason::exit);
  for (const Row& row : std::vector<Row>{
           {"it waits", {ran(RunState::pending, Reason::none, 2), failed}, "nothing"},
           {"it runs", {ran(RunState::running, Reason::none, 2), failed}, "nothing"},
           {"it did", {ran(RunState::succeeded, Reason::none, 2), failed}, "succeeded#2"},
           {"it failed", {ran(RunState::failed, Reason::exit, 2), failed}, "failed#2"},
           {"a time-out",
            {ran(RunState::pending, Reason::none, 2), ran(RunState::timed_out)},
            "nothing"},
           {"another slot's",
            {but(ran(RunState::pending, Reason::none, 2),
                 [](LedgerRow& r) { r.id.slot += minutes(1); }),
             failed},
            "failed#1"},
           {"a person's",
            {but(ran(RunState::running, Reason::none, 2),
                 [](LedgerRow& r) { r.id.space = Space::manual; }),
             failed},
            "failed#1"},
           {"another request's",
            {but(ran(RunState::running, Reason::none, 2),
                 [](LedgerRow& r) { r.id = {JobUid{7}, Space::manual, kSlot, "b", Attempt{2}}; }),
             but(failed, [](LedgerRow& r) { r.id = {JobUid{7}, Space::manual, kSlot, "a"}; })},
            "failed#1"},
       }) {
    EXPECT_EQ(told_of(noticed({"failed", "succeeded", "timed_out"}), row.runs), row.told)
        << row.what;
  }
}

TEST(Notices, of_an_end_do_not_wait_for_an_attempt_that_never_began) {
  const LedgerRow failed = ran(RunState::failed, Reason::exit);
  const LedgerRow late = ran(RunState::succeeded, Reason::late);
  const LedgerRow cancelled = but(ran(RunState::cancelled, Reason::by_operator, 2),
                                  [](LedgerRow& r) { r.claimed_at.reset(); });
  const JobRow job = noticed({"failed", "succeeded"});
  EXPECT_EQ(told_of(job, {ran(RunState::skipped, Reason::expired, 2), failed}), "failed#1");
  EXPECT_EQ(told_of(job, {ran(RunState::skipped, Reason::superseded, 2), late}), "succeeded#1");
  EXPECT_EQ(told_of(job, {cancelled, failed}), "failed#1");
  EXPECT_EQ(told_of(job, {ran(RunState::cancelled, Reason::by_operator, 2), failed}), "nothing")
      << "it ran";
}

TEST(Notices, of_a_loss_do_not_wait_for_its_rerun) {
  const LedgerRow lost = ran(RunState::lost, Reason::node);
  for (const RunState state : {RunState::pending, RunState::running, RunState::succeeded}) {
    const LedgerRow rerun =
        but(ran(state, Reason::none, 2), [](LedgerRow& r) { r.kind = RunKind::rerun; });
    EXPECT_EQ(told_of(noticed({"lost"}), {rerun, lost}), "lost#1") << word(state);
  }
}

TEST(Notices, of_a_duplicate_need_a_late_result_and_another_start) {
  struct Row {
    const char* what;
    LedgerRow first;
    LedgerRow second;
    const char* told;
  };
  const LedgerRow late = ran(RunState::succeeded, Reason::late);
  const LedgerRow rerun = ran(RunState::running, Reason::none, 2);
  for (const Row& row : std::vector<Row>{
           {"both ran", late, rerun, "duplicate#1"},
           {"both ended", late, ran(RunState::failed, Reason::exit, 2), "duplicate#1"},
           {"the first failed", ran(RunState::failed, Reason::late), rerun, "duplicate#1"},
           {"the second waits", late, ran(RunState::pending, Reason::none, 2), "nothing"},
           {"the first is lost", ran(RunState::lost, Reason::node), rerun, "nothing"},
           {"the first has ended", ran(RunState::succeeded), rerun, "nothing"},
           {"another key", late, but(rerun, [](LedgerRow& r) { r.key = "k2"; }), "nothing"},
           {"another slot", late, but(rerun, [](LedgerRow& r) { r.id.slot += minutes(1); }),
            "nothing"},
       }) {
    EXPECT_EQ(told_of(noticed({"duplicate"}), {row.second, row.first}), row.told) << row.what;
  }
  EXPECT_EQ(told_of(noticed({"duplicate"}), {late}), "nothing") << "alone";
}

TEST(Notices, may_be_several_of_one_run) {
  const std::vector<LedgerRow> runs{ran(RunState::running, Reason::none, 2),
                                    but(ran(RunState::succeeded, Reason::late),
                                        [](LedgerRow& r) { r.claimed_at = kSlot + minutes(2); })};
  EXPECT_EQ(told_of(noticed(kAllWords), runs), "late#1 duplicate#1");
  EXPECT_EQ(told_of(noticed(kAllWords), {ran(RunState::skipped, Reason::missed)}),
            "skipped#1 late#1");
}

TEST(Notices, are_at_most_a_day_old) {
  struct Row {
    const char* what;
    LedgerRow run;
    Time since;
  };
  for (const Row& row : std::vector<Row>{
           {"by its end", ran(RunState::failed), kSlot + seconds(1)},
           {"by its slot", ran(RunState::pending), kSlot},
           {"by its due",
            but(ran(RunState::pending), [](LedgerRow& r) { r.due = kSlot + minutes(9); }),
            kSlot + minutes(9)},
           {"by its claim",
            but(ran(RunState::running), [](LedgerRow& r) { r.claimed_at = kSlot + minutes(2); }),
            kSlot + minutes(2)},
           {"by the last slot of a range",
            but(ran(RunState::skipped, Reason::missed),
                [](LedgerRow& r) {
                  r.finished_at.reset();
                  r.slot_to = kSlot + hours(5);
                }),
            kSlot + hours(5)},
       }) {
    JobRow job = noticed({"failed", "late"});
    job.plan.next.reset();
    EXPECT_NE(told_of(job, {row.run}, row.since + hours(24)), "nothing") << row.what;
    EXPECT_EQ(told_of(job, {row.run}, row.since + hours(24) + milliseconds(1)), "nothing")
        << row.what;
  }
}

}  // namespace
}  // namespace cronce
