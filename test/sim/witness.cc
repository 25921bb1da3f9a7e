#include "test/sim/witness.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/describe.h"

namespace cronce::sim {

Start& Witness::started(Duration at, const Claim& claim, const std::string& node) {
  Start& start = (claim.run.job == JobUid{} ? key_starts_ : starts_).emplace_back();
  start.at = at;
  start.store_most = most_;
  start.run = claim.run;
  start.fence = claim.fence;
  start.incarnation = claim.incarnation;
  start.node = node;
  return start;
}

void Witness::granted(Duration at, const Claim& claim) {
  grants_.push_back({at, claim, open_pause(claim.run.job) != nullptr});
  known_.grants = grants_.size();
}

void Witness::enqueued(const RunId& run) {
  enqueued_.insert(run);
  if (open_pause(run.job) != nullptr)
    wrong("I4", fmt::format("job {}: a slot of its pause is to run later, at {}", run.job.value,
                            print(run.slot)));
}

bool Witness::had_stood_still(const Incarnation& node, Duration from, Duration to) const {
  const auto times = stood_still_.find(node);
  return times != stood_still_.end() &&
         std::any_of(times->second.begin(), times->second.end(),
                     [&](const auto& time) { return time.first <= to && from <= time.second; });
}

void Witness::beaten(const Incarnation& incarnation, Beat beat) {
  if (known_.ended.contains(incarnation)) beats_after_end_.push_back(incarnation);
  Beat& known = known_.beats[incarnation];
  known = std::max(known, beat);
}

void Witness::ended(Duration at, const Incarnation& incarnation, Beat asked) {
  endings_.push_back({at, incarnation, asked, known_.beats[incarnation]});
  known_.ended.insert(incarnation);
}

void Witness::registered(const std::string& source, bool conflict) {
  if (conflict) {
    conflicts_.insert(source);
  } else {
    conflicts_.erase(source);
  }
}

bool Witness::is_in_conflict(const JobRow& job) const {
  return std::any_of(job.sources->begin(), job.sources->end(),
                     [&](const auto& source) { return conflicts_.contains(source.first); });
}

bool Witness::is_unnoticed(Duration at) const {
  return std::any_of(forgettings_.begin(), forgettings_.end(), [&](const Forgetting& forgetting) {
    return !forgetting.elsewhere && !forgetting.again && at >= forgetting.to &&
           (!forgetting.closed || at <= *forgetting.closed);
  });
}

bool Witness::was_named_by_exec(const RunId& run) const {
  RunId first = run;
  first.attempt = Attempt{1};
  return named_by_exec_.contains(first);
}

/// Also an answer that was on its way when the store forgot what it told.
void Witness::answered(Duration at, const Incarnation& node) {
  Duration& last = answers_[node];
  last = std::max(last, at);
  for (Forgetting& forgetting : forgettings_) {
    if (at > forgetting.to) continue;
    Duration& before = forgetting.answered[node];
    before = std::max(before, at);
  }
}

// ---- jobs and pauses

Chapter* Witness::open_chapter(JobUid job) {
  for (Chapter& chapter : known_.chapters) {
    if (chapter.job == job && !chapter.to) return &chapter;
  }
  return nullptr;
}

PausedTime* Witness::open_pause(JobUid job) {
  for (PausedTime& pause : known_.pauses) {
    if (pause.job == job && !pause.to) return &pause;
  }
  return nullptr;
}

void Witness::defined(JobUid job, const Job& definition, Time store_time) {
  definitions_[job].push_back(definition);
  Chapter* chapter = open_chapter(job);
  if (chapter != nullptr && chapter->definition.schedule == definition.schedule) return;
  if (PausedTime* pause = chapter == nullptr ? open_pause(job) : nullptr) {
    pause->from = std::max({pause->from, store_time, most_});  // retired, it covered nothing
  }
  retired(job, store_time);
  known_.chapters.push_back({job, definition, store_time, most_, std::nullopt, {}});
}

void Witness::retired(JobUid job, Time store_time) {
  Chapter* chapter = open_chapter(job);
  if (chapter == nullptr) return;
  chapter->to = store_time;
  chapter->possible = most_;
}

void Witness::receded(JobUid job, Time store_time) {
  if (Chapter* chapter = open_chapter(job)) chapter->from = std::min(chapter->from, store_time);
}

void Witness::paused(JobUid job, Time store_time) {
  if (open_pause(job) == nullptr)
    known_.pauses.push_back({job, std::max(store_time, most_), std::nullopt});
}

void Witness::resumed(JobUid job, Time store_time) {
  if (PausedTime* pause = open_pause(job)) pause->to = store_time;
}

// ---- a store that forgets

/// What was defined in the forgotten time may still be seen in rows that were put back.
void Witness::forgot(Duration from, Duration now, bool elsewhere, Known image) {
  for (Chapter& chapter : known_.chapters) {
    if (!chapter.to) chapter.to = chapter.possible = most_;
    forgotten_.push_back(std::move(chapter));
  }
  const std::size_t grant = image.grants;
  std::set<Incarnation> ended = image.ended;
  const bool was_closed = image.closed;
  known_ = std::move(image);
  known_.grants = grants_.size();
  std::optional<Duration> waiting;
  if (!forgettings_.empty() && !forgettings_.back().opened) {
    forgettings_.back().over = now;
    waiting = forgettings_.back().waiting;
  }
  Forgetting& last = forgettings_.emplace_back();
  last.waiting = waiting;
  last.remembered = known_.remembered;
  last.answered = answers_;
  last.from = from;
  last.grant = grant;
  last.ended = std::move(ended);
  last.was_closed = was_closed;
  last.to = now;
  last.elsewhere = elsewhere;
}

bool Witness::is_closed() const {
  return !forgettings_.empty() && forgettings_.back().closed && !forgettings_.back().opened;
}

/// An epoch was opened, and that was forgotten: the next one may get its number.
bool Witness::forgot_an_epoch() const {
  return std::any_of(forgettings_.begin(), forgettings_.end(), [&](const Forgetting& first) {
    return first.opened &&
           std::any_of(forgettings_.begin(), forgettings_.end(), [&](const Forgetting& next) {
             return next.from <= *first.opened && *first.opened <= next.to;
           });
  });
}

/// A store that was put back in place may be opened by one who knows less than others, and is
/// closed again by the first who knows more: only that is when it was noticed.
void Witness::closed(Duration now) {
  const bool is_known = !forgettings_.empty() && !forgettings_.back().opened;
  if (!is_known) {
    const bool in_place = !forgettings_.empty() && !forgettings_.back().elsewhere;
    if (!in_place) {
      const bool again = !forgot_an_epoch();
      Forgetting& none = forgettings_.emplace_back();
      none.from = none.to = now;
      none.grant = grants_.size();
      none.ended = known_.ended;
      none.elsewhere = true;
      none.again = again;
    }
    Forgetting& last = forgettings_.back();
    last.closed.reset();
    last.waiting.reset();
    last.opened.reset();
  }
  Forgetting& last = forgettings_.back();
  known_.closed = true;
  if (!last.closed) last.closed = now;
  if (!last.waiting) last.waiting = now;
}

void Witness::opened(Duration now) {
  known_.closed = false;
  if (!forgettings_.empty() && !forgettings_.back().opened) forgettings_.back().opened = now;
}

void Witness::remembered(Duration now, const Incarnation& incarnation, Time time) {
  if (forgettings_.empty()) return;
  Forgetting& last = forgettings_.back();
  last.rememberers.try_emplace(incarnation, now);
  last.remembered = std::max(last.remembered, time);
  known_.remembered = std::max(known_.remembered, time);
}

bool Witness::ended_again(const Incarnation& incarnation) {
  return known_.beats.contains(incarnation) && known_.ended.insert(incarnation).second;
}

void Witness::told(Duration now, const Claim& claim) {
  if (!forgettings_.empty()) forgettings_.back().claims.try_emplace({claim.run, claim.fence}, now);
}

std::optional<Duration> Forgetting::told(const Incarnation& node, const RunId& run,
                                         Fence fence) const {
  if (const auto by = rememberers.find(node); by != rememberers.end()) return by->second;
  const auto claim = claims.find({run, fence});
  return claim == claims.end() ? std::nullopt : std::optional(claim->second);
}

/// Who comes late with what a next process has told already changes nothing.
void Witness::not_put_back(Duration now, const Claim& claim) {
  if (forgettings_.empty()) return;
  Forgetting& last = forgettings_.back();
  const auto before = last.claims.find({claim.run, claim.fence});
  if (before != last.claims.end() && before->second < now) return;
  last.not_put_back.insert({claim.run, claim.incarnation});
}

}  // namespace cronce::sim
