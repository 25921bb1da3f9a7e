// Machines that nobody has, presented to the rows of `doctor`: each finding comes with its cause
// and goes with it.
#include "cli/doctor_test.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/command.h"

namespace cronce {
namespace {

using namespace std::chrono_literals;

/// What is not right.
Findings troubles(const DoctorFacts& facts) {
  Findings found = examine(facts);
  std::erase_if(found, [](const Finding& finding) { return finding.severity == Gravity::ok; });
  return found;
}

TEST(Doctor, FindsNothingOnAHealthyMachine) {
  for (const Finding& finding : troubles(healthy_machine())) ADD_FAILURE() << finding.found;
  EXPECT_EQ(exit_code_of(healthy_machine(), examine(healthy_machine())), kExitDone);
}

TEST(Doctor, FindsEachIllnessAndNothingElse) {
  for (const Ill& ill : all_ills()) {
    DoctorFacts facts = healthy_machine();
    ill.fall_ill(facts);
    const Findings found = troubles(facts);
    ASSERT_EQ(found.size(), 1U) << ill.check << ": " << ill.found;
    const Finding& finding = found.front();
    EXPECT_EQ(finding.check, ill.check);
    EXPECT_EQ(finding.severity, ill.severity) << ill.check << ": " << finding.found;
    EXPECT_NE(finding.found.find(ill.found), std::string::npos) << finding.found;
    EXPECT_NE(finding.remedy.find(ill.remedy), std::string::npos) << finding.remedy;
    EXPECT_FALSE(finding.why.empty()) << ill.check;
  }
}

/// The page of findings and remedies.
TEST(Doctor, IsWrittenDown) {
  std::ifstream file(CRONCE_SOURCE_DIR "/docs/operations.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const CheckRow& row : doctor_checks()) {
    EXPECT_NE(page.find(fmt::format("| `{}` |", row.name)), std::string::npos) << row.name;
  }
}

TEST(Doctor, HasNoRowThatCannotFindAnything) {
  const auto ills = all_ills();
  for (const CheckRow& row : doctor_checks()) {
    EXPECT_TRUE(std::any_of(ills.begin(), ills.end(), [&](const Ill& ill) {
      return ill.check == row.name;
    })) << row.name;
  }
}

/// What a person is told to type must exist.
TEST(Doctor, NamesCommandsThatThereAre) {
  std::vector<std::string> known;
  for (const CommandRow& command : commands()) known.emplace_back(command.name);
  for (const Ill& ill : all_ills()) {
    DoctorFacts facts = healthy_machine();
    ill.fall_ill(facts);
    const std::string remedy = troubles(facts).at(0).remedy;
    constexpr std::string_view kProgram = "cronce ";
    for (std::size_t at = remedy.find(kProgram); at != remedy.npos;
         at = remedy.find(kProgram, at + 1)) {
      const std::size_t begin = at + kProgram.size();
      const std::string word = remedy.substr(begin, remedy.find(' ', begin) - begin);
      EXPECT_NE(std::find(known.begin(), known.end(), word), known.end()) << remedy;
      const std::string rest = remedy.substr(begin, remedy.find(kProgram, begin) - begin);
      const bool names_store = rest.find(" --store sqlite:") != rest.npos;
      const bool needs_none = word == "version" || rest.starts_with("store sql");
      EXPECT_TRUE(names_store || needs_none) << remedy;  // typed as it is, it means this one
    }
  }
}

TEST(Doctor, NamesNoStoreWhereItIsTheDefaultOne) {
  DoctorFacts facts = healthy_machine();
  facts.store.jobs[0].plan.next = kExamined - 2min;
  EXPECT_EQ(troubles(facts).at(0).remedy, "cronce why billing next --store sqlite:/srv/cronce.db");
  facts.places.named = false;
  EXPECT_EQ(troubles(facts).at(0).remedy, "cronce why billing next");
}

int exit_code_with(StoreTrouble trouble) {
  DoctorFacts facts = healthy_machine();
  set_trouble(facts, trouble);
  return exit_code_of(facts, examine(facts));
}

TEST(Doctor, AnswersAsOtherCommandsWould) {
  EXPECT_EQ(exit_code_with(StoreTrouble::missing), kExitUnavailable);
  EXPECT_EQ(exit_code_with(StoreTrouble::busy), kExitUnavailable);
  EXPECT_EQ(exit_code_with(StoreTrouble::unfinished), kExitUnavailable);
  EXPECT_EQ(exit_code_with(StoreTrouble::away), kExitUnavailable);
  EXPECT_EQ(exit_code_with(StoreTrouble::refused), kExitRefused);
  EXPECT_EQ(exit_code_with(StoreTrouble::journal), kExitFound);
  for (const auto trouble :
       {StoreTrouble::network, StoreTrouble::unreadable, StoreTrouble::foreign,
        StoreTrouble::damaged, StoreTrouble::newer, StoreTrouble::copy, StoreTrouble::device}) {
    EXPECT_EQ(exit_code_with(trouble), kExitRefused);
  }
  DoctorFacts facts = healthy_machine();
  facts.host.state_folder.mode = 0755;
  EXPECT_EQ(exit_code_of(facts, examine(facts)), kExitFound) << "a warning";
  facts.host.store_file.writable = false;
  EXPECT_EQ(exit_code_of(facts, examine(facts)), kExitRefused);
  facts = healthy_machine();
  facts.host.synchronised = false;
  EXPECT_EQ(exit_code_of(facts, examine(facts)), kExitDone) << "a note";
  facts.store.schema = 1;
  facts.store.our_schema = 2;
  facts.store.server = ServerFacts{};
  EXPECT_EQ(exit_code_of(facts, examine(facts)), kExitRefused) << "tables of another role";
}

/// A job that waits for nobody, or for a node that is away, is no finding.
TEST(Doctor, LeavesJobsAloneThatExpectNothing) {
  for (const auto& make_quiet : std::vector<std::function<void(JobRow&)>>{
           [](JobRow& job) { job.pause = Pause{}; }, [](JobRow& job) { job.plan.next.reset(); },
           [](JobRow& job) {
             job.whole = JobUid{9};
             job.member = "away";
           }}) {
    DoctorFacts facts = healthy_machine();
    redefine(facts, [](Job& job) { job.on = std::map<std::string, std::string>{{"disk", "ssd"}}; });
    make_quiet(facts.store.jobs.front());
    EXPECT_TRUE(troubles(facts).empty());
  }
}

TEST(Doctor, DoesNotTakeALongLookForAWrongClock) {
  DoctorFacts facts = healthy_machine();
  facts.host.wall += 10s;
  facts.host.boot += 10s;
  EXPECT_TRUE(troubles(facts).empty());
}

TEST(Doctor, FindsTheMountThatAPathLiesOn) {
  constexpr std::string_view kMounts =
      "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw,barrier=0\n"
      "23 22 0:5 / /srv rw - tmpfs tmpfs rw\n"
      "24 22 8:2 / /srv ro,nosuid shared:1 - xfs /dev/sdb1 rw\n"
      "25 22 0:6 / /srv/my\\040disk rw - nfs4 host:/x rw\n";
  EXPECT_EQ(mount_of(kMounts, "/home/x").type, "ext4");
  EXPECT_EQ(mount_of(kMounts, "/home/x").options, ",rw,relatime,rw,barrier=0,");
  EXPECT_EQ(mount_of(kMounts, "/srv").type, "xfs") << "it lies on top";
  EXPECT_EQ(mount_of(kMounts, "/srvx").type, "ext4");
  EXPECT_EQ(mount_of(kMounts, "/srv/my disk/store").type, "nfs4");
}

TEST(Doctor, NamesAFewAndCountsTheRest) {
  EXPECT_EQ(some_of({"a"}), "a");
  EXPECT_EQ(some_of({"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(some_of({"a", "b", "c", "d", "e"}), "a, b, c and 2 more");
}

}  // namespace
}  // namespace cronce
