// Structured log lines: a level, a sentence, and fields.
//
//   log.info("slot decided", {{"slot", "billing@2026-03-29T01:30:00Z"}, {"lateness_ms", "4"}});
//   2026-03-29T01:30:00.004Z info slot decided slot=billing@2026-03-29T01:30:00Z lateness_ms=4
//
// One call writes one line with one write unless it is very long, so lines of several threads and
// processes do not mix. A line never holds a line break or a control character, whatever the fields
// hold. Logging never stops the scheduler: a line for which there is no room, because whoever reads
// the log does not keep up, is dropped, and the next one that is written tells how many were.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <optional>
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
  bool put(LogLevel level, std::string_view message, LogFields fields) const;

  int descriptor_;
  const Clock* clock_;
  LogFormat format_;
  LogLevel least_;
  mutable std::atomic<std::uint64_t> dropped_ = 0;  // lines, since the last that was written
  mutable std::atomic<bool> cut_ = false;           // that one has no end
};

/// `warning`
std::optional<LogLevel> parse_log_level(std::string_view name);

/// One line without its line break; what Log writes.
std::string format_log_line(LogFormat format, Time time, LogLevel level, std::string_view message,
                            LogFields fields);

}  // namespace cronce
