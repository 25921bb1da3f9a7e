#include <array>
#include <optional>
#include <utility>

#include "test/oracle/compare.h"
#include "test/oracle/generate.h"
#include "test/oracle/question.h"

namespace oracle {
namespace {

// The oracle's years end; what the program finds beyond them is not judged.
bool same(std::optional<cronce::Time> program, std::optional<std::int64_t> expected) {
  if (expected) return program == as_time(*expected);
  return !program || *program > as_time(kLastInstant) || *program <= as_time(kFirstInstant);
}

// Slots are whole seconds: a fraction must change nothing.
cronce::Time asked(const Case& made) {
  return as_time(made.at) + std::chrono::milliseconds{made.millis};
}

// The four slots that follow; says in words where the two part.
std::optional<std::string> chain_differs(const Question& question, const Case& made, Tally& tally) {
  std::int64_t t = made.at;
  for (int slot = 1; slot <= 4; ++slot) {
    const auto expected = first_after(question.expr, question.zone, question.rule, t);
    const auto program = question.schedule.first_after(slot == 1 ? asked(made) : as_time(t));
    if (!same(program, expected)) {
      return disagreement(question.words("first after", t), words(program), words(expected));
    }
    if (!expected) return std::nullopt;
    ++tally.slots;
    t = *expected;
    const std::int64_t count = question.schedule.count(asked(made), as_time(t));
    if (count != slot) {
      return disagreement(question.words("count through", t), std::to_string(count),
                          std::to_string(slot));
    }
  }
  return std::nullopt;
}

std::optional<std::string> last_differs(const Question& question, const Case& made) {
  const auto expected = last_at_or_before(question.expr, question.zone, question.rule, made.at);
  const auto program = question.schedule.last_at_or_before(asked(made));
  if (same(program, expected)) return std::nullopt;
  return disagreement(question.words("last at or before", made.at), words(program),
                      words(expected));
}

void compare_case(const Case& made, const Zone& zone, Tally& tally) {
  ++tally.cases;
  if (near_transition(zone, made.at)) ++tally.near;
  const Question question(made.text, zone, made.rule);
  auto difference = chain_differs(question, made, tally);
  if (!difference) difference = last_differs(question, made);
  if (difference) tally.differ(std::move(*difference));
}

void compare_count(const Case& made, const Zone& zone, std::int64_t length, Tally& tally) {
  ++tally.cases;
  if (near_transition(zone, made.at)) ++tally.near;
  const Question question(made.text, zone, made.rule);
  const std::int64_t through = made.at + length;
  const std::size_t expected = question.expected(made.at, through).size();
  const std::int64_t program = question.schedule.count(asked(made), as_time(through));
  tally.slots += expected;
  if (program == static_cast<std::int64_t>(expected)) return;
  tally.differ(
      disagreement(question.words("count after", made.at) + " through " + words(as_time(through)),
                   std::to_string(program), std::to_string(expected)));
}

}  // namespace

Tally compare_random(const std::vector<Zone>& zones, std::uint64_t seed, std::uint64_t cases) {
  return share_out(cases, [&](std::uint64_t number, Tally& tally) {
    const Case made = make_case(seed, number, zones);
    compare_case(made, zones[made.zone], tally);
  });
}

Tally compare_counts(const std::vector<Zone>& zones, std::uint64_t seed, std::uint64_t cases) {
  return share_out(cases, [&](std::uint64_t number, Tally& tally) {
    constexpr std::array<std::int64_t, 3> kLengths{3600, kDay, 14 * kDay};
    const Case made = make_case(seed, number, zones);
    compare_count(made, zones[made.zone], kLengths[number % 3], tally);
  });
}

}  // namespace oracle
