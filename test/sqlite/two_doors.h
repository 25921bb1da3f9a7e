// One file, opened twice: calls go to the two stores in turn, so that each must learn what the
// other wrote. After every write the mirror of the one that was asked is compared with the file.
//
// A file is emptied and used again: a suite needs tens of thousands of stores, and most of the time
// of a new one goes into its statements.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/rng.h"
#include "store/store.h"

namespace cronce {

class TwoDoors final : public Store {
 public:
  TwoDoors(const Clock& clock, Rng& rng);
  ~TwoDoors() override;

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

  /// The bytes of the file.
  std::string image();
  void put_back(const std::string& image, bool elsewhere);

 private:
  struct Doors;

  template <class Call>
  auto write(Call call);
  Store& next();

  Rng& rng_;
  std::unique_ptr<Doors> doors_;
  std::size_t calls_ = 0;
};

}  // namespace cronce
