#include "jobfile/jobfile.h"

#include <gtest/gtest.h>

#include "jobfile/job_keys.h"
#include "jobfile/yaml_reader.h"

namespace cronce {
namespace {

const FileContext kContext{"conf/jobs.yaml", "/srv/jobs", "UTC", "host"};

JobFile read(std::string_view text) { return read_job_file(text, FileFormat::yaml, kContext); }

std::string said(const JobFile& file) {
  std::string text;
  for (const Diagnostic& diagnostic : file.diagnostics) text += describe(diagnostic) + "\n";
  return text;
}

/// One job with these keys besides schedule and run.
Job job_with(const std::string& keys) {
  const JobFile file =
      read("jobs:\n  j:\n    schedule: \"@daily\"\n    run: x\n    " + keys + "\n");
  EXPECT_EQ(said(file), "");
  EXPECT_EQ(file.set.jobs.size(), 1U);
  return file.set.jobs.empty() ? Job{*parse_job_name("none"), {}, {}} : *file.set.jobs.front();
}

Job job_of(const std::string& body, const std::string& head = "") {
  const JobFile file = read(head + "jobs:\n  j: " + body + "\n");
  EXPECT_TRUE(file.usable()) << said(file);
  EXPECT_EQ(file.set.jobs.size(), 1U);
  return file.set.jobs.empty() ? Job{*parse_job_name("none"), {}, {}} : *file.set.jobs.front();
}

TEST(JobFile, FormatsByName) {
  EXPECT_EQ(guess_format("/srv/jobs.yaml"), FileFormat::yaml);
  EXPECT_EQ(guess_format("/srv/cron.d/x.yaml"), FileFormat::yaml);
  EXPECT_EQ(guess_format("/etc/cron.d/jobs.yml"), FileFormat::yaml);
  EXPECT_EQ(guess_format("/etc/crontab"), FileFormat::crontab_system);
  EXPECT_EQ(guess_format("/etc/cron.d/php"), FileFormat::crontab_system);
  EXPECT_EQ(guess_format("/srv/cron.d/php"), FileFormat::crontab_system);
  EXPECT_EQ(guess_format("/etc/cron.d/x/y"), FileFormat::crontab);
  EXPECT_EQ(guess_format("/srv/my-cron.d/php"), FileFormat::crontab);
  EXPECT_EQ(guess_format("/srv/crontab"), FileFormat::crontab);
  EXPECT_EQ(guess_format("/srv/jobs.yaml.bak"), FileFormat::crontab);
}

TEST(JobFile, ErrorsAndSyntaxMakeItUnusable) {
  for (const Severity severity : {Severity::finding, Severity::warning, Severity::note}) {
    EXPECT_TRUE((JobFile{{}, {{severity, "", 0, 0, "", ""}}}).usable());
  }
  EXPECT_FALSE((JobFile{{}, {{Severity::error, "", 0, 0, "", ""}}}).usable());
  EXPECT_FALSE((JobFile{{}, {{Severity::syntax, "", 0, 0, "", ""}}}).usable());
}

TEST(JobFile, TopLevel) {
  const JobFile file =
      read("generation: 12\nsource: billing\njobs:\n  a: {schedule: '@daily', run: x}\n");
  EXPECT_EQ(file.set.generation, Generation{12});
  EXPECT_EQ(file.set.source, "billing");
  EXPECT_EQ(read("jobs: {}").set.source, "jobs.yaml");
  EXPECT_EQ(read("jobs: {}").set.generation, std::nullopt);
}

TEST(JobFile, TheDefaultsOfTheModel) {
  const Job expected{*parse_job_name("j"), {{CronSpec{"@daily"}}}, ShellCommand{"x"}};
  EXPECT_EQ(job_with(""), expected);
}

TEST(JobFile, Schedules) {
  const auto elements = [](const std::string& schedule) {
    return job_of("{run: x, schedule: " + schedule + "}").schedule.elements;
  };
  const auto time = *parse_written_time("2026-12-24T18:00");
  using Minutes = std::chrono::minutes;
  EXPECT_EQ(elements("0 2 * * *").at(0), ElementSpec{CronSpec{"0 2 * * *"}});
  EXPECT_EQ(elements("'@every 15m'").at(0), (ElementSpec{EverySpec{Minutes{15}, std::nullopt}}));
  EXPECT_EQ(elements("{every: 15m, anchor: '2026-12-24T18:00'}").at(0),
            (ElementSpec{EverySpec{Minutes{15}, time}}));
  EXPECT_EQ(elements("{at: '2026-12-24 18:00'}").at(0), ElementSpec{AtSpec{time}});
  EXPECT_EQ(elements("{after: 10m}").at(0), ElementSpec{AfterSpec{Minutes{10}}});
  EXPECT_EQ(elements("{cron: '0 2 * * *'}").at(0), ElementSpec{CronSpec{"0 2 * * *"}});
  EXPECT_EQ(elements("['@daily', {every: 1h}, {cron: '@weekly'}]").size(), 3U);
}

TEST(JobFile, ZonesByKeyPrefixAndDefault) {
  EXPECT_EQ(job_with("timezone: Asia/Kolkata").schedule.timezone, "Asia/Kolkata");
  EXPECT_EQ(job_of("{run: x, schedule: 'TZ=Asia/Kolkata 0 2 * * *'}").schedule.timezone,
            "Asia/Kolkata");
  const std::string defaults = "defaults: {timezone: Asia/Tokyo}\n";
  EXPECT_EQ(job_of("{run: x, schedule: '@daily'}", defaults).schedule.timezone, "Asia/Tokyo");
  EXPECT_EQ(job_of("{run: x, schedule: 'TZ=UTC 0 2 * * *'}", defaults).schedule.timezone, "UTC")
      << "a prefix is nearer than the defaults";
}

TEST(JobFile, CommandsBesideTheFile) {
  const auto program = [](const std::string& run) {
    return std::get<ArgvCommand>(job_of("{schedule: '@daily', run: " + run + "}").command).argv;
  };
  using Argv = std::vector<std::string>;
  EXPECT_EQ(program("[./bill, --all]"), (Argv{"/srv/jobs/bill", "--all"}));
  EXPECT_EQ(program("[.//./bill]"), Argv{"/srv/jobs/bill"});
  EXPECT_EQ(program("[bin/bill]"), Argv{"/srv/jobs/bin/bill"});
  EXPECT_EQ(program("[../bill]"), Argv{"/srv/jobs/../bill"}) << "links may lead elsewhere";
  EXPECT_EQ(program("[/bin/bill, ./x]"), (Argv{"/bin/bill", "./x"}));
  EXPECT_EQ(program("[bill, 5, true, '']"), (Argv{"bill", "5", "true", ""}));
  EXPECT_EQ(job_with("cwd: .").cwd, "/srv/jobs");
  EXPECT_EQ(job_with("cwd: ./data").cwd, "/srv/jobs/data");
  EXPECT_EQ(job_with("cwd: /srv").cwd, "/srv");
}

TEST(JobFile, Http) {
  const auto call = *std::get<Shared<HttpCall>>(
      job_of("{schedule: '@daily', http: {method: GET, url: 'https://a/b', "
             "headers: {X: 'y'}, body: z, expect: 200-204}}")
          .command);
  EXPECT_EQ(call, (HttpCall{"GET", "https://a/b", {{"X", "y"}}, "z", 200, 204}));
  EXPECT_EQ(*std::get<Shared<HttpCall>>(
                job_of("{schedule: '@daily', http: {url: 'http://a', expect: 418}}").command),
            (HttpCall{"POST", "http://a", {}, "", 418, 418}));
}

TEST(JobFile, Shorthands) {
  EXPECT_EQ(job_with("catch_up: all").catch_up, (CatchUp{CatchUp::Mode::all, std::nullopt, 100}));
  EXPECT_EQ(job_with("retries: 2").retries->max, 2);
  EXPECT_EQ(job_with("concurrency: 1").concurrency, (Concurrency{"j", 1}));
  EXPECT_EQ(job_with("concurrency: {max: 3}").concurrency, (Concurrency{"j", 3}));
  EXPECT_EQ(job_with("notify: {on: failed, command: tell}").notify->on,
            std::vector<std::string>{"failed"});
}

TEST(JobFile, Values) {
  EXPECT_EQ(job_with("umask: 022").umask, 18);
  EXPECT_EQ(job_with("umask: \"0077\"").umask, 63);
  EXPECT_EQ(job_with("output: {keep: 1MiB}").output_keep_bytes, 1'048'576);
  EXPECT_EQ(job_with("output: {keep: 100}").output_keep_bytes, 100);
  EXPECT_EQ(job_with("limits: {memory: 8589934592}").limits->memory_bytes, 8'589'934'592);
  EXPECT_EQ(job_with("limits: {cpu: 1500ms, memory: 1GiB}").limits->cpu_seconds, 2);
  EXPECT_EQ(job_with("retries: {max: 1, backoff: 10m}").retries->limit, std::chrono::minutes{10})
      << "a limit that was not written gives way";
  EXPECT_EQ(job_with("retries: {max: 1, jitter: 0%}").retries->jitter_percent, 0);
  EXPECT_EQ(job_with("notify: {on: [lost, failed], mail: a@b}").notify->on,
            (std::vector<std::string>{"failed", "lost"}));
  EXPECT_EQ(job_with("on: {region: eu, disk: 1}").on,
            (std::map<std::string, std::string>{{"region", "eu"}, {"disk", "1"}}));
  EXPECT_EQ(job_with("on_lease_loss: continue").on_lease_loss, OnLeaseLoss::carry_on);
  EXPECT_TRUE(job_with("paused: true").paused);
}

TEST(JobFile, DefaultsAreReplacedKeyByKeyAndEnvJoins) {
  const std::string head =
      "defaults: {env: {A: '1', B: '2'}, retries: {max: 5, backoff: 1m}, concurrency: 2}\n";
  const Job job = job_of("{schedule: '@daily', run: x, env: {B: '3'}, retries: 1}", head);
  EXPECT_EQ(job.env, (std::map<std::string, std::string>{{"A", "1"}, {"B", "3"}}));
  EXPECT_EQ(job.retries, (Retries{.max = 1}));
  EXPECT_EQ(job.concurrency, (Concurrency{"j", 2}));
}

TEST(JobFile, DefaultsMayFollowTheJobs) {
  const JobFile file = read("jobs:\n  j: {schedule: '@daily', run: x}\ndefaults: {timeout: 5m}\n");
  EXPECT_EQ(file.set.jobs.at(0)->timeout, std::chrono::minutes{5});
}

TEST(JobFile, JobsThatAreRightAreKept) {
  const JobFile file = read(
      "jobs:\n  a: {schedule: '@daily', run: x}\n  b: {schedule: '@dayly', run: x}\n"
      "  c: {schedule: '@daily', run: x}\n  A: {schedule: '@daily', run: x}\n");
  ASSERT_EQ(file.set.jobs.size(), 2U);
  EXPECT_EQ(file.set.jobs[0]->name.text(), "a");
  EXPECT_EQ(file.set.jobs[1]->name.text(), "c");
  ASSERT_EQ(file.diagnostics.size(), 2U);
  EXPECT_EQ(file.diagnostics[0].job, "b");
  EXPECT_FALSE(file.usable());
}

TEST(JobFile, NamesAndWordsOfDiagnostics) {
  EXPECT_EQ(describe({Severity::error, "f", 3, 4, "j", "m"}), "f:3:4: error: m");
  EXPECT_EQ(describe({Severity::note, "f", 3, 0, "", "m"}), "f:3: note: m");
  EXPECT_EQ(describe({Severity::syntax, "f", 0, 0, "", "m"}), "f: syntax error: m");
  EXPECT_TRUE(refuses(Severity::syntax) && refuses(Severity::error));
  EXPECT_FALSE(refuses(Severity::finding) || refuses(Severity::warning));
  EXPECT_EQ(name(Severity::finding), "finding");
  EXPECT_EQ(name(Severity::warning), "warning");
}

TEST(JobFile, EveryFileHasAFirstPlace) {
  for (const std::string_view text : {"", "# nothing\n", "\n\n"}) {
    const JobFile file = read(text);
    ASSERT_EQ(file.diagnostics.size(), 1U);
    EXPECT_TRUE(said(file).starts_with("conf/jobs.yaml:1:1: error: ")) << said(file);
  }
}

TEST(JobFile, ARuleForClockChangesWithoutEffectIsDoubted) {
  const auto doubts = [](const std::string& schedule, const std::string& head = "") {
    const std::string dst = head.empty() ? ", dst: {gap: skip}" : "";
    return said(read(head + "jobs: {j: {run: x, schedule: " + schedule + dst + "}}"))
               .find("dst has no effect") != std::string::npos;
  };
  EXPECT_TRUE(doubts("'0 * * * *'"));
  EXPECT_TRUE(doubts("{every: 1h}"));
  EXPECT_TRUE(doubts("['*/5 * * * *', {every: 1h}]"));
  EXPECT_FALSE(doubts("'0 2 * * *'"));
  EXPECT_FALSE(doubts("['0 * * * *', '0 2 * * *']"));
  EXPECT_FALSE(doubts("{at: '2026-12-24T18:00'}"));
  EXPECT_FALSE(doubts("'0 * * * *'", "defaults: {dst: {gap: skip}}\n"));
}

TEST(JobFile, AThousandErrorsAreEnough) {
  std::string text = "jobs:\n";
  for (int i = 0; i < 2'000; ++i) text += "  j" + std::to_string(i) + ": {schedule: x, run: x}\n";
  const JobFile file = read(text);
  ASSERT_EQ(file.diagnostics.size(), 1'001U);
  EXPECT_EQ(describe(file.diagnostics.back()),
            "conf/jobs.yaml:1001:21: error: 1000 errors are enough: the rest was not read");
}

TEST(JobFile, LargeDefaultsForManyJobsAreRefused) {
  std::string text = "defaults: {env: {A: '" + std::string(100'000, 'x') + "'}}\njobs:\n";
  for (int i = 0; i < 6'000; ++i)
    text += "  j" + std::to_string(i) + ": {schedule: '@daily', run: x}\n";
  EXPECT_FALSE(read(text).usable());
}

TEST(JobFile, EveryRowHasAllItsParts) {
  for (const auto& row : job_keys().rows) {
    EXPECT_FALSE(row.name.empty());
    EXPECT_FALSE(row.meaning.empty()) << row.name;
    EXPECT_NE(row.read, nullptr) << row.name;
  }
}

}  // namespace
}  // namespace cronce
