#include "base/log.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/json.h"

namespace cronce {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames{"debug", "info", "warning", "error"};

std::string_view level_name(LogLevel level) { return kLevelNames[static_cast<std::size_t>(level)]; }

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Bare when a reader can still tell where the value ends, quoted and escaped otherwise.
void append_text_value(std::string& line, std::string_view value) {
  bool bare = !value.empty();
  for (const char c : value) bare = bare && !is_control(c) && c != ' ' && c != '"' && c != '=';
  if (bare) {
    line += value;
    return;
  }
  line += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') line += '\\';
    if (c == '\n') {
      line += "\\n";
    } else if (is_control(c)) {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      line += c;
    }
  }
  line += '"';
}

void append_sentence(std::string& line, std::string_view message) {
  for (const char c : message) line += is_control(c) ? ' ' : c;
}

std::string text_line(Time time, LogLevel level, std::string_view message, LogFields fields) {
  std::string line = fmt::format("{} {} ", print(time), level_name(level));
  append_sentence(line, message);
  for (const LogField& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    append_text_value(line, field.value);
  }
  return line;
}

std::string json_line(Time time, LogLevel level, std::string_view message, LogFields fields) {
  json::object object;
  object["time"] = print(time);
  object["level"] = level_name(level);
  object["message"] = message;
  for (const LogField& field : fields) object.emplace(field.key, field.value);  // ours stay
  // JSON leaves this one control character as it is.
  std::string line = json::print(object);
  for (std::size_t at = 0; (at = line.find('\x7f', at)) != std::string::npos;) {
    line.replace(at, 1, "\\u007f");
  }
  return line;
}

constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kPlain = "\x1b[0m";

std::string_view colour_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return kDim;
    case LogLevel::info:
      return "";
    case LogLevel::warning:
      return "\x1b[33m";
    case LogLevel::error:
      return "\x1b[31m";
  }
  return "";
}

/// `11:11:15.038  failed: exit      flaky-upload@2026-11-15T11:11:15Z  attempt=1 exit=1`: what a
/// line about a slot is about stands in one column.
std::string terminal_line(Time time, LogLevel level, std::string_view message, LogFields fields) {
  std::string sentence;
  append_sentence(sentence, message);
  std::string rest;
  std::string_view slot;
  for (const LogField& field : fields) {
    if (field.key == "slot") {
      slot = field.value;
    } else if (!field.value.empty()) {
      rest += fmt::format(" {}=", field.key);
      append_text_value(rest, field.value);
    }
  }
  if (!slot.empty()) sentence = fmt::format("{:<17}", sentence);
  std::string line =
      fmt::format("{}{:%T}{}  {}{}{}", kDim, time, kPlain, colour_of(level), sentence, kPlain);
  if (!slot.empty()) {
    line += ' ';
    append_sentence(line, slot);
  }
  return line + fmt::format("{} {}{}", kDim, rest, kPlain);
}

/// Whether a write of at most PIPE_BUF bytes would return at once.
bool has_room(int descriptor) {
  pollfd ready{descriptor, POLLOUT, 0};
  return poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0;
}

/// How much of it was written before there was no more room.
std::size_t write_what_fits(int descriptor, std::string_view text) {
  std::size_t written = 0;
  while (written < text.size() && has_room(descriptor)) {
    const std::size_t size = std::min<std::size_t>(text.size() - written, PIPE_BUF);
    const auto done = ::write(descriptor, text.data() + written, size);
    if (done <= 0) break;
    written += static_cast<std::size_t>(done);
  }
  return written;
}

}  // namespace

Log::Log(int descriptor, const Clock& clock, LogFormat format, LogLevel least)
    : descriptor_(descriptor), clock_(&clock), format_(format), least_(least) {}

void Log::debug(std::string_view message, LogFields fields) const {
  write(LogLevel::debug, message, fields);
}
void Log::info(std::string_view message, LogFields fields) const {
  write(LogLevel::info, message, fields);
}
void Log::warning(std::string_view message, LogFields fields) const {
  write(LogLevel::warning, message, fields);
}
void Log::error(std::string_view message, LogFields fields) const {
  write(LogLevel::error, message, fields);
}

void Log::write(LogLevel level, std::string_view message, LogFields fields) const {
  if (level < least_) return;
  const std::uint64_t dropped = dropped_.exchange(0);
  const bool told =
      dropped == 0 || put(LogLevel::warning, "lines of this log are missing: nobody read them",
                          {{"count", fmt::format("{}", dropped)}});
  if (!told) dropped_ += dropped;
  if (!told || !put(level, message, fields)) ++dropped_;
}

/// Whether all of it was written. Of one that was not, a part may be there.
bool Log::put(LogLevel level, std::string_view message, LogFields fields) const {
  std::string line = format_log_line(format_, clock_->wall(), level, message, fields) + '\n';
  const bool after_cut = cut_.exchange(false);
  if (after_cut) line.insert(0, 1, '\n');
  const std::size_t written = write_what_fits(descriptor_, line);
  if (written == line.size()) return true;
  cut_ = written > 0 || after_cut;
  return false;
}

std::optional<LogLevel> parse_log_level(std::string_view name) {
  const auto found = std::find(kLevelNames.begin(), kLevelNames.end(), name);
  if (found == kLevelNames.end()) return std::nullopt;
  return static_cast<LogLevel>(found - kLevelNames.begin());
}

std::string format_log_line(LogFormat format, Time time, LogLevel level, std::string_view message,
                            LogFields fields) {
  switch (format) {
    case LogFormat::text:
      return text_line(time, level, message, fields);
    case LogFormat::json:
      return json_line(time, level, message, fields);
    case LogFormat::terminal:
      return terminal_line(time, level, message, fields);
  }
  return "";
}

}  // namespace cronce
