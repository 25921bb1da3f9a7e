// All that is known of one slot: what `why` tells.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/shown_node.h"
#include "cli/slot_args.h"

namespace cronce {

/// How much the ledger knows of it.
enum class Verdict : std::uint8_t {
  recorded,    // it has rows
  in_range,    // it was settled together with others
  future,      // it is not due yet
  owed,        // it is due, and nobody has decided it yet
  purged,      // it was settled, and its record is gone
  before,      // the job, or this schedule of it, began later
  not_a_slot,  // the schedule has no such time
};

struct SlotStory {
  AskedSlot asked;
  Verdict verdict = Verdict::recorded;
  std::vector<Run> attempts;          // oldest first
  std::optional<Run> range;           // that covers it
  std::optional<Run> in_the_way;      // of a slot that was skipped for it
  std::optional<Time> before, after;  // the nearest slots of the schedule
  std::vector<Node> nodes;
  std::vector<Intervention> interventions;  // that concern it; see cli/interventions.h
  std::string home;                         // the node that would decide it, if one is alive

  bool is_slot() const { return asked.any_attempt.space == Space::slot; }
  Time slot() const { return asked.any_attempt.slot; }
};

Result<SlotStory, Refusal> read_story(const ReadStore& read, const AskedSlot& asked,
                                      const Console& console);

/// `recorded`, `in_range`, ...
std::string_view word_of(Verdict verdict);

/// Why the slot is what it is, in one sentence.
std::string explain_story(const SlotStory& story, const ReadStore& read);

/// The rule by which a row has its state: `another run of the job was alive ...`.
std::string explain_state(const Run& run, const Job& job);

/// How an attempt came about: `retry: the attempt before failed ...`.
std::string explain_kind(const Run& run);

}  // namespace cronce
