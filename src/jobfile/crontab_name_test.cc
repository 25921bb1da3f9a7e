#include <gtest/gtest.h>

#include "jobfile/crontab.h"
#include "jobfile/jobfile.h"

namespace cronce {
namespace {

JobFile read_tab(std::string_view text, bool system_form = false) {
  return read_crontab(text, system_form, {"tab", "/etc", "Europe/Berlin", "host"});
}

std::string names(const JobFile& file) {
  std::string result;
  for (const Job& job : file.set.jobs) result += (result.empty() ? "" : " ") + job.name.text();
  return result;
}

TEST(CrontabNames, NeverChange) {
  EXPECT_EQ(names(read_tab("0 2 * * * /usr/bin/Backup.sh --all\n")), "backup-sh-f634e8");
  EXPECT_EQ(names(read_tab("0 2 * * * root /usr/bin/Backup.sh --all\n", true)), "backup-sh-17358f");
  EXPECT_EQ(names(read_tab("@daily A=1 B_2=x ./run\n")), "run-acba05");
  EXPECT_EQ(names(read_tab("@daily [ -x /x ] && y\n")), "job-dc67e4");
  EXPECT_EQ(names(read_tab("@daily A=1\n")), "job-065384");
  EXPECT_EQ(names(read_tab("@daily " + std::string(100, 'a') + "\n")),
            std::string(40, 'a') + "-7ae55d");
}

TEST(CrontabNames, DoNotDependOnScheduleOrderOrSurroundings) {
  const std::string before = names(read_tab("0 2 * * * a\n0 3 * * * b\n"));
  const std::string swapped =
      before.substr(before.find(' ') + 1) + " " + before.substr(0, before.find(' '));
  EXPECT_EQ(names(read_tab("MODE=x\n*/9 * * * *   b  \n# a\n@daily a\n")), swapped);
}

TEST(CrontabNames, TheSameCommandAgainAddsItsSchedule) {
  const JobFile file = read_tab("0 2 * * * a\n0 3 * * * a\n0  4 * * * a\nX=1\n0 3 * * * a\n");
  ASSERT_EQ(file.set.jobs.size(), 4U);
  const std::string first = file.set.jobs[0]->name.text();
  EXPECT_EQ(names(read_tab("0 3 * * * a\n")), first);
  EXPECT_EQ(file.set.jobs[1]->name.text(), first + "-51c662");
  EXPECT_EQ(file.set.jobs[2]->name.text(), first + "-0ba863");
  EXPECT_EQ(file.set.jobs[3]->name.text(), first + "-319fed");
}

TEST(CrontabNames, EqualLinesAreOneJob) {
  const JobFile file = read_tab("CRON_TZ=UTC\n@daily a\n@daily  a \n@daily b\n");
  EXPECT_EQ(file.set.jobs.size(), 2U);
  ASSERT_EQ(file.diagnostics.size(), 1U);
  EXPECT_EQ(describe(file.diagnostics[0]),
            "tab:3:1: finding: the same as line 2: both are one job; remove one");
}

TEST(CrontabNames, LinesThatMeanTheSameAreOneJob) {
  const auto jobs = [](const std::string& lines) {
    return read_tab("CRON_TZ=Europe/Berlin\n" + lines).set.jobs.size();
  };
  const JobFile file = read_tab("CRON_TZ=UTC\n@daily b\n  @DAILY b\n0 0 * * * b\n");
  EXPECT_EQ(file.set.jobs.size(), 1U);
  ASSERT_EQ(file.diagnostics.size(), 2U);
  EXPECT_EQ(describe(file.diagnostics[0]),
            "tab:3:3: finding: runs at the same times as line 2: both are one job; remove one");
  EXPECT_EQ(file.diagnostics[1].line, 4U);
  EXPECT_EQ(jobs("0 0 * * SUN b\n0 0 * * 7 b\n@weekly b\n"), 1U);
  EXPECT_EQ(jobs("*/20 * * * * b\n0,20,40 * * * * b\n"), 1U);
  EXPECT_EQ(jobs("0 0 1-31 * MON b\n@daily b\n"), 1U) << "either day matches";
  EXPECT_EQ(jobs("@every 60m b\n@every 1h b\n"), 1U);
  EXPECT_EQ(jobs("@reboot b\n@REBOOT b\n"), 1U);
}

TEST(CrontabNames, LinesThatDifferInAnythingAreTwoJobs) {
  const auto jobs = [](const std::string& lines, bool system_form = false) {
    return read_tab("CRON_TZ=Europe/Berlin\n" + lines, system_form).set.jobs.size();
  };
  EXPECT_EQ(jobs("@daily b\n0 0 * * * c\n"), 2U);
  EXPECT_EQ(jobs("@daily b\nX=1\n0 0 * * * b\n"), 2U);
  EXPECT_EQ(jobs("@daily b\nCRON_TZ=UTC\n0 0 * * * b\n"), 2U);
  EXPECT_EQ(jobs("@daily u b\n0 0 * * * v b\n", true), 2U);
  EXPECT_EQ(jobs("0 0 1 * MON b\n0 0 1 * * b\n"), 2U);
  EXPECT_EQ(jobs("0 */2 * * * b\n0 0,2,4,6,8,10,12,14,16,18,20,22 * * * b\n"), 2U)
      << "they differ when the clocks change";
}

TEST(CrontabNames, ACommentGivesAName) {
  EXPECT_EQ(names(read_tab("#cronce:name=eu/billing\n@daily a\n  # cronce:  name=b \n@daily b\n")),
            "eu/billing b");
}

TEST(CrontabNames, EvenWhenEveryCandidateIsTaken) {
  crontab::Namer namer;
  const crontab::NameSource source{"", "a", "@daily", ""};
  std::string last;
  for (std::size_t line = 1; line < 6; ++line) last = namer.derive(source, line);
  EXPECT_TRUE(last.ends_with("-3")) << last;
}

}  // namespace
}  // namespace cronce
