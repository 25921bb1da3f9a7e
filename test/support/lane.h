// One lane of an incarnation, as a careful client writes on it.
//
// A write without an answer is unknown: the lane settles it by its next write, an empty decide that
// reads the outcome. Was it applied, that outcome is the answer; was it not, it never will be, and
// the lane asks again. So every method returns what the store did, exactly once, whatever one fault
// does to the call.
//
// `Settling` plants the two mistakes that people make instead: asking again without looking, and
// taking silence for a refusal.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "store/store.h"

namespace cronce {

enum class Settling : std::uint8_t { as_protocol, retry, assume_lost };

class Lane {
 public:
  /// `meanwhile` is called before an unknown outcome is settled: what other lanes do at that time.
  Lane(Store& store, Incarnation incarnation, std::uint32_t lane, Settling settling,
       std::function<void()> meanwhile = {});

  RegisterAnswer enroll(const RegisterAsk& ask);
  DecideAnswers decide(const DecideAsk& ask);
  std::vector<TakeAnswer> take(const std::vector<RunId>& runs);
  std::vector<FinishAnswer> finish(const std::vector<FinishEntry>& ends);
  std::vector<SweepAnswer> sweep(const std::vector<SweepEntry>& nodes);
  ControlAnswer control(const ControlAsk& ask);
  OnceAnswer once(const OnceAsk& ask);

  /// What is asked next is judged by no later a time.
  void doubt(std::optional<Time> course) { course_ = course; }

  /// The last write's.
  WriteId last() const { return {incarnation_, lane_, sequence_}; }

 private:
  template <class T>
  T write(const T& refusal, const std::function<Result<Written<T>>(const WriteId&)>& send);
  /// What became of that write; none if it was not applied and so never will be.
  std::optional<Outcome> settle(std::uint64_t sequence);
  WriteId next();

  Store& store_;
  Incarnation incarnation_;
  std::uint32_t lane_;
  Settling settling_;
  std::function<void()> meanwhile_;
  std::uint64_t sequence_ = 0;
  std::uint64_t answered_ = 0;
  std::optional<Time> course_;
};

}  // namespace cronce
