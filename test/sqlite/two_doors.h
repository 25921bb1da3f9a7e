// One file, opened twice: calls go to the two stores in turn, so that each must learn what the
// other wrote. After every call the mirror of the one that was asked is compared with the file.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>

#include "base/rng.h"
#include "store/sqlite/sqlite_store.h"
#include "test/sqlite/mirror_check.h"

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

  /// The bytes of the file.
  std::string image();
  void put_back(const std::string& image, bool elsewhere);

 private:
  void open_doors();
  void close_doors();
  template <class Call>
  auto pass(Call call);

  const Clock& clock_;
  Rng& rng_;
  std::filesystem::path path_;
  std::array<std::unique_ptr<SqliteStore>, 2> doors_;
  std::unique_ptr<MirrorCheck> check_;
  std::size_t calls_ = 0;
};

}  // namespace cronce
