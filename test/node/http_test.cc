// Http actions on real nodes, against a server in the test: what it was asked, and how often, is
// the judge.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>

#include <fmt/format.h>

#include "base/text.h"
#include "keeper/user.h"
#include "test/node/world.h"
#include "test/support/http_server.h"

namespace cronce::test {
namespace {

namespace fs = std::filesystem;

std::string read_all(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A job that calls this address once.
std::string calling(const std::string& url, const std::string& http = "",
                    const std::string& keys = "") {
  return fmt::format(
      "jobs:\n  pay:\n    schedule: \"* * * * * *\"\n    between: {{max_runs: 1}}\n    http: "
      "{{url: \"{}\"{}}}\n{}",
      url, http, keys);
}

/// The first attempt that has ended; waits for it.
std::optional<Run> first_end(const World& world) {
  std::optional<Run> found;
  wait_until([&] {
    for (const Run& run : world.runs()) {
      const bool ended = run.finished_at.has_value() && run.started_at.has_value();
      if (ended && (!found || run.id.attempt < found->id.attempt)) found = run;
    }
    return found.has_value();
  });
  return found;
}

std::string_view last_line_of(const Run& run) { return last_line(run.output_tail); }

/// The process that makes the call; waits for it.
pid_t calling_process(const NodeProcess& node) {
  pid_t found = 0;
  wait_until([&] {
    for (const pid_t pid : node.keepers()) {
      const std::string command = read_all(fmt::format("/proc/{}/cmdline", pid));
      if (command.find(std::string("\0call\0", 6)) != std::string::npos) found = pid;
    }
    return found != 0;
  });
  return found;
}

std::int64_t status_number(pid_t pid, std::string_view name) {
  const std::string status = read_all(fmt::format("/proc/{}/status", pid));
  return std::stoll(status.substr(status.find(name) + name.size()));
}

TEST(NodeHttp, carries_the_call_and_who_it_is) {
  World world;
  HttpServer server(http_answer("201 Made", "made 1 invoice\n"));
  world.write("jobs.yaml", calling(server.url("/pay"),
                                   ", method: PUT, headers: {Authorization: Bearer s3cr3t, "
                                   "Content-Type: text/plain}, body: \"all\\nof \\u00e4\", "
                                   "expect: 201"));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  ASSERT_TRUE(server.sees(1));
  const auto run = first_end(world);
  ASSERT_TRUE(run);
  const SeenRequest request = server.requests().front();
  const std::string slot = print(run->id.slot);
  EXPECT_TRUE(request.has("PUT /pay HTTP/1.1")) << request.head;
  EXPECT_TRUE(request.has("Authorization: Bearer s3cr3t")) << request.head;
  EXPECT_TRUE(request.has("Content-Type: text/plain")) << request.head;
  EXPECT_TRUE(request.has("Idempotency-Key: " + run->key)) << request.head;
  EXPECT_TRUE(request.has("Cronce-Job: pay")) << request.head;
  EXPECT_TRUE(request.has("Cronce-Slot: " + slot)) << request.head << slot;
  EXPECT_TRUE(request.has("Cronce-Attempt: 1")) << request.head;
  EXPECT_TRUE(request.has(fmt::format("Cronce-Fence: {}", run->fence->value))) << request.head;
  EXPECT_NE(request.head.find("\nUser-Agent: cronce/"), std::string::npos) << request.head;
  EXPECT_EQ(request.body, "all\nof \xc3\xa4");

  EXPECT_EQ(run->state, RunState::succeeded);
  EXPECT_EQ(run->exit_code, std::nullopt);
  EXPECT_EQ(run->output_tail, "made 1 invoice\ncronce: HTTP 201\n");
  node.send(SIGTERM);
  EXPECT_EQ(node.end(), 0);
  EXPECT_EQ(node.log().find("s3cr3t"), std::string::npos);
}

TEST(NodeHttp, fails_by_another_status_and_is_tried_again_under_the_same_key) {
  World world;
  HttpServer server(http_answer("503 Busy", "come back later"));
  world.write("jobs.yaml", calling(server.url(), "", "    retries: {max: 1, backoff: 100ms}\n"));
  world.start("a", {world.path("jobs.yaml")});
  const auto run = first_end(world);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->state, RunState::failed);
  EXPECT_EQ(run->reason, Reason::http);
  EXPECT_EQ(run->exit_code, std::nullopt);
  EXPECT_EQ(run->output_tail, "come back later\ncronce: HTTP 503, expected 200-299\n");
  ASSERT_TRUE(server.sees(2));
  const auto requests = server.requests();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(requests[i].has("Idempotency-Key: " + run->key)) << requests[i].head;
    EXPECT_TRUE(requests[i].has(fmt::format("Cronce-Attempt: {}", i + 1))) << requests[i].head;
  }
}

TEST(NodeHttp, is_asked_once_when_it_hangs_up) {
  World world;
  HttpServer server("");
  world.write("jobs.yaml", calling(server.url(), ", body: pay"));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  const auto run = first_end(world);
  ASSERT_TRUE(run);
  node.send(SIGTERM);
  EXPECT_EQ(node.end(), 0);
  EXPECT_EQ(run->reason, Reason::http);
  EXPECT_EQ(last_line_of(*run), "cronce: no answer: Empty reply from server");
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(NodeHttp, says_that_nobody_listens) {
  World world;
  const DeafPort port;
  world.write("jobs.yaml", calling(port.url()));
  world.start("a", {world.path("jobs.yaml")});
  const auto run = first_end(world);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->state, RunState::failed);
  EXPECT_EQ(run->reason, Reason::http);
  EXPECT_TRUE(last_line_of(*run).starts_with("cronce: not sent: Failed to connect"))
      << run->output_tail;
}

TEST(NodeHttp, ends_by_its_timeout) {
  World world;
  HttpServer server([](HttpConnection& to) { to.wait(); });
  world.write("jobs.yaml", calling(server.url(), "", "    timeout: 500ms\n"));
  world.start("a", {world.path("jobs.yaml")});
  const auto run = first_end(world);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->state, RunState::timed_out);
}

/// Waits until a log of a run has this text.
bool logs_say(const World& world, const std::string& text) {
  return wait_until([&] {
    std::error_code none;
    for (const auto& entry :
         fs::recursive_directory_iterator(world.path("store/cronce.db-logs"), none)) {
      if (entry.is_regular_file() && read_all(entry.path()).find(text) != std::string::npos) {
        return true;
      }
    }
    return false;
  });
}

TEST(NodeHttp, is_cancelled_when_its_node_leaves) {
  World world;
  HttpServer server([](HttpConnection& to) {
    to.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nwait for it");
    to.wait();
  });
  world.write("jobs.yaml", calling(server.url()));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml"), "--drain", "200ms"});
  ASSERT_TRUE(logs_say(world, "wait for it"));
  node.send(SIGTERM);
  EXPECT_EQ(node.end(), 0);
  const auto run = first_end(world);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->state, RunState::cancelled);
  EXPECT_EQ(run->reason, Reason::drain);
  EXPECT_EQ(run->output_tail, "wait for it");
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(NodeHttp, ends_with_its_keeper) {
  World world;
  HttpServer server([](HttpConnection& to) { to.wait(); });
  world.write("jobs.yaml", calling(server.url()));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  ASSERT_TRUE(server.sees(1));
  const pid_t call = calling_process(node);
  ASSERT_NE(call, 0);
  kill(static_cast<pid_t>(status_number(call, "PPid:")), SIGKILL);
  const auto run = first_end(world);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->state, RunState::lost);
  EXPECT_EQ(run->reason, Reason::keeper);
}

TEST(NodeHttp, keeps_its_secrets_from_who_lists_processes) {
  World world;
  HttpServer server([](HttpConnection& to) { to.wait(); });
  world.write("jobs.yaml",
              calling(server.url("/s3cr3t"), ", headers: {Authorization: s3cr3t}, body: s3cr3t"));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  ASSERT_TRUE(server.sees(1));
  const SeenRequest request = server.requests().front();
  EXPECT_TRUE(request.has("Authorization: s3cr3t"));
  EXPECT_EQ(request.body, "s3cr3t");
  const pid_t call = calling_process(node);
  ASSERT_NE(call, 0);
  const auto read = [&](const char* file) {
    return read_all(fmt::format("/proc/{}/{}", call, file));
  };
  EXPECT_NE(read("cmdline").find("pay@"), std::string::npos);
  EXPECT_NE(read("environ").find("CRONCE_JOB=pay"), std::string::npos);
  for (const char* file : {"cmdline", "environ", "comm"}) {
    EXPECT_EQ(read(file).find("s3cr3t"), std::string::npos) << file;
  }
}

TEST(NodeHttp, keeps_the_end_of_a_long_answer_and_not_all_of_it_in_memory) {
  constexpr int kLines = 10'000;
  World world;
  std::promise<void> small;
  std::promise<void> sent;
  std::promise<void> measured;
  HttpServer server([&](HttpConnection& to) {
    small.get_future().wait_for(patience());
    to.send(fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", kLines * 1000 + 8));
    for (int i = 0; i < kLines; ++i) to.send(std::string(999, 'x') + "\n");
    sent.set_value();
    measured.get_future().wait_for(patience());
    to.send("the end\n");
  });
  world.write("jobs.yaml", calling(server.url(), "", "    output: {keep: 1KiB}\n"));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  ASSERT_TRUE(server.sees(1));
  const pid_t call = calling_process(node);
  ASSERT_NE(call, 0);
  const std::int64_t before = status_number(call, "VmRSS:");
  small.set_value();
  ASSERT_EQ(sent.get_future().wait_for(patience()), std::future_status::ready);
  EXPECT_LT(status_number(call, "VmRSS:") - before, 4'000) << "of 10,000 KiB";
  measured.set_value();
  const auto run = first_end(world);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->state, RunState::succeeded);
  EXPECT_LT(run->output_tail.size(), 1'200U);
  EXPECT_TRUE(run->output_tail.ends_with("xxx\nthe end\ncronce: HTTP 200\n")) << run->output_tail;
}

TEST(NodeHttp, is_made_by_the_user_that_the_job_names) {
  World world;
  HttpServer server([](HttpConnection& to) { to.wait(); });
  const User user = geteuid() == 0 ? find_user("nobody").value() : own_user();
  world.write("jobs.yaml", calling(server.url(), "", fmt::format("    user: \"{}\"\n", user.name)));
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  ASSERT_TRUE(server.sees(1));
  EXPECT_EQ(status_number(calling_process(node), "Uid:"), user.uid);
}

// A deploy replaces the file while the node runs on.
TEST(NodeHttp, needs_no_file_of_its_program) {
  World world;
  HttpServer server(http_answer("200 OK"));
  world.write("jobs.yaml", "jobs: {}\n");
  fs::copy_file(CRONCE_PROGRAM, world.path("cronce"));
  world.program = world.path("cronce");
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  ASSERT_TRUE(node.says("ready"));
  fs::remove(world.path("cronce"));
  std::ofstream(world.path("cronce")) << "#!/bin/sh\nexit 1\n";
  world.write("jobs.yaml", calling(server.url()));
  const auto run = first_end(world);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->state, RunState::succeeded) << run->output_tail;
  node.send(SIGTERM);
  EXPECT_EQ(node.end(), 0);
}

}  // namespace
}  // namespace cronce::test
