// What is asked of the store and what it answers, in the words of the trace.
//
// States, reasons and refusals are those of describe(); jobs and nodes have their names.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/action.h"

namespace cronce::scenario {

struct Words {
  std::function<std::string(JobUid)> job;
  std::function<std::string(const Incarnation&)> node;

  /// `billing@2026-01-01T00:00:10Z #1`
  std::string run(const RunId& id) const;

  /// What is under way: `decide billing@...`
  std::string ask(const WriteAsk& ask) const;

  /// What was asked and what came of it, a line for each part: `decides billing@...: running`. An
  /// empty decide says nothing.
  std::vector<std::string> lines(const WriteAsk& ask, const Outcome& outcome) const;

  /// `refused, moved, winner b`
  static std::string refusal(Refused refused, const std::string& winner = "");
};

}  // namespace cronce::scenario
