// An engine whose store, keeper and clocks are the test: every event is told by hand.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/describe_engine.h"
#include "engine/engine.h"
#include "engine/rank.h"
#include "test/support/times.h"

namespace cronce {

inline const Time kNoon = utc("2026-01-01T12:00:00Z");

/// A job that runs every hour, as the store tells it: its next slot is at noon.
inline JobRow hourly(JobUid uid, const std::string& name = "billing") {
  JobRow row{uid, Job{.name = parse_job_name(name).value(),
                      .schedule = {.elements = {CronSpec{"0 * * * *"}}}}};
  row.sources.edit()["jobs"] = "d1";
  row.plan = {Turn{1}, kNoon - std::chrono::hours(1), kNoon, {}};
  return row;
}

inline JobRow with(JobRow row, const std::function<void(Job&)>& change) {
  Job job = *row.definition;
  change(job);
  row.definition = job;
  return row;
}

inline RunId slot_run(JobUid job, Time slot, std::uint64_t attempt = 1) {
  return {job, Space::slot, slot, "", Attempt{attempt}};
}

/// Its slot an hour ago waits to be taken, and no other is due before one.
inline JobRow waiting(JobUid uid, const std::string& name = "waiting") {
  JobRow row = hourly(uid, name);
  const Time slot = kNoon - std::chrono::hours(1);
  row.plan = {Turn{1}, kNoon, kNoon + std::chrono::hours(1), {}};
  row.pending = {{slot_run(uid, slot), RunKind::scheduled, slot, false}};
  return row;
}

class EngineTest : public testing::Test {
 public:
  /// One minute to noon, on a machine that was booted a while ago.
  EngineTest() { restart(); }

  /// A new process.
  void restart(const std::function<void(EngineSettings&)>& change = {}) {
    EngineSettings settings;
    settings.self.name = "self";
    settings.self.version = "1.0.0";
    if (change) change(settings);
    engine.emplace(settings, Rng(1));
    beat.reset();
    write.reset();
  }

  // ---- what happens

  void tell(const Event& event) {
    orders = engine->step(now, event);
    for (const Action& order : orders) {
      if (const auto* sent = std::get_if<SendBeat>(&order)) {
        EXPECT_FALSE(beat) << "one beat is in flight";
        beat = sent->ask;
        beat_sent = now.boot;
      }
      if (const auto* sent = std::get_if<SendWrite>(&order)) {
        EXPECT_FALSE(write) << "one write is in flight";
        write = *sent;
      }
    }
  }

  void tick() { tell(Ticked{}); }

  /// Both clocks go on, and the engine is told.
  void pass(Duration by) {
    now.cluster += by;
    now.boot += by;
    tick();
  }

  /// Tells a beat's answer: the living, what changed, and whatever else the test has put into it. A
  /// beat that is wanted comes within a tenth of a second.
  void answer_beat() {
    if (!beat) pass(Duration{100});
    ASSERT_TRUE(beat) << "no beat was asked";
    BeatAnswer answer = std::exchange(next_answer, BeatAnswer{});
    answer.beat = beat->node.beat;
    if (answer.store_time == Time{}) answer.store_time = now.cluster;
    answer.epoch = epoch;
    answer.closed = closed;
    answer.position = ++position;
    answer.nodes.emplace_back(beat->node);
    for (Node& other : others) {
      if (!silent.contains(other.name)) ++other.beat.value;
      answer.nodes.emplace_back(other);
    }
    beat.reset();
    tell(BeatAnswered{beat_sent, answer});
  }

  /// Nothing is wanted any more but time.
  void answer_beats() {
    while (beat) answer_beat();
  }

  /// A file `jobs` that says what these rows say.
  static Offered file_of(const std::vector<JobRow>& rows, std::string digest = "d1") {
    Offered file{{"jobs", {}, {}}, std::move(digest)};
    for (const JobRow& row : rows) file.set.jobs.push_back(row.definition);
    return file;
  }

  void answer(const Outcome& outcome, const Before& before = {}) {
    ASSERT_TRUE(write) << "nothing was asked";
    const std::uint64_t sequence = std::exchange(write, std::nullopt)->id.sequence;
    tell(WriteAnswered{sequence, outcome, before, now.cluster});
  }

  /// A sweep of nobody comes once a minute, after all else.
  void answer_purge() {
    const auto* sweeps = asked<std::vector<SweepEntry>>();
    if (sweeps != nullptr && sweeps->empty()) answer(std::vector<SweepAnswer>{});
  }

  void lose_answer() {
    ASSERT_TRUE(write) << "nothing was asked";
    tell(WriteUnanswered{std::exchange(write, std::nullopt)->id.sequence});
  }

  /// What a time cost.
  struct Tally {
    int steps = 0;
    int beats = 0;
    int writes = 0;
  };

  /// Time passes as on a node: ticks come when they are wanted, answers 5 ms after their asking.
  Tally run_for(Duration length, const std::function<Outcome()>& say, bool beats_arrive = true) {
    constexpr Duration kRoundTrip{5};
    const Duration end = now.boot + length;
    Tally tally;
    Duration written_at = now.boot;
    for (;; ++tally.steps) {
      Duration next = engine->next_wakeup(now);
      EXPECT_GT(next, now.boot);
      if (beat && beats_arrive) next = std::min(next, beat_sent + kRoundTrip);
      if (write) next = std::min(next, written_at + kRoundTrip);
      if (next > end || tally.steps > 100'000) return tally;
      now.cluster += std::max(next - now.boot, Duration{0});
      now.boot = std::max(next, now.boot);
      if (write && now.boot >= written_at + kRoundTrip) {
        answer(say());
      } else if (beat && beats_arrive && now.boot >= beat_sent + kRoundTrip) {
        answer_beat();
      } else {
        tick();
      }
      tally.beats += static_cast<int>(ordered<SendBeat>().size());
      tally.writes += static_cast<int>(ordered<SendWrite>().size());
      if (!ordered<SendWrite>().empty()) written_at = now.boot;
    }
  }

  /// The first beat is answered, with these jobs.
  void live(const std::vector<JobRow>& jobs = {}) {
    tick();
    next_answer.changed = jobs;
    answer_beat();
    answer_beats();
  }

  void learn(const JobRow& row) {
    next_answer.changed.push_back(row);
    tell(Hinted{});
    answer_beat();
  }

  // ---- what the store would say

  Claim claim_of(const RunId& run) {
    return {run, engine->incarnation(), make_fence(epoch, ++fences), "key", run.slot, now.cluster};
  }

  /// Grants all of the decide in flight.
  DecideAnswers granted() {
    DecideAnswers answers;
    const auto& ask = std::get<DecideAsk>(write->ask);
    for (const DecideEntry& entry : ask.entries) {
      DecideAnswer& one = answers.entries.emplace_back();
      one.plan = {Turn{entry.turn.value + 1}, entry.through, entry.next, entry.label};
      for (const SlotToRun& run : entry.runs) {
        const bool runs = run.how == SlotToRun::How::run;
        SlotOutcome outcome{runs ? RunState::running : RunState::pending, Reason::none, {}};
        if (runs) outcome.claim = claim_of(slot_run(entry.job, run.slot));
        one.runs.push_back(outcome);
      }
    }
    answers.lapses.resize(ask.lapses.size());
    answers.changes.resize(ask.changes.size());
    return answers;
  }

  /// Refuses all of it.
  DecideAnswers refused(Refused why) const {
    DecideAnswers answers;
    const auto& ask = std::get<DecideAsk>(write->ask);
    answers.entries.resize(ask.entries.size(), {why, {}, {}, "other"});
    answers.lapses.resize(ask.lapses.size(), why);
    answers.changes.resize(ask.changes.size(), why);
    return answers;
  }

  std::vector<TakeAnswer> taken() {
    std::vector<TakeAnswer> answers;
    for (const RunId& run : std::get<std::vector<RunId>>(write->ask)) {
      answers.push_back({Refused::none, claim_of(run), ""});
    }
    return answers;
  }

  std::vector<FinishAnswer> stored() const {
    const auto& ends = std::get<std::vector<FinishEntry>>(write->ask);
    return std::vector<FinishAnswer>(ends.size(), {Refused::none, RunState::succeeded});
  }

  Claim start_at_noon() {
    live({hourly(JobUid{1})});
    now.cluster = kNoon;
    tick();
    answer(granted());
    return ordered<StartRun>().front().claim;
  }

  /// Another node that lives; its incarnation is its number.
  Node& add_node(std::uint64_t number) {
    Node node;
    node.name = "n" + std::to_string(number);
    node.version = "1.0.0";
    node.incarnation = {{number, number}};
    return others.emplace_back(node);
  }

  /// A job for which this engine has that rank, if all fit alike.
  JobUid job_of_rank(std::size_t rank, std::uint64_t from = 1) const {
    std::vector<Candidate> candidates{{engine->incarnation()}};
    for (const Node& other : others) candidates.push_back({other.incarnation});
    JobUid uid{from};
    while (rank_of(uid, engine->incarnation(), candidates) != rank) ++uid.value;
    return uid;
  }

  // ---- what it ordered

  /// What was written, as a trace shows it; `nothing` if nothing is in flight.
  std::string written() const {
    if (!write) return "nothing";
    const std::string text = describe(Action{*write});
    return text.substr(text.find(": ") + 2);
  }

  template <class T>
  std::vector<T> ordered() const {
    std::vector<T> found;
    for (const Action& order : orders) {
      if (const auto* one = std::get_if<T>(&order)) found.push_back(*one);
    }
    return found;
  }

  template <class T>
  const T* asked() const {
    return write ? std::get_if<T>(&write->ask) : nullptr;
  }

  /// The names of the jobs that the last step started, in their order.
  std::string started() const {
    std::string text;
    for (const StartRun& start : ordered<StartRun>()) {
      text += (text.empty() ? "" : " ") + start.job->name.text();
    }
    return text;
  }

  FinishEntry end_of(const Claim& claim, RunState state = RunState::succeeded) const {
    FinishEntry end;
    end.run = claim.run;
    end.fence = claim.fence;
    end.incarnation = claim.incarnation;
    end.state = state;
    return end;
  }

  Now now{kNoon - std::chrono::minutes(1), std::chrono::hours(1)};
  Epoch epoch{1};
  bool closed = false;
  std::uint64_t position = 0;
  std::uint64_t fences = 0;
  std::vector<Node> others;
  std::set<std::string> silent;  // their beats stand still
  BeatAnswer next_answer;

  std::optional<Engine> engine;
  std::vector<Action> orders;  // of the last step
  std::optional<BeatAsk> beat;
  Duration beat_sent{};
  std::optional<SendWrite> write;
};

}  // namespace cronce
