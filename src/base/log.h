// Structured log lines: a level, a sentence, and fields.
//
//   log.info("slot decided", {{"slot", "billing@2026-03-29T01:30:00Z"}, {"lateness_ms", "4"}});
//   2026-03-29T01:30:00.004Z info slot decided slot=billing@2026-03-29T01:30:00Z lateness_ms=4
//
// One call writes one line with one write, so lines of several threads and processes do not mix. A
// line never holds a line break or a control character, whatever the fields hold. A line that
// cannot be written is dropped: logging never stops the scheduler.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace cronce {

enum class LogLevel : std::uint8_t { debug, info, warning, error };
enum class LogFormat : std::uint8_t {
  text,
  json,
  terminal,  // for a person who looks on: the time of day, colours, and what a line is about first
};

struct LogField {
  std::string_view key;
  std::string_view value;
};
using LogFields = std::initializer_list<LogField>;

class Log {
 public:
  /// Writes to the descriptor, which stays the caller's.
  Log(int descriptor, const Clock& clock, LogFormat format, LogLevel least);

  void debug(std::string_view message, LogFields fields = {}) const;
  void info(std::string_view message, LogFields fields = {}) const;
  void warning(std::string_view message, LogFields fields = {}) const;
  void error(std::string_view message, LogFields fields = {}) const;

  bool writes(LogLevel level) const { return level >= least_; }

 private:
  void write(LogLevel level, std::string_view message, LogFields fields) const;

  int descriptor_;
  const Clock* clock_;
  LogFormat format_;
  LogLevel least_;
};

/// One line without its line break; what Log writes.
std::string format_log_line(LogFormat format, Time time, LogLevel level, std::string_view message,
                            LogFields fields);

}  // namespace cronce
