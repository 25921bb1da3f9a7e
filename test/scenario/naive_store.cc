#include "test/scenario/naive_store.h"

#include <algorithm>

namespace cronce::scenario {
namespace {

RunId first_attempt(const DecideEntry& entry, std::size_t run) {
  return {entry.job, Space::slot, entry.runs[run].slot, "", Attempt{1}};
}

}  // namespace

bool NaiveStore::is_free(JobUid job) {
  const auto jobs = inner_.jobs().value();
  const auto row =
      std::find_if(jobs.begin(), jobs.end(), [&](const JobRow& one) { return one.uid == job; });
  return row != jobs.end() && row->live.empty() &&
         std::none_of(forged_.begin(), forged_.end(),
                      [&](const auto& run) { return run.first.job == job; });
}

Claim NaiveStore::forge(const WriteId& id, const RunId& run, Time due) {
  constexpr std::uint64_t kFarAbove = 1'000;
  const Claim claim{run, id.incarnation, make_fence(Epoch{1}, kFarAbove + ++drawn_), "forged", due,
                    due};
  forged_.insert({run, claim.fence});
  return claim;
}

void NaiveStore::unlock_slots(const WriteId& id, const DecideAsk& ask, DecideAnswers& answers) {
  for (std::size_t i = 0; i < ask.entries.size(); ++i) {
    const DecideEntry& entry = ask.entries[i];
    DecideAnswer& answer = answers.entries[i];
    if (answer.refused != Refused::moved || entry.runs.size() != 1 || !is_free(entry.job)) continue;
    answer.refused = Refused::none;
    answer.winner.clear();
    answer.runs.push_back({RunState::running, Reason::none,
                           forge(id, first_attempt(entry, 0), entry.runs.front().due)});
  }
}

void NaiveStore::number(std::optional<Claim>& claim) {
  if (!claim) return;
  const auto known = numbers_.find(claim->run);
  const Fence shown = known != numbers_.end() ? known->second : make_fence(Epoch{1}, ++drawn_);
  real_[claim->run] = std::exchange(claim->fence, shown);
}

void NaiveStore::number_rows(const DecideAsk& ask, DecideAnswers& answers) {
  for (std::size_t i = 0; i < ask.entries.size(); ++i) {
    auto& runs = answers.entries[i].runs;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      numbers_[first_attempt(ask.entries[i], k)] = make_fence(Epoch{1}, ++drawn_);
      number(runs[k].claim);
    }
  }
}

Result<Written<DecideAnswers>> NaiveStore::decide(const WriteId& id, const DecideAsk& ask) {
  auto written = inner_.decide(id, ask);
  if (!written) return written;
  if (naive == Naive::lock) unlock_slots(id, ask, written->answer);
  if (naive == Naive::row_fences) number_rows(ask, written->answer);
  return written;
}

Result<Written<std::vector<TakeAnswer>>> NaiveStore::take(const WriteId& id,
                                                          std::span<const RunId> runs) {
  auto written = inner_.take(id, runs);
  if (!written) return written;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    TakeAnswer& answer = written->answer[i];
    if (naive == Naive::row_fences) number(answer.claim);
    if (naive == Naive::blind_take && answer.refused == Refused::busy)
      answer = {Refused::none, forge(id, runs[i], written->store_time), ""};
  }
  return written;
}

Result<Written<std::vector<FinishAnswer>>> NaiveStore::finish(const WriteId& id,
                                                              std::span<const FinishEntry> ends) {
  std::vector<FinishEntry> true_ends(ends.begin(), ends.end());
  for (FinishEntry& end : true_ends) {
    if (const auto known = real_.find(end.run); known != real_.end()) end.fence = known->second;
  }
  auto written = inner_.finish(id, true_ends);
  for (std::size_t i = 0; written && i < ends.size(); ++i) {
    if (forged_.erase({ends[i].run, ends[i].fence}) > 0)
      written->answer[i] = {Refused::none, ends[i].state};
  }
  return written;
}

}  // namespace cronce::scenario
