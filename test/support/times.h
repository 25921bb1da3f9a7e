// Times as tests write and compare them: as text, so that a failure can be read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace cronce {

/// `2026-03-29T01:30:00Z`
inline Time utc(std::string_view text) { return parse_time(text).value(); }

/// The same in whole seconds.
inline std::chrono::sys_seconds utc_second(std::string_view text) {
  return std::chrono::floor<Seconds>(utc(text));
}

/// `2026-03-29T01:30`, `2026-03-29`
inline CivilTime civil(std::string_view text) {
  return std::chrono::floor<Seconds>(parse_written_time(text).value().civil);
}

inline WrittenTime written(std::string_view text) { return parse_written_time(text).value(); }

inline std::string show(Time time) { return print(time); }
inline std::string show(CivilTime time) { return print(time); }

template <class T>
std::string show(const std::optional<T>& time) {
  return time ? show(*time) : "none";
}

/// Joined by blanks.
template <class T>
std::string show(const std::vector<T>& times) {
  std::string text;
  for (const T& time : times) text += (text.empty() ? "" : " ") + show(time);
  return text;
}

}  // namespace cronce
