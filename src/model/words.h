// The word for each value of a closed list, as files, stores, logs and people read it.
//
// One table per enumeration, in the order of its enumerators; word() and from_word() are the only
// ways between the two.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "model/job.h"
#include "model/operation.h"
#include "model/run.h"
#include "model/schedule_spec.h"

namespace cronce {

template <class E>
struct Words;

template <class E>
constexpr std::string_view word(E value) {
  return Words<E>::kList[static_cast<std::size_t>(value)];
}

template <class E>
constexpr std::optional<E> from_word(std::string_view text) {
  for (std::size_t i = 0; i < Words<E>::kList.size(); ++i) {
    if (Words<E>::kList[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

template <std::size_t Count>
using WordList = std::array<std::string_view, Count>;

template <>
struct Words<Gap> {
  static constexpr WordList<2> kList{"jump", "skip"};
};
template <>
struct Words<Fold> {
  static constexpr WordList<3> kList{"first", "second", "both"};
};
template <>
struct Words<Overlap> {
  static constexpr WordList<4> kList{"skip", "queue", "replace", "allow"};
};
template <>
struct Words<CatchUp::Mode> {
  static constexpr WordList<3> kList{"none", "latest", "all"};
};
template <>
struct Words<OnLost> {
  static constexpr WordList<3> kList{"skip", "rerun", "hold"};
};
template <>
struct Words<OnLeaseLoss> {
  static constexpr WordList<2> kList{"kill", "continue"};
};
template <>
struct Words<EnvBase> {
  static constexpr WordList<2> kList{"node", "cron"};
};
template <>
struct Words<Space> {
  static constexpr WordList<3> kList{"slot", "manual", "boot"};
};
template <>
struct Words<RunKind> {
  static constexpr WordList<6> kList{"scheduled", "exec", "backfill", "manual", "retry", "rerun"};
};
template <>
struct Words<Intervention::What> {
  static constexpr WordList<10> kList{"pause",    "resume", "trigger", "cancel", "release",
                                      "backfill", "retire", "recede",  "adopt",  "accept clock"};
};
template <>
struct Words<RunState> {
  static constexpr WordList<10> kList{"pending", "held",      "running",   "returned", "succeeded",
                                      "failed",  "timed_out", "cancelled", "skipped",  "lost"};
};
template <>
struct Words<Reason> {
  static constexpr WordList<29> kList{"",
                                      "overlap",
                                      "missed",
                                      "paused",
                                      "past",
                                      "calendar",
                                      "guard",
                                      "at_least_for",
                                      "retired",
                                      "max_runs",
                                      "superseded",
                                      "replaced",
                                      "queue_full",
                                      "expired",
                                      "no_node",
                                      "node_absent",
                                      "civil_repeat",
                                      "store_regressed",
                                      "exit",
                                      "signal",
                                      "spawn",
                                      "http",
                                      "retries_exhausted",
                                      "operator",
                                      "drain",
                                      "node",
                                      "keeper",
                                      "regressed",
                                      "late"};
};

template <>
struct Words<Refused> {
  static constexpr WordList<14> kList{"",       "ended",   "closed",  "gone",    "moved",
                                      "future", "too_old", "paused",  "retired", "busy",
                                      "full",   "stale",   "invalid", "clock"};
};
template <>
struct Words<Registered> {
  static constexpr WordList<6> kList{"current",  "superseded", "conflict",
                                     "numbered", "owing",      "early"};
};
template <>
struct Words<KeyState> {
  static constexpr WordList<5> kList{"absent", "running", "done", "failed", "lost"};
};

}  // namespace cronce
