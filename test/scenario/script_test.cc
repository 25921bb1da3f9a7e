#include "test/scenario/script.h"

#include <gtest/gtest.h>

#include "test/scenario/elapsed.h"
#include "test/support/times.h"

namespace cronce::scenario {
namespace {

constexpr std::string_view kText =
    "# A title\n"
    "\n"
    "file f\n"
    "  one\n"
    "    two\n"
    "run until +1s\n"
    "----\n"
    "said\n"
    "\n"
    "# Why.\n"
    "plan j\n"
    "----\n";

TEST(Script, IsReadAndPrintedAsItWas) {
  const Script script = parse_script(kText);
  EXPECT_TRUE(script.mistakes.empty());
  ASSERT_EQ(script.blocks.size(), 2U);
  ASSERT_EQ(script.blocks[0].commands.size(), 2U);
  EXPECT_EQ(script.blocks[0].commands[0].body, "one\n  two\n");
  EXPECT_EQ(script.blocks[0].commands[1].line, 6U);
  EXPECT_EQ(script.blocks[0].expected, std::vector<std::string>{"said"});
  EXPECT_TRUE(script.blocks[1].expected.empty());
  EXPECT_EQ(print_script(script), kText);
}

TEST(Script, TellsWhatIsNoBlock) {
  EXPECT_EQ(parse_script("# t\n  text\n").mistakes.size(), 1U);
  EXPECT_EQ(parse_script("# t\nplan j\n").mistakes.size(), 1U);
}

TEST(Script, MarksWhereTraceAndExpectationPart) {
  const Block block{{}, {}, {"same", "this"}};
  EXPECT_EQ(difference(block, {"same", "this"}), "");
  EXPECT_EQ(difference(block, {"same"}),
            "expected\n  same\n> this\nbut it was\n  same\n> (no more)\n");
}

TEST(Elapsed, IsReadAsItIsPrinted) {
  for (const char* text : {"+0s", "+10s", "+0.3s", "+1m10.05s", "+1h1m", "-5m", "+26298d2m12s"}) {
    EXPECT_EQ(print_elapsed(parse_elapsed(text).value()), text);
  }
  EXPECT_FALSE(parse_elapsed("10s").ok());
  EXPECT_FALSE(parse_elapsed("+ten").ok());
}

TEST(Elapsed, ReplacesInstantsAndFences) {
  EXPECT_EQ(
      in_elapsed("j@2026-01-01T00:00:10.500Z, fence 2199023255555", utc("2026-01-01T00:00:00Z")),
      "j@+10.5s, fence 2.3");
}

}  // namespace
}  // namespace cronce::scenario
