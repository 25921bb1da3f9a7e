// The words of a command. What is missing or wrong is remembered, and read as nothing.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "base/time.h"

namespace cronce::scenario {

class Args {
 public:
  explicit Args(std::string_view text);

  bool empty() const { return words_.empty(); }
  /// Whether the next word is this one; it is then used up.
  bool take(std::string_view word);
  /// `what` is for the message.
  std::string word(std::string_view what);
  /// `+10s`, `-5m`
  Duration elapsed();
  /// `10s`
  Duration length();
  std::int64_t number();

  void wrong(std::string why);
  const std::string& mistake() const { return mistake_; }

 private:
  std::deque<std::string> words_;
  std::string mistake_;
};

}  // namespace cronce::scenario
