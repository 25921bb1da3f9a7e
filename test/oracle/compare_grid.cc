#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <utility>

#include "test/oracle/compare.h"
#include "test/oracle/generate.h"
#include "test/oracle/question.h"

namespace oracle {
namespace {

using Instants = std::vector<std::int64_t>;

constexpr std::size_t kMostSlots = 1'000'000;  // more than any window here has seconds

// after < t <= through: at least three hours on both sides, and past all that the shift touches.
struct Window {
  explicit Window(const Transition& transition)
      : at(transition.at), shift(std::abs(transition.after - transition.before)) {
    const std::int64_t reach = std::max<std::int64_t>(3 * 3600, shift + 2 * 3600);
    after = at - reach;
    through = at + reach;
  }

  std::int64_t at;
  std::int64_t shift;
  std::int64_t after;
  std::int64_t through;
};

std::vector<cronce::Time> as_times(const Instants& instants) {
  std::vector<cronce::Time> times;
  for (const std::int64_t instant : instants) times.push_back(as_time(instant));
  return times;
}

std::string list(const std::vector<cronce::Time>& times) {
  std::string text = std::to_string(times.size()) + ":";
  for (const cronce::Time time : times) text += " " + words(time);
  return text;
}

std::optional<std::string> list_differs(const Question& question, const Window& window,
                                        const Instants& expected) {
  const cronce::Time after = as_time(window.after);
  const cronce::Time through = as_time(window.through);
  const std::vector<cronce::Time> times = as_times(expected);
  const std::vector<cronce::Time> program = question.schedule.slots(after, through, kMostSlots);
  const std::int64_t count = question.schedule.count(after, through);
  if (program == times && count == static_cast<std::int64_t>(times.size())) return std::nullopt;
  return disagreement(question.words("slots around", window.at),
                      list(program) + " (count " + std::to_string(count) + ")", list(times));
}

// What lies before the window is not judged, but must lie there.
bool is_last(std::optional<cronce::Time> program, const Instants& expected, const Window& window,
             std::int64_t t) {
  const auto later = std::upper_bound(expected.begin(), expected.end(), t);
  if (later == expected.begin()) return !program || *program <= as_time(window.after);
  return program == as_time(*std::prev(later));
}

// Looking back from the instants where it is hardest.
std::optional<std::string> looking_back_differs(const Question& question, const Window& window,
                                                const Instants& expected) {
  for (const std::int64_t t : {window.at - 1, window.at, window.at + window.shift / 2,
                               window.at + window.shift, window.through}) {
    const auto program = question.schedule.last_at_or_before(as_time(t));
    if (is_last(program, expected, window, t)) continue;
    return disagreement(question.words("last at or before", t), words(program),
                        "the newest of " + list(as_times(expected)));
  }
  return std::nullopt;
}

void compare_around(const Question& question, const Window& window, Tally& tally) {
  const Instants expected = question.expected(window.after, window.through);
  ++tally.cases;
  ++tally.near;
  tally.slots += expected.size();
  auto difference = list_differs(question, window, expected);
  if (!difference) difference = looking_back_differs(question, window, expected);
  if (difference) tally.differ(std::move(*difference));
}

void compare_transitions(const Question& question, Tally& tally) {
  for (const Transition& transition : question.zone.transitions(0, kEndOf2037)) {
    compare_around(question, Window(transition), tally);
  }
}

void compare_zone(const Zone& zone, Tally& tally) {
  constexpr std::array<Rule, 5> kOtherRules{{{Gap::jump, Fold::second},
                                             {Gap::jump, Fold::both},
                                             {Gap::skip, Fold::first},
                                             {Gap::skip, Fold::second},
                                             {Gap::skip, Fold::both}}};
  for (std::size_t shape = 0; shape < kShapes; ++shape) {
    const char* text = grid_shapes()[shape];
    compare_transitions(Question(text, zone, Rule{}), tally);
    if (shape % 5 != 0) continue;
    for (const Rule rule : kOtherRules) compare_transitions(Question(text, zone, rule), tally);
  }
}

}  // namespace

Tally compare_grid(const std::vector<Zone>& zones) {
  return share_out(zones.size(),
                   [&](std::uint64_t number, Tally& tally) { compare_zone(zones[number], tally); });
}

}  // namespace oracle
