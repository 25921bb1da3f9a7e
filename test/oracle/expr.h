// A cron expression as sets of numbers, for the oracle's walk.
//
// Five fields, or six with seconds first: `*`, numbers, names, ranges, lists, steps, `?` in the
// day fields. It is fed by a generator and by literals of tests: an expression outside that
// grammar throws std::invalid_argument, and no effort is made to say what would be right.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace oracle {

class Expr {
 public:
  explicit Expr(std::string text);

  const std::string& text() const { return text_; }

  // Wildcard-hour expressions follow elapsed time; all others are fixed-time.
  bool wildcard_hour() const { return wildcard_hour_; }

  // `day` counts from 1970-01-01.
  bool day_matches(std::int64_t day) const;
  bool minute_matches(int hour, int minute) const;
  bool second_matches(int second) const;

  // Is there any day at all on which it matches (29 February counts)?
  bool ever_matches() const;

 private:
  using Set = std::array<bool, 64>;

  std::string text_;
  Set seconds_{};
  Set minutes_{};
  Set hours_{};
  Set days_of_month_{};
  Set months_{};
  Set days_of_week_{};
  bool day_pair_is_and_ = false;
  bool wildcard_hour_ = false;
};

}  // namespace oracle
