// A person's word is done once, whatever becomes of the answer.
#include "client/steering.h"

#include "store/memory/memory_store.h"
#include "test/reads/reads.h"
#include "test/support/faulty_store.h"
#include "test/support/forwarding_store.h"
#include "test/support/lane.h"

namespace cronce {
namespace {

class SteeringTest : public Reads {
 protected:
  JobUid job(const std::string& name) {
    const auto jobs = store_->jobs();
    for (const JobRow& row : *jobs) {
      if (row.definition->name.text() == name) return row.uid;
    }
    return JobUid{};
  }
  std::size_t times_done(const std::string& name) {
    return store_->past(job(name)).value().interventions.size();
  }
  PauseJob pause() { return {job("heartbeat"), {}, {"anna", ""}}; }

  int woken_ = 0;
};

TEST_F(SteeringTest, IsDoneOnceWhateverHappensToACall) {
  std::size_t done = times_done("heartbeat");
  for (const Fault fault : kFaults) {
    for (std::size_t call = 1; call <= 2; ++call) {
      FaultyStore line(*store_);
      line.plan(1, fault);
      if (call == 2) line.plan(2, Fault::lose);  // the one that settles, too
      Steering steering(line, rng_, std::nullopt, [&] { ++woken_; });
      const auto answer = steering.ask(pause());
      ASSERT_TRUE(answer.ok()) << word(fault);
      EXPECT_EQ(answer->refused, Refused::none);
      line.flush();
      EXPECT_EQ(times_done("heartbeat"), ++done) << word(fault) << " " << call;
    }
  }
  EXPECT_EQ(woken_, 10);
}

// The same judge must see it when somebody asks again without looking.
TEST_F(SteeringTest, IsNotWhatAskingAgainDoes) {
  FaultyStore line(*store_);
  line.plan(1, Fault::lose);
  Lane lane(line, Incarnation{{7, 7}}, 0, Settling::retry);
  EXPECT_EQ(lane.control(pause()).refused, Refused::none);
  EXPECT_EQ(times_done("heartbeat"), 2U);
}

TEST_F(SteeringTest, SaysWhenNobodyKnows) {
  FaultyStore line(*store_);
  line.plan(1, Fault::lose);
  for (std::size_t call = 2; call < 10; ++call) line.plan(call, Fault::fail);
  Steering steering(line, rng_, std::nullopt, [&] { ++woken_; });
  const auto answer = steering.ask(pause());
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, Code::conflict);
  EXPECT_EQ(woken_, 0);
}

/// The store's clock goes on between the reading and the asking.
class SlowLine : public ForwardingStore {
 public:
  SlowLine(Store& inner, ManualClock& clock, int often)
      : ForwardingStore(inner), clock_(clock), often_(often) {}
  Result<Written<ControlAnswer>> control(const WriteId& id, const ControlAsk& ask) override {
    if (often_-- > 0) clock_.advance(std::chrono::hours{1});
    return ForwardingStore::control(id, ask);
  }

 private:
  ManualClock& clock_;
  int often_;
};

TEST_F(SteeringTest, ComputesAgainWhatItsTimeWentPast) {
  SlowLine line(*store_, clock_, 2);
  Steering steering(line, rng_, std::nullopt, [&] { ++woken_; });
  const auto answer = steering.resume(job("cleanup"), {"anna", ""});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->refused, Refused::none);
  const auto rows = store_->runs({.job = job("cleanup"), .limit = 1});
  EXPECT_EQ(rows->front().count, 2) << "05:00 and 06:00, which were paused meanwhile";
  EXPECT_EQ(times_done("cleanup"), 2U) << "the pause of the story, and this";
}

TEST_F(SteeringTest, GivesUpWhenTheClockIsAlwaysFaster) {
  SlowLine line(*store_, clock_, 100);
  Steering steering(line, rng_, std::nullopt, [&] { ++woken_; });
  EXPECT_EQ(steering.resume(job("cleanup"), {})->refused, Refused::future);
  EXPECT_EQ(woken_, 0);
}

// The clock of the store is in 2098, and the nodes know it.
TEST_F(SteeringTest, GoesByTheTimeOfTheNodes) {
  const Time right = clock_.wall();
  clock_.advance(std::chrono::days{26'300});
  Steering steering(*store_, rng_, right, [&] { ++woken_; });
  ASSERT_EQ(steering.resume(job("cleanup"), {"anna", ""})->refused, Refused::none);
  ASSERT_EQ(steering.ask(TriggerJob{job("heartbeat"), "now"})->refused, Refused::none);
  for (const JobRow& row : store_->jobs().value()) {
    EXPECT_LE(row.plan.cursor, right) << row.definition->name.text();
    for (const PendingRun& run : row.pending) EXPECT_LE(run.due, right);
  }
}

TEST(LatestForPeople, IsWhatTheNodesGoByIfTheyDoubt) {
  using std::chrono::seconds;
  const Time wall{std::chrono::sys_days{std::chrono::year{2026} / 11 / 18}};
  Node plain;
  Node doubts;
  doubts.course = wall + seconds{10};
  Node lags;
  lags.course = wall - seconds{10};
  lags.lease = seconds{60};
  EXPECT_EQ(latest_for_people({}, wall), std::nullopt);
  EXPECT_EQ(latest_for_people({plain}, wall), std::nullopt);
  EXPECT_EQ(latest_for_people({lags, plain, doubts}, wall), doubts.course);
  EXPECT_EQ(latest_for_people({lags}, wall + seconds{80}), lags.course);
  EXPECT_EQ(latest_for_people({lags}, wall + seconds{81}), std::nullopt)
      << "it is dead, and nobody has ended it";
}

}  // namespace
}  // namespace cronce
