// Decide: what becomes of a slot while the job or its group is busy: S49-S57, S189, S211, S215,
// S216.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

using How = SlotToRun::How;

Job with(Overlap overlap) {
  Job job = job_named("j");
  job.overlap = overlap;
  return job;
}

/// A job of that kind whose slot at 10 runs on `a`; it is 20 now.
JobUid busy_job(World& w, Actor& a, const Job& job) {
  const JobUid j = w.job(a, job);
  w.pass(10s);
  a.start(j);
  w.pass(10s);
  return j;
}

void S49_overlap_skip_skips_the_slot(World& w) {
  Actor& a = w.node("a");
  const JobUid j = busy_job(w, a, with(Overlap::skip));
  EXPECT_EQ(told(a.run(j)), "skipped: overlap");
  EXPECT_EQ(w.ledger(j), "10#1 running, 20#1 skipped: overlap");
}

void S50_one_deferred_row_waits_for_the_suspicion_to_end(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = busy_job(w, a, with(Overlap::skip));
  EXPECT_EQ(told(b.run(j, How::defer)), "pending");
  EXPECT_TRUE(w.row(j).pending.at(0).deferred);
  w.pass(10s);
  EXPECT_EQ(told(b.run(j, How::defer)), "skipped: overlap");
  EXPECT_EQ(b.take(slot_of(j, 20)).refused, Refused::busy);
  b.sweep(a);
  EXPECT_TRUE(b.take(slot_of(j, 20)).claim);
  EXPECT_EQ(w.ledger(j), "10#1 lost: node, 20#1 running, 30#1 skipped: overlap");
}

void S51_overlap_queue_waits_up_to_the_cap(World& w) {
  Actor& a = w.node("a");
  Job job = with(Overlap::queue);
  job.catch_up.cap = 2;
  const JobUid j = busy_job(w, a, job);
  EXPECT_EQ(told(a.run(j)), "pending");
  w.pass(10s);
  EXPECT_EQ(told(a.run(j)), "pending");
  w.pass(10s);
  EXPECT_EQ(told(a.run(j)), "skipped: queue_full");
  EXPECT_EQ(w.row(j).pending.at(0).id, slot_of(j, 20));
}

void S52_overlap_replace_waits_alone_and_asks_the_live_run_to_stop(World& w) {
  Actor& a = w.node("a");
  const JobUid j = busy_job(w, a, with(Overlap::replace));
  a.control(TriggerJob{j, "r"});
  EXPECT_EQ(told(a.run(j)), "pending");
  const std::vector<StopOrder> order{{slot_of(j, 10), Reason::replaced}};
  EXPECT_EQ(a.beat().stops, order);
  w.pass(10s);
  EXPECT_EQ(told(a.run(j)), "pending");
  EXPECT_EQ(w.ledger(j), "10#1 running, 20#1 skipped: replaced, 30#1 pending, r#1 pending");
}

void S53_overlap_allow_runs_beside(World& w) {
  Actor& a = w.node("a");
  const JobUid j = busy_job(w, a, with(Overlap::allow));
  const Claim second = a.start(j);
  EXPECT_EQ(w.ledger(j), "10#1 running, 20#1 running");
  EXPECT_GT(second.fence, w.run(slot_of(j, 10)).value().fence.value());
}

void S54_enqueue_leaves_the_slot_to_others_but_obeys_overlap(World& w) {
  Actor& a = w.node("a");
  const JobUid idle = w.job(a, job_named("idle"));
  const JobUid j = busy_job(w, a, with(Overlap::skip));
  EXPECT_EQ(told(a.run(idle, How::enqueue)), "pending");
  EXPECT_EQ(told(a.run(j, How::enqueue)), "skipped: overlap");
}

void S55_under_catch_up_all_slots_are_enqueued_whatever_overlap_says(World& w) {
  Actor& a = w.node("a");
  Job job = with(Overlap::skip);
  job.catch_up.mode = CatchUp::Mode::all;
  const JobUid j = busy_job(w, a, job);
  w.pass(10s);
  DecideEntry entry = w.owed(j);
  entry.skipped.clear();
  entry.runs = {{at(20), at(20), How::enqueue}, {at(30), at(30), How::enqueue}};
  EXPECT_EQ(told(a.decide(entry)), "pending, pending");
  EXPECT_EQ(w.ledger(j), "10#1 running, 20#1 pending, 30#1 pending");
}

void S56_a_full_group_makes_the_slot_wait(World& w) {
  Actor& a = w.node("a");
  Job one = job_named("j"), other = job_named("k");
  one.concurrency = other.concurrency = Concurrency{"g", 1};
  const JobUid j = w.job(a, one);
  const JobUid k = w.job(a, other);
  w.pass(10s);
  const Claim claim = a.start(j);
  EXPECT_EQ(told(a.run(k)), "pending");
  EXPECT_EQ(a.take(slot_of(k, 10)).refused, Refused::full);
  a.finish(claim, RunState::succeeded);
  EXPECT_TRUE(a.take(slot_of(k, 10)).claim);
}

void S57_max_runs_counts_slots_and_not_attempts(World& w) {
  Actor& a = w.node("a");
  Job job = job_named("j");
  job.schedule.between.edit().max_runs = 2;
  job.retries = Retries{.max = 1, .backoff = 1s, .jitter_percent = 0};
  const JobUid j = w.job(a, job);
  w.pass(10s);
  a.finish(a.start(j), RunState::failed, Reason::exit);
  w.pass(1s);
  a.finish(a.take(slot_of(j, 10, 2)).claim.value(), RunState::succeeded);
  w.pass(9s);
  EXPECT_EQ(told(a.run(j, How::enqueue)), "pending");
  w.pass(10s);
  EXPECT_EQ(told(a.run(j)), "skipped: max_runs");
}

void S58_a_pending_run_lapses_only_for_a_reason_that_holds(World& w) {
  Actor& a = w.node("a");
  Job job = with(Overlap::skip);
  job.catch_up.window = 2min;
  const JobUid j = busy_job(w, a, job);
  a.run(j, How::defer);
  const RunId deferred = slot_of(j, 20);
  EXPECT_EQ(a.lapse(deferred, Reason::expired), Refused::future);
  EXPECT_EQ(a.lapse(deferred, Reason::paused), Refused::invalid);
  EXPECT_EQ(a.lapse(slot_of(j, 10), Reason::expired), Refused::gone);
  EXPECT_EQ(a.lapse(deferred, Reason::overlap), Refused::none);
  a.control(TriggerJob{j, "r"});
  EXPECT_EQ(a.lapse(request_of(j, "r"), Reason::overlap), Refused::future);
  w.pass(1h);
  EXPECT_EQ(a.lapse(request_of(j, "r"), Reason::expired), Refused::future);  // a person waits
  EXPECT_EQ(w.ledger(j), "10#1 running, 20#1 skipped: overlap, r#1 pending");
}

void S59_a_pending_slot_older_than_its_window_expires(World& w) {
  Actor& a = w.node("a");
  Job job = with(Overlap::queue);
  job.catch_up.window = 2min;
  const JobUid j = busy_job(w, a, job);
  a.run(j);
  w.pass(10s);
  a.run(j);
  w.pass(1min + 50s);  // exactly the window of the older one
  EXPECT_EQ(a.lapse(slot_of(j, 20), Reason::expired), Refused::future);
  w.pass(1ms);
  EXPECT_EQ(a.lapse(slot_of(j, 20), Reason::expired), Refused::none);
  w.pass(10s);
  EXPECT_EQ(a.lapse(slot_of(j, 30), Reason::no_node), Refused::none);
  EXPECT_EQ(w.ledger(j), "10#1 running, 20#1 skipped: expired, 30#1 skipped: no_node");
}

void S189_a_deferred_slot_of_a_free_job_waits_for_whoever_fits(World& w) {
  Actor& a = w.node("a");
  const JobUid j = w.job(a);
  w.pass(10s);
  EXPECT_EQ(told(a.run(j, SlotToRun::How::defer)), "pending");
  EXPECT_TRUE(w.node("b").take(slot_of(j, 10)).claim);
}

void S211_a_slot_that_is_to_run_leaves_no_older_one_waiting(World& w) {
  Actor& a = w.node("a");
  struct Case {
    Overlap overlap;
    CatchUp::Mode mode;
    std::string ledger;
  };
  const std::string both = "10#1 pending, 20#1 pending, r#1 pending";
  const std::vector<Case> cases{
      {Overlap::skip, CatchUp::Mode::latest, "10#1 skipped: superseded, 20#1 pending, r#1 pending"},
      {Overlap::skip, CatchUp::Mode::none, "10#1 skipped: superseded, 20#1 pending, r#1 pending"},
      {Overlap::replace, CatchUp::Mode::latest,
       "10#1 skipped: replaced, 20#1 pending, r#1 pending"},
      {Overlap::skip, CatchUp::Mode::all, both},
      {Overlap::queue, CatchUp::Mode::latest, both},
      {Overlap::allow, CatchUp::Mode::latest, both}};
  std::vector<JobUid> jobs;
  for (const Case& one : cases) {
    Job job = job_named("j" + std::to_string(jobs.size()));
    job.overlap = one.overlap;
    job.catch_up.mode = one.mode;
    jobs.push_back(w.job(a, job));
    a.control(TriggerJob{jobs.back(), "r"});
  }
  for (int slot = 0; slot < 2; ++slot) {
    w.pass(10s);
    for (const JobUid j : jobs) a.run(j, SlotToRun::How::enqueue);
  }
  for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(w.ledger(jobs[i]), cases[i].ledger) << i;
  w.pass(10s);
  EXPECT_EQ(told(a.run(jobs[0])), "running");
  EXPECT_EQ(w.ledger(jobs[0]),
            "10#1 skipped: superseded, 20#1 skipped: superseded, 30#1 running, r#1 pending");
}

void S215_a_slot_passes_no_older_one_that_waits(World& w) {
  Actor& a = w.node("a");
  struct Case {
    Overlap overlap;
    CatchUp::Mode mode;
    std::string told;
  };
  const std::vector<Case> cases{{Overlap::queue, CatchUp::Mode::latest, "pending"},
                                {Overlap::skip, CatchUp::Mode::all, "pending"},
                                {Overlap::allow, CatchUp::Mode::all, "running"}};
  std::vector<JobUid> jobs;
  for (const Case& one : cases) {
    Job job = job_named("j" + std::to_string(jobs.size()));
    job.overlap = one.overlap;
    job.catch_up.mode = one.mode;
    jobs.push_back(w.job(a, job));
  }
  w.pass(10s);
  for (const JobUid j : jobs) a.run(j, How::enqueue);
  w.pass(10s);
  for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(told(a.run(jobs[i])), cases[i].told);
  for (const JobUid j : jobs) EXPECT_TRUE(a.take(slot_of(j, 10)).claim);
  const JobUid asked = w.job(a, with(Overlap::queue));
  a.control(TriggerJob{asked, "r"});
  w.pass(10s);
  EXPECT_EQ(told(a.run(asked)), "running");  // what a person asked for is no slot
}

void S216_of_a_job_at_most_the_cap_of_slots_wait(World& w) {
  Actor& a = w.node("a");
  std::vector<JobUid> jobs;
  for (const Overlap overlap : {Overlap::queue, Overlap::allow}) {
    Job job = job_named("j" + std::to_string(jobs.size()));
    job.overlap = overlap;
    job.catch_up.cap = 2;
    jobs.push_back(w.job(a, job));
    for (const char* request : {"r", "s", "t"}) a.control(TriggerJob{jobs.back(), request});
  }
  for (int slot = 0; slot < 3; ++slot) {
    w.pass(10s);
    for (const JobUid j : jobs) a.run(j, How::enqueue);
  }
  for (const JobUid j : jobs) {
    EXPECT_EQ(w.ledger(j),
              "10#1 pending, 20#1 pending, 30#1 skipped: queue_full, r#1 pending, s#1 pending, t#1 "
              "pending");
  }
}

constexpr Rule kOverlapRules[] = {
    CRONCE_RULE(S49_overlap_skip_skips_the_slot),
    CRONCE_RULE(S50_one_deferred_row_waits_for_the_suspicion_to_end),
    CRONCE_RULE(S51_overlap_queue_waits_up_to_the_cap),
    CRONCE_RULE(S52_overlap_replace_waits_alone_and_asks_the_live_run_to_stop),
    CRONCE_RULE(S53_overlap_allow_runs_beside),
    CRONCE_RULE(S54_enqueue_leaves_the_slot_to_others_but_obeys_overlap),
    CRONCE_RULE(S55_under_catch_up_all_slots_are_enqueued_whatever_overlap_says),
    CRONCE_RULE(S56_a_full_group_makes_the_slot_wait),
    CRONCE_RULE(S57_max_runs_counts_slots_and_not_attempts),
    CRONCE_RULE(S58_a_pending_run_lapses_only_for_a_reason_that_holds),
    CRONCE_RULE(S59_a_pending_slot_older_than_its_window_expires),
    CRONCE_RULE(S189_a_deferred_slot_of_a_free_job_waits_for_whoever_fits),
    CRONCE_RULE(S211_a_slot_that_is_to_run_leaves_no_older_one_waiting),
    CRONCE_RULE(S215_a_slot_passes_no_older_one_that_waits),
    CRONCE_RULE(S216_of_a_job_at_most_the_cap_of_slots_wait),
};

}  // namespace

std::span<const Rule> overlap_rules() { return kOverlapRules; }

}  // namespace cronce::contract
