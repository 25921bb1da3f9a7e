// Take: pending runs that may start now: S60-S65, S117, S218.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

using How = SlotToRun::How;

void S60_a_pending_run_is_taken_once(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  w.pass(10s);
  a.run(j, How::enqueue);
  const auto taken = b.take(slot_of(j, 10));
  EXPECT_EQ(taken.claim.value().incarnation, b.incarnation());
  EXPECT_EQ(taken.claim.value().key, "j@2026-01-01T00:00:10Z");
  EXPECT_EQ(a.take(slot_of(j, 10)).refused, Refused::gone);
  EXPECT_EQ(b.take(slot_of(j, 10)).refused, Refused::gone);
  EXPECT_EQ(a.take(slot_of(j, 20)).refused, Refused::gone);
  EXPECT_EQ(w.ledger(j), "10#1 running");
}

void S61_a_run_is_not_taken_before_it_is_due(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.retries = Retries{.max = 1, .backoff = 5s, .jitter_percent = 0};
  const JobUid j = w.job(a, job);
  w.pass(10s);
  a.finish(a.start(j), RunState::failed, Reason::exit);
  w.pass(5s - 1ms);
  EXPECT_EQ(a.take(slot_of(j, 10, 2)).refused, Refused::future);
  w.pass(1ms);
  EXPECT_EQ(a.take(slot_of(j, 10, 2)).refused, Refused::none);
}

void S62_of_a_paused_job_only_manual_runs_are_taken(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  a.run(j, How::enqueue);
  a.control(PauseJob{j, {}});
  a.control(TriggerJob{j, "r"});
  EXPECT_EQ(a.take(slot_of(j, 10)).refused, Refused::paused);
  EXPECT_TRUE(a.take(request_of(j, "r")).claim);
}

void S63_nothing_is_taken_beside_a_live_run_unless_allowed(World& w) {
  Actor& a = w.node("a");
  Job parallel = job_named("k");
  parallel.overlap = Overlap::allow;
  const JobUid j = w.job(a);
  const JobUid k = w.job(a, parallel);
  for (const JobUid job : {j, k}) a.control(TriggerJob{job, "r"});
  w.pass(10s);
  const Claim live = a.start(j);
  a.start(k);
  EXPECT_EQ(a.take(request_of(j, "r")).refused, Refused::busy);
  EXPECT_TRUE(a.take(request_of(k, "r")).claim);
  a.finish(live, RunState::succeeded);
  EXPECT_TRUE(a.take(request_of(j, "r")).claim);
}

void S117_a_refusal_names_who_has_the_run_or_is_in_its_way(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  for (const char* request : {"r", "s"}) a.control(TriggerJob{j, request});
  b.take(request_of(j, "r"));
  const auto gone = a.take(request_of(j, "r"));
  EXPECT_EQ(gone.refused, Refused::gone);
  EXPECT_EQ(gone.winner, "b");
  const auto busy = a.take(request_of(j, "s"));
  EXPECT_EQ(busy.refused, Refused::busy);
  EXPECT_EQ(busy.winner, "b");
}

/// Otherwise a request to a job of which a slot always waits would never start.
void S218_a_request_waits_behind_older_slots_and_before_newer_ones(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.overlap = Overlap::queue;
  const JobUid j = w.job(a, job);
  w.pass(10s);
  a.run(j, How::enqueue);
  w.pass(5s);
  a.control(TriggerJob{j, "r"});
  w.pass(5s);
  a.run(j, How::enqueue);
  std::vector<RunId> order;
  for (const PendingRun& run : w.row(j).pending) order.push_back(run.id);
  EXPECT_EQ(order, (std::vector<RunId>{slot_of(j, 10), request_of(j, "r"), slot_of(j, 20)}));
}

void S64_an_ended_incarnation_takes_nothing(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  a.control(TriggerJob{j, "r"});
  b.sweep(a);
  EXPECT_EQ(a.take(request_of(j, "r")).refused, Refused::ended);
  EXPECT_TRUE(b.take(request_of(j, "r")).claim);
}

void S65_a_fence_is_drawn_at_the_start_and_not_with_the_row(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.overlap = Overlap::allow;
  const JobUid j = w.job(a, job);
  w.pass(10s);
  a.run(j, How::enqueue);
  EXPECT_EQ(w.run(slot_of(j, 10)).value().fence, std::nullopt);
  w.pass(10s);
  const Claim newer = a.start(j);
  a.finish(newer, RunState::succeeded);
  const Claim older = a.take(slot_of(j, 10)).claim.value();
  EXPECT_GT(older.fence, newer.fence);
  EXPECT_GT(newer.fence, make_fence(Epoch{1}, 0));
}

constexpr Rule kTakeRules[] = {
    CRONCE_RULE(S60_a_pending_run_is_taken_once),
    CRONCE_RULE(S61_a_run_is_not_taken_before_it_is_due),
    CRONCE_RULE(S62_of_a_paused_job_only_manual_runs_are_taken),
    CRONCE_RULE(S63_nothing_is_taken_beside_a_live_run_unless_allowed),
    CRONCE_RULE(S117_a_refusal_names_who_has_the_run_or_is_in_its_way),
    CRONCE_RULE(S218_a_request_waits_behind_older_slots_and_before_newer_ones),
    CRONCE_RULE(S64_an_ended_incarnation_takes_nothing),
    CRONCE_RULE(S65_a_fence_is_drawn_at_the_start_and_not_with_the_row),
};

}  // namespace

std::span<const Rule> take_rules() { return kTakeRules; }

}  // namespace cronce::contract
