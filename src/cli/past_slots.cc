#include "cli/past_slots.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "model/describe.h"

namespace cronce {
namespace {

constexpr std::size_t kMostSlots = 100'000;  // of one range
constexpr std::size_t kMostPastRows = 300'000;

Refusal too_many(const JobRow& job) {
  return {kExitUsage, fmt::format("{}: more than {} slots lie between: name a shorter time",
                                  shown_name(job), kMostSlots)};
}

/// The slots that a definition had while it counted.
void add_slots(const ScheduleSpec& spec, Time after, Time through, std::set<Time>& slots) {
  const auto schedule = Schedule::build(spec);
  if (!schedule || after >= through) return;
  for (const Time slot : schedule->slots(after, through, kMostSlots + 1)) slots.insert(slot);
}

/// Before the first definition that is known, its slots are as good a guess as any: nothing is
/// recorded of them.
std::set<Time> slots_by_definition(const JobRow& job, const JobPast& past, Time from, Time to) {
  std::set<Time> slots;
  const Time after = from - Duration{1};
  bool first = true;
  for (const FormerDefinition& one : past.definitions) {
    const Time since = first ? kMinTime : one.since;
    add_slots(one.definition->schedule, std::max(after, since), std::min(to, one.until), slots);
    first = false;
  }
  add_slots(job.definition->schedule, std::max(after, first ? kMinTime : job.since), to, slots);
  return slots;
}

/// As the store judges it.
bool did_not_run(const Run& run) {
  return (run.state == RunState::cancelled && !run.fence) ||
         (run.state == RunState::skipped && run.reason != Reason::store_regressed) ||
         run.state == RunState::returned;
}

/// Up to when the store has forgotten what was decided, as far as it can be read: what it says of
/// the slots before may not be their last word.
Result<Time> forgotten_until(Store& store, JobUid job, Time from) {
  const auto past = store.past(JobUid{});
  if (!past) return past.error();
  RunFilter filter{.job = job, .from = from, .limit = kMostPastRows, .states = {RunState::skipped}};
  filter.output = false;
  const auto skipped = store.runs(filter);
  if (!skipped) return skipped.error();
  Time until = kMinTime;
  for (const Intervention& one : past->interventions) {
    if (one.what == Intervention::What::adopt) until = std::max(until, one.at);
  }
  for (const Run& run : *skipped) {
    if (run.reason == Reason::store_regressed) until = std::max(until, run.id.slot);
  }
  return until;
}

class Fates {
 public:
  Fates(const std::vector<Run>& runs, Time forgotten) : forgotten_(forgotten) {
    for (const Run& run : runs) {
      if (run.slot_to) {
        ranges_.push_back(&run);
      } else if (run.id.space == Space::slot) {
        attempts_[run.id.slot].push_back(&run);
      }
    }
  }

  void add_recorded(std::set<Time>& slots) const {
    for (const auto& [slot, attempts] : attempts_) slots.insert(slot);
  }

  PastSlot of(Time slot) const {
    const auto found = attempts_.find(slot);
    if (found != attempts_.end()) return of_attempts(slot, found->second);
    const auto range = std::find_if(ranges_.begin(), ranges_.end(), [&](const Run* run) {
      return run->id.slot <= slot && slot <= *run->slot_to;
    });
    if (range == ranges_.end()) return {slot, Fate::unknown, std::nullopt};
    return {slot, skipped(slot), **range};
  }

 private:
  Fate skipped(Time slot) const { return slot > forgotten_ ? Fate::runs : Fate::ran; }

  PastSlot of_attempts(Time slot, const std::vector<const Run*>& attempts) const {
    const Run* last =
        *std::max_element(attempts.begin(), attempts.end(),
                          [](const Run* a, const Run* b) { return a->id.attempt < b->id.attempt; });
    const bool never = std::all_of(attempts.begin(), attempts.end(),
                                   [](const Run* run) { return did_not_run(*run); });
    const Fate fate = !is_ended(last->state) ? Fate::open : never ? skipped(slot) : Fate::ran;
    return {slot, fate, *last};
  }

  Time forgotten_;
  std::map<Time, std::vector<const Run*>> attempts_;
  std::vector<const Run*> ranges_;
};

}  // namespace

Result<std::vector<PastSlot>, Refusal> read_past_slots(const ReadStore& read, const JobRow& job,
                                                       Time from, Time to) {
  const Time through = std::min(to, job.plan.cursor);
  const auto past = read.store->past(job.uid);
  if (!past) return store_failure(past.error());
  RunFilter filter{.job = job.uid, .from = from, .to = through, .limit = kMostPastRows};
  filter.output = false;
  const auto runs = read.store->runs(filter);
  if (!runs) return store_failure(runs.error());
  if (from > through) return std::vector<PastSlot>{};
  const auto forgotten = forgotten_until(*read.store, job.uid, from);
  if (!forgotten) return store_failure(forgotten.error());
  const Fates fates(*runs, *forgotten);
  std::set<Time> slots = slots_by_definition(job, *past, from, through);
  fates.add_recorded(slots);
  if (slots.size() > kMostSlots || runs->size() >= kMostPastRows) return too_many(job);
  std::vector<PastSlot> found;
  for (const Time slot : slots) found.push_back(fates.of(slot));
  return found;
}

std::string shown_fate(const PastSlot& slot) {
  return slot.last ? describe(slot.last->state, slot.last->reason) : "nothing recorded";
}

}  // namespace cronce
