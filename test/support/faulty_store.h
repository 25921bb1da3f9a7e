// A store behind a bad line: at one call, one thing goes wrong.
//
// It wraps a store and counts its calls from 1. The call that was named gets the fault, all others
// pass. What is held back is applied later, by itself: after the following call of its own lane (a
// request that comes too late) or after the next call of another lane (one that comes in between).
// A lane is what the write says; beats of an incarnation are one, reads are one. The wrapped store
// must outlive this one; one caller at a time.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "store/store.h"

namespace cronce {

enum class Fault : std::uint8_t {
  fail,       // nothing was applied, and an error came back
  lose,       // applied, and the answer was lost
  time_out,   // no answer; applied after the following call of this lane
  duplicate,  // applied twice by the transport; the second answer came back
  delay,      // no answer; applied after the next call of another lane
};

inline constexpr std::array kFaults{Fault::fail, Fault::lose, Fault::time_out, Fault::duplicate,
                                    Fault::delay};
std::string_view word(Fault fault);

class FaultyStore final : public Store {
 public:
  explicit FaultyStore(Store& inner) : inner_(inner) {}

  /// Call number `call` will meet this fault.
  void plan(std::size_t call, Fault fault) { plans_[call] = fault; }
  /// What is done before that call, and after it: faults that lie deeper.
  void surround(std::size_t call, std::function<void()> before, std::function<void()> after);
  std::size_t calls() const { return calls_; }
  /// What is still held back arrives.
  void flush();

  Result<Opened> open() override;
  Result<BeatAnswer> beat(const BeatAsk& ask) override;
  Result<Written<RegisterAnswer>> enroll(const WriteId& id, const RegisterAsk& ask) override;
  Result<Written<DecideAnswers>> decide(const WriteId& id, const DecideAsk& ask) override;
  Result<Written<std::vector<TakeAnswer>>> take(const WriteId& id,
                                                std::span<const RunId> runs) override;
  Result<Written<std::vector<FinishAnswer>>> finish(const WriteId& id,
                                                    std::span<const FinishEntry> ends) override;
  Result<Written<std::vector<SweepAnswer>>> sweep(const WriteId& id,
                                                  std::span<const SweepEntry> nodes) override;
  Result<Written<ControlAnswer>> control(const WriteId& id, const ControlAsk& ask) override;
  Result<Written<OnceAnswer>> once(const WriteId& id, const OnceAsk& ask) override;
  Result<std::vector<JobRow>> jobs() override;
  Result<std::vector<Run>> runs(const RunFilter& filter) override;
  Result<std::vector<Node>> nodes() override;
  Result<JobPast> past(JobUid job) override;

 private:
  enum class Kind : std::uint8_t { read, beat, write };
  struct LaneName {
    Kind kind = Kind::read;
    Incarnation incarnation;
    std::uint32_t lane = 0;
    auto operator<=>(const LaneName&) const = default;
  };
  struct Held {
    LaneName lane;
    Fault fault;
    std::function<void()> apply;
  };

  static LaneName lane_of(const WriteId& id) { return {Kind::write, id.incarnation, id.lane}; }
  template <class T>
  Result<T> pass(const LaneName& lane, std::function<Result<T>()> call);
  template <class T>
  Result<T> meet(Fault fault, const LaneName& lane, std::function<Result<T>()> call);
  void release_after(const LaneName& lane);

  Store& inner_;
  std::map<std::size_t, Fault> plans_;
  std::map<std::size_t, std::pair<std::function<void()>, std::function<void()>>> surrounded_;
  std::size_t calls_ = 0;
  std::optional<Held> held_;
};

}  // namespace cronce
