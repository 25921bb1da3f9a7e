#include "test/node/keys.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/rng.h"
#include "store/open_store.h"

namespace cronce::test {

std::string job_each_second(const std::string& keys, const std::string& command) {
  return fmt::format("jobs:\n  job:\n    schedule: \"* * * * * *\"\n{}    run: \"{}\"\n", keys,
                     command);
}

std::string job_on_request(const std::string& keys, const std::string& command) {
  return fmt::format("jobs:\n  job:\n    schedule: \"0 0 1 1 *\"\n{}    run: \"{}\"\n", keys,
                     command);
}

std::string until_gate(const World& world) {
  return fmt::format("until [ -e {} ]; do sleep 0.05; done; echo end >> {}", world.path("gate"),
                     world.path("witness"));
}

bool saw_two_at_a_time(const World& world) {
  int alive = 0;
  for (const std::string& line : world.lines()) {
    if (line.starts_with("start ")) ++alive;
    if (line == "end") --alive;
    if (alive > 1) return true;
  }
  return false;
}

JobUid uid_of(const World& world, const std::string& job) {
  Rng rng(random_seed());
  const auto store = open_store(world.store, {}, system_clock(), rng);
  EXPECT_TRUE(store.ok());
  const auto rows = store ? (*store)->jobs() : Error{};
  if (!rows) return {};
  for (const JobRow& row : *rows) {
    if (row.definition->name.text() == job) return row.uid;
  }
  ADD_FAILURE() << "no job " << job;
  return {};
}

std::vector<Row> rows_of(const World& world, Time slot) {
  std::vector<Row> rows = world.runs();
  std::erase_if(rows, [&](const Row& run) {
    return run.id.slot > slot || run.slot_to.value_or(run.id.slot) < slot;
  });
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.id.attempt < b.id.attempt; });
  return rows;
}

Time wall_time() { return system_clock().wall(); }

}  // namespace cronce::test
