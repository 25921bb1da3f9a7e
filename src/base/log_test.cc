#include "base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "base/json.h"
#include "test/support/manual_clock.h"
#include "test/support/times.h"

namespace cronce {
namespace {

std::string text_line(std::string_view message, LogFields fields = {}) {
  return format_log_line(LogFormat::text, utc("2026-03-29T01:30:00.004Z"), LogLevel::info, message,
                         fields);
}

std::string json_line(std::string_view message, LogFields fields = {}) {
  return format_log_line(LogFormat::json, utc("2026-03-29T01:30:00.004Z"), LogLevel::info, message,
                         fields);
}

TEST(LogLine, shows_time_level_sentence_and_fields) {
  EXPECT_EQ(text_line("slot decided", {{"slot", "billing@2026-03-29T01:30:00Z"}, {"ms", "4"}}),
            "2026-03-29T01:30:00.004Z info slot decided slot=billing@2026-03-29T01:30:00Z ms=4");
  EXPECT_EQ(
      json_line("slot decided", {{"ms", "4"}}),
      R"({"time":"2026-03-29T01:30:00.004Z","level":"info","message":"slot decided","ms":"4"})");
}

TEST(LogLine, quotes_values_whose_end_could_not_be_seen) {
  struct Case {
    std::string_view value;
    std::string_view shown;
  };
  using namespace std::string_view_literals;
  for (const auto& [value, shown] : {
           Case{"plain"sv, "plain"sv},
           Case{""sv, "\"\""sv},
           Case{"two words"sv, "\"two words\""sv},
           Case{"a=b"sv, "\"a=b\""sv},
           Case{"say \"x\""sv, "\"say \\\"x\\\"\""sv},
           Case{"a b\\c"sv, "\"a b\\\\c\""sv},
           Case{"a\nb"sv, "\"a\\nb\""sv},
           Case{"a\0\x1b\x7f"sv, "\"a\\x00\\x1b\\x7f\""sv},
           Case{"caf\u00e9"sv, "caf\u00e9"sv},
       }) {
    EXPECT_EQ(text_line("m", {{"key", value}}),
              "2026-03-29T01:30:00.004Z info m key=" + std::string(shown));
  }
}

TEST(LogLine, never_holds_a_control_character) {
  std::string every_control(1, '\x7f');
  for (char c = 0; c < 0x20; ++c) every_control += c;
  for (const std::string& line : {text_line(every_control, {{"key", every_control}}),
                                  json_line(every_control, {{"key", every_control}})}) {
    for (const char c : line) EXPECT_TRUE(c >= 0x20 && c != 0x7f) << line;
  }
  const auto again = json::parse(json_line("m", {{"key", every_control}})).value();
  EXPECT_EQ(json::find_string(again.as_object(), "key").value(), every_control);
}

class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe(ends_.data()), 0); }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int in() const { return ends_[1]; }
  std::string read_once() const {
    std::array<char, 4096> text{};
    const ssize_t size = read(ends_[0], text.data(), text.size());
    return {text.data(), static_cast<std::size_t>(size < 0 ? 0 : size)};
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(Log, writes_lines_from_its_least_level_upwards) {
  ManualClock clock(utc("2026-01-01T00:00:00Z"));
  const Pipe pipe;
  const Log log(pipe.in(), clock, LogFormat::text, LogLevel::info);
  log.debug("a");
  log.info("b", {{"n", "1"}});
  clock.advance(Duration{1'500});
  log.warning("c");
  log.error("d");
  EXPECT_EQ(pipe.read_once(),
            "2026-01-01T00:00:00Z info b n=1\n"
            "2026-01-01T00:00:01.500Z warning c\n"
            "2026-01-01T00:00:01.500Z error d\n");
}

TEST(Log, drops_what_cannot_be_written) {
  const ManualClock clock;
  Log(-1, clock, LogFormat::json, LogLevel::debug).error("nobody reads this");
}

TEST(LogTerminal, ShowsTheTimeOfDayAndWhatALineIsAbout) {
  const Time time = parse_time("2026-03-29T01:30:00.004Z").value();
  const std::string line =
      format_log_line(LogFormat::terminal, time, LogLevel::warning, "failed: exit",
                      {{"slot", "a@2026-03-29T01:30:00Z"}, {"exit", "1"}, {"says", ""}});
  EXPECT_EQ(line,
            "\x1b[2m01:30:00\x1b[0m  \x1b[33mfailed: exit     \x1b[0m a@2026-03-29T01:30:00Z"
            "\x1b[2m  exit=1\x1b[0m");
}

TEST(LogTerminal, HoldsNoControlCharacterOfAField) {
  const std::string line = format_log_line(LogFormat::terminal, Time{}, LogLevel::info, "a\nb",
                                           {{"slot", "x\x1b[2Jy"}, {"says", "\x1b]0;title\x07"}});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(line.find("\x1b[2J"), std::string::npos);
  EXPECT_EQ(line.find("\x1b]"), std::string::npos);
}

/// A pipe that blocks, as that of a service manager does.
class FullPipe : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(pipe(ends_.data()), 0); }
  void TearDown() override {
    for (const int end : ends_) close(end);
  }

  void fill() const {
    EXPECT_EQ(fcntl(ends_[1], F_SETFL, O_NONBLOCK), 0);
    const std::string page(4'096, '.');
    while (write(ends_[1], page.data(), page.size()) > 0) continue;
    EXPECT_EQ(fcntl(ends_[1], F_SETFL, 0), 0);
  }
  /// What was written into it since it was full, or all of it.
  std::string read_all() const {
    EXPECT_EQ(fcntl(ends_[0], F_SETFL, O_NONBLOCK), 0);
    std::string text;
    std::array<char, 4'096> room{};
    for (ssize_t size = 0; (size = read(ends_[0], room.data(), room.size())) > 0;) {
      text.append(room.data(), static_cast<std::size_t>(size));
    }
    return text.substr(std::min(text.size(), text.find_last_of('.') + 1));
  }

  std::array<int, 2> ends_{};
  ManualClock clock_{utc("2026-03-29T01:30:00Z")};
};

TEST_F(FullPipe, is_not_waited_for_and_what_is_missing_is_told) {
  const Log log(ends_[1], clock_, LogFormat::text, LogLevel::info);
  fill();
  for (int i = 0; i < 3; ++i) log.info("lost");
  log.debug("not of interest");
  EXPECT_EQ(read_all(), "");
  log.info("here");
  log.info("again");
  EXPECT_EQ(read_all(),
            "2026-03-29T01:30:00Z warning lines of this log are missing: nobody read them count=3\n"
            "2026-03-29T01:30:00Z info here\n"
            "2026-03-29T01:30:00Z info again\n");
}

TEST_F(FullPipe, is_not_waited_for_in_the_middle_of_a_long_line) {
  const Log log(ends_[1], clock_, LogFormat::text, LogLevel::info);
  const std::string longer_than_the_pipe(200'000, 'x');
  log.info(longer_than_the_pipe);
  const std::string begin = read_all();
  EXPECT_TRUE(begin.starts_with("2026-03-29T01:30:00Z info xxx"));
  EXPECT_LT(begin.size(), longer_than_the_pipe.size());
  log.info("here");
  EXPECT_TRUE(read_all().starts_with("\n2026-03-29T01:30:00Z warning lines of this log"));
}

}  // namespace
}  // namespace cronce
