// A midnight of a thousand jobs on PostgreSQL, as the server's log tells it.
#include <csignal>
#include <cstdio>
#include <set>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "base/clock.h"
#include "test/node/postgres_nodes.h"

namespace cronce::test {
namespace {

constexpr int kJobs = 1'000;

/// What a server has logged, with the number of its transaction before each statement.
struct Logged {
  std::size_t statements = 0;
  std::set<std::string> transactions;
};

Logged logged_with(const std::string& log, const std::string& words) {
  std::set<std::string> transactions;
  std::istringstream first(log);
  for (std::string line; std::getline(first, line);) {
    if (line.find(words) != std::string::npos) {
      transactions.insert(line.substr(0, line.find(' ')));
    }
  }
  Logged found{0, transactions};
  std::istringstream second(log);
  for (std::string line; std::getline(second, line);) {
    const bool is_statement = line.find(" execute ") != std::string::npos;
    if (is_statement && transactions.contains(line.substr(0, line.find(' ')))) ++found.statements;
  }
  return found;
}

using PostgresMidnight = NodesOnPostgres;

TEST_F(PostgresMidnight, a_thousand_jobs_of_one_second_are_decided_in_one_transaction) {
  PostgresServer own({.fsync = true,
                      .more = {{"log_statement", "all"},
                               {"log_line_prefix", "%v "},
                               {"log_parameter_max_length", "0"}}});
  use(own);
  world_.lease = "60s";  // a thousand processes may take this machine longer than five seconds
  const Time midnight = std::chrono::ceil<Seconds>(system_clock().wall()) + Seconds{8};
  std::string jobs;
  for (int i = 0; i < kJobs; ++i) {
    jobs += fmt::format("  job-{}:\n    schedule: {{ at: {} }}\n    run: [\"true\"]\n", i,
                        print(midnight));
  }
  write_jobs(jobs);
  start("a");
  ASSERT_TRUE(node("a").says("registered"));
  ASSERT_LT(system_clock().wall(), midnight) << "too late to see it";
  std::this_thread::sleep_until(midnight - Seconds{1});  // what was new is known by then
  const std::size_t before = own.log().size();
  EXPECT_TRUE(wait_until(
      [&] { return ask_ledger("count(*)", "state = 'succeeded'") == std::to_string(kJobs); }));
  const std::string log = own.log().substr(before);
  const Logged decided = logged_with(log, "INSERT INTO cronce.runs");
  const Logged finished = logged_with(log, "(UPDATE cronce.runs");  // not a beat that tells starts
  std::printf(
      "decided: %zu transactions, %zu statements; finished: %zu transactions, %zu "
      "statements\n",
      decided.transactions.size(), decided.statements, finished.transactions.size(),
      finished.statements);
  const std::string until_decided = log.substr(0, log.find("INSERT INTO cronce.runs"));
  EXPECT_EQ(until_decided.find("cronce.definitions"), std::string::npos) << "jobs were read first";
  EXPECT_EQ(until_decided.find("ERROR"), std::string::npos) << "a first try was refused";
  EXPECT_EQ(decided.transactions.size(), 1U);
  EXPECT_LE(decided.statements, 2U);             // of one batch, however many jobs there are
  EXPECT_LE(finished.transactions.size(), 50U);  // a thousand processes do not end at once
  EXPECT_LE(finished.statements, 2 * finished.transactions.size());
  EXPECT_EQ(log.find("WARNING"), std::string::npos) << "the log is for what went wrong";
  leave({"a"});
  expect_clean();
}

}  // namespace
}  // namespace cronce::test
