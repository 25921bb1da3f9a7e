#include "keeper/environment.h"

#include <gtest/gtest.h>

#include "test/support/times.h"

namespace cronce {
namespace {

using Entries = std::vector<std::string>;

Claim claim() {
  Claim claim;
  claim.run.job = {7};
  claim.run.slot = utc("2026-03-29T01:30:00Z");
  claim.run.attempt = {2};
  claim.incarnation = {{0x1, 0x2}};
  claim.fence = {1'099'511'627'777};
  claim.key = "prod/billing@2026-03-29T01:30:00Z";
  claim.due = utc("2026-03-29T01:30:05Z");
  return claim;
}

Job job() { return {.name = parse_job_name("billing").value(), .command = ArgvCommand{{"bill"}}}; }

RunFacts facts() {
  return {"prod", "a", "2026-03-29T03:30:00+02:00", utc("2026-03-29T03:30:00Z"),
          utc("2026-03-28T01:30:00Z")};
}

User user() { return {"billing", 1000, 100, {100}, "/srv/billing", "/bin/bash"}; }

Entries environment(const Job& job, const Entries& node = {}) {
  return child_environment(claim(), job, facts(), user(), node);
}

/// Without the variables that tell of the run.
Entries others(Entries entries) {
  std::erase_if(entries, [](const std::string& entry) { return entry.starts_with("CRONCE_"); });
  return entries;
}

TEST(Environment, tells_a_command_of_its_run) {
  EXPECT_EQ(environment(job()), (Entries{
                                    "CRONCE_ATTEMPT=2",
                                    "CRONCE_DEADLINE=2026-03-29T03:30:00Z",
                                    "CRONCE_FENCE=1099511627777",
                                    "CRONCE_INCARNATION=00000000000000010000000000000002",
                                    "CRONCE_JOB=billing",
                                    "CRONCE_KEY=prod/billing@2026-03-29T01:30:00Z",
                                    "CRONCE_NAMESPACE=prod",
                                    "CRONCE_NODE=a",
                                    "CRONCE_PREVIOUS_SLOT=2026-03-28T01:30:00Z",
                                    "CRONCE_PROGRESS_FD=3",
                                    "CRONCE_RUN=billing@2026-03-29T01:30:00Z#2",
                                    "CRONCE_SLOT=2026-03-29T01:30:00Z",
                                    "CRONCE_SLOT_LOCAL=2026-03-29T03:30:00+02:00",
                                }));
}

// Whoever can write the store must not choose which code runs, nor what we say of the run.
TEST(Environment, takes_of_a_request_what_chooses_no_code) {
  Job defined = job();
  defined.env = std::map<std::string, std::string>{{"MODE", "file"}, {"PATH", "/srv/bin"}};
  Claim asked = claim();
  asked.env = std::map<std::string, std::string>{
      {"MODE", "dry run"}, {"LD_PRELOAD", "/tmp/x.so"}, {"PATH", "/tmp"}, {"BASH_ENV", "/tmp/x"},
      {"ENV", "/tmp/x"},   {"CRONCE_JOB", "other"},     {"MORE", "of it"}};
  const Entries entries = child_environment(asked, defined, facts(), user(), {});
  EXPECT_EQ(others(entries), (Entries{"MODE=dry run", "MORE=of it", "PATH=/srv/bin"}));
  EXPECT_NE(std::find(entries.begin(), entries.end(), "CRONCE_JOB=billing"), entries.end());
}

TEST(Environment, has_empty_values_for_what_is_not) {
  RunFacts nothing = facts();
  nothing.deadline.reset();
  nothing.previous_slot.reset();
  const Entries entries = child_environment(claim(), job(), nothing, user(), {});
  EXPECT_NE(std::find(entries.begin(), entries.end(), "CRONCE_DEADLINE="), entries.end());
  EXPECT_NE(std::find(entries.begin(), entries.end(), "CRONCE_PREVIOUS_SLOT="), entries.end());
}

TEST(Environment, names_a_run_outside_the_schedule_by_its_request) {
  Claim manual = claim();
  manual.run.space = Space::manual;
  manual.run.request = "r-17";
  EXPECT_EQ(run_label(job().name, manual.run), "billing@manual/r-17#2");
  const Entries entries = child_environment(manual, job(), facts(), user(), {});
  EXPECT_NE(std::find(entries.begin(), entries.end(), "CRONCE_SLOT=2026-03-29T01:30:05Z"),
            entries.end());
}

TEST(Environment, is_the_nodes_less_what_is_ours) {
  EXPECT_EQ(
      others(environment(
          job(),
          {"HOME=/root", "PGPASSWORD=secret", "PGHOST=db", "CRONCE_STORE=redis://x",
           "CRONCE_RUN=outer", "NOTIFY_SOCKET=/run/x", "LISTEN_FDS=1", "LISTEN_PID=9", "PATH=/bin",
           "EMPTY=", "=odd", "nothing", "A=b=c", "NOTIFY_SOCKETS=1", "CRONCE=1"})),
      (Entries{"A=b=c", "CRONCE=1", "EMPTY=", "HOME=/root", "NOTIFY_SOCKETS=1", "PATH=/bin"}));
}

TEST(Environment, follows_the_user_and_then_the_job) {
  Job mine = job();
  mine.user = "billing";
  mine.env = std::map<std::string, std::string>{
      {"MODE", "prod"}, {"SHELL", "/bin/zsh"}, {"CRONCE_FENCE", "0"}, {"PGHOST", "db"}};
  const Entries entries = environment(mine, {"HOME=/root", "USER=root", "MODE=test"});
  EXPECT_EQ(others(entries), (Entries{"HOME=/srv/billing", "LOGNAME=billing", "MODE=prod",
                                      "PGHOST=db", "SHELL=/bin/zsh", "USER=billing"}));
  EXPECT_NE(std::find(entries.begin(), entries.end(), "CRONCE_FENCE=1099511627777"), entries.end());
}

TEST(Environment, is_crons_small_one_for_a_crontab) {
  Job line = job();
  line.command = ShellCommand{"backup", "/bin/bash", ""};
  line.env_base = EnvBase::cron;
  EXPECT_EQ(
      others(environment(line, {"HOME=/root", "SECRET=1"})),
      (Entries{"HOME=/srv/billing", "LOGNAME=billing", "PATH=/usr/bin:/bin", "SHELL=/bin/bash"}));
  line.env =
      std::map<std::string, std::string>{{"PATH", "/opt/bin"}, {"HOME", "/x"}, {"LOGNAME", "root"}};
  EXPECT_EQ(others(environment(line)),
            (Entries{"HOME=/x", "LOGNAME=billing", "PATH=/opt/bin", "SHELL=/bin/bash"}));
}

}  // namespace
}  // namespace cronce
