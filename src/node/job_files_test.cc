#include "node/job_files.h"

#include <fstream>

#include <gtest/gtest.h>

#include "test/support/scratch.h"

namespace cronce {
namespace {

class JobFilesTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.file(name)) << text;
    return folder_.file(name);
  }
  static std::string job(const std::string& name) {
    return "jobs:\n  " + name + ": {schedule: \"@daily\", run: [\"true\"]}\n";
  }
  static std::string first_error(const LoadedJobs& loaded) {
    for (const Diagnostic& one : loaded.diagnostics) {
      if (refuses(one.severity)) return describe(one);
    }
    return "";
  }

  Scratch folder_;
};

TEST_F(JobFilesTest, EachFileIsASource) {
  const LoadedJobs loaded =
      load_jobs({{write("a.yaml", job("one")), write("b.yaml", job("two"))}, {}, {}, {}});
  EXPECT_TRUE(loaded.usable) << first_error(loaded);
  ASSERT_EQ(loaded.offers.size(), 2U);
  EXPECT_EQ(loaded.offers[0].set.source, "a.yaml");
  EXPECT_EQ(loaded.jobs, 2U);
}

TEST_F(JobFilesTest, ANamedSourceHoldsAllFiles) {
  write("a.yaml", job("one"));
  write("b.yaml", job("two"));
  const LoadedJobs loaded = load_jobs({{folder_.path()}, {}, "mine", Generation{4}});
  ASSERT_EQ(loaded.offers.size(), 1U);
  EXPECT_EQ(loaded.offers[0].set.source, "mine");
  EXPECT_EQ(loaded.offers[0].set.jobs.size(), 2U);
  EXPECT_EQ(loaded.offers[0].set.generation, Generation{4});
}

TEST_F(JobFilesTest, TheDigestIsThatOfTheDefinitions) {
  const auto of = [&](const std::string& text) {
    return load_jobs({{write("a.yaml", text)}, {}, {}, {}}).offers.at(0).digest;
  };
  EXPECT_EQ(of(job("one")), of("# a remark\n" + job("one")));
  EXPECT_NE(of(job("one")), of(job("two")));
}

TEST_F(JobFilesTest, RefusesAJobThatTwoFilesDefine) {
  const LoadedJobs loaded =
      load_jobs({{write("a.yaml", job("one")), write("b.yaml", job("one"))}, {}, {}, {}});
  EXPECT_FALSE(loaded.usable);
  EXPECT_NE(first_error(loaded).find("job 'one' is defined in"), std::string::npos);
}

// Better no job than one without the lock that it counts on.
TEST_F(JobFilesTest, RefusesWhatThisVersionCannotDo) {
  const std::string text =
      "jobs: {a: {schedule: \"@daily\", run: [\"true\"], guards: [{flock: {path: /x}}]}}\n";
  EXPECT_FALSE(load_jobs({{write("a.yaml", text)}, {}, {}, {}}).usable);
}

TEST_F(JobFilesTest, AFileThatIsNotThereIsAnError) {
  const LoadedJobs loaded = load_jobs({{folder_.file("none.yaml")}, {}, {}, {}});
  EXPECT_FALSE(loaded.usable);
  EXPECT_NE(first_error(loaded).find("cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace cronce
