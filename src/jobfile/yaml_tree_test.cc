#include "jobfile/yaml_tree.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cronce {
namespace {

/// `{a: [b, 'c']}` for a map with a list; quoted texts in '', block texts in |.
std::string print(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::text) {
    if (node.style == YamlNode::Style::quoted) return fmt::format("'{}'", node.text);
    if (node.style == YamlNode::Style::block) return fmt::format("|{}|", node.text);
    return std::string(node.text);
  }
  const bool is_map = node.kind == YamlNode::Kind::map;
  std::string text;
  bool value = false;
  for (const YamlNode* child = node.first; child != nullptr; child = child->next) {
    if (!text.empty()) text += value ? ": " : ", ";
    text += print(*child);
    value = is_map && !value;
  }
  return (is_map ? "{" : "[") + text + (is_map ? "}" : "]");
}

std::string read_tree(std::string_view text) {
  const YamlTree tree = YamlTree::parse(text);
  if (tree.root() == nullptr) return tree.diagnostics().empty() ? "nothing" : "refused";
  return print(*tree.root());
}

TEST(YamlTree, KeepsTextsAsWritten) {
  EXPECT_EQ(read_tree("on: yes\noff: 012\nn: 1:30\nd: 2026-12-24"),
            "{on: yes, off: 012, n: 1:30, d: 2026-12-24}");
  EXPECT_EQ(read_tree("a: \"yes\"\nb: 'it''s'\nc: !!str 5\n"), "{a: 'yes', b: 'it's', c: '5'}");
  EXPECT_EQ(read_tree("a: |\n  x\n  y\nb: >-\n  x\n  y\n"), "{a: |x\ny\n|, b: |x y|}");
  EXPECT_EQ(read_tree("a:\nb: ~\nc: []\nd: {}"), "{a: , b: ~, c: [], d: {}}");
  EXPECT_EQ(read_tree("\xef\xbb\xbf[ä]"), "[ä]");
  EXPECT_EQ(read_tree(""), "nothing");
}

TEST(YamlTree, AliasesStandForWhatTheyName) {
  EXPECT_EQ(read_tree("a: &x [1, {b: 2}]\nc: *x\n"), "{a: [1, {b: 2}], c: [1, {b: 2}]}");
  EXPECT_EQ(read_tree("- &k key\n- *k : v\n"), "[key, {key: v}]");
  EXPECT_EQ(read_tree("- &x 1\n- &x 2\n- *x\n"), "[1, 2, 2]");
  EXPECT_EQ(read_tree("a: *nothing"), "refused");
}

TEST(YamlTree, OneThousandAliasesAndNoMore) {
  std::string text = "- &x y\n";
  for (int i = 0; i < 1'000; ++i) text += "- *x\n";
  EXPECT_TRUE(YamlTree::parse(text).diagnostics().empty());
  EXPECT_EQ(read_tree(text + "- *x\n"), "refused");
}

TEST(YamlTree, AliasesAreCountedAsOftenAsTheyExpand) {
  std::string text = "- &a0 [x]\n";
  for (int i = 1; i <= 10; ++i) text += fmt::format("- &a{} [*a{}, *a{}]\n", i, i - 1, i - 1);
  EXPECT_EQ(read_tree(text), "refused");
  EXPECT_EQ(read_tree("- &x '" + std::string(4'500'000, 'y') + std::string(4'500'000, 'y') +
                      "'\n- *x\n- *x\n"),
            "refused");
}

TEST(YamlTree, DropsWhatItReports) {
  EXPECT_EQ(read_tree("{a: 1, b: 2, a: 3, c: 4, a: 5}"), "{a: 1, b: 2, c: 4}");
  EXPECT_EQ(read_tree("{[x]: 1, b: 2}"), "{b: 2}");
  EXPECT_EQ(read_tree("{<<: {a: 1}}"), "{}");
  EXPECT_EQ(read_tree("{'<<': 1, \"\": 2}"), "{'<<': 1, '': 2}");
}

TEST(YamlTree, PlacesCountCharacters) {
  const YamlTree tree = YamlTree::parse("ä: ö\n'ü': \"0 25 * * *\"\n");
  const YamlNode& first = *tree.root()->first;
  EXPECT_EQ((Place{first.next->line, first.next->column}), (Place{1, 4}));
  const YamlNode& cron = *first.next->next->next;
  EXPECT_EQ((Place{cron.line, cron.column}), (Place{2, 6}));
  EXPECT_EQ(tree.place_in(cron, 2), (Place{2, 9}));
}

TEST(YamlTree, PlacesInsideTexts) {
  const auto place = [](std::string_view text, std::size_t offset) {
    const YamlTree tree = YamlTree::parse(text);
    return tree.place_in(*tree.root()->first, offset);
  };
  EXPECT_EQ(place("- abc", 2), (Place{1, 5}));
  EXPECT_EQ(place("- 'abc'", 2), (Place{1, 6}));
  EXPECT_EQ(place("- 'abc'", 0), (Place{1, 4}));
  EXPECT_EQ(place("- äbc", 3), (Place{1, 5}));
  EXPECT_EQ(place("- \"a\\x62c\"", 1), (Place{1, 5}));
  EXPECT_EQ(place("- \"a\\x62c\"", 2), (Place{1, 3})) << "after an escape only the start is known";
  EXPECT_EQ(place("- |\n  abc\n", 1), (Place{1, 3}));
}

TEST(YamlTree, Limits) {
  EXPECT_EQ(read_tree(std::string(20, '[') + std::string(20, ']')),
            std::string(20, '[') + std::string(20, ']'));
  EXPECT_EQ(read_tree(std::string(21, '[') + std::string(21, ']')), "refused");
  EXPECT_EQ(read_tree(std::string((64UL << 20) + 1, '#')), "refused");
  EXPECT_EQ(read_tree("- a\n--- b\n"), "[a]");
}

}  // namespace
}  // namespace cronce
