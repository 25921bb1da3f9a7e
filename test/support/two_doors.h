// One store, opened twice: calls go to the two in turn, so that each must learn what the other
// wrote. After every write what the one that was asked holds in memory is compared with what is
// stored.
#pragma once

#include <string>

#include "base/clock.h"
#include "store/store.h"

namespace cronce {

/// A clock that is another's: doors are used by one world after the other.
class LentClock final : public Clock {
 public:
  void lend(const Clock& clock) { clock_ = &clock; }
  Time wall() const override { return clock_->wall(); }
  Duration boot() const override { return clock_->boot(); }

 private:
  const Clock* clock_ = nullptr;
};

class TwoDoors : public Store {
 public:
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

 protected:
  /// 0 or 1.
  virtual Store& door(std::size_t which) = 0;
  /// Empty, or how what that door holds differs from what is stored.
  virtual std::string difference(std::size_t which) = 0;

 private:
  template <class Call>
  auto write(Call call);
  Store& next() { return door(++calls_ % 2); }

  std::size_t calls_ = 0;
};

}  // namespace cronce
