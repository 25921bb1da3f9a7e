// Registration of sources, their digests and generations: S16-S22, S187, S188.
#include <gtest/gtest.h>

#include "test/contract/rules.h"

namespace cronce::contract {
namespace {

RegisterAsk numbered(World& w, std::uint64_t generation, const std::string& digest) {
  RegisterAsk ask = w.set_of("s", digest, {job_named("j")});
  ask.generation = Generation{generation};
  return ask;
}

void S16_a_new_job_begins_at_store_time(World& w) {
  Actor& a = w.node("a");
  w.pass(3s);
  const JobRow row = w.row(w.job(a));
  EXPECT_EQ(row.plan.cursor, at(3));
  EXPECT_EQ(row.plan.next, at(10));
  EXPECT_GT(row.plan.turn, Turn{0});
  EXPECT_EQ(row.sources, (std::map<std::string, std::string>{{"j", "1"}}));
  EXPECT_NE(w.job(a, job_named("k")), row.uid);
}

void S17_the_same_digest_joins_and_changes_no_plan(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  const JobUid j = w.job(a);
  const Plan plan = w.row(j).plan;
  w.pass(25s);  // slots are owed
  const auto answer = b.enroll(w.set_of("j", "1", {job_named("j")}));
  EXPECT_EQ(answer.registered, Registered::current);
  EXPECT_EQ(answer.generation, Generation{1});
  EXPECT_EQ(w.find("j"), j);
  EXPECT_EQ(w.row(j).plan.cursor, plan.cursor);
  EXPECT_EQ(w.row(j).plan.next, plan.next);
}

void S18_an_unseen_digest_is_the_next_generation(World& w) {
  Actor& a = w.node("a");
  EXPECT_EQ(a.enroll(w.set_of("s", "1", {})).generation, Generation{1});
  EXPECT_EQ(a.enroll(w.set_of("s", "2", {})).generation, Generation{2});
  EXPECT_EQ(a.enroll(w.set_of("s", "2", {})).generation, Generation{2});
  EXPECT_EQ(a.enroll(w.set_of("other", "2", {})).generation, Generation{1});
}

void S19_a_superseded_digest_is_refused_while_the_current_one_is_offered(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  Job changed = job_named("j");
  changed.command = ArgvCommand{{"false"}};
  a.enroll(w.set_of("s", "1", {job_named("j")}));
  b.self().digests = {{"s", "2"}};
  b.beat();
  b.enroll(w.set_of("s", "2", {changed}));
  const auto refused = a.enroll(w.set_of("s", "1", {job_named("j")}));
  EXPECT_EQ(refused.registered, Registered::superseded);
  EXPECT_EQ(refused.generation, Generation{2});
  EXPECT_EQ(w.row(w.find("j").value()).definition, changed);
}

void S112_to_register_a_digest_is_to_offer_it(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  a.enroll(w.set_of("s", "1", {job_named("j")}));
  Job changed = job_named("j");
  changed.command = ArgvCommand{{"false"}};
  b.enroll(w.set_of("s", "2", {changed}));  // and b has not beaten since
  EXPECT_EQ(a.enroll(w.set_of("s", "1", {job_named("j")})).registered, Registered::superseded);
}

void S20_a_superseded_digest_comes_back_when_nobody_alive_offers_the_current_one(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  a.enroll(w.set_of("s", "1", {job_named("j")}));
  b.self().digests = {{"s", "2"}};
  b.beat();
  b.enroll(w.set_of("s", "2", {}));
  a.sweep(b);
  const auto back = a.enroll(w.set_of("s", "1", {job_named("j")}));
  EXPECT_EQ(back.registered, Registered::current);
  EXPECT_EQ(back.generation, Generation{3});
  EXPECT_FALSE(w.row(w.find("j").value()).retired());
}

void S21_of_numbered_generations_the_greater_wins(World& w) {
  Actor& a = w.node("a");
  EXPECT_EQ(a.enroll(numbered(w, 5, "1")).registered, Registered::current);
  const auto smaller = a.enroll(numbered(w, 4, "2"));
  EXPECT_EQ(smaller.registered, Registered::numbered);
  EXPECT_EQ(smaller.generation, Generation{5});
  EXPECT_EQ(a.enroll(w.set_of("s", "3", {})).registered, Registered::numbered);
  EXPECT_FALSE(w.row(w.find("j").value()).retired());
  EXPECT_EQ(a.enroll(numbered(w, 7, "2")).generation, Generation{7});
}

void S22_an_equal_number_joins_or_is_a_conflict(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  a.enroll(numbered(w, 5, "1"));
  EXPECT_EQ(b.enroll(numbered(w, 5, "1")).registered, Registered::current);
  RegisterAsk other = numbered(w, 5, "2");
  other.jobs.clear();
  EXPECT_EQ(b.enroll(other).registered, Registered::conflict);
  EXPECT_EQ(w.row(w.find("j").value()).sources->at("s"), "1");
}

void S187_a_node_that_only_joins_changes_no_plan(World& w) {
  Actor& a = w.node("a");
  Actor& b = w.node("b");
  a.enroll(w.set_of("s", "1", {job_named("j")}));
  const JobUid j = w.find("j").value();
  const Turn turn = w.row(j).plan.turn;
  EXPECT_EQ(b.enroll(w.set_of("s", "1", {job_named("j")})).registered, Registered::current);
  EXPECT_EQ(w.row(j).plan.turn, turn);
}

void S188_a_node_may_take_back_what_only_it_offers(World& w) {
  Actor& a = w.node("a");
  a.enroll(w.set_of("s", "1", {job_named("j")}));
  a.enroll(w.set_of("s", "2", {job_named("j"), job_named("k")}));
  const auto back = a.enroll(w.set_of("s", "1", {job_named("j")}));
  EXPECT_EQ(back.registered, Registered::current);
  EXPECT_EQ(back.generation, Generation{3});
}

constexpr Rule kSourcesRules[] = {
    CRONCE_RULE(S16_a_new_job_begins_at_store_time),
    CRONCE_RULE(S17_the_same_digest_joins_and_changes_no_plan),
    CRONCE_RULE(S18_an_unseen_digest_is_the_next_generation),
    CRONCE_RULE(S19_a_superseded_digest_is_refused_while_the_current_one_is_offered),
    CRONCE_RULE(S112_to_register_a_digest_is_to_offer_it),
    CRONCE_RULE(S20_a_superseded_digest_comes_back_when_nobody_alive_offers_the_current_one),
    CRONCE_RULE(S21_of_numbered_generations_the_greater_wins),
    CRONCE_RULE(S22_an_equal_number_joins_or_is_a_conflict),
    CRONCE_RULE(S187_a_node_that_only_joins_changes_no_plan),
    CRONCE_RULE(S188_a_node_may_take_back_what_only_it_offers),
};

}  // namespace

std::span<const Rule> source_rules() { return kSourcesRules; }

}  // namespace cronce::contract
