#include "test/support/faulty_store.h"

#include <utility>
#include <vector>

namespace cronce {
namespace {

Error no_answer() { return {Code::unavailable, "no answer"}; }

}  // namespace

std::string_view word(Fault fault) {
  constexpr std::array<std::string_view, kFaults.size()> kWords{"fail", "lose", "time_out",
                                                                "duplicate", "delay"};
  return kWords[static_cast<std::size_t>(fault)];
}

void FaultyStore::surround(std::size_t call, std::function<void()> before,
                           std::function<void()> after) {
  surrounded_[call] = {std::move(before), std::move(after)};
}

void FaultyStore::flush() {
  if (const auto held = std::exchange(held_, std::nullopt)) held->apply();
}

void FaultyStore::release_after(const LaneName& lane) {
  if (!held_) return;
  const bool own = held_->lane == lane;
  if (own == (held_->fault == Fault::time_out)) flush();
}

template <class T>
Result<T> FaultyStore::meet(Fault fault, const LaneName& lane, std::function<Result<T>()> call) {
  switch (fault) {
    case Fault::fail:
      break;
    case Fault::lose:
      static_cast<void>(call());
      break;
    case Fault::duplicate:
      static_cast<void>(call());
      return call();
    case Fault::time_out:
    case Fault::delay:
      flush();
      held_ = Held{lane, fault, [call = std::move(call)] { static_cast<void>(call()); }};
      break;
  }
  return no_answer();
}

template <class T>
Result<T> FaultyStore::pass(const LaneName& lane, std::function<Result<T>()> call) {
  const auto planned = plans_.find(++calls_);
  if (planned != plans_.end()) return meet<T>(planned->second, lane, std::move(call));
  const auto around = surrounded_.find(calls_);
  if (around != surrounded_.end()) around->second.first();
  auto answer = call();
  if (around != surrounded_.end()) around->second.second();
  release_after(lane);
  return answer;
}

Result<Opened> FaultyStore::open() {
  return pass<Opened>({}, [this] { return inner_.open(); });
}

Result<BeatAnswer> FaultyStore::beat(const BeatAsk& ask) {
  return pass<BeatAnswer>({Kind::beat, ask.node.incarnation, 0},
                          [this, ask] { return inner_.beat(ask); });
}

Result<Written<RegisterAnswer>> FaultyStore::enroll(const WriteId& id, const RegisterAsk& ask) {
  return pass<Written<RegisterAnswer>>(lane_of(id),
                                       [this, id, ask] { return inner_.enroll(id, ask); });
}

Result<Written<DecideAnswers>> FaultyStore::decide(const WriteId& id, const DecideAsk& ask) {
  return pass<Written<DecideAnswers>>(lane_of(id),
                                      [this, id, ask] { return inner_.decide(id, ask); });
}

// What a span shows may be gone when a request that was held back arrives: it is copied.

Result<Written<std::vector<TakeAnswer>>> FaultyStore::take(const WriteId& id,
                                                           std::span<const RunId> runs) {
  return pass<Written<std::vector<TakeAnswer>>>(
      lane_of(id),
      [this, id, copy = std::vector(runs.begin(), runs.end())] { return inner_.take(id, copy); });
}

Result<Written<std::vector<FinishAnswer>>> FaultyStore::finish(const WriteId& id,
                                                               std::span<const FinishEntry> ends) {
  return pass<Written<std::vector<FinishAnswer>>>(
      lane_of(id),
      [this, id, copy = std::vector(ends.begin(), ends.end())] { return inner_.finish(id, copy); });
}

Result<Written<std::vector<SweepAnswer>>> FaultyStore::sweep(const WriteId& id,
                                                             std::span<const SweepEntry> nodes) {
  return pass<Written<std::vector<SweepAnswer>>>(
      lane_of(id), [this, id, copy = std::vector(nodes.begin(), nodes.end())] {
        return inner_.sweep(id, copy);
      });
}

Result<Written<ControlAnswer>> FaultyStore::control(const WriteId& id, const ControlAsk& ask) {
  return pass<Written<ControlAnswer>>(lane_of(id),
                                      [this, id, ask] { return inner_.control(id, ask); });
}

Result<Written<OnceAnswer>> FaultyStore::once(const WriteId& id, const OnceAsk& ask) {
  return pass<Written<OnceAnswer>>(lane_of(id), [this, id, ask] { return inner_.once(id, ask); });
}

Result<std::vector<JobRow>> FaultyStore::jobs() {
  return pass<std::vector<JobRow>>({}, [this] { return inner_.jobs(); });
}

Result<std::vector<Run>> FaultyStore::runs(const RunFilter& filter) {
  return pass<std::vector<Run>>({}, [this, filter] { return inner_.runs(filter); });
}

Result<std::vector<Node>> FaultyStore::nodes() {
  return pass<std::vector<Node>>({}, [this] { return inner_.nodes(); });
}

Result<JobPast> FaultyStore::past(JobUid job) {
  return pass<JobPast>({}, [&] { return inner_.past(job); });
}

}  // namespace cronce
