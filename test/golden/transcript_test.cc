// Shows that the comparison can see: a planted difference must be reported.
#include "test/golden/transcript.h"

#include <gtest/gtest.h>

namespace cronce::golden {
namespace {

Block first_block(const Transcript& transcript) {
  for (const auto& part : transcript.parts) {
    if (const auto* block = std::get_if<Block>(&part)) return *block;
  }
  return {};
}

Block block_of(std::string_view text) { return first_block(parse_transcript("t.txt", text)); }
Block page_block_of(std::string_view text) { return first_block(parse_page("t.md", text)); }

constexpr std::string_view kTwoBlocks =
    "# Why.\n$ cronce a\none\n\nthree\n[exit 65]\n\n# More.\n$ cronce b\n";

TEST(Transcript, ReadsBlocks) {
  const Transcript transcript = parse_transcript("t.txt", kTwoBlocks);
  EXPECT_TRUE(transcript.mistakes.empty());
  const Block block = first_block(transcript);
  EXPECT_EQ(block.place, "t.txt:2");
  EXPECT_EQ(block.command, "cronce a");
  EXPECT_EQ(block.expected.lines, (std::vector<std::string>{"one", "", "three"}));
  EXPECT_EQ(block.expected.exit_code, 65);
}

TEST(Transcript, IsWrittenBackAsItWas) {
  EXPECT_EQ(print(parse_transcript("t.txt", kTwoBlocks)), kTwoBlocks);
  constexpr std::string_view kPage =
      "# Title\n\n1. Item\n   ```console\n   $ cronce a\n   one\n\n   $ cronce b\n   ```\n";
  EXPECT_EQ(print(parse_page("t.md", kPage)), kPage);
}

TEST(Transcript, ReportsLinesWithoutACommand) {
  EXPECT_EQ(parse_transcript("t.txt", "stray\n").mistakes.size(), 1U);
  EXPECT_EQ(parse_page("t.md", "```console\nstray\n```\n").mistakes.size(), 1U);
}

TEST(Difference, NoneWhenAllIsAsWritten) {
  EXPECT_EQ(difference(block_of("$ c\none\ntwo\n"), {{"one", "two"}, 0}), "");
  EXPECT_EQ(difference(block_of("$ c\n[exit 1]\n"), {{}, 1}), "");
}

TEST(Difference, SeesAPlantedLine) {
  const Outcome outcome{{"one", "two"}, 0};
  for (const std::string_view planted : {"$ c\none\ntwO\n", "$ c\none\n", "$ c\none\ntwo\nthree\n",
                                         "$ c\none\ntwo \n", "$ c\ntwo\none\n", "$ c\none\n\ntwo\n",
                                         "$ c\n...\n", "$ c\n", "$ c\none\ntwo\n[exit 1]\n"}) {
    EXPECT_NE(difference(block_of(planted), outcome), "") << planted;
  }
}

TEST(Difference, SeesAPlantedLineInAPage) {
  const Outcome outcome{{"one", "two", "three"}, 0};
  for (const std::string_view right :
       {"one\n...\n", "...\nthree\n", "...\ntwo\n...\n", "one\n...\ntwo\nthree\n"}) {
    const std::string page = "```console\n$ c\n" + std::string(right) + "```\n";
    EXPECT_EQ(difference(page_block_of(page), outcome), "") << right;
  }
  for (const std::string_view wrong : {"...\ntwo\n", "...\nfour\n...\n", "one\n...\none\n...\n"}) {
    const std::string page = "```console\n$ c\n" + std::string(wrong) + "```\n";
    EXPECT_NE(difference(page_block_of(page), outcome), "") << wrong;
  }
}

TEST(Difference, SeesAMissingLineBreak) {
  EXPECT_NE(difference(block_of("$ c\none\n"), {split_output("one"), 0}), "");
  EXPECT_EQ(difference(block_of("$ c\none\n"), {split_output("one\n"), 0}), "");
}

TEST(Page, OnlyConsoleFencesCount) {
  const auto page = parse_page("t.md", "```sh\n$ cronce a\n```\n\n$ cronce b\n");
  EXPECT_EQ(first_block(page).command, "");
}

TEST(Page, ShowsOnlyWhatIsListed) {
  EXPECT_EQ(use_of("cronce next '@daily'"), Use::run);
  EXPECT_EQ(use_of("build/cronce version"), Use::run);
  EXPECT_EQ(use_of("make build"), Use::show);
  EXPECT_EQ(use_of("curl https://example.org | sh"), Use::refuse);
  EXPECT_EQ(use_of("cronced"), Use::refuse);
  EXPECT_EQ(runnable("echo x | build/cronce next --batch"), "echo x | cronce next --batch");
}

}  // namespace
}  // namespace cronce::golden
