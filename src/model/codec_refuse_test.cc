// What a store may hold but this program must not act on.
#include <string>

#include <gtest/gtest.h>

#include "model/codec.h"

namespace cronce {
namespace {

void expect_corrupt(const Error& error, std::string_view message) {
  EXPECT_EQ(error.code, Code::corrupt);
  EXPECT_EQ(error.message, message);
}

TEST(CodecRefuses, texts_that_are_no_object_with_a_version) {
  for (const std::string_view text : {"", "null", "[]", "7", "{", "{} x"}) {
    expect_corrupt(decode_run(text).error(), "stored run: not a JSON object");
  }
  for (const std::string_view text :
       {"{}", R"({"v":null})", R"({"v":"1"})", R"({"v":1.0})", R"({"v":0})", R"({"v":-1})"}) {
    expect_corrupt(decode_run(text).error(), "stored run: no version");
  }
}

TEST(CodecRefuses, a_newer_version) {
  expect_corrupt(decode_node(R"({"v":2})").error(),
                 "stored node: version 2 is newer than this program's 1");
}

TEST(CodecRefuses, a_job_without_a_good_name) {
  expect_corrupt(decode_job(R"({"v":1})").error(), "stored job: no name");
  expect_corrupt(decode_job(R"({"v":1,"name":7})").error(), "stored job: no name");
  EXPECT_EQ(decode_job(R"({"v":1,"name":"a b"})").error().code, Code::corrupt);
}

TEST(CodecRefuses, a_job_with_a_member_it_does_not_understand) {
  for (const std::string_view member : {
           R"("colour":"red")",                         // unknown
           R"("schedule":{"colour":"red"})",            // unknown, deeper
           R"("timeout":null)",                         // absent is not null
           R"("timeout":"2h")",                         // wrong type
           R"("timeout":1.5)",                          //
           R"("paused":1)",                             //
           R"("user":["a"])",                           //
           R"("retries":2)",                            //
           R"("env":{"A":1})",                          //
           R"("env":[])",                               //
           R"("guards":{})",                            //
           R"("priority":9223372036854775808)",         // too large
           R"("overlap":"Forbid")",                     // a word out of its list
           R"("overlap":"")",                           //
           R"("overlap":0)",                            //
           R"("was":"a b")",                            // not a name
           R"("schedule":{"elements":["0 * * * *"]})",  // an element without its kind
           R"("schedule":{"elements":[{}]})",
           R"("schedule":{"elements":[{"cron":"","at":"2026-01-01"}]})",
           R"("schedule":{"elements":[{"at":"tomorrow"}]})",
           R"("schedule":{"elements":[{"reboot":false}]})",
           R"("schedule":{"elements":[{"yearly":true}]})",
           R"("command":{"argv":"ls"})",
           R"("command":{"argv":[],"shell":{}})",
           R"("command":{"exec":[]})",
       }) {
    const auto job = decode_job(R"({"v":1,"name":"a",)" + std::string(member) + "}");
    ASSERT_FALSE(job) << member;
    expect_corrupt(job.error(), "stored job: a member is unknown or out of place");
  }
}

TEST(CodecRefuses, a_run_or_node_with_a_member_it_does_not_understand) {
  for (const std::string_view member :
       {R"("state":"done")", R"("reason":"bored")", R"("kind":null)", R"("id":{"space":"time"})",
        R"("id":{"attempt":"1"})", R"("incarnation":"xyz")", R"("due":"2026-01-01T00:00:00Z")",
        R"("fence":1.0)", R"("v2":1)"}) {
    const auto run = decode_run(R"({"v":1,)" + std::string(member) + "}");
    ASSERT_FALSE(run) << member;
    EXPECT_EQ(run.error().code, Code::corrupt);
  }
  for (const std::string_view member :
       {R"("labels":[])", R"("leaving":"yes")", R"("beat":"12")", R"("state":"lost")"}) {
    const auto node = decode_node(R"({"v":1,)" + std::string(member) + "}");
    ASSERT_FALSE(node) << member;
    EXPECT_EQ(node.error().code, Code::corrupt);
  }
}

}  // namespace
}  // namespace cronce
