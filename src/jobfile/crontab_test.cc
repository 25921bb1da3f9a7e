#include "jobfile/crontab.h"

#include <gtest/gtest.h>

#include "jobfile/jobfile.h"

namespace cronce {
namespace {

const FileContext kContext{"tab", "/etc", "Europe/Berlin", "host"};

JobFile read(std::string_view text, bool system_form = false) {
  return read_crontab(text, system_form, kContext);
}

std::string names(const JobFile& file) {
  std::string result;
  for (const Job& job : file.set.jobs) result += (result.empty() ? "" : " ") + job.name.text();
  return result;
}

const ShellCommand& command(const Job& job) { return std::get<ShellCommand>(job.command); }

Job only_job(std::string_view text, bool system_form = false) {
  const JobFile file = read(text, system_form);
  EXPECT_EQ(file.set.jobs.size(), 1U) << text;
  for (const Diagnostic& diagnostic : file.diagnostics) {
    EXPECT_EQ(diagnostic.severity, Severity::note) << describe(diagnostic);
  }
  return file.set.jobs.at(0);
}

TEST(Crontab, UserForm) {
  const Job job = only_job("  5\t4 * *  SUN   /usr/bin/backup --all \n");
  EXPECT_EQ(job.schedule.elements, std::vector<ElementSpec>{CronSpec{"5 4 * * SUN"}});
  EXPECT_EQ(job.schedule.timezone, "Europe/Berlin");
  EXPECT_EQ(command(job), (ShellCommand{"/usr/bin/backup --all", "/bin/sh", ""}));
  EXPECT_EQ(job.env_base, EnvBase::cron);
  EXPECT_EQ(job.user, "");
  EXPECT_TRUE(job.env.empty());
  EXPECT_EQ(job.notify, Notify{});
}

TEST(Crontab, SystemForm) {
  const Job job = only_job("-*/5 * * * * www-data poll now\n", true);
  EXPECT_EQ(job.schedule.elements, std::vector<ElementSpec>{CronSpec{"*/5 * * * *"}});
  EXPECT_EQ(job.user, "www-data");
  EXPECT_EQ(command(job).line, "poll now");
  EXPECT_EQ(only_job("@daily DOMAIN\\svc$ x\n", true).user, "DOMAIN\\svc$");
}

TEST(Crontab, Macros) {
  const auto element = [](std::string_view text) { return only_job(text).schedule.elements.at(0); };
  EXPECT_EQ(element("@hourly x\n"), ElementSpec{CronSpec{"@hourly"}});
  EXPECT_EQ(element("@Reboot x\n"), ElementSpec{RebootSpec{}});
  EXPECT_EQ(element("@EVERY  15m x\n"), (ElementSpec{EverySpec{Duration{900'000}, {}}}));
}

TEST(Crontab, SourceIsTheHost) {
  EXPECT_EQ(read("").set.source, "crontab@host");
  EXPECT_EQ(read_crontab("", false, {"tab", "/", "UTC", ""}).set.source, "crontab");
}

TEST(Crontab, VariablesReachTheLinesBelow) {
  const JobFile file = read(
      "@daily a\n"
      "SHELL = /bin/bash\nPATH=/bin\n MODE = ' two words ' \nHOME=\"/srv\"\n"
      "@daily b\n"
      "MODE=\nSHELL=\n"
      "@daily c\n");
  ASSERT_EQ(file.set.jobs.size(), 3U);
  EXPECT_TRUE(file.set.jobs[0].env.empty());
  using Env = std::map<std::string, std::string>;
  EXPECT_EQ(
      file.set.jobs[1].env,
      (Env{{"SHELL", "/bin/bash"}, {"PATH", "/bin"}, {"MODE", " two words "}, {"HOME", "/srv"}}));
  EXPECT_EQ(command(file.set.jobs[1]).shell, "/bin/bash");
  EXPECT_EQ(file.set.jobs[1].cwd, "/srv");
  EXPECT_EQ(file.set.jobs[2].env.at("MODE"), "");
  EXPECT_EQ(command(file.set.jobs[2]).shell, "/bin/sh");
}

TEST(Crontab, MailIsSentOnFailureUntilMailtoIsEmpty) {
  const JobFile file = read("MAILTO=a@b,c\n@daily a\nMAILTO=\"\"\n@daily b\n");
  ASSERT_EQ(file.set.jobs.size(), 2U);
  EXPECT_EQ(file.set.jobs[0].notify.mail, "a@b,c");
  EXPECT_EQ(file.set.jobs[0].notify.on, std::vector<std::string>{"failed"});
  EXPECT_EQ(file.set.jobs[1].notify, Notify{});
}

TEST(Crontab, CronTzIsForSchedulesAndTzForCommands) {
  const JobFile file = read(
      "CRON_TZ=Asia/Tokyo\nTZ=UTC\n0 2 * * * a\n"
      "CRON_TZ=\n0 2 * * * b\n");
  ASSERT_EQ(file.set.jobs.size(), 2U);
  EXPECT_EQ(file.set.jobs[0].schedule.timezone, "Asia/Tokyo");
  EXPECT_EQ(file.set.jobs[0].env, (std::map<std::string, std::string>{{"TZ", "UTC"}}));
  EXPECT_EQ(file.set.jobs[1].schedule.timezone, "Europe/Berlin");
}

TEST(Crontab, AWrongZoneIsToldOnceAndItsJobsAreLeftOut) {
  const JobFile file = read("CRON_TZ=Nowhere\n0 2 * * * a\n0 3 * * * b\nCRON_TZ=UTC\n@daily c\n");
  EXPECT_EQ(file.diagnostics.size(), 1U);
  EXPECT_EQ(file.set.jobs.size(), 1U);
}

TEST(Crontab, AHostWithoutAZoneNeedsCronTz) {
  const FileContext context{"tab", "/", "", "host"};
  const JobFile file = read_crontab("@daily a\n@daily b\nCRON_TZ=UTC\n@daily c\n", false, context);
  ASSERT_EQ(file.diagnostics.size(), 1U);
  EXPECT_EQ(file.diagnostics[0].severity, Severity::error);
  EXPECT_EQ(file.diagnostics[0].line, 1U);
  EXPECT_EQ(file.set.jobs.size(), 1U);
}

TEST(Crontab, PercentSigns) {
  struct Row {
    std::string_view text, line, input;
  };
  const Row rows[] = {
      {R"(mail bob%Hi%there)", "mail bob", "Hi\nthere\n"},
      {R"(mail bob%Hi%%)", "mail bob", "Hi\n\n"},
      {R"(date +\%F)", "date +%F", ""},
      {R"(date +\\%F)", R"(date +\\)", "F\n"},
      {R"(echo \a\\)", R"(echo \a\\)", ""},
      {R"(cat%50\% of \it)", "cat", "50% of \\it\n"},
      {R"(cat%\)", "cat", "\\\n"},
      {R"(cat%)", "cat", ""},
  };
  for (const Row& row : rows) {
    const auto split = crontab::split_input(row.text);
    EXPECT_EQ(split.line, row.line) << row.text;
    EXPECT_EQ(split.input, row.input) << row.text;
  }
  EXPECT_EQ(command(only_job("@daily mail bob%Hi\n")).input, "Hi\n");
}

TEST(Crontab, ABlankAfterABackslashStays) {
  EXPECT_EQ(command(only_job("@daily ls dir\\   \n")).line, "ls dir\\ ");
  EXPECT_EQ(command(only_job("@daily ls dir   \n")).line, "ls dir");
}

// The names below are what stores know the jobs by: a change here orphans their history.
TEST(CrontabNames, NeverChange) {
  EXPECT_EQ(names(read("0 2 * * * /usr/bin/Backup.sh --all\n")), "backup-sh-f634e8");
  EXPECT_EQ(names(read("0 2 * * * root /usr/bin/Backup.sh --all\n", true)), "backup-sh-17358f");
  EXPECT_EQ(names(read("@daily A=1 B_2=x ./run\n")), "run-acba05");
  EXPECT_EQ(names(read("@daily [ -x /x ] && y\n")), "job-dc67e4");
  EXPECT_EQ(names(read("@daily A=1\n")), "job-065384");
  EXPECT_EQ(names(read("@daily " + std::string(100, 'a') + "\n")),
            std::string(40, 'a') + "-7ae55d");
}

TEST(CrontabNames, DoNotDependOnScheduleOrderOrSurroundings) {
  const std::string before = names(read("0 2 * * * a\n0 3 * * * b\n"));
  const std::string swapped =
      before.substr(before.find(' ') + 1) + " " + before.substr(0, before.find(' '));
  EXPECT_EQ(names(read("MODE=x\n*/9 * * * *   b  \n# a\n@daily a\n")), swapped);
}

TEST(CrontabNames, TheSameCommandAgainAddsItsSchedule) {
  const JobFile file = read("0 2 * * * a\n0 3 * * * a\n0  4 * * * a\nX=1\n0 3 * * * a\n");
  ASSERT_EQ(file.set.jobs.size(), 4U);
  const std::string first = file.set.jobs[0].name.text();
  EXPECT_EQ(names(read("0 3 * * * a\n")), first);
  EXPECT_EQ(file.set.jobs[1].name.text(), first + "-51c662");
  EXPECT_EQ(file.set.jobs[2].name.text(), first + "-0ba863");
  EXPECT_EQ(file.set.jobs[3].name.text(), first + "-319fed");
}

TEST(CrontabNames, EqualLinesAreOneJob) {
  const JobFile file = read("CRON_TZ=UTC\n@daily a\n@daily  a \n@daily b\n");
  EXPECT_EQ(file.set.jobs.size(), 2U);
  ASSERT_EQ(file.diagnostics.size(), 1U);
  EXPECT_EQ(file.diagnostics[0].severity, Severity::finding);
  EXPECT_EQ(file.diagnostics[0].line, 3U);
}

TEST(CrontabNames, ACommentGivesAName) {
  EXPECT_EQ(names(read("#cronce:name=eu/billing\n@daily a\n  # cronce:  name=b \n@daily b\n")),
            "eu/billing b");
}

TEST(CrontabNames, EvenWhenEveryCandidateIsTaken) {
  crontab::Namer namer;
  const crontab::NameSource source{"", "a", "@daily", ""};
  std::string last;
  for (std::size_t line = 1; line < 6; ++line) last = namer.derive(source, line);
  EXPECT_TRUE(last.ends_with("-3")) << last;
}

TEST(Crontab, RemarksBelongToTheirJob) {
  const JobFile file = read("CRON_TZ=UTC\n*/7 * * * * a\n");
  ASSERT_EQ(file.diagnostics.size(), 1U);
  EXPECT_EQ(file.diagnostics[0].job, names(file));
}

TEST(Crontab, ReadingStopsAfterAThousandErrors) {
  std::string text;
  for (int i = 0; i < 2'000; ++i) text += "no\n";
  const JobFile file = read(text);
  EXPECT_EQ(file.diagnostics.size(), 1'001U);
  EXPECT_EQ(file.diagnostics.back().severity, Severity::syntax);
}

TEST(Crontab, TenThousandJobsAreReadAndNotOneMore) {
  std::string text = "CRON_TZ=UTC\n";
  for (int i = 0; i < 10'000; ++i) text += "@daily a " + std::to_string(i) + "\n";
  EXPECT_TRUE(read(text).diagnostics.empty());
  const JobFile file = read(text + "@daily b\n");
  EXPECT_EQ(file.set.jobs.size(), 10'000U);
  ASSERT_EQ(file.diagnostics.size(), 1U);
  EXPECT_EQ(file.diagnostics[0].severity, Severity::syntax);
}

TEST(Crontab, TooManyVariables) {
  std::string text = "CRON_TZ=UTC\n";
  for (int i = 0; i < 70; ++i)
    text += "V" + std::to_string(i) + "=" + std::string(1'000, 'x') + "\n";
  const JobFile file = read(text);
  ASSERT_EQ(file.diagnostics.size(), 1U);
  EXPECT_EQ(file.diagnostics[0].severity, Severity::error);
}

}  // namespace
}  // namespace cronce
