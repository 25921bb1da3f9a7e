// A store with one planted bug, made of a sound one: what it is asked or what it answers is bent.
//
// Without a canary it passes everything on.
#pragma once

#include <map>
#include <set>

#include "store/memory/memory_store.h"
#include "test/sim/stage.h"
#include "test/support/forwarding_store.h"

namespace cronce::sim {

class CanaryStore final : public ForwardingStore {
 public:
  CanaryStore(Stage& stage, MemoryStore& inner)
      : ForwardingStore(inner), stage_(stage), memory_(inner) {}

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
  Result<std::vector<Run>> runs(const RunFilter& filter) override;

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
  BeatAsk bend(BeatAsk ask) const;
  void bend_row(JobRow& row, const BeatAsk& ask);
  ControlAsk bend(ControlAsk ask);
  DecideAsk bend(DecideAsk ask) const;
  bool is_hidden(const DecideEntry& entry) const;
  bool is_hidden(const PlanChange& change) const;
  void answer_hidden(const DecideAsk& ask, DecideAnswers& answers) const;
  void forge_settled(const WriteId& id, const DecideAsk& ask, DecideAnswers& answers);
  void catch_up_pause(const JobRow& before);
  void enqueue_paused(const DecideAsk& ask, const DecideAnswers& answers);
  void retire_dropped(const RegisterAsk& ask);
  void take_offer_back(const WriteId& id, const RegisterAsk& ask);

  // Fences of its own, for those that are drawn wrongly.
  bool renumbers() const { return is(Canary::fence_at_enqueue) || is(Canary::fence_stands_still); }
  Fence draw(JobUid job);
  void show(std::optional<Claim>& claim);
  void show_decided(const DecideAsk& ask, DecideAnswers& answers);
  Fence real(const RunId& run, Fence shown) const;

  // Sequences of its own, for the lane that is not checked.
  WriteId pass(const WriteId& id);
  void back(const WriteId& id, Before& before, bool empty = false);

  Stage& stage_;
  MemoryStore& memory_;
  std::set<Incarnation> ended_;
  std::map<JobUid, Shared<Job>> first_told_;
  std::map<JobUid, std::uint64_t> drawn_;
  std::map<RunId, Fence> reserved_;
  std::map<RunId, std::pair<Fence, Fence>> fences_;  // shown, real
  std::map<Incarnation, std::uint64_t> settling_;    // the last write, if it asked nothing
  std::map<Incarnation, Node> beaten_;
  std::map<Incarnation, std::vector<SweepAnswer>> swept_;  // what its last sweep was told
  std::map<JobUid, Time> paused_at_;
  std::uint64_t key_fences_ = 0;
  std::uint64_t sequence_ = 0;
  std::map<std::uint64_t, std::uint64_t> told_;  // ours -> the asker's
};

}  // namespace cronce::sim
