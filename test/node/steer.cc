#include "test/node/steer.h"

#include <algorithm>

#include "base/clock.h"
#include "base/rng.h"
#include "store/open_store.h"

namespace cronce::test {

std::size_t count_lines(const World& world, const std::string& beginning) {
  const auto lines = world.lines();
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(),
                    [&](const std::string& line) { return line.starts_with(beginning); }));
}

void expect_said(const World::Said& said, int exit_code, const std::string& text) {
  EXPECT_EQ(said.exit_code, exit_code) << said.text;
  EXPECT_NE(said.text.find(text), std::string::npos) << said.text;
}

NodeProcess& start_ready(World& world, const std::string& name) {
  NodeProcess& node = world.start(name, {world.path("jobs.yaml")});
  EXPECT_TRUE(node.says("ready"));
  return node;
}

std::uint64_t beats_so_far(const World& world) {
  Rng rng(random_seed());
  const auto store = open_store(world.store, {}, system_clock(), rng);
  EXPECT_TRUE(store.ok());
  const auto nodes = store ? (*store)->nodes() : Error{};
  return nodes && !nodes->empty() ? nodes->front().beat.value : 0;
}

}  // namespace cronce::test
