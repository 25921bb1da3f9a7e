// Several nodes see the same notice, and one of them tells it. The judge is what was told: a file
// that the command writes, or a server in the test.
#include <atomic>
#include <csignal>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "base/json.h"
#include "test/node/world.h"
#include "test/support/http_server.h"

namespace cronce::test {
namespace {

/// A job that fails so often, once a second.
std::string failing(int times, const std::string& notify) {
  return fmt::format(
      "jobs:\n  tick:\n    schedule: \"* * * * * *\"\n    catch_up: all\n    overlap: allow\n"
      "    between: {{max_runs: {}}}\n    run: \"exit 3\"\n    notify: {{on: failed, {}}}\n",
      times, notify);
}

/// What a command was told, as it wrote it.
struct ToldNotice {
  std::string event;
  std::string slot;
  std::string node;
  std::int64_t second = 0;  // when
};

/// The `command` that writes a line of ToldNotice, after `first`.
std::string noting(const World& world, const std::string& first = "") {
  return fmt::format(
      "command: \"{}echo $CRONCE_EVENT $CRONCE_SLOT $CRONCE_NODE $(date +%s) >> {}\"", first,
      world.path("told"));
}

std::vector<ToldNotice> told_in(const World& world) {
  std::ifstream text(world.path("told"));
  std::vector<ToldNotice> out;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    ToldNotice one;
    if (words >> one.event >> one.slot >> one.node >> one.second) out.push_back(one);
  }
  return out;
}

/// Of every line; twice if it was told twice.
std::multiset<std::string> slots_of(const std::vector<ToldNotice>& told) {
  std::multiset<std::string> slots;
  for (const ToldNotice& one : told) slots.insert(one.slot);
  return slots;
}

std::multiset<std::string> failed_slots(const World& world) {
  std::multiset<std::string> slots;
  for (const cronce::Run& run : world.runs()) {
    if (run.state == RunState::failed) slots.insert(print(run.id.slot));
  }
  return slots;
}

/// Afterwards nobody tells anything any more.
void expect_leave(const std::vector<NodeProcess*>& nodes) {
  for (const NodeProcess* node : nodes) node->send(SIGTERM);
  for (NodeProcess* node : nodes) EXPECT_EQ(node->end(), 0);
}

TEST(NodeNotify, each_failure_is_told_by_one_of_three_nodes) {
  constexpr std::size_t kRuns = 6;
  World world;
  world.write("jobs.yaml", failing(kRuns, noting(world)));
  std::vector<NodeProcess*> nodes;
  for (const char* name : {"a", "b", "c"}) {
    nodes.push_back(&world.start(name, {world.path("jobs.yaml")}));
  }
  EXPECT_TRUE(wait_until([&] { return told_in(world).size() >= kRuns; }));
  expect_leave(nodes);
  const auto told = told_in(world);
  EXPECT_EQ(slots_of(told), failed_slots(world));
  EXPECT_EQ(told.size(), kRuns);
  for (const ToldNotice& one : told) EXPECT_EQ(one.event, "failed");
}

TEST(NodeNotify, a_node_that_leaves_when_nothing_is_due_tells_before) {
  World world;
  world.write("jobs.yaml", failing(3, noting(world, "sleep 1; ")));
  // What is due is only what a job owes: another node knows the job before.
  NodeProcess& first = world.start("a", {world.path("jobs.yaml"), "--role", "scheduler"});
  EXPECT_TRUE(wait_until([&] { return world.runs().size() >= 3; }));
  first.send(SIGKILL);
  EXPECT_EQ(first.end(), 128 + SIGKILL);
  EXPECT_EQ(world.start("b", {world.path("jobs.yaml"), "--once-until-idle"}).end(), 0);
  const auto told = slots_of(told_in(world));
  EXPECT_EQ(told.size(), 3U);
  EXPECT_EQ(told, failed_slots(world));
}

TEST(NodeNotify, a_slot_that_no_node_can_run_is_told_as_late) {
  World world;
  world.write("jobs.yaml",
              fmt::format("jobs:\n  tick:\n    schedule: \"* * * * * *\"\n    catch_up: all\n"
                          "    overlap: allow\n    on: {{disk: ssd}}\n    run: \"true\"\n"
                          "    expect: {{within: 2s}}\n    notify: {{on: late, {}}}\n",
                          noting(world)));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  EXPECT_TRUE(wait_until([&] { return told_in(world).size() >= 3; }));
  expect_leave({&node});
  const auto told = told_in(world);
  const auto slots = slots_of(told);
  EXPECT_EQ(std::set<std::string>(slots.begin(), slots.end()).size(), slots.size()) << "told twice";
  std::set<std::string> known;
  for (const cronce::Run& run : world.runs()) known.insert(print(run.id.slot));
  for (const ToldNotice& one : told) {
    EXPECT_EQ(one.event, "late");
    EXPECT_TRUE(known.contains(one.slot)) << one.slot;
    const Time slot = parse_time(one.slot).value();
    EXPECT_GE(one.second, std::chrono::floor<Seconds>(slot).time_since_epoch().count() + 2);
  }
}

// ---- by a webhook

std::string header_of(const SeenRequest& request, const std::string& name) {
  const std::size_t at = request.head.find("\n" + name + ": ");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + name.size() + 3;
  return request.head.substr(begin, request.head.find('\r', begin) - begin);
}

std::string member_of(const SeenRequest& request, std::string_view name) {
  const auto body = json::parse(request.body);
  if (!body || !body->is_object()) return "no JSON: " + request.body;
  const auto found = json::find_string(body->as_object(), name);
  return found ? found->value_or("null") : "no text";
}

std::string calling_hook(const HttpServer& server) {
  return fmt::format("webhook: \"{}\"", server.url("/hook"));
}

TEST(NodeNotify, a_webhook_is_called_once_for_each_slot) {
  constexpr std::size_t kRuns = 3;
  World world;
  HttpServer server(http_answer("204 No Content"));
  world.write("jobs.yaml", failing(kRuns, calling_hook(server)));
  std::vector<NodeProcess*> nodes;
  for (const char* name : {"a", "b"}) {
    nodes.push_back(&world.start(name, {world.path("jobs.yaml")}));
  }
  EXPECT_TRUE(server.sees(kRuns));
  expect_leave(nodes);
  std::multiset<std::string> slots;
  std::set<std::string> keys;
  for (const SeenRequest& request : server.requests()) {
    EXPECT_TRUE(request.has("POST /hook HTTP/1.1")) << request.head;
    EXPECT_TRUE(request.has("Content-Type: application/json")) << request.head;
    EXPECT_EQ(member_of(request, "event"), "failed");
    EXPECT_EQ(member_of(request, "job"), "tick");
    EXPECT_EQ(member_of(request, "reason"), "exit");
    slots.insert(member_of(request, "slot"));
    keys.insert(header_of(request, "Idempotency-Key"));
  }
  EXPECT_EQ(slots, failed_slots(world));
  EXPECT_EQ(keys.size(), kRuns);
  EXPECT_FALSE(keys.contains(""));
}

TEST(NodeNotify, a_webhook_that_refuses_is_called_again_under_the_same_key) {
  World world;
  std::atomic<int> asked = 0;
  HttpServer server([&](HttpConnection& to) {
    to.send(http_answer(++asked == 1 ? "500 Broken" : "200 OK", "no room for news"));
  });
  world.write("jobs.yaml", failing(1, calling_hook(server)));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  EXPECT_TRUE(node.says("could not tell"));
  EXPECT_TRUE(node.says("HTTP 500"));
  ASSERT_TRUE(server.sees(2));
  EXPECT_TRUE(node.says(" told "));
  expect_leave({&node});
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(header_of(requests[0], "Idempotency-Key"), header_of(requests[1], "Idempotency-Key"));
  EXPECT_EQ(requests[0].body, requests[1].body);
}

TEST(NodeNotify, what_a_killed_node_was_telling_another_one_tells_under_the_same_key) {
  World world;
  std::atomic<int> asked = 0;
  HttpServer server([&](HttpConnection& to) {
    if (++asked == 1) return to.wait();
    to.send(http_answer("200 OK"));
  });
  world.write("jobs.yaml", failing(1, calling_hook(server)));
  std::map<std::string, NodeProcess*> nodes;
  for (const char* name : {"a", "b"}) nodes[name] = &world.start(name, {world.path("jobs.yaml")});
  ASSERT_TRUE(server.sees(1));
  const std::string teller = member_of(server.requests().front(), "told_by");
  ASSERT_TRUE(nodes.contains(teller)) << teller;
  for (const auto& [name, node] : nodes) EXPECT_TRUE(node->says("ready")) << name;
  kill_with_keepers(*nodes.at(teller));
  nodes.erase(teller);
  ASSERT_TRUE(server.sees(2));
  EXPECT_TRUE(nodes.begin()->second->says(" told "));
  expect_leave({nodes.begin()->second});
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(header_of(requests[0], "Idempotency-Key"), header_of(requests[1], "Idempotency-Key"));
  EXPECT_EQ(member_of(requests[1], "slot"), member_of(requests[0], "slot"));
  EXPECT_EQ(member_of(requests[1], "told_by"), nodes.begin()->first);
}

TEST(NodeNotify, a_webhook_that_never_answers_does_not_keep_a_node) {
  World world;
  HttpServer server([](HttpConnection& to) { to.wait(); });
  world.write("jobs.yaml", failing(1, calling_hook(server)));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  ASSERT_TRUE(server.sees(1));
  const auto before = std::chrono::steady_clock::now();
  expect_leave({&node});
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds{20});
}

}  // namespace
}  // namespace cronce::test
