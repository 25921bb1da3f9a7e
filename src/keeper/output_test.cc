#include "keeper/output.h"

#include <gtest/gtest.h>

#include "keeper/log_gate.h"

namespace cronce {
namespace {

std::string tail_of(std::size_t keep, std::initializer_list<std::string_view> parts) {
  Tail tail(keep);
  for (const std::string_view part : parts) tail.append(part);
  return tail.text();
}

TEST(Tail, keeps_the_last_bytes) {
  EXPECT_EQ(tail_of(10, {}), "");
  EXPECT_EQ(tail_of(10, {"0123456789"}), "0123456789");
  EXPECT_EQ(tail_of(10, {"0123456789", "a"}), "[1 bytes left out]\n123456789a");
  EXPECT_EQ(tail_of(3, {"0123456789"}), "[7 bytes left out]\n789");
  EXPECT_EQ(tail_of(3, {"01", "23", "45", "67", "89"}), "[7 bytes left out]\n789");
  EXPECT_EQ(tail_of(0, {"0123456789"}), "[10 bytes left out]\n");
}

TEST(Tail, does_not_begin_within_a_character) {
  EXPECT_EQ(tail_of(3, {"aa\u20acb"}), "[5 bytes left out]\nb");
  EXPECT_EQ(tail_of(4, {"aa\u20acb"}), "[2 bytes left out]\n\u20acb");
}

TEST(Tail, is_the_end_of_any_sequence_of_parts) {
  std::string whole;
  Tail tail(100);
  for (int i = 0; i < 500; ++i) {
    const std::string part(static_cast<std::size_t>(i % 37), static_cast<char>('a' + i % 26));
    whole += part;
    tail.append(part);
    if (whole.size() > 100) {
      EXPECT_TRUE(tail.text().ends_with(whole.substr(whole.size() - 100)));
    } else {
      EXPECT_EQ(tail.text(), whole);
    }
  }
}

TEST(Progress, is_the_newest_whole_line) {
  ProgressLines lines;
  EXPECT_FALSE(lines.append("progress 4"));
  EXPECT_TRUE(lines.append("0 copying\nprogress 50"));
  EXPECT_EQ(lines.newest(), "40 copying");
  EXPECT_FALSE(lines.append("0 half"));
  EXPECT_TRUE(lines.append("\nnoise\nprogress \n"));
  EXPECT_EQ(lines.newest(), "500 half");
  EXPECT_FALSE(lines.append("progress " + std::string(10'000, 'x') + "\n"));
  EXPECT_EQ(lines.newest(), "500 half");
  EXPECT_TRUE(lines.append("progress \xff\n"));
  EXPECT_EQ(lines.newest(), "\ufffd");
}

TEST(LogGate, lets_a_command_wait_for_a_slow_disk_and_gives_up_on_a_dead_one) {
  using Verdict = LogGate::Verdict;
  LogGate gate;
  const auto at = [](int ms) { return Duration{ms}; };
  EXPECT_EQ(gate.judge(LogGate::kFull, at(0)), Verdict::write);
  EXPECT_EQ(gate.judge(LogGate::kFull + 1, at(0)), Verdict::wait);
  EXPECT_EQ(gate.judge(LogGate::kFull + 1, at(4'999)), Verdict::wait);
  EXPECT_EQ(gate.judge(LogGate::kFull, at(5'000)), Verdict::wait);  // it moves
  EXPECT_EQ(gate.judge(LogGate::kFull, at(9'999)), Verdict::wait);
  EXPECT_EQ(gate.judge(LogGate::kFull, at(10'000)), Verdict::drop);
  EXPECT_EQ(gate.judge(LogGate::kEmptyAgain + 1, at(10'001)), Verdict::wait);
  EXPECT_EQ(gate.judge(LogGate::kEmptyAgain, at(10'002)), Verdict::write);
  EXPECT_EQ(gate.judge(LogGate::kFull, at(10'003)), Verdict::write);
}

}  // namespace
}  // namespace cronce
