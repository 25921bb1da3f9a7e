// Jobs that run everywhere, and the share that each node has of them: S118-S128, S179, S199, S202.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

Job everywhere() {
  Job job = job_named("j");
  job.everywhere = true;
  return job;
}

Refused join(World& w, Actor& node, JobUid whole) {
  return node.change(JoinMember{whole, w.now(), w.next_slot(whole)});
}

/// The uid of the node's share.
JobUid share(World& w, Actor& node, JobUid whole) {
  EXPECT_EQ(join(w, node, whole), Refused::none);
  return w.member(whole, node.self().name).value_or(JobUid{});
}

void S118_a_job_that_runs_everywhere_has_no_slots_itself(World& w) {
  Actor& a = w.node("a");
  const JobUid whole = w.job(a, everywhere());
  EXPECT_EQ(w.row(whole).plan.next, std::nullopt);
  w.pass(10s);
  share(w, a, whole);
  EXPECT_EQ(w.row(whole).plan.next, std::nullopt);
  EXPECT_EQ(told(a.run(whole)), "moved");
}

void S119_a_share_begins_at_store_time_as_a_row_of_its_own(World& w) {
  Actor& a = w.node("a");
  const JobUid whole = w.job(a, everywhere());
  a.control(PauseJob{whole, {at(100), "holiday"}});
  w.pass(3s);
  const JobRow row = w.row(share(w, a, whole));
  EXPECT_NE(row.uid, whole);
  EXPECT_EQ(row.plan.cursor, at(3));
  EXPECT_EQ(row.plan.next, at(10));
  EXPECT_EQ(row.definition, everywhere());
  EXPECT_EQ(row.sources, w.row(whole).sources);
  EXPECT_EQ(row.pause, w.row(whole).pause);
  EXPECT_EQ(a.beat().changed.size(), 2U);
}

void S120_two_processes_of_one_name_have_one_share_and_one_that_ended_begins_anew(World& w) {
  Actor& a = w.node("a");
  const JobUid whole = w.job(a, everywhere());
  const JobUid member = share(w, a, whole);
  Actor& twin = w.node("a");
  EXPECT_EQ(join(w, twin, whole), Refused::moved);
  twin.control(RetireJob{member});
  w.pass(25s);
  EXPECT_EQ(share(w, twin, whole), member);
  EXPECT_FALSE(w.row(member).retired());
  EXPECT_EQ(w.row(member).plan.cursor, at(25));
}

void S121_a_share_needs_a_job_that_runs_everywhere_and_its_first_slot(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid whole = w.job(a, everywhere());
  const JobUid k = w.job(a, job_named("k"));
  EXPECT_EQ(join(w, a, k), Refused::invalid);
  EXPECT_EQ(a.change(JoinMember{JobUid{99}, at(0), at(10)}), Refused::gone);
  w.pass(15s);
  EXPECT_EQ(a.change(JoinMember{whole, at(0), at(10)}), Refused::future);
  a.sweep(b);
  EXPECT_EQ(join(w, b, whole), Refused::ended);
  a.control(RetireJob{whole});
  EXPECT_EQ(join(w, a, whole), Refused::retired);
  EXPECT_EQ(w.jobs().size(), 2U);
}

void S122_every_member_runs_each_slot_and_their_fences_are_of_one_count(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid whole = w.job(a, everywhere());
  const JobUid at_a = share(w, a, whole);
  const JobUid at_b = share(w, b, whole);
  w.pass(10s);
  const Claim one = a.start(at_a);
  const Claim two = b.start(at_b);
  EXPECT_GT(two.fence, one.fence);
  EXPECT_NE(two.key, one.key);
  a.finish(one, RunState::succeeded);
  w.pass(10s);
  EXPECT_GT(a.start(at_a).fence, two.fence);
  EXPECT_EQ(told(b.run(at_b)), "skipped: overlap");
}

void S123_a_share_is_run_only_by_nodes_of_its_name(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid whole = w.job(a, everywhere());
  const JobUid member = share(w, a, whole);
  w.pass(10s);
  EXPECT_EQ(told(b.run(member)), "pending");
  EXPECT_EQ(b.take(slot_of(member, 10)).refused, Refused::stale);
  Actor& twin = w.node("a");
  EXPECT_TRUE(twin.take(slot_of(member, 10)).claim);
}

void S124_what_is_registered_of_the_job_reaches_its_members(World& w) {
  Actor& a = w.node("a");
  const JobUid whole = w.job(a, everywhere());
  const JobUid member = share(w, a, whole);
  Job changed = everywhere();
  changed.overlap = Overlap::queue;
  w.pass(12s);
  EXPECT_EQ(a.enroll(w.set_of("j", "2", {changed})).registered, Registered::current);
  EXPECT_EQ(w.row(member).definition, changed);
  EXPECT_EQ(w.row(member).sources->at("j"), "2");
  EXPECT_EQ(w.row(member).plan.next, at(10));
  changed.schedule.elements = {EverySpec{7s, std::nullopt}};
  const auto owing = a.enroll(w.set_of("j", "3", {changed}));
  EXPECT_EQ(owing.registered, Registered::owing);
  EXPECT_EQ(owing.jobs, std::vector<std::string>{"j"});
  RegisterAsk settling = w.set_of("j", "3", {changed});
  settling.settle = {w.owed(member)};
  EXPECT_EQ(a.enroll(settling).registered, Registered::current);
  EXPECT_EQ(w.ledger(member), "10#1 running");
  EXPECT_EQ(w.row(member).plan.cursor, at(12));
  EXPECT_EQ(w.row(member).plan.next, settling.jobs[0].next);
}

void S125_members_end_with_the_job_and_when_it_no_longer_runs_everywhere(World& w) {
  Actor& a = w.node("a");
  const JobUid whole = w.job(a, everywhere());
  const JobUid member = share(w, a, whole);
  w.pass(5s);
  EXPECT_EQ(a.enroll(w.set_of("j", "2", {job_named("j")})).registered, Registered::current);
  EXPECT_TRUE(w.row(member).retired());
  EXPECT_EQ(w.row(whole).plan.next, at(10));
  EXPECT_EQ(a.enroll(w.set_of("j", "3", {everywhere()})).registered, Registered::current);
  EXPECT_EQ(w.row(whole).plan.next, std::nullopt);
  EXPECT_EQ(share(w, a, whole), member);
  w.pass(10s);
  EXPECT_EQ(a.enroll(w.set_of("j", "4", {})).registered, Registered::owing);
  a.run(member, SlotToRun::How::enqueue);
  EXPECT_EQ(a.enroll(w.set_of("j", "4", {})).registered, Registered::current);
  EXPECT_TRUE(w.row(member).retired());
  EXPECT_EQ(w.ledger(member), "10#1 skipped: retired");
}

void S126_pause_resume_and_retire_of_the_job_reach_its_members(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid whole = w.job(a, everywhere());
  const std::vector<JobUid> members{share(w, a, whole), share(w, b, whole)};
  a.control(PauseJob{whole, {}});
  w.pass(25s);
  EXPECT_EQ(told(a.run(members[0])), "paused");
  EXPECT_EQ(a.control(ResumeJob{whole, w.now(), at(30), 2}).refused, Refused::none);
  for (const JobUid member : members) {
    EXPECT_EQ(w.ledger(member), "10-25#1 skipped: paused (2)");
    EXPECT_EQ(w.row(member).plan.next, at(30));
    EXPECT_FALSE(w.row(member).paused());
  }
  w.pass(5s);
  a.control(RetireJob{whole, 1});
  for (const JobUid member : members) {
    EXPECT_EQ(w.ledger(member), "10-25#1 skipped: paused (2), 30-30#1 skipped: retired (1)");
    EXPECT_TRUE(w.row(member).retired());
  }
}

void S179_recede_of_the_job_brings_the_cursors_of_its_members_back(World& w) {
  Actor& a = w.node("a");
  w.set_clock(at(1000));
  const JobUid whole = w.job(a, everywhere());
  const JobUid member = share(w, a, whole);
  w.set_clock(at(15));
  EXPECT_EQ(a.control(RecedeJob{whole, at(15), at(20)}).refused, Refused::none);
  EXPECT_EQ(w.row(member).plan.cursor, at(15));
  EXPECT_EQ(w.row(member).plan.next, at(20));
  EXPECT_EQ(w.row(whole).plan.next, std::nullopt);
  EXPECT_EQ(a.control(RecedeJob{whole, at(15), at(20)}).refused, Refused::moved);
}

void S127_a_request_makes_one_run_for_each_member(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Actor& c = w.node("c");
  const JobUid whole = w.job(a, everywhere());
  EXPECT_EQ(a.control(TriggerJob{whole, "r"}).refused, Refused::gone);
  const JobUid at_a = share(w, a, whole);
  const JobUid at_b = share(w, b, whole);
  const auto first = a.control(TriggerJob{whole, "r"});
  EXPECT_TRUE(first.run == request_of(at_a, "r") || first.run == request_of(at_b, "r"));
  const JobUid at_c = share(w, c, whole);
  EXPECT_EQ(b.control(TriggerJob{whole, "r"}), first);  // who came later is not meant
  EXPECT_EQ(w.ledger(at_a), "r#1 pending");
  EXPECT_EQ(w.ledger(at_b), "r#1 pending");
  EXPECT_EQ(w.ledger(at_c), "");
}

Refused end(World& w, Actor& by, JobUid member, std::int64_t covered) {
  return by.change(EndMember{member, w.row(member).plan.turn, covered});
}

void S128_a_share_ends_when_its_node_leaves_or_is_gone_for_a_day(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Actor& c = w.node("c");
  const JobUid whole = w.job(a, everywhere());
  const JobUid at_a = share(w, a, whole);
  const JobUid at_b = share(w, b, whole);
  w.pass(10s);
  c.run(at_a);
  w.pass(10s);
  EXPECT_EQ(end(w, a, at_a, 1), Refused::busy);
  a.self().leaving = true;
  a.beat();
  EXPECT_EQ(end(w, c, at_a, 1), Refused::busy);  // that is for the node itself to say
  EXPECT_EQ(a.change(EndMember{at_a, Turn{0}, 1}), Refused::moved);
  EXPECT_EQ(end(w, a, at_a, 1), Refused::none);
  EXPECT_EQ(w.ledger(at_a), "10#1 skipped: node_absent, 20-20#1 skipped: node_absent (1)");
  EXPECT_EQ(end(w, a, at_a, 1), Refused::retired);
  c.sweep(b);
  w.pass(std::chrono::hours{24} - 1ms);
  EXPECT_EQ(end(w, c, at_b, 9), Refused::busy);
  w.pass(1ms);
  EXPECT_EQ(end(w, c, at_b, 8641), Refused::none);
  EXPECT_EQ(w.ledger(at_b), "10-86420#1 skipped: node_absent (8641)");
  EXPECT_EQ(end(w, c, whole, 0), Refused::invalid);
}

void S199_a_share_keeps_a_slot_after_the_pause_that_another_has_settled(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid whole = w.job(a, everywhere());
  const JobUid at_a = share(w, a, whole), at_b = share(w, b, whole);
  a.control(PauseJob{whole, {at(15), ""}});
  const auto skip = [&](Actor& node, JobUid job) {
    DecideEntry entry = w.owed(job);
    entry.runs.clear();
    entry.skipped = {{entry.from, entry.through, 1, Reason::paused}};
    return node.lane().decide({{entry}, {}, {}}).entries.at(0).refused;
  };
  w.pass(10s);
  EXPECT_EQ(skip(a, at_a), Refused::none);
  EXPECT_EQ(skip(b, at_b), Refused::none);
  w.pass(10s);
  EXPECT_EQ(skip(b, at_b), Refused::none);
  EXPECT_EQ(a.change(ResumeJob{whole, at(20), at(30), 0, w.row(whole).plan.turn}), Refused::none);
  EXPECT_EQ(w.row(at_a).plan.next, at(20));
  EXPECT_EQ(w.row(at_b).plan.next, at(30));
  a.start(at_a);
  EXPECT_EQ(w.ledger(at_a), "10-10#1 skipped: paused (1), 20#1 running");
}

void S202_a_count_of_what_is_owed_that_is_too_old_ends_nothing(World& w) {
  Actor& a = w.node("a");
  const JobUid whole = w.job(a, everywhere());
  const JobUid member = share(w, a, whole);
  a.self().leaving = true;
  a.beat();
  w.pass(20s);
  const auto end_at = [&](std::int64_t covered, int next) {
    return a.change(EndMember{member, w.row(member).plan.turn, covered, at(next)});
  };
  EXPECT_EQ(end_at(1, 20), Refused::future);
  EXPECT_EQ(a.control(RetireJob{whole, 1, at(20)}).refused, Refused::future);
  EXPECT_EQ(w.ledger(member), "");
  EXPECT_EQ(end_at(2, 30), Refused::none);
  EXPECT_EQ(w.ledger(member), "10-20#1 skipped: node_absent (2)");
}

constexpr Rule kMembersRules[] = {
    CRONCE_RULE(S118_a_job_that_runs_everywhere_has_no_slots_itself),
    CRONCE_RULE(S119_a_share_begins_at_store_time_as_a_row_of_its_own),
    CRONCE_RULE(S120_two_processes_of_one_name_have_one_share_and_one_that_ended_begins_anew),
    CRONCE_RULE(S121_a_share_needs_a_job_that_runs_everywhere_and_its_first_slot),
    CRONCE_RULE(S122_every_member_runs_each_slot_and_their_fences_are_of_one_count),
    CRONCE_RULE(S123_a_share_is_run_only_by_nodes_of_its_name),
    CRONCE_RULE(S124_what_is_registered_of_the_job_reaches_its_members),
    CRONCE_RULE(S125_members_end_with_the_job_and_when_it_no_longer_runs_everywhere),
    CRONCE_RULE(S126_pause_resume_and_retire_of_the_job_reach_its_members),
    CRONCE_RULE(S179_recede_of_the_job_brings_the_cursors_of_its_members_back),
    CRONCE_RULE(S199_a_share_keeps_a_slot_after_the_pause_that_another_has_settled),
    CRONCE_RULE(S202_a_count_of_what_is_owed_that_is_too_old_ends_nothing),
    CRONCE_RULE(S127_a_request_makes_one_run_for_each_member),
    CRONCE_RULE(S128_a_share_ends_when_its_node_leaves_or_is_gone_for_a_day),
};

}  // namespace

std::span<const Rule> member_rules() { return kMembersRules; }

}  // namespace cronce::contract
