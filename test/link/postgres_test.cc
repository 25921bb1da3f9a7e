#include "link/postgres.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <future>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "test/support/fault_proxy.h"
#include "test/support/http_server.h"
#include "test/support/pooler.h"
#include "test/support/postgres_server.h"
#include "test/support/scratch.h"

namespace cronce {
namespace {

using test::DeafPort;
using test::FaultProxy;
using test::LineState;
using test::Pooler;
using test::PostgresServer;
using Batch = std::vector<PostgresStatement>;
using Connected = std::unique_ptr<PostgresConnection>;
using Answer = Result<std::vector<PostgresRows>, PostgresError>;

Connected connect(const std::string& conninfo, Duration answer_timeout = Duration{60'000}) {
  auto made = PostgresConnection::connect({.conninfo = conninfo,
                                           .connect_timeout = Duration{60'000},
                                           .answer_timeout = answer_timeout});
  if (made) return std::move(made).value();
  ADD_FAILURE() << made.error().error.message;
  return nullptr;
}

PostgresError refused(const std::string& conninfo, Duration timeout = Duration{60'000}) {
  const auto made = PostgresConnection::connect({.conninfo = conninfo, .connect_timeout = timeout});
  if (!made) return made.error();
  ADD_FAILURE() << "connected";
  return {};
}

std::string text(const Answer& answer, std::size_t statement = 0) {
  if (!answer) return "error: " + answer.error().error.message;
  const PostgresRows& rows = answer->at(statement);
  return rows.size() == 0 ? "no row" : std::string(rows.text(0, 0));
}

/// Until a session waits for this.
void await_wait(const PostgresServer& server, const std::string& event) {
  const std::string sql =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event = '" + event + "'";
  while (server.ask(sql) == "0") std::this_thread::sleep_for(Duration{20});
}

/// Calls this function for the sessions that wait for this.
void end_wait(const PostgresServer& server, const std::string& event, const std::string& function) {
  server.ask("SELECT " + function + "(pid) FROM pg_stat_activity WHERE wait_event = '" + event +
             "'");
}

class Postgres : public testing::Test {
 protected:
  static void SetUpTestSuite() { started = std::make_unique<PostgresServer>(); }
  static void TearDownTestSuite() { started.reset(); }

  static PostgresServer& server() { return *started; }
  /// A table that is there for one test.
  void SetUp() override {
    server().ask(
        "DROP TABLE IF EXISTS t; CREATE TABLE t (n int PRIMARY KEY, "
        "later int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
  }

 private:
  static std::unique_ptr<PostgresServer> started;
};
std::unique_ptr<PostgresServer> Postgres::started;

TEST_F(Postgres, hears_what_others_tell) {
  const Connected ear = connect(server().conninfo());
  ASSERT_TRUE(ear && ear->run(Batch{{"LISTEN news", {}}}));
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  server().ask("NOTIFY news, 'one'");
  const auto told = ear->notifications(ends[0], Duration{60'000});
  ASSERT_TRUE(told.ok());
  EXPECT_EQ(*told, std::vector<std::string>{"one"});
  // Nothing is told, and somebody wakes it.
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  const auto woken = ear->notifications(ends[0], Duration{60'000});
  ASSERT_TRUE(woken.ok());
  EXPECT_TRUE(woken->empty());
  close(ends[0]);
  close(ends[1]);
  server().ask(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN news'");
  Result<std::vector<std::string>, PostgresError> lost = std::vector<std::string>{};
  while (lost) lost = ear->notifications(-1, Duration{60'000});
  EXPECT_EQ(lost.error().error.code, Code::unavailable);
  EXPECT_FALSE(ear->is_usable());
}

TEST_F(Postgres, gives_back_texts_and_nulls) {
  const Connected made = connect(server().conninfo());
  const auto answer =
      made->run(Batch{{"SELECT $1::text, $2::int, $3::text", {"h\u00e9 'x'", std::nullopt, ""}},
                      {"SELECT n FROM generate_series(1, 3) AS s (n)", {}},
                      {"SELECT 1 WHERE false", {}}});
  ASSERT_TRUE(answer) << answer.error().error.message;
  ASSERT_EQ(answer->size(), 3U);
  const PostgresRows& first = answer->at(0);
  EXPECT_EQ(first.text(0, 0), "h\u00e9 'x'");
  EXPECT_TRUE(first.is_null(0, 1));
  EXPECT_FALSE(first.is_null(0, 2));
  EXPECT_EQ(first.text(0, 2), "");
  EXPECT_EQ(answer->at(1).size(), 3U);
  EXPECT_EQ(answer->at(1).text(2, 0), "3");
  EXPECT_EQ(answer->at(2).size(), 0U);
  EXPECT_EQ(made->round_trips(), 1U);
}

TEST_F(Postgres, says_who_it_is_and_nothing_else) {
  const Connected made = connect(server().conninfo());
  EXPECT_EQ(text(made->run(Batch{{"SELECT current_setting('application_name')", {}}})), "cronce");
  EXPECT_EQ(text(made->run(Batch{{"SELECT count(*) FROM pg_settings WHERE source = 'client'"
                                  " AND name NOT IN ('application_name', 'client_encoding')",
                                  {}}})),
            "0");
}

TEST_F(Postgres, takes_what_is_larger_than_any_buffer) {
  const Connected made = connect(server().conninfo());
  const std::string large(8'000'000, 'x');
  const auto answer = made->run(Batch{{"SELECT $1::text", {large}}, {"SELECT $1::text", {large}}});
  EXPECT_EQ(text(answer, 0).size(), large.size());
  EXPECT_EQ(text(answer, 1).size(), large.size());
}

TEST_F(Postgres, refuses_a_zero_byte_before_it_is_cut_there) {
  const Connected made = connect(server().conninfo());
  const auto answer = made->run(Batch{{"SELECT $1::text", {std::string("a\0b", 3)}}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().error.code, Code::invalid);
  EXPECT_TRUE(answer.error().answered);
  EXPECT_TRUE(made->is_usable());
}

TEST_F(Postgres, undoes_a_batch_whose_third_statement_fails) {
  const Connected made = connect(server().conninfo());
  const auto answer = made->run(Batch{{"INSERT INTO t VALUES (1)", {}},
                                      {"INSERT INTO t VALUES (2)", {}},
                                      {"INSERT INTO t VALUES (1)", {}},
                                      {"INSERT INTO t VALUES (3)", {}}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().state, "23505");
  EXPECT_TRUE(answer.error().answered);
  EXPECT_EQ(answer.error().error.message,
            "duplicate key value violates unique constraint \"t_pkey\"");
  EXPECT_TRUE(made->is_usable());
  EXPECT_EQ(text(made->run(Batch{{"SELECT count(*) FROM t", {}}})), "0");
}

TEST_F(Postgres, undoes_a_batch_that_fails_at_its_commit) {
  const Connected made = connect(server().conninfo());
  const auto answer =
      made->run(Batch{{"INSERT INTO t VALUES (1, 1)", {}}, {"INSERT INTO t VALUES (2, 1)", {}}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().state, "23505");
  EXPECT_TRUE(answer.error().answered);
  EXPECT_EQ(text(made->run(Batch{{"SELECT count(*) FROM t", {}}})), "0");
}

TEST_F(Postgres, knows_what_a_person_must_mend) {
  server().ask("DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN");
  const Connected made = connect(server().socket_conninfo() + " user=guest");
  const auto answer = made->run(Batch{{"SELECT * FROM t", {}}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().state, "42501");
  EXPECT_EQ(answer.error().error.code, Code::invalid);
}

TEST_F(Postgres, gives_up_without_cancelling) {
  const Connected made = connect(server().conninfo(), Duration{200});
  const auto answer =
      made->run(Batch{{"SELECT pg_sleep(1)", {}}, {"INSERT INTO t VALUES (1)", {}}});
  ASSERT_FALSE(answer);
  EXPECT_FALSE(answer.error().answered);
  EXPECT_EQ(answer.error().error.code, Code::unavailable);
  EXPECT_EQ(answer.error().error.message, "no answer from the PostgreSQL server within 200ms");
  EXPECT_FALSE(made->is_usable());
  while (server().ask("SELECT count(*) FROM t") == "0") std::this_thread::sleep_for(Duration{20});

  const auto next = made->run(Batch{{"SELECT 1", {}}});
  ASSERT_FALSE(next);
  EXPECT_TRUE(next.error().answered);
}

TEST_F(Postgres, does_not_know_what_became_of_a_batch_when_the_server_dies) {
  const Connected made = connect(server().conninfo());
  auto waiting =
      std::async(std::launch::async, [&] { return made->run(Batch{{"SELECT pg_sleep(50)", {}}}); });
  await_wait(server(), "PgSleep");
  server().kill();
  const auto answer = waiting.get();
  ASSERT_FALSE(answer);
  EXPECT_FALSE(answer.error().answered);
  EXPECT_EQ(answer.error().error.code, Code::unavailable);
  EXPECT_EQ(answer.error().error.message.find('\n'), std::string::npos);
  EXPECT_FALSE(made->is_usable());
  server().start();
}

TEST_F(Postgres, keeps_the_last_words_of_a_session_that_is_ended) {
  const Connected made = connect(server().conninfo());
  auto waiting =
      std::async(std::launch::async, [&] { return made->run(Batch{{"SELECT pg_sleep(50)", {}}}); });
  await_wait(server(), "PgSleep");
  end_wait(server(), "PgSleep", "pg_terminate_backend");
  const auto answer = waiting.get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().state, "57P01");
  EXPECT_FALSE(answer.error().answered);
  EXPECT_EQ(answer.error().error.code, Code::unavailable);
  EXPECT_FALSE(made->is_usable());
}

TEST_F(Postgres, knows_that_nothing_was_sent_when_the_server_had_gone_before) {
  const Connected made = connect(server().conninfo());
  server().stop();
  const auto answer = made->run(Batch{{"SELECT 1", {}}});
  server().start();
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().answered);
  EXPECT_EQ(answer.error().error.code, Code::unavailable);
  EXPECT_EQ(made->round_trips(), 0U);
  EXPECT_FALSE(made->is_usable());
}

TEST_F(Postgres, is_harmless_in_a_child) {
  Connected made = connect(server().conninfo());
  const pid_t child = fork();
  if (child == 0) {
    const bool is_refused = !made->is_usable() && !made->run(Batch{{"SELECT 1", {}}});
    made.reset();
    _exit(is_refused ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text(made->run(Batch{{"SELECT 7", {}}})), "7");
}

TEST_F(Postgres, says_in_one_line_why_there_is_no_connection) {
  server().ask("DROP ROLE IF EXISTS few; CREATE ROLE few LOGIN CONNECTION LIMIT 0");
  const DeafPort deaf;
  const std::string deaf_url = deaf.url();
  const std::string port = std::to_string(server().port());
  const std::string here = "postgresql://cronce:s3same@127.0.0.1:" + port;
  struct Case {
    std::string conninfo;
    std::string state;
    Code code;
    std::string words;
  };
  const std::vector<Case> cases = {
      {here + "/postgres", "28P01", Code::invalid,
       "password authentication failed for user \"cronce\": check the user, and the password in"},
      {"host=127.0.0.1 user=cronce dbname=postgres passfile=/nowhere port=" + port, "",
       Code::invalid, "no password supplied"},
      {server().socket_conninfo() + " password=s3same dbname=nothing", "3D000", Code::invalid,
       "database \"nothing\" does not exist: create it, or name another"},
      {server().socket_conninfo() + " password=s3same user=few", "53300", Code::unavailable,
       "too many connections for role \"few\""},
      {here + "/postgres?sslmode=require", "", Code::invalid,
       "server does not support SSL, but SSL was required"},
      {"postgresql://cronce:s3same@" + deaf_url.substr(deaf_url.find("://") + 3) + "postgres", "",
       Code::unavailable, "Connection refused: is the server running"},
      {"postgresql://cronce:s3same@nowhere.invalid/postgres", "", Code::unavailable,
       "could not translate host name \"nowhere.invalid\""},
      {"host=/nowhere user=cronce password=s3same", "", Code::unavailable,
       "No such file or directory: is the server running"},
      {"host=/nowhere service=nothing password=s3same", "", Code::invalid, "nothing"},
  };
  for (const Case& one : cases) {
    const PostgresError error = refused(one.conninfo);
    EXPECT_EQ(error.state, one.state) << one.conninfo;
    EXPECT_EQ(error.error.code, one.code) << error.error.message;
    EXPECT_TRUE(error.answered);
    EXPECT_NE(error.error.message.find(one.words), std::string::npos) << error.error.message;
    EXPECT_EQ(error.error.message.find("s3same"), std::string::npos) << error.error.message;
    EXPECT_EQ(error.error.message.find_first_of("\n\t"), std::string::npos) << error.error.message;
  }
}

/// None of these ways shows it to others on the host.
TEST_F(Postgres, takes_a_password_wherever_libpq_looks_for_one) {
  const Scratch folder;
  const std::string port = std::to_string(server().port());
  const std::string word = server().password();
  const std::string address = "host=127.0.0.1 user=cronce dbname=postgres port=" + port;
  const auto secret = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.file(name)) << text << "\n";
    chmod(folder.file(name).c_str(), 0600);
    return folder.file(name);
  };
  const std::string passfile = secret(".pgpass", "127.0.0.1:" + port + ":*:cronce:" + word);
  const std::string services =
      secret("services", "[jobs]\nhost=127.0.0.1\nport=" + port +
                             "\nuser=cronce\ndbname=postgres\npassword=" + word);
  struct Way {
    const char* variable;
    std::string value;
    std::string conninfo;
  };
  const std::string home = std::getenv("HOME") == nullptr ? "/" : std::getenv("HOME");
  const std::string in_address = " passfile=" + passfile;
  const std::string in_url =
      fmt::format("postgresql://cronce@127.0.0.1:{}/postgres?passfile={}", port, passfile);
  for (const Way& way :
       {Way{"PGPASSWORD", word, address}, Way{"PGPASSFILE", passfile, address},
        Way{"HOME", folder.path(), address}, Way{nullptr, "", address + in_address},
        Way{nullptr, "", in_url}, Way{"PGSERVICEFILE", services, "service=jobs"},
        Way{"PGSERVICEFILE", services, "postgresql://?service=jobs"}}) {
    SCOPED_TRACE(way.conninfo);
    if (way.variable != nullptr) setenv(way.variable, way.value.c_str(), 1);
    const Connected made = connect(way.conninfo);
    if (way.variable != nullptr) unsetenv(way.variable);
    setenv("HOME", home.c_str(), 1);
    ASSERT_TRUE(made);
    EXPECT_EQ(text(made->run(Batch{{"SELECT current_user", {}}})), "cronce");
  }
}

TEST_F(Postgres, does_not_repeat_an_address_that_cannot_be_read) {
  for (const char* conninfo :
       {"postgresql://cronce:s3@same@h/db", "postgres://cronce:s3/same@h/db",
        "postgresql://cronce:5432/same@h/db", "postgres://cronce:s3%same@h/db",
        "postgresql://cronce:s3?same@x@h/db", "password=s3 same", "s3same",
        "postgres:/cronce:s3same@h"}) {
    const PostgresError error = refused(conninfo);
    EXPECT_EQ(error.error.code, Code::invalid) << conninfo;
    EXPECT_EQ(error.error.message.find("s3"), std::string::npos) << error.error.message;
    EXPECT_EQ(error.error.message.find("same"), std::string::npos) << error.error.message;
  }
}

TEST_F(Postgres, waits_no_longer_than_it_may_for_a_connection) {
  server().freeze();
  const PostgresError error = refused(server().conninfo(), Duration{300});
  server().thaw();
  EXPECT_EQ(error.error.code, Code::unavailable);
  EXPECT_EQ(error.error.message,
            "no connection to the PostgreSQL server within 300ms: check the network, and the "
            "address");
}

/// An address that swallows what is sent to it: nobody takes the one connection that fits.
class Swallow {
 public:
  Swallow() : socket_(test::loopback_socket(&port_)), filler_(socket(AF_INET, SOCK_STREAM, 0)) {
    CHECK(listen(socket_, 0) == 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(::connect(filler_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  ~Swallow() {
    close(filler_);
    close(socket_);
  }
  Swallow(const Swallow&) = delete;
  Swallow& operator=(const Swallow&) = delete;

  int port() const { return port_; }

 private:
  int port_ = 0;
  int socket_;
  int filler_;
};

TEST_F(Postgres, goes_on_to_the_next_host_when_one_is_silent) {
  const Swallow silent;
  const Connected made = connect(
      "host=127.0.0.1,127.0.0.1 user=cronce dbname=postgres password=" + server().password() +
          " port=" + std::to_string(silent.port()) + "," + std::to_string(server().port()),
      Duration{1'000});
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(text(made->run(Batch{{"SELECT 7", {}}})), "7");
}

TEST_F(Postgres, works_through_a_pooler) {
  const Pooler pooler(server(), 2);
  std::vector<std::thread> clients;
  for (int client = 0; client < 6; ++client) {
    clients.emplace_back([&, client] {
      const Connected made = connect(pooler.conninfo());
      for (int turn = 0; turn < 50; ++turn) {
        const std::string key = std::to_string(client * 1'000 + turn);
        const auto answer =
            made->run(Batch{{"SELECT set_config('synchronous_commit', 'on', true)", {}},
                            {"INSERT INTO t VALUES ($1::int)", {key}},
                            {"SELECT n FROM t WHERE n = $1::int", {key}}});
        ASSERT_EQ(text(answer, 2), key);
        const auto failed = made->run(Batch{{"INSERT INTO t VALUES ($1::int)", {key}}});
        ASSERT_EQ(failed.error().state, "23505");
      }
    });
  }
  for (std::thread& one : clients) one.join();
  EXPECT_EQ(server().ask("SELECT count(*) FROM t"), "300");
}

TEST(PostgresTls, is_used_and_verified_as_the_address_says) {
  PostgresServer server;
  server.use_tls();
  const std::string is_tls = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
  for (const std::string mode : {"prefer", "require"}) {
    const Connected made = connect(server.conninfo() + "?sslmode=" + mode, Duration{1'000});
    EXPECT_EQ(text(made->run(Batch{{is_tls, {}}})), "t");
    EXPECT_FALSE(made->run(Batch{{"SELECT pg_sleep(5)", {}}}));
    EXPECT_FALSE(made->is_usable());
  }
  EXPECT_EQ(text(connect(server.conninfo() + "?sslmode=disable")->run(Batch{{is_tls, {}}})), "f");

  const std::string root = server.folder() + "/data/server.crt";  // for localhost, by itself
  const PostgresError unknown =
      refused(server.conninfo() + "?sslmode=verify-full&sslrootcert=/nowhere");
  EXPECT_EQ(unknown.error.code, Code::invalid);
  EXPECT_NE(unknown.error.message.find("sslrootcert"), std::string::npos) << unknown.error.message;
  const PostgresError another =
      refused(server.conninfo() + "?sslmode=verify-full&sslrootcert=" + root);
  EXPECT_EQ(another.error.code, Code::invalid);
  EXPECT_NE(another.error.message.find("certificate"), std::string::npos) << another.error.message;
  EXPECT_TRUE(connect(server.conninfo() + "?sslmode=verify-ca&sslrootcert=" + root));
}

/// A server, and a standby that it waits for.
class PostgresPair : public testing::Test {
 protected:
  PostgresPair() : standby_(server_.make_standby(true)) { server_.ask("CREATE TABLE t (n int)"); }

  /// What a commit says whose wait for the standby is ended by this function.
  PostgresError ended_wait(const std::string& function) {
    const Connected made = connect(server_.conninfo());
    standby_->freeze();
    auto waiting = std::async(std::launch::async,
                              [&] { return made->run(Batch{{"INSERT INTO t VALUES (1)", {}}}); });
    await_wait(server_, "SyncRep");
    end_wait(server_, "SyncRep", function);
    const auto answer = waiting.get();
    standby_->thaw();
    EXPECT_FALSE(answer);
    return answer ? PostgresError{} : answer.error();
  }

  PostgresServer server_;
  std::unique_ptr<PostgresServer> standby_;
};

TEST_F(PostgresPair, does_not_take_an_ended_wait_for_a_commit) {
  const PostgresError cancelled = ended_wait("pg_cancel_backend");
  EXPECT_FALSE(cancelled.answered);
  EXPECT_EQ(cancelled.error.code, Code::unavailable);
  EXPECT_NE(cancelled.error.message.find("standby"), std::string::npos) << cancelled.error.message;

  const PostgresError terminated = ended_wait("pg_terminate_backend");
  EXPECT_FALSE(terminated.answered);
  EXPECT_EQ(terminated.error.code, Code::unavailable);
  EXPECT_EQ(server_.ask("SELECT count(*) FROM t"), "2");
}

TEST_F(PostgresPair, refuses_to_write_to_a_standby_until_it_is_promoted) {
  const Batch insert{{"INSERT INTO t VALUES (1)", {}}};
  ASSERT_TRUE(connect(server_.conninfo())->run(insert));
  const Connected made = connect(standby_->conninfo());
  const auto answer = made->run(insert);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().state, "25006");
  EXPECT_EQ(answer.error().error.code, Code::unavailable);
  EXPECT_TRUE(answer.error().answered);

  server_.kill();
  standby_->promote();
  EXPECT_EQ(text(made->run(Batch{{"SELECT count(*) FROM t", {}}})), "1");
  EXPECT_TRUE(made->run(insert));
}

TEST(PostgresServerOfATest, is_gone_after_a_test_that_was_killed_with_its_group) {
  std::array<int, 2> told{};
  ASSERT_EQ(pipe(told.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    const PostgresServer server;
    const std::string& folder = server.folder();
    if (write(told[1], folder.data(), folder.size()) > 0) kill(0, SIGKILL);  // its group
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::array<char, 200> room{};
  const ssize_t size = read(told[0], room.data(), room.size());
  ASSERT_GT(size, 0);
  const std::string folder(room.data(), static_cast<std::size_t>(size));
  while (access(folder.c_str(), F_OK) == 0) std::this_thread::sleep_for(Duration{20});
  close(told[0]);
  close(told[1]);
}

TEST(PostgresServerOfATest, goes_back_to_its_base_backup) {
  PostgresServer server;
  server.ask("CREATE TABLE t AS SELECT 1");
  const auto backup = server.make_backup();
  server.ask("INSERT INTO t SELECT 2");
  server.crash();
  backup->start();
  EXPECT_EQ(backup->ask("SELECT count(*) FROM t"), "1");
}

/// A line to a server that is cut, and healed.
class PostgresServerOfATestLine : public testing::Test {
 protected:
  PostgresServerOfATestLine() { server_.ask("CREATE TABLE t AS SELECT 1 AS n"); }

  /// Patient where an answer comes: the machine may be busy.
  Connected call(Duration timeout = Duration{500}) const {
    return connect("postgresql://cronce:" + server_.password() +
                       "@127.0.0.1:" + std::to_string(line_.port()) +
                       "/postgres?sslmode=disable&gssencmode=disable",
                   timeout);
  }
  bool comes_to(const std::string& count) const {
    return test::comes_true([&] { return server_.ask("SELECT count(*) FROM t") == count; });
  }

  static constexpr Duration kPatient{20'000};
  const Batch insert_{{"INSERT INTO t SELECT 2", {}}};
  PostgresServer server_;
  FaultProxy line_{server_.port()};
};

TEST_F(PostgresServerOfATestLine, delivers_late_what_was_sent_while_it_was_cut) {
  for (const LineState state : {LineState::cut, LineState::no_requests}) {
    Connected made = call();
    line_.set(state);
    EXPECT_FALSE(made->run(insert_));
    made.reset();
    EXPECT_EQ(server_.ask("SELECT count(*) FROM t"), state == LineState::cut ? "1" : "2");
    line_.set(LineState::open);
    EXPECT_TRUE(comes_to(state == LineState::cut ? "2" : "3"));
  }
}

TEST_F(PostgresServerOfATestLine, keeps_answers_back) {
  const Connected made = call();
  line_.set(LineState::no_answers);
  EXPECT_FALSE(made->run(insert_));
  EXPECT_TRUE(comes_to("2"));
  line_.set(LineState::open);
  line_.delay_answers(Duration{300});
  const Connected slow = call(kPatient);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_TRUE(slow->run(insert_));
  EXPECT_GE(std::chrono::steady_clock::now() - before, Duration{300});
  EXPECT_TRUE(comes_to("3"));
}

TEST_F(PostgresServerOfATestLine, ends_connections_or_forgets_them) {
  const Connected reset = call();
  line_.set(LineState::reset);
  EXPECT_FALSE(reset->run(Batch{{"SELECT pg_sleep(0.3)", {}}}));
  line_.set(LineState::open);
  const Connected forgotten = call();
  line_.forget_connections();
  EXPECT_FALSE(forgotten->run(insert_));
  EXPECT_TRUE(call(kPatient)->run(insert_));
  EXPECT_TRUE(comes_to("2"));
  PostgresServer other;
  line_.lead_to(other.port());
  EXPECT_EQ(text(call(kPatient)->run(Batch{{"SELECT to_regclass('t') IS NULL", {}}})), "t");
}

}  // namespace
}  // namespace cronce
