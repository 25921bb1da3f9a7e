#include <array>

#include <gtest/gtest.h>

#include "cli/command.h"

namespace cronce {
namespace {

constexpr std::array kFlags{Flag{"--tz", "ZONE", ""}, Flag{"--count", "N", ""},
                            Flag{"--json", "", ""}, Flag{"--follow", "", "", {}, "-f"},
                            Flag{"--env", "NAME=VALUE", "", {}, {}, true}};

CommandRow row(std::size_t max_words) {
  CommandRow command{};
  command.name = "next";
  command.words = "[EXPR]";
  command.max_words = max_words;
  command.flags = kFlags;
  return command;
}

Result<Args> parse(const std::vector<std::string>& words) { return parse_args(row(3), words); }

using Words = std::vector<std::string>;

TEST(ParseArgs, WordsArriveAsTheyWereTyped) {
  for (const char* word :
       {"[a,b]", "", "-", "%%", "a=b", "0 2 * * *", "-5 * * * *", "{}", "\"q\""}) {
    const auto args = parse({word});
    ASSERT_TRUE(args.ok()) << word;
    EXPECT_EQ(args->words, Words{word});
  }
}

TEST(ParseArgs, ValuesArriveAsTheyWereTyped) {
  for (const char* value : {"[a,b]", "", "-3", "a=b", "a b", "%%"}) {
    const auto args = parse({"--tz", value});
    ASSERT_TRUE(args.ok()) << value;
    EXPECT_EQ(args->get("--tz"), value);
    EXPECT_TRUE(args->words.empty()) << value;
  }
}

TEST(ParseArgs, FlagsInEveryPlaceAndForm) {
  const auto args = parse({"--count=3", "a", "--json", "b", "--tz", "UTC"});
  ASSERT_TRUE(args.ok());
  EXPECT_EQ(args->words, (Words{"a", "b"}));
  EXPECT_EQ(args->get("--count"), "3");
  EXPECT_EQ(args->get("--tz"), "UTC");
  EXPECT_TRUE(args->has("--json"));
  EXPECT_EQ(parse({"--tz=a=[b,c]"})->get("--tz"), "a=[b,c]");
}

TEST(ParseArgs, SomeFlagsMayBeGivenOften) {
  const auto args = parse({"--env", "A=1", "a", "--env=B=[x,y]", "--env", "C= --tz"});
  ASSERT_TRUE(args.ok());
  EXPECT_EQ(args->all("--env"), (Words{"A=1", "B=[x,y]", "C= --tz"}));
  EXPECT_EQ(args->words, Words{"a"});
  EXPECT_TRUE(parse({"a"})->all("--env").empty());
  EXPECT_FALSE(parse({"a", "--env"}).ok());
  EXPECT_FALSE(parse({"--env", "A=1", "--env"}).ok());
  EXPECT_FALSE(parse({"--tz", "UTC", "--tz", "UTC"}).ok());
}

TEST(ParseArgs, ALetterStandsForItsFlag) {
  const auto args = parse({"a", "-f"});
  ASSERT_TRUE(args.ok());
  EXPECT_TRUE(args->has("--follow"));
  EXPECT_EQ(args->words, Words{"a"});
}

TEST(ParseArgs, NothingIsAFlagAfterTwoDashes) {
  const auto args = parse({"--json", "--", "--tz", "--", "--help"});
  ASSERT_TRUE(args.ok());
  EXPECT_EQ(args->words, (Words{"--tz", "--", "--help"}));
  EXPECT_FALSE(args->has("--tz"));
  EXPECT_TRUE(args->has("--json"));
}

TEST(ParseArgs, AbsentIsNotEmpty) {
  const auto args = parse({});
  ASSERT_TRUE(args.ok());
  EXPECT_FALSE(args->has("--tz"));
  EXPECT_EQ(args->get("--tz"), std::nullopt);
}

TEST(ParseArgs, SaysWhatIsWrong) {
  EXPECT_EQ(parse({"--tx", "UTC"}).error().message, "next: unknown flag --tx: did you mean --tz?");
  EXPECT_EQ(parse({"--count", "--json"}).error().message,
            "next: --count needs a value: --count N: try 'cronce next --help'");
  EXPECT_EQ(parse({"--json=no"}).error().message,
            "next: --json takes no value: try 'cronce next --help'");
  EXPECT_EQ(
      parse({"a", "b", "c", "d"}).error().message,
      "next: 'd' is one word too many; put an expression in quotes: try 'cronce next --help'");
}

}  // namespace
}  // namespace cronce
