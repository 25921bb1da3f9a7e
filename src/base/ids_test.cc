#include "base/ids.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

TEST(JobName, is_a_letter_or_digit_and_up_to_127_more) {
  for (const std::string_view text : {"a", "0", "daily-billing", "Team/job_1.v2", "a-"}) {
    const auto name = parse_job_name(text);
    ASSERT_TRUE(name) << text;
    EXPECT_EQ(name->text(), text);
  }
  EXPECT_TRUE(parse_job_name(std::string(128, 'a')));
  EXPECT_FALSE(parse_job_name(std::string(129, 'a')));
}

TEST(JobName, refuses_everything_else) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {""sv, "-a"sv, ".a"sv, "/a"sv, "_a"sv, "a b"sv, "a@b"sv,
                                      "a#1"sv, "a\n"sv, "a\0b"sv, "caf\u00e9"sv, "a:b"sv}) {
    EXPECT_FALSE(parse_job_name(text)) << text;
  }
  EXPECT_EQ(parse_job_name("my job").error().message,
            "'my job' is not a job name: use a letter or digit, then up to 127 letters, digits or "
            ". _ / -");
}

TEST(JobName, tells_cases_apart) {
  EXPECT_NE(parse_job_name("Billing").value(), parse_job_name("billing").value());
}

TEST(Namespace, is_a_name_without_a_slash) {
  EXPECT_TRUE(parse_namespace("team.a_b-c"));
  EXPECT_EQ(parse_namespace("team/a").error().message,
            "'team/a' is not a namespace: use a letter or digit, then up to 127 letters, digits or "
            ". _ -");
}

TEST(Fence, grows_over_counts_and_then_over_epochs) {
  EXPECT_EQ(make_fence(Epoch{1}, 1).value, 1'099'511'627'777U);
  EXPECT_LT(make_fence(Epoch{1}, (std::uint64_t{1} << 40) - 1), make_fence(Epoch{2}, 0));
}

TEST(FenceDeathTest, never_runs_over_into_the_next_epoch) {
  EXPECT_DEATH(make_fence(Epoch{1}, std::uint64_t{1} << 40), "does not hold");
}

TEST(Token, is_32_hexadecimal_digits_and_comes_back) {
  const Incarnation token{{0x0123456789abcdef, 0x1}};
  EXPECT_EQ(print(token), "0123456789abcdef0000000000000001");
  EXPECT_EQ(parse_token(print(token)).value(), token.bits);
  for (const std::string_view text :
       {"", "0123", "0123456789abcdef000000000000000g", "0x23456789abcdef0000000000000001",
        "-123456789abcdef0000000000000001", "0123456789abcdef00000000000000011"}) {
    EXPECT_FALSE(parse_token(text)) << text;
  }
}

TEST(Token, follows_the_seed) {
  Rng one(7);
  Rng same(7);
  const auto token = StoreId::random(one);
  EXPECT_EQ(token, StoreId::random(same));
  EXPECT_NE(token, StoreId::random(same));
}

}  // namespace
}  // namespace cronce
