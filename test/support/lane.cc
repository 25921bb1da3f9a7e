#include "test/support/lane.h"

#include <utility>

namespace cronce {
namespace {

constexpr std::uint64_t kPatience = 1'000;  // writes; a store that never answers ends the test

}  // namespace

Lane::Lane(Store& store, Incarnation incarnation, std::uint32_t lane, Settling settling,
           std::function<void()> meanwhile)
    : store_(store),
      incarnation_(incarnation),
      lane_(lane),
      settling_(settling),
      meanwhile_(std::move(meanwhile)) {}

WriteId Lane::next() {
  CHECK(sequence_ < kPatience);
  return {incarnation_, lane_, ++sequence_, answered_, course_};
}

template <class T>
T Lane::write(const T& refusal, const std::function<Result<Written<T>>(const WriteId&)>& send) {
  for (;;) {
    const WriteId id = next();
    const auto written = send(id);
    if (written) answered_ = id.sequence;
    if (written) return written->answer;
    if (settling_ == Settling::assume_lost) return refusal;
    if (settling_ == Settling::retry) continue;
    if (meanwhile_) meanwhile_();
    if (const auto outcome = settle(id.sequence)) return std::get<T>(*outcome);
  }
}

std::optional<Outcome> Lane::settle(std::uint64_t sequence) {
  for (;;) {
    const WriteId id = next();
    const auto written = store_.decide(id, {});
    if (!written) continue;  // the empty write keeps the outcome: another one finds it
    answered_ = id.sequence;
    if (written->before.sequence != sequence) return std::nullopt;
    return written->before.outcome;
  }
}

RegisterAnswer Lane::enroll(const RegisterAsk& ask) {
  return write<RegisterAnswer>({.refused = Refused::closed},
                               [&](const WriteId& id) { return store_.enroll(id, ask); });
}

DecideAnswers Lane::decide(const DecideAsk& ask) {
  DecideAnswers refusal;
  refusal.entries.resize(ask.entries.size(), {.refused = Refused::moved});
  refusal.lapses.resize(ask.lapses.size(), Refused::gone);
  refusal.changes.resize(ask.changes.size(), Refused::gone);
  return write<DecideAnswers>(refusal, [&](const WriteId& id) { return store_.decide(id, ask); });
}

std::vector<TakeAnswer> Lane::take(const std::vector<RunId>& runs) {
  const std::vector<TakeAnswer> refusal(runs.size(), {.refused = Refused::gone});
  return write<std::vector<TakeAnswer>>(refusal,
                                        [&](const WriteId& id) { return store_.take(id, runs); });
}

std::vector<FinishAnswer> Lane::finish(const std::vector<FinishEntry>& ends) {
  const std::vector<FinishAnswer> refusal(ends.size(), {.refused = Refused::stale});
  return write<std::vector<FinishAnswer>>(
      refusal, [&](const WriteId& id) { return store_.finish(id, ends); });
}

std::vector<SweepAnswer> Lane::sweep(const std::vector<SweepEntry>& nodes) {
  const std::vector<SweepAnswer> refusal(nodes.size());
  return write<std::vector<SweepAnswer>>(
      refusal, [&](const WriteId& id) { return store_.sweep(id, nodes); });
}

ControlAnswer Lane::control(const ControlAsk& ask) {
  return write<ControlAnswer>({.refused = Refused::gone},
                              [&](const WriteId& id) { return store_.control(id, ask); });
}

OnceAnswer Lane::once(const OnceAsk& ask) {
  return write<OnceAnswer>({.refused = Refused::busy},
                           [&](const WriteId& id) { return store_.once(id, ask); });
}

}  // namespace cronce
