// A store with one planted bug, made of a sound one: what it is asked or what it answers is bent.
//
// Without a canary it passes everything on.
#pragma once

#include <map>
#include <set>

#include "store/store.h"
#include "test/sim/stage.h"

namespace cronce::sim {

class CanaryStore final : public Store {
 public:
  CanaryStore(Stage& stage, Store& inner) : stage_(stage), inner_(inner) {}

  Result<Opened> open() override { return inner_.open(); }
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
  Result<Written<OnceAnswer>> once(const WriteId& id, const OnceAsk& ask) override {
    return inner_.once(id, ask);
  }
  Result<std::vector<JobRow>> jobs() override { return inner_.jobs(); }
  Result<std::vector<Run>> runs(const RunFilter& filter) override;
  Result<std::vector<Node>> nodes() override { return inner_.nodes(); }

 private:
  bool is(Canary canary) const { return stage_.canary == canary; }
  std::vector<JobRow> all_jobs() { return inner_.jobs().value(); }
  std::vector<Node> all_nodes() { return inner_.nodes().value(); }
  std::vector<Run> found_runs(const RunFilter& filter) { return inner_.runs(filter).value(); }
  std::optional<JobRow> job(JobUid uid);
  std::optional<Run> row(const RunId& id);

  Claim forge(const WriteId& id, const RunId& run, Time due);
  void forge_decided(const WriteId& id, const DecideAsk& ask, DecideAnswers& answers);
  void forge_taken(const WriteId& id, std::span<const RunId> runs,
                   std::vector<TakeAnswer>& answers);
  void run_again(const RunId& run);
  JobToRegister bend(JobToRegister entry);

  // Fences of its own, for those that are drawn wrongly.
  bool renumbers() const { return is(Canary::fence_at_enqueue) || is(Canary::fence_stands_still); }
  Fence draw(JobUid job);
  void show(std::optional<Claim>& claim);
  void show_decided(const DecideAsk& ask, DecideAnswers& answers);
  Fence real(const RunId& run, Fence shown) const;

  // Sequences of its own, for the lane that is not checked.
  WriteId pass(const WriteId& id);
  void back(const WriteId& id, Before& before);

  Stage& stage_;
  Store& inner_;
  std::set<Incarnation> ended_;
  std::map<JobUid, Shared<Job>> first_told_;
  std::map<JobUid, std::uint64_t> drawn_;
  std::map<RunId, Fence> reserved_;
  std::map<RunId, std::pair<Fence, Fence>> fences_;  // shown, real
  std::uint64_t sequence_ = 0;
  std::map<std::uint64_t, std::uint64_t> told_;  // ours -> the asker's
};

}  // namespace cronce::sim
