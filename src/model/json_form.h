// How model values become JSON and come back: scalars, containers, and types that list their
// fields.
//
// For codec.cc only. from_json() returns false for anything that to_json() would not have written;
// the value is then half filled and must not be used.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "base/seldom.h"
#include "base/shared.h"
#include "base/time.h"
#include "base/utf8.h"
#include "model/words.h"

namespace cronce {

template <class T>
json::object write_fields(const T& v, const T& defaults);
template <class T>
bool read_fields(const json::object& in, T* out);

template <class T>
concept Enumeration = std::is_enum_v<T>;

/// Output of a command may hold any bytes, and JSON must not.
inline json::value to_json(const std::string& v) { return json::value(as_utf8(v)); }
inline json::value to_json(bool v) { return json::value(v); }
inline json::value to_json(std::int64_t v) { return json::value(v); }
inline json::value to_json(Duration v) { return json::value(v.count()); }
inline json::value to_json(Time v) { return json::value(v.time_since_epoch().count()); }
inline json::value to_json(CivilTime v) { return json::value(v.time_since_epoch().count()); }
inline json::value to_json(const WrittenTime& v) { return json::value(print(v)); }
inline json::value to_json(const JobName& v) { return json::value(v.text()); }
template <class Tag>
json::value to_json(Number<Tag> v) {
  return json::value(static_cast<std::int64_t>(v.value));
}
template <class Tag>
json::value to_json(const Token<Tag>& v) {
  return json::value(print(v));
}
template <Enumeration E>
json::value to_json(E v) {
  return json::value(word(v));
}

inline bool from_json(const json::value& in, std::string* out) {
  if (in.is_string()) *out = std::string(in.get_string());
  return in.is_string();
}
inline bool from_json(const json::value& in, bool* out) {
  if (in.is_bool()) *out = in.get_bool();
  return in.is_bool();
}
inline bool from_json(const json::value& in, std::int64_t* out) {
  if (in.is_int64()) *out = in.get_int64();
  return in.is_int64();
}
inline bool from_json(const json::value& in, Duration* out) {
  if (in.is_int64()) *out = Duration{in.get_int64()};
  return in.is_int64();
}
inline bool from_json(const json::value& in, Time* out) {
  if (in.is_int64()) *out = Time{Duration{in.get_int64()}};
  return in.is_int64();
}
inline bool from_json(const json::value& in, CivilTime* out) {
  if (in.is_int64()) *out = CivilTime{Seconds{in.get_int64()}};
  return in.is_int64();
}
template <class Tag>
bool from_json(const json::value& in, Number<Tag>* out) {
  if (in.is_int64()) out->value = static_cast<std::uint64_t>(in.get_int64());
  return in.is_int64();
}

/// Texts with a form of their own: read by `parse`, which returns a Result.
template <class T, class Parse>
bool from_text(const json::value& in, T* out, Parse parse) {
  if (!in.is_string()) return false;
  auto parsed = parse(std::string_view(in.get_string()));
  if (!parsed) return false;
  *out = *std::move(parsed);
  return true;
}
inline bool from_json(const json::value& in, WrittenTime* out) {
  return from_text(in, out, parse_written_time);
}
inline bool from_json(const json::value& in, JobName* out) {
  return from_text(in, out, parse_job_name);
}
template <class Tag>
bool from_json(const json::value& in, Token<Tag>* out) {
  return from_text(in, &out->bits, parse_token);
}
template <Enumeration E>
bool from_json(const json::value& in, E* out) {
  if (!in.is_string()) return false;
  const auto value = from_word<E>(std::string_view(in.get_string()));
  if (value) *out = *value;
  return value.has_value();
}

/// A type that lists its fields in fields(value, defaults, visit) is an object of those that differ
/// from their defaults.
template <class T>
concept Listed = requires(T& v) { fields(v, v, [](std::string_view, auto&, const auto&) {}); };

template <Listed T>
json::value to_json(const T& v) {
  return write_fields(v, T{});
}
template <Listed T>
bool from_json(const json::value& in, T* out) {
  return in.is_object() && read_fields(in.get_object(), out);
}

template <class T>
json::value to_json(const std::optional<T>& v) {
  return v ? to_json(*v) : json::value(nullptr);
}
template <class T>
bool from_json(const json::value& in, std::optional<T>* out) {
  T value{};
  if (!from_json(in, &value)) return false;
  *out = std::move(value);
  return true;
}
inline bool from_json(const json::value& in, std::optional<JobName>* out) {
  return from_text(in, out, parse_job_name);
}

template <class T>
json::value to_json(const std::vector<T>& v) {
  json::array out;
  for (const T& item : v) out.push_back(to_json(item));
  return out;
}
template <class T>
bool from_json(const json::value& in, std::vector<T>* out) {
  if (!in.is_array()) return false;
  for (const json::value& item : in.get_array()) {
    if (!from_json(item, &out->emplace_back())) return false;
  }
  return true;
}

inline json::value to_json(const std::map<std::string, std::string>& v) {
  json::object out;
  for (const auto& [key, value] : v) out[key] = value;
  return out;
}
inline bool from_json(const json::value& in, std::map<std::string, std::string>* out) {
  if (!in.is_object()) return false;
  for (const auto& [key, value] : in.get_object()) {
    if (!from_json(value, &(*out)[std::string(key)])) return false;
  }
  return true;
}

template <class T>
json::value to_json(const Shared<T>& v) {
  return to_json(*v);
}
template <class T>
bool from_json(const json::value& in, Shared<T>* out) {
  T value{};
  if (!from_json(in, &value)) return false;
  *out = std::move(value);
  return true;
}

template <class T>
json::value to_json(const Seldom<T>& v) {
  return v ? to_json(*v) : json::value(nullptr);
}
template <class T>
bool from_json(const json::value& in, Seldom<T>* out) {
  std::optional<T> value;
  if (!from_json(in, &value)) return false;
  *out = *std::move(value);
  return true;
}

/// `{"kind": value}`: one alternative of a variant under its name.
template <class T>
json::value tagged(std::string_view kind, const T& v) {
  json::object out;
  out[kind] = to_json(v);
  return out;
}
template <class T, class Variant>
bool from_tagged(const json::value& in, std::string_view kind, Variant* out) {
  if (!in.is_object() || in.get_object().size() != 1) return false;
  const json::value* member = json::find(in.get_object(), kind);
  T value{};
  if (member == nullptr || !from_json(*member, &value)) return false;
  *out = std::move(value);
  return true;
}

template <class T>
json::object write_fields(const T& v, const T& defaults) {
  json::object out;
  T copy = v;  // fields() takes what it lists by reference, for readers
  fields(copy, defaults, [&](std::string_view name, const auto& field, const auto& fallback) {
    if (!(field == fallback)) out[name] = to_json(field);
  });
  return out;
}

/// Every member of the object must be a listed field.
template <class T>
bool read_fields(const json::object& in, T* out) {
  std::size_t known = 0;
  bool good = true;
  const T defaults = *out;
  fields(*out, defaults, [&](std::string_view name, auto& field, const auto&) {
    const json::value* member = json::find(in, name);
    if (member == nullptr) return;
    ++known;
    good = good && from_json(*member, &field);
  });
  return good && known == in.size();
}

}  // namespace cronce
