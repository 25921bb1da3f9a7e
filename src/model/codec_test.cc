#include "model/codec.h"

#include <gtest/gtest.h>

#include "test/support/times.h"

namespace cronce {
namespace {

JobName job_name(std::string_view text) { return parse_job_name(text).value(); }

Job plain_job(std::string_view name = "billing") { return {job_name(name), {}, {}}; }

/// Every field differs from its default.
Job full_job() {
  Job job = plain_job();
  job.schedule = {
      .elements = {CronSpec{"0 2 * * *"}, EverySpec{Duration{900'000}, written("2026-01-01")},
                   AtSpec{written("2026-12-24T18:00+01:00")}},
      .timezone = "Europe/Berlin",
      .dst = {Gap::skip, Fold::both},
      .between = Between{written("2026-01-01"), written("2026-12-31T12:00"), 100},
  };
  job.command = ShellCommand{"a | b", "/bin/bash", "line\n"};
  job.overlap = Overlap::queue;
  job.catch_up = {CatchUp::Mode::all, Duration{21'600'000}, 7};
  job.on_lost = OnLost::rerun;
  job.on_lease_loss = OnLeaseLoss::carry_on;
  job.retries = Retries{2, Duration{1'000}, 3, Duration{60'000}, 20};
  job.timeout = Duration{7'200'000};
  job.kill_after = Duration{5'000};
  job.grace = Duration{30'000};
  job.jitter = Duration{1'500};
  job.on = std::map<std::string, std::string>{{"region", "eu"}};
  job.everywhere = true;
  job.priority = -5;
  job.concurrency = Concurrency{"db", 2};
  job.guards = std::vector<GuardSpec>{{"shedlock", {{"name", "billing"}}}, {"flock", {}}};
  job.env_base = EnvBase::cron;
  job.env = std::map<std::string, std::string>{{"MODE", "prod"}, {"EMPTY", ""}};
  job.user = "billing";
  job.cwd = "/srv";
  job.output_keep_bytes = 0;
  job.limits = Limits{1024, 60, 1 << 20, 10, 0};
  job.umask = 022;
  job.nice = 10;
  job.history = HistoryLimits{1, 2, 3, Duration{86'400'000}};
  job.notify = Notify{{"failed", "lost"}, "https://example.com", "mail", "root"};
  job.expect_within = Duration{600'000};
  job.was = job_name("old-name");
  job.paused = true;
  return job;
}

Run full_run() {
  Run run;
  run.id = {JobUid{7}, Space::manual, utc("2026-03-29T01:30:00.250Z"), "r-1", Attempt{2}};
  run.kind = RunKind::retry;
  run.state = RunState::failed;
  run.reason = Reason::exit;
  run.key = "ns/billing@x";
  run.decided = {"b", utc("2026-03-29T01:30:00.500Z"), 3};
  run.slot_to = utc("2026-03-29T02:30:00Z");
  run.count = 5;
  run.due = utc("1969-12-31T23:59:59Z");
  run.fence = Fence{~std::uint64_t{0}};
  run.incarnation = Incarnation{{1, 2}};
  run.node = "a";
  run.claimed_at = utc("2026-03-29T01:30:01Z");
  run.started_at = utc("2026-03-29T01:30:02Z");
  run.finished_at = utc("2026-03-29T01:30:03Z");
  run.exit_code = 0;
  run.output_tail = std::string("caf\u00e9 \0 \x1b end", 13);
  run.progress = "40 copying";
  return run;
}

Node full_node() {
  return {.name = "a",
          .incarnation = {{3, 4}},
          .beat = Beat{12},
          .lease = Duration{15'000},
          .labels = {{"region", "eu"}},
          .schedules = false,
          .works = false,
          .leaving = true,
          .running = 3,
          .max_running = 8,
          .version = "0.1.0",
          .zone_data = "2025b",
          .clock_reading = Duration{-17},
          .wall = utc("2026-03-29T01:30:00Z"),
          .course = utc("2026-03-29T01:29:00.500Z"),
          .digests = {{"jobs.yaml", "ab"}}};
}

TEST(Codec, leaves_out_what_equals_its_default) {
  EXPECT_EQ(encode(plain_job()), R"({"v":1,"name":"billing"})");
  EXPECT_EQ(encode(cronce::Run{}), R"({"v":1})");
  EXPECT_EQ(encode(Node{}), R"({"v":1})");
}

TEST(Codec, brings_defaults_back) {
  EXPECT_EQ(decode_job(encode(plain_job())).value(), plain_job());
  EXPECT_EQ(decode_run(encode(cronce::Run{})).value(), cronce::Run{});
  EXPECT_EQ(decode_node(encode(Node{})).value(), Node{});
}

TEST(Codec, brings_every_field_back) {
  EXPECT_EQ(decode_job(encode(full_job())).value(), full_job());
  EXPECT_EQ(decode_run(encode(full_run())).value(), full_run());
  EXPECT_EQ(decode_node(encode(full_node())).value(), full_node());
}

TEST(Codec, brings_each_kind_of_schedule_and_command_back) {
  for (const ElementSpec& element :
       {ElementSpec{CronSpec{""}}, ElementSpec{EverySpec{}}, ElementSpec{AtSpec{}},
        ElementSpec{AfterSpec{Duration{600'000}}}, ElementSpec{RebootSpec{}}}) {
    Job job = plain_job();
    job.schedule.elements = {element};
    EXPECT_EQ(decode_job(encode(job)).value(), job) << encode(job);
  }
  for (const Command& command :
       {Command{ArgvCommand{{"a", ""}}}, Command{ShellCommand{}}, Command{HttpCall{}},
        Command{HttpCall{"GET", "https://x", {{"A", "b"}}, "body", 200, 404}}}) {
    Job job = plain_job();
    job.command = command;
    EXPECT_EQ(decode_job(encode(job)).value(), job) << encode(job);
  }
}

TEST(Codec, keeps_options_that_are_set_to_nothing) {
  Job job = plain_job();
  job.concurrency = Concurrency{};
  job.umask = 0;
  job.timeout = Duration{0};
  EXPECT_EQ(encode(job), R"({"v":1,"name":"billing","timeout":0,"concurrency":{},"umask":0})");
  EXPECT_EQ(decode_job(encode(job)).value(), job);
}

// These texts are stored: should one of them change, old stores could not be read, or every job
// would look redefined.
TEST(Codec, stores_output_that_is_not_text) {
  cronce::Run run;
  run.output_tail = "K\xe4se\xff";
  const auto back = decode_run(encode(run));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->output_tail, "K\xef\xbf\xbdse\xef\xbf\xbd");
}

TEST(Codec, writes_the_same_text_for_ever) {
  EXPECT_EQ(
      encode(full_job()),
      R"({"v":1,"name":"billing","schedule":{"elements":[{"cron":"0 2 * * *"},)"
      R"({"every":{"interval":900000,"anchor":"2026-01-01"}},{"at":"2026-12-24T18:00:00+01:00"}],)"
      R"("timezone":"Europe/Berlin","dst":{"gap":"skip","fold":"both"},)"
      R"("between":{"from":"2026-01-01","to":"2026-12-31T12:00:00","max_runs":100}},)"
      R"("command":{"shell":{"line":"a | b","shell":"/bin/bash","input":"line\n"}},)"
      R"("overlap":"queue","catch_up":{"mode":"all","window":21600000,"cap":7},)"
      R"("on_lost":"rerun","on_lease_loss":"continue",)"
      R"("retries":{"max":2,"backoff":1000,"factor":3,"limit":60000,"jitter_percent":20},)"
      R"("timeout":7200000,"kill_after":5000,"grace":30000,"jitter":1500,"on":{"region":"eu"},)"
      R"("everywhere":true,"priority":-5,"concurrency":{"group":"db","max":2},)"
      R"("guards":[{"kind":"shedlock","settings":{"name":"billing"}},{"kind":"flock"}],)"
      R"("env_base":"cron","env":{"EMPTY":"","MODE":"prod"},"user":"billing","cwd":"/srv",)"
      R"("output_keep_bytes":0,"limits":{"nofile":1024,"cpu_seconds":60,"memory_bytes":1048576,)"
      R"("processes":10,"core_bytes":0},"umask":18,"nice":10,)"
      R"("history":{"succeeded":1,"failed":2,"skipped":3,"age":86400000},)"
      R"("notify":{"on":["failed","lost"],"webhook":"https://example.com","command":"mail",)"
      R"("mail":"root"},"expect_within":600000,"was":"old-name","paused":true})");
}

TEST(Digest, of_a_job_is_the_same_on_every_machine_and_for_ever) {
  Job job = plain_job();
  job.schedule.elements = {CronSpec{"0 0 * * *"}};
  EXPECT_EQ(encode(job),
            R"({"v":1,"name":"billing","schedule":{"elements":[{"cron":"0 0 * * *"}]}})");
  EXPECT_EQ(digest(job).hex(), "763bea04870e287cf1eac28005ee022926abde6f5b94b66291cc22210cf64def");
}

TEST(Digest, changes_with_the_definition) {
  Job job = plain_job();
  const Digest before = digest(job);
  job.paused = true;
  EXPECT_NE(digest(job), before);
}

TEST(Digest, of_a_set_does_not_depend_on_order_source_or_generation) {
  const JobSet one{"a.yaml", std::nullopt, {plain_job("a"), plain_job("b"), full_job()}};
  const JobSet other{"b.yaml", Generation{3}, {full_job(), plain_job("b"), plain_job("a")}};
  EXPECT_EQ(digest(one), digest(other));
  EXPECT_NE(digest(one), digest(JobSet{"a.yaml", {}, {plain_job("a"), plain_job("b")}}));
}

}  // namespace
}  // namespace cronce
