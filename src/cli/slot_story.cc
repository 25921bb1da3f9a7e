#include "cli/slot_story.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace cronce {
namespace {

bool is_of_schedule(const SlotStory& story) {
  return story.asked.job->plan.next == story.slot() ||
         (story.before && *story.before == story.slot());
}

/// Of a slot without a row.
Verdict judge(const SlotStory& story, Time now) {
  const JobRow& job = *story.asked.job;
  if (story.range) return Verdict::in_range;
  if (!is_of_schedule(story)) return Verdict::not_a_slot;
  if (story.slot() > job.plan.cursor) return story.slot() > now ? Verdict::future : Verdict::owed;
  return story.slot() <= job.floor ? Verdict::purged : Verdict::before;
}

/// `before` may be the slot itself; see near_slots().
void find_neighbours(SlotStory& story) {
  const auto schedule = schedule_of(*story.asked.job);
  if (!schedule) return;
  story.before = schedule->last_at_or_before(story.slot());
  story.after = schedule->first_after(story.slot());
}

/// A range covers slots that its job's schedule has; another time inside it is none.
std::optional<Run> covering(const std::vector<Run>& runs, const SlotStory& story) {
  const auto range = std::find_if(runs.begin(), runs.end(),
                                  [](const Run& run) { return run.slot_to.has_value(); });
  const bool known = story.before || story.after;
  if (range == runs.end() || (known && !is_of_schedule(story))) return std::nullopt;
  return *range;
}

bool was_alive(const Run& run, Time at) {
  return run.claimed_at && *run.claimed_at <= at &&
         (run.finished_at ? *run.finished_at > at : run.state == RunState::running);
}

/// The run that was alive when the slot was due.
Status find_in_the_way(const ReadStore& read, SlotStory& story) {
  constexpr std::size_t kLookedAt = 200;
  RunFilter filter{.job = story.asked.job->uid, .to = story.slot(), .limit = kLookedAt};
  filter.output = false;
  const auto runs = read.store->runs(filter);
  if (!runs) return runs.error();
  const Time due = story.attempts.back().due;
  const auto found = std::find_if(runs->begin(), runs->end(), [&](const Run& run) {
    return run.id != story.attempts.back().id && was_alive(run, due);
  });
  if (found != runs->end()) story.in_the_way = *found;
  return Done{};
}

}  // namespace

Result<SlotStory, Refusal> read_story(const ReadStore& read, const AskedSlot& asked,
                                      const Console& console) {
  SlotStory story{.asked = asked};
  auto nodes = read_nodes(read);
  if (!nodes) return nodes.error();
  story.nodes = *std::move(nodes);
  if (const Node* home = home_of(*asked.job, story.nodes, console)) story.home = home->name;
  auto attempts = read_attempts(read, asked, Output::with);
  if (!attempts) return attempts.error();
  story.attempts = *std::move(attempts);
  if (!story.is_slot()) return story;
  find_neighbours(story);
  const auto around = read.store->runs(
      {.job = asked.job->uid, .from = story.slot(), .to = story.slot(), .output = false});
  if (!around) return store_failure(around.error());
  story.range = covering(*around, story);
  if (story.attempts.empty()) {
    story.verdict = judge(story, read.now);
  } else if (story.attempts.back().reason == Reason::overlap) {
    if (const Status done = find_in_the_way(read, story); !done) return store_failure(done.error());
  }
  return story;
}

std::string_view word_of(Verdict verdict) {
  constexpr std::array<std::string_view, 7> kWords{"recorded", "in_range", "future",    "owed",
                                                   "purged",   "before",   "not_a_slot"};
  return kWords.at(static_cast<std::size_t>(verdict));
}

}  // namespace cronce
