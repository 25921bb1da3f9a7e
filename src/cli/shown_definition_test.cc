#include <gtest/gtest.h>

#include "cli/shown_job.h"

namespace cronce {
namespace {

TEST(ShownDefinition, has_of_a_call_what_is_no_secret) {
  Job job{.name = parse_job_name("pay").value()};
  job.command =
      HttpCall{"PUT", "https://me:s3cr3t@x/", {{"A", "s3cr3t"}, {"B", ""}}, "s3cr3t", 200, 204};
  std::string all;
  for (const JobKey& key : definition_of(job)) {
    if (key.telling && !key.text.empty()) all += std::string(key.name) + "=" + key.text + "\n";
  }
  EXPECT_NE(all.find("command=PUT https://***@x/\n"), std::string::npos) << all;
  EXPECT_NE(all.find("headers=A, B\nbody=6 bytes\nanswer=200-204\n"), std::string::npos) << all;
  EXPECT_EQ(all.find("s3cr3t"), std::string::npos) << all;
}

}  // namespace
}  // namespace cronce
