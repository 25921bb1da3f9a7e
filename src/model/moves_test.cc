#include "model/moves.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/words.h"

namespace cronce {
namespace {

/// The table of the protocol: from | to | by | live. `-` is no row. Decide stands for run, enqueue
/// and skip; control for trigger, backfill, release and cancel; finish for retry, return, the node
/// itself and the late finish; sweep for rerun and hold; enroll for register.
constexpr const char* kProtocol = R"(
- | running | decide exec | +1
- | pending | decide control finish sweep | 0
- | skipped | decide | 0
- | held | sweep | 0
pending | running | take | +1
pending | skipped | decide sweep enroll finish | 0
pending held | cancelled | control | 0
held | pending | control | 0
running | succeeded failed timed_out cancelled | finish | -1
running | skipped | finish | -1
running | returned | finish | -1
running | lost | sweep finish | -1
lost | succeeded failed timed_out cancelled | finish | 0
- pending | running | remember | +1
- pending | lost | remember | 0
succeeded failed timed_out cancelled skipped lost returned | - | purge | 0
)";

/// What other sentences of the protocol add: an `at` that is over at its first registration, what a
/// pause covered, pending runs of a job that a person retires, a run that its own node calls lost
/// under `on_lost: hold`, an attempt that a late success made pointless, a slot that `exec` finds
/// busy, a claim put back whose release was forgotten too, and live runs that nobody alive names
/// after a store forgot (docs/decisions/0025).
constexpr const char* kElsewhere = R"(
- | skipped | enroll control exec | 0
pending | skipped | control take | 0
- | held | finish | 0
held | running | remember | +1
held | lost | remember | 0
running | lost | remember | -1
)";

std::string name_of(std::optional<RunState> state) {
  return state ? std::string(word(*state)) : "-";
}

std::string name_of(Mover by) {
  constexpr const char* kNames[] = {"decide", "exec",    "take",     "finish", "sweep",
                                    "enroll", "control", "remember", "purge"};
  return kNames[static_cast<std::size_t>(by)];
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string one; in >> one;) words.push_back(one);
  return words;
}

/// `pending -> running by take (+1)`, for each combination of a line.
void add_lines(const char* table, std::multiset<std::string>& moves) {
  std::istringstream in(table);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> parts;
    std::istringstream fields(line);
    for (std::string part; std::getline(fields, part, '|');) parts.push_back(part);
    if (parts.size() != 4) continue;
    for (const auto& from : words_of(parts[0])) {
      for (const auto& to : words_of(parts[1])) {
        for (const auto& by : words_of(parts[2])) {
          moves.insert(fmt::format("{} -> {} by {} ({})", from, to, by, words_of(parts[3])[0]));
        }
      }
    }
  }
}

TEST(Moves, are_the_table_of_the_protocol_and_no_more) {
  std::multiset<std::string> written, built;
  add_lines(kProtocol, written);
  add_lines(kElsewhere, written);
  for (const Move& move : legal_moves()) {
    const std::string live = move.live > 0 ? "+1" : move.live < 0 ? "-1" : "0";
    built.insert(name_of(move.from) + " -> " + name_of(move.to) + " by " + name_of(move.by) + " (" +
                 live + ")");
  }
  EXPECT_EQ(built, written);
}

TEST(Moves, reach_every_state_and_leave_every_one_that_has_ended) {
  std::set<RunState> reached;
  for (std::size_t before = 0; before <= reached.size(); ++before) {
    for (const Move& move : legal_moves()) {
      if (move.to && (!move.from || reached.contains(*move.from))) reached.insert(*move.to);
    }
  }
  EXPECT_EQ(reached.size(), Words<RunState>::kList.size());
  for (const RunState state : reached) {
    EXPECT_EQ(is_ended(state), find_move(state, std::nullopt, Mover::purge).has_value())
        << word(state);
  }
}

TEST(Moves, count_live_runs_as_the_states_do) {
  const auto alive = [](std::optional<RunState> state) {
    return state == RunState::running ? 1 : 0;
  };
  for (const Move& move : legal_moves()) {
    EXPECT_EQ(move.live, alive(move.to) - alive(move.from))
        << name_of(move.from) << " -> " << name_of(move.to);
  }
}

TEST(Moves, never_leave_an_end_but_by_a_late_finish) {
  for (const Move& move : legal_moves()) {
    if (!move.from || !is_ended(*move.from) || !move.to) continue;
    EXPECT_EQ(*move.from, RunState::lost);
    EXPECT_EQ(move.by, Mover::finish);
  }
}

TEST(Moves, that_are_not_in_the_table_are_not_found) {
  EXPECT_FALSE(find_move(RunState::succeeded, RunState::running, Mover::take));
  EXPECT_FALSE(find_move(RunState::pending, RunState::running, Mover::decide));
  EXPECT_FALSE(find_move(RunState::held, RunState::running, Mover::take));
  EXPECT_TRUE(find_move(RunState::pending, RunState::running, Mover::take));
}

}  // namespace
}  // namespace cronce
