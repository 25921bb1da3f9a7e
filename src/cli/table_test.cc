#include "cli/table.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

using Side = Column::Side;

Console console_of(std::size_t width, bool colour = false) {
  return {stdin, stdout, stderr, system_clock(), colour, width};
}

Table two_rows() {
  Table table({{"JOB", Side::left, true}, {"EXIT", Side::right}, {"KIND"}, {"NODE"}});
  table.add({Cell("nightly-billing"), Cell("0"), Cell(), Cell("web-1")});
  table.add({Cell("beat"), Cell(), Cell(), Cell()});
  return table;
}

TEST(Table, PutsCellsBelowOneAnotherAndLeavesOutWhatNobodyHas) {
  EXPECT_EQ(two_rows().print(console_of(0)),
            "JOB              EXIT  NODE\n"
            "nightly-billing     0  web-1\n"
            "beat\n");
}

TEST(Table, IsIndented) {
  EXPECT_EQ(two_rows().print(console_of(0), "  "),
            "  JOB              EXIT  NODE\n"
            "  nightly-billing     0  web-1\n"
            "  beat\n");
}

TEST(Table, CutsWhatMayShrinkToTheTerminal) {
  EXPECT_EQ(two_rows().print(console_of(26)),
            "JOB            EXIT  NODE\n"
            "nightly-bill…     0  web-1\n"
            "beat\n");
}

TEST(Table, IsWiderThanATerminalThatIsTooNarrow) {
  EXPECT_EQ(two_rows().print(console_of(10)),
            "JOB           EXIT  NODE\n"
            "nightly-bil…     0  web-1\n"
            "beat\n");
}

TEST(Table, CountsCharactersAndNotBytes) {
  Table table({{"A"}, {"B"}});
  table.add({Cell("äöü"), Cell("x")});
  table.add({Cell("abcd"), Cell("y")});
  EXPECT_EQ(table.print(console_of(0)), "A     B\näöü   x\nabcd  y\n");
  EXPECT_EQ(display_width("äö"), 2U);
  EXPECT_EQ(cut_to("äöü", 2), "ä…");
  EXPECT_EQ(cut_to("äö", 2), "äö");
}

TEST(Table, ColoursTakeNoPlace) {
  Table table({{"A"}, {"B"}});
  table.add({Cell("ok", Colour::green), Cell("x")});
  EXPECT_EQ(table.print(console_of(0, true)),
            "\033[2mA\033[0m   \033[2mB\033[0m\n\033[32mok\033[0m  x\n");
}

}  // namespace
}  // namespace cronce
