#include "test/sim/witness.h"

#include <algorithm>

namespace cronce::sim {

std::size_t Witness::started(Duration at, const Claim& claim, std::size_t host) {
  Start start;
  start.at = at;
  start.store_most = most_;
  start.run = claim.run;
  start.fence = claim.fence;
  start.incarnation = claim.incarnation;
  start.host = host;
  starts_.push_back(start);
  return starts_.size() - 1;
}

void Witness::gone(std::size_t start, Duration at, RunState result, Reason reason) {
  starts_[start].gone = at;
  starts_[start].result = result;
  starts_[start].reason = reason;
}

void Witness::granted(Duration at, const Claim& claim) {
  grants_.push_back({at, claim, open_pause(claim.run.job) != nullptr});
}

void Witness::beaten(const Incarnation& incarnation, Beat beat, Duration) {
  if (ended_.contains(incarnation)) beats_after_end_.push_back(incarnation);
  Beat& known = beats_[incarnation];
  known = std::max(known, beat);
}

void Witness::ended(Duration at, const Incarnation& incarnation, Beat asked) {
  endings_.push_back({at, incarnation, asked, beats_[incarnation]});
  ended_.insert(incarnation);
}

Chapter* Witness::open_chapter(JobUid job) {
  for (Chapter& chapter : chapters_) {
    if (chapter.job == job && !chapter.to) return &chapter;
  }
  return nullptr;
}

PausedTime* Witness::open_pause(JobUid job) {
  for (PausedTime& pause : pauses_) {
    if (pause.job == job && !pause.to) return &pause;
  }
  return nullptr;
}

void Witness::defined(JobUid job, const Job& definition, Time store_time) {
  definitions_[job].push_back(definition);
  Chapter* chapter = open_chapter(job);
  if (chapter != nullptr && chapter->definition.schedule == definition.schedule) return;
  retired(job, store_time);
  chapters_.push_back({job, definition, store_time, most_, std::nullopt, {}});
}

void Witness::retired(JobUid job, Time store_time) {
  Chapter* chapter = open_chapter(job);
  if (chapter == nullptr) return;
  chapter->to = store_time;
  chapter->possible = most_;
}

void Witness::paused(JobUid job, Time store_time) {
  if (open_pause(job) == nullptr)
    pauses_.push_back({job, std::max(store_time, most_), std::nullopt});
}

void Witness::resumed(JobUid job, Time store_time) {
  if (PausedTime* pause = open_pause(job)) pause->to = store_time;
}

}  // namespace cronce::sim
