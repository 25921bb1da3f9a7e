// What people did to a job, as `why` and `show` tell it.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cli/slot_story.h"

namespace cronce {

/// Of a job and of its shares; oldest first.
Result<std::vector<Intervention>, Refusal> read_interventions(const ReadStore& read,
                                                              const JobRow& job);

/// Those that concern a slot: what was asked about its attempts, and the pause or the end of the
/// job that it was skipped for.
std::vector<Intervention> concerning(const SlotStory& story, const std::vector<Intervention>& all);

/// `2026-03-29T04:07:25Z by alice@web-1: for the audit`
std::string shown_intervention(const Intervention& one);

/// `2026-03-29T01:30:00Z`, `manual/r-17`: the run that it was about; empty if it was the job.
std::string shown_subject(const Intervention& one);

/// `alice@web-1`, or `a person` where nobody said who it was.
std::string shown_person(const By& by);

/// Who paused the job; empty if no person did.
std::string who_paused(const JobRow& job, const std::vector<Intervention>& all);

json::object intervention_json(const Intervention& one);
json::array interventions_json(const std::vector<Intervention>& all);

}  // namespace cronce
