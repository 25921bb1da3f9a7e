// The judge of a chaos run: believes the jobs' own words, and holds the scheduler's against them.
//
// It knows the schedules as plain arithmetic (a job of every n seconds is due at each multiple of
// n), and never asks how long anything took.
#pragma once

#include <string>
#include <vector>

#include "test/chaos/evidence.h"

namespace cronce::chaos {

enum class Rule {
  twice,    // an attempt began twice, or a slot again that must not be run again
  overlap,  // two runs of a job were alive at the same moment
  fence,    // a run began with a fence that is not greater than the one before
  missing,  // a due slot without a record, or with one that is not an end
  extra,    // a record of no slot, or two of one attempt, or attempts without their first
  untrue,   // what is said of a run is not what it did
  early,    // a run began before its slot
  word,     // a person's word was not kept; see judge_acts.cc
  harness,  // something that has nothing to do with the rules above is broken
};
std::string name_of(Rule rule);

struct Violation {
  Rule rule;
  std::string what;
};

std::vector<Violation> judge(const Evidence& evidence);
/// A part of it: what people asked for, and what came of it.
std::vector<Violation> judge_acts(const Evidence& evidence);

/// Due slots of the window, and requests, that have no end yet: what is waited for before judging.
std::vector<Violation> find_missing(const Evidence& evidence);

}  // namespace cronce::chaos
