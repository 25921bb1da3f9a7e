#include "jobfile/crontab.h"

#include <gtest/gtest.h>

#include "jobfile/jobfile.h"

namespace cronce {
namespace {

const FileContext kTab{"tab", "/etc", "Europe/Berlin", "host"};

JobFile read_lines(std::string_view text, bool system_form = false) {
  return read_crontab(text, system_form, kTab);
}

const ShellCommand& command(const Job& job) { return std::get<ShellCommand>(job.command); }

Job only_job(std::string_view text, bool system_form = false) {
  const JobFile file = read_lines(text, system_form);
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
  EXPECT_TRUE(job.env->empty());
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
  EXPECT_EQ(read_lines("").set.source, "crontab@host");
  EXPECT_EQ(read_crontab("", false, {"tab", "/", "UTC", ""}).set.source, "crontab");
}

TEST(Crontab, VariablesReachTheLinesBelow) {
  const JobFile file = read_lines(
      "@daily a\n"
      "SHELL = /bin/bash\nPATH=/bin\n MODE = ' two words ' \nHOME=\"/srv\"\n"
      "@daily b\n"
      "MODE=\nSHELL=\n"
      "@daily c\n");
  ASSERT_EQ(file.set.jobs.size(), 3U);
  EXPECT_TRUE(file.set.jobs[0]->env->empty());
  using Env = std::map<std::string, std::string>;
  EXPECT_EQ(
      file.set.jobs[1]->env,
      (Env{{"SHELL", "/bin/bash"}, {"PATH", "/bin"}, {"MODE", " two words "}, {"HOME", "/srv"}}));
  EXPECT_EQ(command(file.set.jobs[1]).shell, "/bin/bash");
  EXPECT_EQ(file.set.jobs[1]->cwd, "/srv");
  EXPECT_EQ(file.set.jobs[2]->env->at("MODE"), "");
  EXPECT_EQ(command(file.set.jobs[2]).shell, "/bin/sh");
}

TEST(Crontab, MailIsSentOnFailureUntilMailtoIsEmpty) {
  const JobFile file = read_lines("MAILTO=a@b,c\n@daily a\nMAILTO=\"\"\n@daily b\n");
  ASSERT_EQ(file.set.jobs.size(), 2U);
  EXPECT_EQ(file.set.jobs[0]->notify->mail, "a@b,c");
  EXPECT_EQ(file.set.jobs[0]->notify->on, std::vector<std::string>{"failed"});
  EXPECT_EQ(file.set.jobs[1]->notify, Notify{});
}

TEST(Crontab, CronTzIsForSchedulesAndTzForCommands) {
  const JobFile file = read_lines(
      "CRON_TZ=Asia/Tokyo\nTZ=UTC\n0 2 * * * a\n"
      "CRON_TZ=\n0 2 * * * b\n");
  ASSERT_EQ(file.set.jobs.size(), 2U);
  EXPECT_EQ(file.set.jobs[0]->schedule.timezone, "Asia/Tokyo");
  EXPECT_EQ(file.set.jobs[0]->env, (std::map<std::string, std::string>{{"TZ", "UTC"}}));
  EXPECT_EQ(file.set.jobs[1]->schedule.timezone, "Europe/Berlin");
}

TEST(Crontab, AWrongZoneIsToldOnceAndItsJobsAreLeftOut) {
  const JobFile file =
      read_lines("CRON_TZ=Nowhere\n0 2 * * * a\n0 3 * * * b\nCRON_TZ=UTC\n@daily c\n");
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
TEST(Crontab, RemarksBelongToTheirJob) {
  const JobFile file = read_lines("CRON_TZ=UTC\n*/7 * * * * a\n");
  ASSERT_EQ(file.diagnostics.size(), 1U);
  EXPECT_EQ(file.diagnostics[0].job, file.set.jobs.at(0)->name.text());
}

TEST(Crontab, WhatConcernsTheFileBelongsToNoJob) {
  const JobFile file = read_lines("\xef\xbb\xbf*/7 * * * * a\r\n");
  ASSERT_EQ(file.diagnostics.size(), 5U);
  std::string jobs;
  for (const Diagnostic& found : file.diagnostics) jobs += found.job.empty() ? '-' : 'j';
  EXPECT_EQ(jobs, "--jj-") << "mark, zone, the two of the schedule, line ends";
}

TEST(Crontab, ADashNeedsAJob) {
  for (const std::string_view text : {"-\n", " - \n", "-\t"}) {
    for (const bool system_form : {false, true}) {
      const JobFile file = read_lines(text, system_form);
      ASSERT_GE(file.diagnostics.size(), 2U);
      EXPECT_TRUE(file.diagnostics[1].message.starts_with("nothing after '-': a job is"))
          << describe(file.diagnostics[1]);
    }
  }
  EXPECT_TRUE(read_lines("- @every\n").diagnostics.at(1).message.starts_with("@every needs"));
}

TEST(Crontab, AMissingField) {
  const auto message = [](std::string_view line, bool system_form = false) {
    const JobFile file = read_lines("CRON_TZ=UTC\n" + std::string(line) + "\n", system_form);
    return file.diagnostics.empty() ? "" : file.diagnostics[0].message;
  };
  for (const std::string_view line :
       {"0 2 * * echo hi", "0 2 * * /usr/bin/x y", "0 2 * * sudo", "*/5 * * * [ -x /x ]"}) {
    EXPECT_TRUE(message(line).starts_with("a field is missing before ")) << message(line);
  }
  EXPECT_TRUE(message("0 2 * * root /bin/x", true).starts_with("a field is missing before 'root'"));
  for (const std::string_view line : {"0 2 * * mno x", "0 2 * * sunday x", "0 2 * * 8 x",
                                      "0 2 * * FRI-XYZ x", "61 2 * * echo hi", "0 2 * * H/2 x"}) {
    EXPECT_TRUE(message(line).find("field: ") != std::string::npos) << message(line);
  }
}

TEST(Crontab, WhatIsNoTextIsToldOnce) {
  std::string bytes;
  for (int i = 0; i < 20'000; ++i) bytes += static_cast<char>((i * 7'919 >> 3) % 255 + 1);
  const std::string utf16("0\0 \0\n\0x\0", 8);
  for (const std::string& text : {bytes, utf16, "@daily a\n@daily b" + std::string(1, '\0')}) {
    const JobFile file = read_lines(text);
    ASSERT_EQ(file.diagnostics.size(), 1U);
    EXPECT_EQ(file.diagnostics[0].severity, Severity::syntax);
    EXPECT_TRUE(file.diagnostics[0].message.starts_with("not a text file"));
    EXPECT_TRUE(file.set.jobs.empty());
  }
  EXPECT_EQ(read_lines("@daily a\n@daily b" + std::string(1, '\0')).diagnostics[0].column, 9U);
  const JobFile koi8 = read_lines("@daily a\n# \xf0\xf2\xe9\xf7\xe5\xf4\n@daily \xf0\xf2\xe9\n");
  EXPECT_EQ(koi8.set.jobs.size(), 1U) << "other encodings are text";
}

TEST(Crontab, ReadingStopsAfterAThousandErrors) {
  std::string text;
  for (int i = 0; i < 2'000; ++i) text += "no\n";
  const JobFile file = read_lines(text);
  EXPECT_EQ(file.diagnostics.size(), 1'001U);
  EXPECT_EQ(describe(file.diagnostics.back()),
            "tab:1000:3: error: 1000 errors are enough: the rest was not read");
}

TEST(Crontab, AsManyJobsAsInYamlAreReadAndNotOneMore) {
  std::string text = "CRON_TZ=UTC\n";
  for (std::size_t i = 0; i < kMostJobs; ++i) text += "@reboot a " + std::to_string(i) + "\n";
  const JobFile file = read_lines(text + "# may follow\nX=1\n  @reboot b\n@reboot c\n");
  EXPECT_EQ(file.set.jobs.size(), kMostJobs);
  ASSERT_EQ(file.diagnostics.size(), 1U);
  EXPECT_EQ(describe(file.diagnostics[0]),
            "tab:250004:3: error: more than 250000 jobs are too many for one file: split it");
}

TEST(Crontab, LargeVariablesForManyJobsAreRefused) {
  std::string text = "CRON_TZ=UTC\nA=" + std::string(60'000, 'x') + "\n";
  for (int i = 0; i < 10'000; ++i) text += "@daily a\n";
  const JobFile file = read_lines(text);
  EXPECT_FALSE(file.usable());
  EXPECT_LT(file.diagnostics.back().line, 10'000U);
}

TEST(Crontab, TooManyVariables) {
  std::string text = "CRON_TZ=UTC\n";
  for (int i = 0; i < 70; ++i)
    text += "V" + std::to_string(i) + "=" + std::string(1'000, 'x') + "\n";
  const JobFile file = read_lines(text);
  ASSERT_EQ(file.diagnostics.size(), 1U);
  EXPECT_EQ(file.diagnostics[0].severity, Severity::error);
}

}  // namespace
}  // namespace cronce
