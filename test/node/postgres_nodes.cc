#include "test/node/postgres_nodes.h"

#include <algorithm>
#include <csignal>
#include <sstream>

#include <fmt/format.h>

namespace cronce::test {

NodesOnPostgres::NodesOnPostgres() : server_(&shared_server()) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  world_.name_space = fmt::format("{}.{}", test->test_suite_name(), test->name());
  std::replace(world_.name_space.begin(), world_.name_space.end(), '/', '-');
  world_.store = server_->conninfo();
  world_.lease = "5s";
}

PostgresServer& NodesOnPostgres::shared_server() {
  static PostgresServer server({.fsync = true});
  return server;
}

void NodesOnPostgres::use(const PostgresServer& server) {
  server_ = const_cast<PostgresServer*>(&server);
  world_.store = server.conninfo();
}

std::string NodesOnPostgres::address(int port) const {
  return fmt::format(
      "postgresql://cronce:{}@127.0.0.1:{}/postgres?sslmode=disable&gssencmode=disable",
      server_->password(), port);
}

std::string NodesOnPostgres::job(const std::string& name, const std::string& command,
                                 const std::vector<std::string>& keys) const {
  std::string text = fmt::format("  {}:\n    schedule: \"* * * * * *\"\n    run: \"{}\"\n", name,
                                 world_.telling(command));
  for (const std::string& key : keys) text += "    " + key + "\n";
  return text;
}

std::string NodesOnPostgres::steady_job(const std::string& name) const {
  return job(name, "", {"catch_up: all", "overlap: allow", "on_lost: rerun"});
}

std::string NodesOnPostgres::ticking() const {
  return fmt::format(
      "while :; do echo tick $CRONCE_JOB $CRONCE_FENCE $CRONCE_NODE >> {}; sleep 0.1; done",
      world_.path("witness"));
}

void NodesOnPostgres::write_jobs(const std::string& jobs, const std::string& file) const {
  world_.write(file, "jobs:\n" + jobs);
}

NodeProcess& NodesOnPostgres::start(const std::string& name, const std::vector<std::string>& flags,
                                    const std::map<std::string, std::string>& environment) {
  std::vector<std::string> arguments{world_.path("jobs.yaml")};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return start_with(name, arguments, environment);
}

NodeProcess& NodesOnPostgres::start_with(const std::string& name,
                                         const std::vector<std::string>& arguments,
                                         const std::map<std::string, std::string>& environment) {
  const std::string direct = world_.store;
  world_.store = address(line(name).port());
  world_.state = world_.path("state-" + name);
  std::vector<std::string> all = arguments;
  all.insert(all.end(), {"--drain", "1s", "--no-watch"});
  NodeProcess& made = world_.start(name, all, environment);
  world_.store = direct;
  nodes_[name] = &made;
  return made;
}

FaultProxy& NodesOnPostgres::line(const std::string& name) {
  auto& line = lines_[name];
  if (!line) line = std::make_unique<FaultProxy>(server_->port());
  return *line;
}

void NodesOnPostgres::leave(const std::vector<std::string>& names) {
  for (const std::string& name : names) node(name).send(SIGTERM);
  for (const std::string& name : names) EXPECT_EQ(node(name).end(), 0) << name;
}

// ---- the witness

std::vector<Start> NodesOnPostgres::starts_of(const std::string& job) const {
  auto found = world_.starts();
  std::erase_if(found, [&](const Start& start) { return start.job != job; });
  return found;
}

bool NodesOnPostgres::sees_start(const std::string& job, const std::string& node) const {
  return wait_until([&] {
    const auto all = starts_of(job);
    return std::any_of(all.begin(), all.end(),
                       [&](const Start& start) { return start.node == node; });
  });
}

bool NodesOnPostgres::sees_more(std::size_t starts) const {
  const std::size_t before = world_.starts().size();
  return wait_until([&] { return world_.starts().size() >= before + starts; });
}

std::set<Time> NodesOnPostgres::slots_of(const std::string& job) const {
  std::set<Time> slots;
  for (const Start& start : starts_of(job)) slots.insert(start.slot);
  return slots;
}

std::string NodesOnPostgres::last_node(const std::string& job) const {
  const auto all = starts_of(job);
  return all.empty() ? "" : all.back().node;
}

std::size_t NodesOnPostgres::ticks() const {
  const auto lines = world_.lines();
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(),
                    [](const std::string& line) { return line.starts_with("tick "); }));
}

std::string NodesOnPostgres::ask_ledger(const std::string& what, const std::string& where) const {
  return server_->ask(fmt::format("SELECT {} FROM cronce.ledger WHERE namespace = '{}' AND {}",
                                  what, world_.name_space, where));
}

// ---- what must hold

void NodesOnPostgres::expect_each_slot_once() const {
  std::set<std::pair<std::string, Time>> seen;
  for (const Start& start : world_.starts()) {
    EXPECT_TRUE(seen.insert({start.job, start.slot}).second)
        << start.job << "@" << print(start.slot) << " started twice";
  }
}

bool NodesOnPostgres::has_no_gaps(const std::string& job) const {
  const auto slots = slots_of(job);
  return !slots.empty() && *slots.rbegin() - *slots.begin() == Seconds{slots.size() - 1};
}

void NodesOnPostgres::expect_no_overlap() const {
  std::map<std::string, std::uint64_t> newest;
  for (const std::string& line : world_.lines()) {
    std::istringstream words(line);
    std::string word, name, rest;
    std::uint64_t fence = 0;
    words >> word >> name;
    if (word == "start") words >> rest >> rest >> newest[name];
    if (word != "tick" || !(words >> fence)) continue;
    EXPECT_GE(fence, newest[name]) << name << " ran on beside its next run";
  }
}

void NodesOnPostgres::expect_clean() {
  world_.expect_once();
  const World::Said verdict = world_.command({"verify"});
  EXPECT_EQ(verdict.exit_code, 0) << verdict.text;
}

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) {
    ++count;
  }
  return count;
}

}  // namespace cronce::test
