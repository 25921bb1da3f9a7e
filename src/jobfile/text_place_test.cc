#include "jobfile/text_place.h"

#include <string>

#include <gtest/gtest.h>

namespace cronce {
namespace {

TEST(TextPlace, CountsCharactersAndAllLineBreaks) {
  const std::string text = "ab\ncd\r\nä€x\rl4\xc2\x85l5\xe2\x80\xa8l6";
  const LineIndex lines(text);
  EXPECT_EQ(lines.place(0), (Place{1, 1}));
  EXPECT_EQ(lines.place(2), (Place{1, 3}));
  EXPECT_EQ(lines.place(3), (Place{2, 1}));
  EXPECT_EQ(lines.place(text.find('x')), (Place{3, 3}));
  EXPECT_EQ(lines.place(text.find("l4")), (Place{4, 1}));
  EXPECT_EQ(lines.place(text.find("l5")), (Place{5, 1}));
  EXPECT_EQ(lines.place(text.size()), (Place{6, 3}));
  EXPECT_EQ(lines.place(10'000), (Place{6, 3}));
}

TEST(TextPlace, ThereAndBackOverManyLines) {
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += "ö" + std::to_string(i) + "\n";
  const LineIndex lines(text);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) continue;
    EXPECT_EQ(lines.from(lines.place(at)).data(), text.data() + at);
  }
}

TEST(TextPlace, WhereThereIsNothing) {
  const LineIndex lines("a\nb");
  EXPECT_EQ(lines.from({3, 1}), "");
  EXPECT_EQ(lines.from({200, 1}), "");
  EXPECT_EQ(lines.from({0, 0}), "");
  EXPECT_EQ(lines.from({2, 9}), "");
  EXPECT_EQ(LineIndex("").place(0), (Place{1, 1}));
}

}  // namespace
}  // namespace cronce
