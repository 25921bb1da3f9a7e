// Jobs that run once after each start of a machine: S195-S198.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

Job at_boot() {
  Job job = job_named("j");
  job.schedule.elements = {RebootSpec{}};
  job.everywhere = true;
  return job;
}

/// The uid of the node's boot_share.
JobUid boot_share(World& w, Actor& node, JobUid whole) {
  EXPECT_EQ(node.change(JoinMember{whole, w.now(), std::nullopt}), Refused::none);
  return w.member(whole, node.self().name).value_or(JobUid{});
}

RunId boot_of(JobUid job, const std::string& boot) {
  return {job, Space::boot, {}, boot, Attempt{1}};
}

void S195_a_boot_gets_one_run_of_each_share_whoever_asks_how_often(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid whole = w.job(a, at_boot());
  const JobUid at_a = boot_share(w, a, whole), at_b = boot_share(w, b, whole);
  EXPECT_EQ(a.change(StartAtBoot{at_a, "x"}), Refused::none);
  EXPECT_EQ(a.change(StartAtBoot{at_a, "x"}), Refused::moved);
  EXPECT_EQ(w.node("a").change(StartAtBoot{at_a, "x"}), Refused::moved);
  EXPECT_EQ(b.change(StartAtBoot{at_b, "x"}), Refused::none);
  EXPECT_EQ(w.ledger(at_a), "x#1 pending");
  EXPECT_EQ(w.ledger(at_b), "x#1 pending");
  const auto claim = a.take(boot_of(at_a, "x")).claim;
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->due, w.now());
  EXPECT_EQ(b.take(boot_of(at_a, "x")).refused, Refused::gone);
  a.finish(*claim, RunState::succeeded);
  EXPECT_EQ(a.change(StartAtBoot{at_a, "x"}), Refused::moved);
  EXPECT_EQ(a.change(StartAtBoot{at_a, "y"}), Refused::none);
  EXPECT_EQ(w.ledger(at_a), "x#1 succeeded, y#1 pending");
}

void S196_only_the_share_of_the_asker_starts_at_boot_and_only_if_the_job_does(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid whole = w.job(a, at_boot());
  const JobUid at_a = boot_share(w, a, whole);
  EXPECT_EQ(b.change(StartAtBoot{at_a, "x"}), Refused::stale);
  EXPECT_EQ(a.change(StartAtBoot{JobUid{99}, "x"}), Refused::gone);
  EXPECT_EQ(a.change(StartAtBoot{whole, "x"}), Refused::invalid);
  EXPECT_EQ(a.change(StartAtBoot{at_a, ""}), Refused::invalid);
  Job hourly = job_named("h");
  hourly.everywhere = true;
  const JobUid other = w.job(b, hourly);
  EXPECT_EQ(b.change(JoinMember{other, w.now(), w.next_slot(other)}), Refused::none);
  EXPECT_EQ(b.change(StartAtBoot{w.member(other, "b").value(), "x"}), Refused::invalid);
  a.control(RetireJob{whole});
  EXPECT_EQ(a.change(StartAtBoot{at_a, "x"}), Refused::retired);
  EXPECT_EQ(w.ledger(at_a), "");
}

void S197_a_boot_while_the_job_is_paused_is_skipped_for_it(World& w) {
  Actor& a = w.node("a");
  const JobUid whole = w.job(a, at_boot());
  const JobUid at_a = boot_share(w, a, whole);
  a.control(PauseJob{whole, {}});
  EXPECT_EQ(a.change(StartAtBoot{at_a, "x"}), Refused::none);
  EXPECT_EQ(w.ledger(at_a), "x#1 skipped: paused");
}

void S198_the_record_of_the_last_boot_is_not_purged(World& w) {
  Actor& a = w.node("a");
  Job job = at_boot();
  job.history = HistoryLimits{.succeeded = 0, .failed = 0, .skipped = 0, .age = 1s};
  const JobUid at_a = boot_share(w, a, w.job(a, job));
  for (const char* boot : {"z", "y", "x"}) {
    w.pass(1h);
    EXPECT_EQ(a.change(StartAtBoot{at_a, boot}), Refused::none);
    const auto claim = a.take(boot_of(at_a, boot)).claim;
    ASSERT_TRUE(claim);
    a.finish(*claim, RunState::succeeded);
  }
  w.pass(std::chrono::days{1000});
  a.lane().sweep({});
  EXPECT_EQ(w.ledger(at_a), "x#1 succeeded");
  EXPECT_EQ(a.change(StartAtBoot{at_a, "x"}), Refused::moved);
}

constexpr Rule kBootRules[] = {
    CRONCE_RULE(S195_a_boot_gets_one_run_of_each_share_whoever_asks_how_often),
    CRONCE_RULE(S196_only_the_share_of_the_asker_starts_at_boot_and_only_if_the_job_does),
    CRONCE_RULE(S197_a_boot_while_the_job_is_paused_is_skipped_for_it),
    CRONCE_RULE(S198_the_record_of_the_last_boot_is_not_purged),
};

}  // namespace

std::span<const Rule> boot_rules() { return kBootRules; }

}  // namespace cronce::contract
