#include "engine/describe_engine.h"

#include <set>

#include <gtest/gtest.h>

#include "test/support/times.h"

namespace cronce {
namespace {

const Time kSlot = utc("2026-03-29T01:30:00Z");
const Time kNext = utc("2026-03-29T01:45:00Z");
const RunId kRun{JobUid{3}, Space::slot, kSlot, "", Attempt{1}};
const Incarnation kNode{{0x6f3c000000000000, 0}};
const Fence kFence = make_fence(Epoch{1}, 1);
const Claim kClaim{kRun, kNode, kFence, "key", kSlot, kSlot};
const Mark kMark{{}, Epoch{1}, 17, kSlot};

FinishEntry end() {
  FinishEntry entry;
  entry.run = kRun;
  entry.fence = kFence;
  return entry;
}

JobRow row() {
  JobRow job{JobUid{3}, Job{.name = parse_job_name("billing").value()}};
  job.sources.edit()["shop"] = "d1";
  job.plan.cursor = kSlot;
  job.plan.next = kNext;
  return job;
}

std::string written(WriteAsk ask) {
  return describe(Action{SendWrite{{kNode, 0, 4}, std::move(ask)}});
}

/// A line, and which of the alternatives it is of: a table that leaves one out fails.
template <class Variant>
struct Lines {
  std::set<std::size_t> seen;

  void expect(const Variant& what, const std::string& line) {
    EXPECT_EQ(describe(what), line);
    seen.insert(what.index());
  }
  ~Lines() { EXPECT_EQ(seen.size(), std::variant_size_v<Variant>); }
};

TEST(DescribeEngineTest, SaysWhatHappened) {
  Lines<Event> lines;
  lines.expect(Ticked{}, "tick");
  lines.expect(Offered{{"shop", {}, {}}, "d1"}, "offered shop d1");
  lines.expect(BeatUnanswered{}, "beat not answered");
  lines.expect(WriteAnswered{2, std::vector<TakeAnswer>{{Refused::busy, {}}}, {}, {}},
               "write 2 answered: take: busy; before: write 0");
  lines.expect(WriteUnanswered{17}, "write 17 not answered");
  lines.expect(RunStarted{kRun, {}}, "run started: job 3 slot 2026-03-29T01:30:00Z #1");
  lines.expect(RunProgressed{kRun, "40 copying"},
               "run says: job 3 slot 2026-03-29T01:30:00Z #1: 40 copying");
  lines.expect(RunEnded{end()},
               "run ended: job 3 slot 2026-03-29T01:30:00Z #1 succeeded fence 1099511627777");
  lines.expect(Hinted{}, "hint");
  lines.expect(LeaveAsked{}, "asked to leave");
  BeatAnswer answer;
  answer.beat = Beat{12};
  lines.expect(BeatAnswered{{}, answer}, "beat 12 answered: 0 nodes, 0 changed, 0 stops, 0 held");
}

TEST(DescribeEngineTest, SaysWhatABeatTells) {
  BeatAnswer answer;
  answer.beat = Beat{12};
  answer.epoch = Epoch{2};
  answer.changed = {row()};
  const std::string plan = "cursor 2026-03-29T01:30:00Z, next 2026-03-29T01:45:00Z";
  EXPECT_EQ(describe(Event{BeatAnswered{{}, answer}}),
            "beat 12 answered: 0 nodes, 1 changed, 0 stops, 0 held [billing: " + plan + "]");
  answer.closed = true;
  answer.changed.assign(100, row());
  EXPECT_EQ(describe(Event{BeatAnswered{{}, answer}}),
            "beat 12 answered: 0 nodes, 100 changed, 0 stops, 0 held, epoch 2 is closed");
  answer.refused = Refused::ended;
  EXPECT_EQ(describe(Event{BeatAnswered{{}, answer}}), "beat refused: ended");
}

TEST(DescribeEngineTest, SaysWhatIsOrdered) {
  Lines<Action> lines;
  SendBeat beat;
  beat.ask.node.name = "a";
  beat.ask.node.incarnation = kNode;
  lines.expect(beat, "beat: a/6f3c0000 beat 0, 0 of 0 running");
  lines.expect(SendWrite{{kNode, 0, 4}, DecideAsk{}}, "write 4: settle the last write");
  lines.expect(StartRun{kClaim, row().definition},
               "start billing slot 2026-03-29T01:30:00Z #1 fence 1099511627777");
  lines.expect(StopRun{kRun, Reason::replaced},
               "stop job 3 slot 2026-03-29T01:30:00Z #1: cancelled: replaced");
  lines.expect(TrustUntil{Duration{46'000}}, "trust until boot 46s");
  lines.expect(EndStored{kRun, kFence}, "end stored: job 3 slot 2026-03-29T01:30:00Z #1");
  lines.expect(KeepMark{kMark, {kClaim}},
               "keep mark epoch 1, position 17 at 2026-03-29T01:30:00Z, job 3 slot "
               "2026-03-29T01:30:00Z #1");
  lines.expect(KeepBoot{"b1"}, "keep boot b1");
  lines.expect(LookForNotices{row()}, "look for notices of billing");
  lines.expect(LookForNotices{row(), false}, "no notices of billing");
  lines.expect(KillAll{}, "kill all");
  lines.expect(Left{}, "left");
}

TEST(DescribeEngineTest, SaysWhatIsWritten) {
  const std::string run = "job 3 slot 2026-03-29T01:30:00Z #1";
  EXPECT_EQ(written(std::vector<RunId>{kRun}), "write 4: take " + run);
  EXPECT_EQ(written(std::vector<FinishEntry>{end()}),
            "write 4: finish " + run + " succeeded fence 1099511627777");
  EXPECT_EQ(written(std::vector<SweepEntry>{{kNode, Beat{7}}}),
            "write 4: sweep 6f3c0000 at beat 7");
  EXPECT_EQ(written(std::vector<SweepEntry>{}), "write 4: sweep nobody: purge");
  EXPECT_EQ(written(RegisterAsk{"shop", "d1", {}, {{row().definition}}, {}}),
            "write 4: register shop d1: 1 jobs");
  EXPECT_EQ(written(Remember{kMark, {kClaim}, {}, {}, {kNode}}),
            "write 4: remember epoch 1, position 17 at 2026-03-29T01:30:00Z, 1 running, 0 ended, 1 "
            "gone");
  EXPECT_EQ(written(OpenEpoch{Epoch{1}}), "write 4: open the epoch after 1");
}

TEST(DescribeEngineTest, ListsWhatADecideSettles) {
  DecideAsk ask;
  DecideEntry& entry = ask.entries.emplace_back();
  entry.job = JobUid{3};
  entry.turn = Turn{7};
  entry.from = entry.through = kSlot;
  entry.skipped.push_back({kSlot, kSlot, 2, Reason::missed});
  entry.runs.push_back({kSlot, kSlot, SlotToRun::How::enqueue});
  ask.lapses.push_back({kRun, Reason::expired});
  EXPECT_EQ(written(ask),
            "write 4: decide [job 3 turn 7 from 2026-03-29T01:30:00Z through 2026-03-29T01:30:00Z, "
            "skipped: missed 2 to 2026-03-29T01:30:00Z, enqueue 2026-03-29T01:30:00Z, next none] "
            "lapse job 3 slot 2026-03-29T01:30:00Z #1 skipped: expired");
}

TEST(DescribeEngineTest, ListsWhatADecideChanges) {
  const auto changed = [](PlanChange change) {
    return written(DecideAsk{{}, {}, {std::move(change)}});
  };
  EXPECT_EQ(changed(ResumeJob{JobUid{3}, kSlot, kNext, 4, {}}),
            "write 4: decide [resume job 3 from 2026-03-29T01:30:00Z, 4 covered, next "
            "2026-03-29T01:45:00Z]");
  EXPECT_EQ(changed(Repoint{JobUid{3}, Turn{7}, kSlot, kNext}),
            "write 4: decide [repoint job 3 turn 7 next 2026-03-29T01:45:00Z]");
  EXPECT_EQ(changed(JoinMember{JobUid{3}, kSlot, {}}), "write 4: decide [join job 3 next none]");
  EXPECT_EQ(changed(EndMember{JobUid{3}, Turn{7}, 2, {}}),
            "write 4: decide [end share job 3 turn 7, 2 covered, next none]");
  EXPECT_EQ(changed(StartAtBoot{JobUid{3}, "b1"}), "write 4: decide [start job 3 at boot b1]");
}

TEST(DescribeEngineTest, SaysWhatAWriteWasAnswered) {
  Lines<Outcome> lines;
  lines.expect(std::monostate{}, "nothing");
  DecideAnswers decided;
  decided.entries.resize(2);
  decided.entries[0].runs.push_back({RunState::skipped, Reason::overlap, {}});
  decided.entries[1].refused = Refused::moved;
  decided.lapses = {Refused::gone};
  decided.changes = {Refused::none, Refused::too_old};
  lines.expect(decided,
               "decide: granted skipped: overlap moved lapse gone change granted change too old");
  lines.expect(std::vector<TakeAnswer>(1), "take: granted");
  lines.expect(std::vector<FinishAnswer>{{Refused::stale, {}}}, "finish: stale");
  lines.expect(std::vector<SweepAnswer>{{true, 2}, {}}, "sweep: ended, 2 lost nothing");
  RegisterAnswer registered;
  registered.registered = Registered::owing;
  registered.generation = Generation{5};
  lines.expect(registered, "register: owing generation 5");
  registered.refused = Refused::closed;
  lines.expect(registered, "register: closed generation 5");
  lines.expect(ControlAnswer{}, "control: granted");
  lines.expect(OnceAnswer{}, "once: granted");
}

}  // namespace
}  // namespace cronce
