// Nodes on a PostgreSQL server: what a SQLite file promises one host, on many; and one clear line
// for each way in which a server cannot be used.
#include <algorithm>
#include <csignal>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "store/open_store.h"
#include "test/node/world.h"
#include "test/support/postgres_server.h"

namespace cronce::test {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) {
    ++count;
  }
  return count;
}

/// Without their times.
std::vector<std::string> failures_told(const NodeProcess& node) {
  std::vector<std::string> found;
  std::istringstream log(node.log());
  for (std::string line; std::getline(log, line);) {
    const std::size_t at = line.find("the store failed");
    if (at != std::string::npos) found.push_back(line.substr(at));
  }
  return found;
}

void write_jobs(const World& world, int count) {
  std::string text = "jobs:\n";
  for (int i = 0; i < count; ++i) {
    text += fmt::format("  job-{}:\n    schedule: \"* * * * * *\"\n    run: \"{}\"\n", i,
                        world.telling());
  }
  world.write("jobs.yaml", text);
}

constexpr const char* kListeners =
    "SELECT count(*) FROM pg_stat_activity WHERE query = 'LISTEN cronce'";

/// A server for all tests, and a namespace of it for each.
class NodePostgres : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    server = std::make_unique<PostgresServer>(PostgresServerSettings{.fsync = true});
  }
  static void TearDownTestSuite() { server.reset(); }

  NodePostgres() {
    world_.store = server->conninfo();
    world_.name_space = testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  /// On a host of its own, as far as its state is concerned.
  NodeProcess& start(const std::string& name, const std::vector<std::string>& flags = {}) {
    world_.state = world_.path("state-" + name);
    std::vector<std::string> arguments{world_.path("jobs.yaml")};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return world_.start(name, arguments);
  }

  bool has_started_on(const std::string& node) const {
    return wait_until([&] {
      const auto starts = world_.starts();
      return std::any_of(starts.begin(), starts.end(),
                         [&](const Start& start) { return start.node == node; });
    });
  }

  void expect_clean() {
    world_.expect_once();
    world_.expect_growing_fences();
    const World::Said verdict = world_.command({"verify"});
    EXPECT_EQ(verdict.exit_code, 0) << verdict.text;
  }

  static std::unique_ptr<PostgresServer> server;
  World world_;
};
std::unique_ptr<PostgresServer> NodePostgres::server;

TEST_F(NodePostgres, two_nodes_run_each_slot_once_and_one_takes_over_from_the_other) {
  constexpr int kShared = 16;  // with fewer, one node may be the home of all of them
  write_jobs(world_, kShared);
  NodeProcess& a = start("a");
  NodeProcess& b = start("b");
  EXPECT_TRUE(has_started_on("a"));
  EXPECT_TRUE(has_started_on("b"));
  const World::Said nodes = world_.command({"nodes"});
  EXPECT_EQ(count_of(nodes.text, "silent"), 0U) << nodes.text;
  EXPECT_EQ(a.log().find(server->password()), std::string::npos);
  kill_with_keepers(a);
  const std::size_t before = world_.starts().size();
  EXPECT_TRUE(wait_until([&] { return world_.starts().size() >= before + 2 * kShared; }));
  b.send(SIGTERM);
  EXPECT_EQ(b.end(), 0);
  expect_clean();
}

TEST_F(NodePostgres, waits_for_a_server_that_is_away_and_comes_back_after_each_crash) {
  write_jobs(world_, 2);
  server->stop();
  NodeProcess& node = start("a");
  EXPECT_TRUE(node.says("warning waiting for the store: "));
  server->start();
  EXPECT_TRUE(node.says("ready node=a"));
  EXPECT_TRUE(world_.sees_slots(2));
  server->crash();
  EXPECT_TRUE(node.says("the store failed: connection to server"));
  server->start();
  EXPECT_TRUE(node.says("the store answers again"));
  const std::size_t before = world_.starts().size();
  EXPECT_TRUE(wait_until([&] { return world_.starts().size() >= before + 4; }));
  node.send(SIGTERM);
  EXPECT_EQ(node.end(), 0);
  EXPECT_EQ(count_of(node.log(), "waiting for the store"), 1U);
  const auto failures = failures_told(node);
  EXPECT_EQ(std::set<std::string>(failures.begin(), failures.end()).size(), failures.size());
  expect_clean();
  // What was missed is a range, and a history without an end in the ledger.
  const World::Said history = world_.command({"history", "job-0", "--limit", "50"});
  EXPECT_EQ(history.exit_code, 0) << history.text;
}

// Its next beat would come five seconds later.
TEST_F(NodePostgres, does_at_once_what_a_person_asks_for) {
  world_.lease = "60s";
  world_.write("jobs.yaml",
               fmt::format("jobs:\n  job:\n    schedule: \"0 0 1 1 *\"\n    run: \"{}\"\n",
                           world_.telling()));
  EXPECT_TRUE(start("a").says("registered"));
  EXPECT_TRUE(wait_until([&] { return server->ask(kListeners) == "1"; }));
  const auto last_beat = [&] {
    return server->ask(
        "SELECT max(changed) FROM cronce.nodes JOIN cronce.stores USING (ns) "
        "WHERE namespace = '" +
        world_.name_space + "'");
  };
  std::chrono::steady_clock::duration waited{};
  for (int i = 0; i < 3; ++i) {
    const std::string beat = last_beat();
    ASSERT_TRUE(wait_until([&] { return last_beat() != beat; }));
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(world_.command({"trigger", "job", "--wait"}).exit_code, 0);
    waited += std::chrono::steady_clock::now() - before;
  }
  EXPECT_LT(waited, std::chrono::seconds{10});
  EXPECT_EQ(world_.starts().size(), 3U);
}

TEST_F(NodePostgres, namespaces_share_a_server_and_nothing_else) {
  write_jobs(world_, 1);
  start("a");
  EXPECT_TRUE(world_.sees_slots(1));
  EXPECT_NE(world_.command({"jobs"}).text.find("job-0"), std::string::npos);
  world_.name_space += "-other";
  const World::Said nothing = world_.command({"jobs"});
  EXPECT_EQ(nothing.exit_code, 69);
  EXPECT_NE(nothing.text.find("no store '" + world_.name_space + "' at"), std::string::npos);
  NodeProcess& dry = start("b", {"--dry-run"});
  EXPECT_EQ(dry.end(), 0);
  EXPECT_TRUE(dry.says("there is no store at postgresql://cronce:***@"));
  EXPECT_EQ(server->ask("SELECT count(*) FROM cronce.stores WHERE namespace = '" +
                        world_.name_space + "'"),
            "0");
}

TEST_F(NodePostgres, a_role_without_rights_works_once_the_owner_has_made_the_tables) {
  server->ask("CREATE ROLE app LOGIN PASSWORD 'app'");
  server->ask("CREATE DATABASE small");
  world_.store = fmt::format("postgresql://app:app@127.0.0.1:{}/small", server->port());
  write_jobs(world_, 1);
  NodeProcess& refused = start("a", {"--store-wait", "0s"});
  EXPECT_EQ(refused.end(), 77);
  EXPECT_TRUE(refused.says("cronce store sql --grant app | psql small"));
  const std::string owner =
      fmt::format("postgresql://cronce:{}@127.0.0.1:{}/small", server->password(), server->port());
  world_.write("schema.sql", store_sql("app"));
  const std::string psql =
      fmt::format("psql -q -v ON_ERROR_STOP=1 -f {} '{}'", world_.path("schema.sql"), owner);
  EXPECT_EQ(std::system(psql.c_str()), 0);  // NOLINT: a test's own command
  EXPECT_EQ(std::system(psql.c_str()), 0);  // NOLINT: and again
  start("b");
  EXPECT_TRUE(world_.sees_slots(1));
  expect_clean();
}

TEST_F(NodePostgres, is_adopted_when_nobody_lives_there_and_backed_up_by_its_own_means) {
  write_jobs(world_, 1);
  NodeProcess& node = start("a");
  EXPECT_TRUE(world_.sees_slots(1));
  EXPECT_EQ(world_.command({"adopt"}).exit_code, 77);
  node.send(SIGTERM);
  EXPECT_EQ(node.end(), 0);
  const World::Said adopted = world_.command({"adopt"});
  EXPECT_EQ(adopted.exit_code, 0);
  EXPECT_NE(adopted.text.find("epoch 2"), std::string::npos) << adopted.text;
  EXPECT_EQ(adopted.text.find(server->password()), std::string::npos);
  const World::Said backup = world_.command({"backup", world_.path("copy")});
  EXPECT_EQ(backup.exit_code, 77);
  EXPECT_NE(backup.text.find("pg_dump"), std::string::npos);
}

// The standby is another server to the store: its epoch is closed until living nodes have told what
// they know, and then slots go on.
TEST(NodePostgresFailover, goes_on_with_the_standby) {
  PostgresServer primary({.fsync = true});
  const auto standby = primary.make_standby(true);
  World world;
  world.store = fmt::format(
      "postgresql://cronce:{}@127.0.0.1:{},127.0.0.1:{}/postgres?target_session_attrs=read-write",
      primary.password(), primary.port(), standby->port());
  write_jobs(world, 2);
  NodeProcess& node = world.start("a", {world.path("jobs.yaml")});
  EXPECT_TRUE(world.sees_slots(2));
  primary.kill();
  standby->promote();
  EXPECT_TRUE(node.says("the store answers again"));
  const std::size_t before = world.starts().size();
  EXPECT_TRUE(wait_until([&] { return world.starts().size() >= before + 4; }));
  EXPECT_EQ(standby->ask("SELECT epoch FROM cronce.stores"), "2");
  node.send(SIGTERM);
  EXPECT_EQ(node.end(), 0);
  world.expect_once();
  world.expect_growing_fences();
  const World::Said verdict = world.command({"verify"});
  EXPECT_EQ(verdict.exit_code, 0) << verdict.text;
}

// ---- servers that cannot be used

class NodePostgresWrong : public NodePostgres {
 protected:
  std::string address(const std::string& user, const std::string& password,
                      const std::string& rest) const {
    return fmt::format("postgresql://{}:{}@127.0.0.1:{}/{}", user, password, server->port(), rest);
  }

  /// Of a node and of a command that reads: one line that says so, and no password.
  void expect_refusal(const std::string& store, int exit_code, const std::string& words) {
    world_.store = store;
    write_jobs(world_, 1);
    NodeProcess& node = start("a", {"--store-wait", "0s"});
    EXPECT_EQ(node.end(), exit_code) << words;
    const World::Said read = world_.command({"jobs"});
    EXPECT_EQ(read.exit_code, exit_code) << words;
    for (const std::string& text : {node.log(), read.text}) {
      EXPECT_EQ(count_of(text, "\n"), 1U) << text;
      EXPECT_NE(text.find(words), std::string::npos) << text;
      EXPECT_EQ(text.find(server->password()), std::string::npos) << text;
    }
  }
};

TEST_F(NodePostgresWrong, nobody_listens) {
  expect_refusal("postgresql://cronce:open-sesame@127.0.0.1:1/postgres", 69, "Connection refused");
}

TEST_F(NodePostgresWrong, the_password) {
  expect_refusal(address("cronce", "guess", "postgres"), 77, "password authentication failed");
}

TEST_F(NodePostgresWrong, the_database) {
  expect_refusal(address("cronce", server->password(), "nowhere"), 77,
                 "database \"nowhere\" does not exist");
}

TEST_F(NodePostgresWrong, it_has_no_tls) {
  expect_refusal(address("cronce", server->password(), "postgres?sslmode=require"), 77,
                 "does not support SSL");
}

TEST_F(NodePostgresWrong, it_is_a_standby) {
  const auto standby = server->make_standby(false);
  write_jobs(world_, 1);
  EXPECT_EQ(start("b", {"--once-until-idle"}).end(), 0);
  const World::Said primary = world_.command({"doctor", "--json"});
  EXPECT_NE(primary.text.find("grade best effort"), std::string::npos) << primary.text;
  EXPECT_NE(primary.text.find("a standby follows, and no"), std::string::npos) << primary.text;
  expect_refusal(standby->conninfo(), 69, "the server is a standby");
}

TEST_F(NodePostgresWrong, it_is_read_only) {
  server->ask("CREATE DATABASE sealed");
  server->ask("ALTER DATABASE sealed SET default_transaction_read_only = on");
  world_.store = address("cronce", server->password(), "sealed");
  write_jobs(world_, 1);
  NodeProcess& node = start("a", {"--store-wait", "0s"});
  EXPECT_EQ(node.end(), 69);
  EXPECT_TRUE(node.says("read-only"));
}

TEST_F(NodePostgresWrong, it_forgets) {
  server->set("fsync", "off");
  expect_refusal(server->conninfo(), 77, "fsync off");
  server->set("fsync", "on");
}

// `doctor` says the same, with a remedy.

TEST_F(NodePostgresWrong, and_the_doctor_sees_it) {
  const World::Said away = world_.command({"doctor", "--json"});
  EXPECT_EQ(away.exit_code, 69) << away.text;
  EXPECT_NE(away.text.find("on this server"), std::string::npos) << away.text;
  write_jobs(world_, 1);
  NodeProcess& node = start("a");
  EXPECT_TRUE(world_.sees_slots(1));
  const World::Said well = world_.command({"doctor", "--json"});
  EXPECT_NE(well.text.find("fsync on, synchronous_commit on"), std::string::npos) << well.text;
  EXPECT_NE(well.text.find("1 node alive: a"), std::string::npos) << well.text;
  EXPECT_EQ(well.text.find("\"severity\":\"error\""), std::string::npos) << well.text;
  EXPECT_EQ(well.text.find(server->password()), std::string::npos);
  server->set("full_page_writes", "off");
  server->set("synchronous_commit", "off");
  const World::Said ill = world_.command({"doctor", "--json"});
  EXPECT_EQ(ill.exit_code, 1);
  EXPECT_NE(ill.text.find("full_page_writes is off"), std::string::npos) << ill.text;
  EXPECT_NE(ill.text.find("synchronous_commit is off"), std::string::npos) << ill.text;
  server->set("full_page_writes", "on");
  server->set("synchronous_commit", "on");
  node.send(SIGTERM);
  EXPECT_EQ(node.end(), 0);
}

}  // namespace
}  // namespace cronce::test
