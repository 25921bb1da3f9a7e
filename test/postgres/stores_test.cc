// scripts/stores: the servers that people try cronce with.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/inspect.h"
#include "store/open_store.h"
#include "store/postgres/session.h"
#include "test/support/manual_clock.h"
#include "test/support/scratch.h"
#include "test/support/server_folder.h"

namespace cronce {
namespace {

struct Said {
  std::vector<std::string> lines;
  int code = 0;

  bool operator==(const Said&) const = default;
};

/// What a command says of stores in a folder.
Said say(const std::string& folder, const std::string& command) {
  const std::string line = "CRONCE_STORES='" + folder + "' " + command + " 2>&1";
  FILE* out = popen(line.c_str(), "r");
  Said said;
  std::array<char, 4096> buffer{};
  while (fgets(buffer.data(), buffer.size(), out) != nullptr) {
    said.lines.emplace_back(buffer.data());
    said.lines.back().pop_back();
  }
  said.code = WEXITSTATUS(pclose(out));
  return said;
}

Said stores_in(const std::string& folder, const std::string& words) {
  return say(folder, CRONCE_SOURCE_DIR "/scripts/stores " + words);
}

std::vector<PostgresRows> run(const std::string& url, const std::string& sql) {
  postgres::Session session({url});
  session.connect();
  return session.run({{sql, {}}});
}

std::string ask(const std::string& url, const std::string& sql) {
  return std::string(run(url, sql).front().text(0, 0));
}

int port_of(const std::string& url) { return std::atoi(url.c_str() + url.rfind(':') + 1); }

class Stores : public testing::Test {
 protected:
  Said stores(const std::string& words) const { return stores_in(path_, words); }

  test::ServerFolder folder_{false};
  std::string path_ = folder_.file("of mine");
};

TEST_F(Stores, are_a_primary_a_synchronous_standby_and_a_pooler) {
  const Said up = say(path_, "env -u MAKEFLAGS make -s -C " CRONCE_SOURCE_DIR
                             " stores-up WITH='synchronous-standby pooler'");
  ASSERT_EQ(up.lines.size(), 3U) << testing::PrintToString(up.lines);
  const std::string& primary = up.lines[0];
  const ManualClock clock{Time{}};
  Rng rng{1};
  EXPECT_EQ(ask(primary, "SELECT sync_state FROM pg_stat_replication"), "sync");
  EXPECT_EQ(ask(primary, "SHOW fsync"), "on");
  EXPECT_TRUE(open_store(primary, {}, clock, rng));
  EXPECT_EQ(inspect_store(primary, "default", clock).grade, "full");
  const auto refused = open_store(up.lines[1], {}, clock, rng);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("standby"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(open_store(up.lines[2], {}, clock, rng));
}

/// Five would do for no more than five clients, if each kept its own.
TEST_F(Stores, give_a_session_of_the_pooler_to_each_transaction) {
  const Said up = stores("up pooler");
  ASSERT_EQ(up.lines.size(), 2U) << testing::PrintToString(up.lines);
  std::vector<std::unique_ptr<postgres::Session>> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<postgres::Session>(PostgresSettings{up.lines[1]}));
    clients.back()->connect();
    EXPECT_EQ(clients.back()->run({{"SELECT 1", {}}}).front().text(0, 0), "1");
  }
}

TEST_F(Stores, come_up_again_where_they_were_and_with_what_they_knew) {
  const Said first = stores("up standby pooler");
  ASSERT_EQ(first.lines.size(), 3U) << testing::PrintToString(first.lines);
  EXPECT_EQ(ask(first.lines[0], "SELECT sync_state FROM pg_stat_replication"), "async");
  run(first.lines[2], "CREATE TABLE kept AS SELECT 'so it is' AS word");
  EXPECT_EQ(stores("up standby pooler"), first);
  EXPECT_EQ(stores("down"), Said{});
  for (const std::string& url : first.lines) EXPECT_FALSE(test::is_listening(port_of(url))) << url;
  EXPECT_EQ(stores("down"), Said{});
  EXPECT_EQ(stores("up synchronous-standby pooler"), first);
  EXPECT_EQ(stores("up").lines, std::vector{first.lines[0]});
  EXPECT_EQ(ask(first.lines[0], "SELECT sync_state FROM pg_stat_replication"), "sync");
  for (const std::string& url : first.lines) {
    EXPECT_EQ(ask(url, "SELECT word FROM kept"), "so it is") << url;
  }
}

/// Otherwise every commit would wait for ever.
TEST_F(Stores, wait_for_no_standby_that_is_not_asked_for) {
  const Said both = stores("up synchronous-standby");
  ASSERT_EQ(both.lines.size(), 2U) << testing::PrintToString(both.lines);
  ASSERT_EQ(stores("down"), Said{});
  EXPECT_EQ(stores("up").lines, std::vector{both.lines[0]});
  run(both.lines[0], "CREATE TABLE done AS SELECT 1");
  EXPECT_FALSE(test::is_listening(port_of(both.lines[1])));
}

TEST_F(Stores, run_as_somebody_who_is_not_root_and_hide_the_password_from_others) {
  ASSERT_EQ(stores("up pooler").code, 0);
  for (const char* name : {"postgresql/files/postmaster.pid", "pooler/pid"}) {
    struct stat facts{};
    const pid_t pid = folder_.read_pid("of mine/" + std::string(name));
    ASSERT_EQ(stat(("/proc/" + std::to_string(pid)).c_str(), &facts), 0) << name;
    EXPECT_NE(facts.st_uid, 0U) << name;
  }
  for (const char* name :
       {"postgresql/password", "postgresql/passfile", "pooler/users", "pooler/conf"}) {
    const auto mode = std::filesystem::status(path_ + "/" + name).permissions();
    EXPECT_EQ(mode, std::filesystem::perms{0600}) << name;
  }
}

TEST_F(Stores, do_not_destroy_a_standby_that_has_become_a_server) {
  const Said up = stores("up standby");
  ASSERT_EQ(up.lines.size(), 2U) << testing::PrintToString(up.lines);
  ask(up.lines[1], "SELECT pg_promote()");
  const Said again = stores("up standby");
  EXPECT_EQ(again.code, 1);
  ASSERT_EQ(again.lines.size(), 1U);
  EXPECT_EQ(again.lines[0].rfind("stores: the standby was promoted", 0), 0U) << again.lines[0];
}

TEST(StoresWrong, is_said_in_one_line) {
  const Scratch closed;  // to others
  const std::string usage =
      "stores: usage: scripts/stores up [standby|synchronous-standby] [pooler], scripts/stores "
      "down";
  for (const char* words : {"", "status", "up slave", "down pooler"}) {
    const Said said = stores_in(closed.path(), words);
    EXPECT_EQ(said.lines, std::vector{usage}) << words;
    EXPECT_EQ(said.code, 1) << words;
  }
  if (geteuid() != 0) return;  // who else runs it is who runs the servers
  EXPECT_EQ(stores_in(closed.path(), "up").lines,
            std::vector{"stores: the servers' user cannot reach " + closed.path() +
                        "/postgresql: name another folder by CRONCE_STORES"});
}

}  // namespace
}  // namespace cronce
