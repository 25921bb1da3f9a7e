#include "test/contract/lying_store.h"

#include <vector>

namespace cronce::contract {

bool LyingStore::now_and_then() {
  if (++chances_ % every_ != 0) return false;
  ++told_;
  return true;
}

/// Every write on a lane of its own: none is ever stale, and none knows of one before.
WriteId LyingStore::through(const WriteId& id) {
  if (lie_ == Lie::never_closes) return {id.incarnation, id.lane, id.sequence, 0, id.course};
  if (lie_ != Lie::no_lanes) return id;
  ++told_;
  return {id.incarnation, ++lanes_, 1};
}

Result<BeatAnswer> LyingStore::beat(const BeatAsk& ask) {
  BeatAsk heard = ask;
  if (lie_ == Lie::never_closes) {
    heard.mark.reset();
    heard.granted = {};
  }
  return inner_.beat(heard);
}

Result<Written<RegisterAnswer>> LyingStore::enroll(const WriteId& id, const RegisterAsk& ask) {
  return inner_.enroll(through(id), ask);
}

Result<Written<DecideAnswers>> LyingStore::decide(const WriteId& id, const DecideAsk& ask) {
  auto written = inner_.decide(through(id), ask);
  if (!written || lie_ != Lie::old_fence) return written;
  for (DecideAnswer& answer : written->answer.entries) {
    for (SlotOutcome& outcome : answer.runs) {
      if (outcome.claim && now_and_then()) --outcome.claim->fence.value;
    }
  }
  return written;
}

Result<Written<std::vector<TakeAnswer>>> LyingStore::take(const WriteId& id,
                                                          std::span<const RunId> runs) {
  auto written = inner_.take(through(id), runs);
  if (!written || lie_ != Lie::second_claim) return written;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    TakeAnswer& answer = written->answer[i];
    const bool refused = answer.refused == Refused::gone || answer.refused == Refused::busy;
    if (!refused || !now_and_then()) continue;
    const Fence fence{make_fence(Epoch{1}, 0).value + 1'000 + told_};
    answer = {Refused::none, Claim{runs[i], id.incarnation, fence, "", {}, {}}};
  }
  return written;
}

Result<Written<std::vector<FinishAnswer>>> LyingStore::finish(const WriteId& id,
                                                              std::span<const FinishEntry> ends) {
  const bool deaf = lie_ == Lie::deaf_finish && now_and_then();
  const std::vector<FinishEntry> none;
  auto written = inner_.finish(through(id), deaf ? std::span<const FinishEntry>(none) : ends);
  if (!written || !deaf) return written;
  for (const FinishEntry& end : ends) written->answer.push_back({Refused::none, end.state});
  return written;
}

Result<Written<std::vector<SweepAnswer>>> LyingStore::sweep(const WriteId& id,
                                                            std::span<const SweepEntry> nodes) {
  std::vector<SweepEntry> entries(nodes.begin(), nodes.end());
  if (lie_ == Lie::early_end) {
    const auto living = inner_.nodes().value();
    for (const Node& node : living) {
      for (SweepEntry& entry : entries) {
        if (entry.incarnation == node.incarnation) entry.beat = node.beat;
      }
    }
  }
  return inner_.sweep(through(id), entries);
}

Result<Written<ControlAnswer>> LyingStore::control(const WriteId& id, const ControlAsk& ask) {
  ControlAsk heard = ask;
  if (auto* remember = std::get_if<Remember>(&heard)) {
    if (lie_ == Lie::deaf_to_time) remember->mark.time = kMinTime;
    if (lie_ == Lie::deaf_to_claims) remember->running.clear();
  }
  return inner_.control(through(id), heard);
}

Result<Written<OnceAnswer>> LyingStore::once(const WriteId& id, const OnceAsk& ask) {
  auto written = inner_.once(through(id), ask);
  const bool lies = written && lie_ == Lie::second_key && written->answer.refused == Refused::busy;
  if (!lies) return written;
  ++told_;
  written->answer.refused = Refused::none;
  written->answer.fence = Fence{make_fence(Epoch{1}, 0).value + 1'000 + told_};
  return written;
}

Result<std::vector<Run>> LyingStore::runs(const RunFilter& filter) {
  auto rows = inner_.runs(filter);
  if (!rows || lie_ != Lie::never_claimed) return rows;
  for (Run& run : *rows) {
    if (run.state == RunState::skipped) run.state = RunState::succeeded;
  }
  return rows;
}

PutBack image_of_lying(Store& store) {
  auto& liar = dynamic_cast<LyingStore&>(store);
  const bool blind = liar.lie() == Lie::never_closes;  // to where it is, too
  return [blind, put_back = stores()[0].image(liar.inner())](bool elsewhere) {
    put_back(elsewhere && !blind);
  };
}

}  // namespace cronce::contract
