// Every rule on PostgreSQL over a bad line: at each of its calls the line does something else to
// one of the batches of which the call is made.
#include <cstdio>
#include <exception>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "test/contract/rules.h"
#include "test/postgres/postgres_doors.h"

namespace cronce::contract {
namespace {

std::unique_ptr<Store> make_store(const Clock& clock, Rng& rng) {
  return std::make_unique<PostgresDoors>(PostgresDoors::Way::bad_line, clock, rng);
}

PutBack image_of(Store& store) { return dynamic_cast<PostgresDoors&>(store).image(); }

constexpr StoreRow kLineRow{"line", make_store, image_of, true};

struct LinePlan {
  std::size_t call = 0;
  test::LineFault fault{};
  int batch = 0;  // of the call, from 0
};

/// How many calls it makes, whether the fault was met, and what the client did not know then.
struct LineRan {
  std::size_t calls = 0;
  bool met = false;
  std::size_t unknown_claims = 0;
};

LineRan run_line(const Rule& rule, const std::optional<LinePlan>& planned,
                 Settling settling = Settling::as_protocol) {
  World world(kLineRow, settling);
  LineRan ran;
  test::FaultProxy& line = PostgresDoors::bad_line();
  if (planned) {
    world.faulty().surround(
        planned->call, [&] { line.plan(planned->fault, planned->batch); },
        [&] { ran.met = line.was_met(); });
  }
  try {
    rule.check(world);
  } catch (const std::exception& e) {
    ADD_FAILURE() << rule.name << ": " << e.what();
  }
  ran.calls = world.faulty().calls();
  world.end();
  ran.unknown_claims = world.unknown_claims();
  return ran;
}

/// Not every call is made of as many batches as the fault waits for: a third of them must be met.
class BadLine : public ::testing::TestWithParam<Rule> {
 public:
  static void TearDownTestSuite() {
    std::printf("faults met %d, not met %d\n", met, not_met);
    if (met + not_met < 100) return;  // somebody chose a few
    EXPECT_GT(2 * met, not_met);
  }

 protected:
  static inline int met = 0, not_met = 0;
};

constexpr std::size_t kBatches = 3;  // of a call, that are met

LinePlan plan_of(std::size_t call, std::size_t which) {
  const std::size_t fault = which % test::kLineFaults.size();
  return {call, test::kLineFaults.at(fault),
          static_cast<int>(which / test::kLineFaults.size() % kBatches)};
}

bool meets(const Rule& rule, const LinePlan& planned) {
  SCOPED_TRACE(std::string(word(planned.fault)) + " at batch " + std::to_string(planned.batch) +
               " of call " + std::to_string(planned.call));
  return run_line(rule, planned).met;
}

/// One fault at one of its first calls, another for each rule; with CRONCE_EVERY_FAULT in the
/// environment each of them at each of the first batches of each call.
TEST_P(BadLine, holds) {
  const Rule& rule = GetParam();
  const auto number = static_cast<std::size_t>(std::atoi(rule.number().c_str() + 1));
  if (std::getenv("CRONCE_EVERY_FAULT") == nullptr) {
    const bool is_met = meets(rule, plan_of(1 + number % 4, number / 4));
    ++(is_met ? met : not_met);
    std::printf("%s: fault %s\n", rule.number().c_str(), is_met ? "met" : "not met");
    return;
  }
  const std::size_t calls = run_line(rule, std::nullopt).calls;
  std::size_t met_here = 0;
  for (std::size_t call = 1; call <= calls; ++call) {
    for (std::size_t i = 0; i < test::kLineFaults.size() * kBatches; ++i) {
      met_here += meets(rule, plan_of(call, i)) ? 1U : 0U;
    }
  }
  std::printf("%s: calls %zu, faults met %zu\n", rule.number().c_str(), calls, met_here);
}

INSTANTIATE_TEST_SUITE_P(Postgres, BadLine, ::testing::ValuesIn(all_rules()),
                         [](const auto& tested) { return std::string(tested.param.name); });

/// The line can do harm: who takes silence for a refusal does not know what it runs.
TEST(BadLine, catches_a_client_that_does_not_settle) {
  ::testing::TestPartResultArray ignored;
  std::size_t unknown = 0;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &ignored);
    for (const Rule& rule : all_rules()) {
      if (unknown > 0) break;
      for (const std::size_t call : {3U, 4U, 5U}) {
        const LinePlan lost{call, test::LineFault::lose_answer, 0};
        unknown += run_line(rule, lost, Settling::assume_lost).unknown_claims;
      }
    }
  }
  EXPECT_GT(unknown, 0U);
}

}  // namespace
}  // namespace cronce::contract
