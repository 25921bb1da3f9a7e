// How model values become JSON and come back: scalars, containers, and types that list their
// fields.
//
// For codec.cc only. from_json() returns false for anything that put() would not have written;
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

/// Members of an object that has been begun.
template <class T>
void put_fields(std::string& out, const T& v, const T& defaults);
template <class T>
bool read_fields(const json::object& in, T* out);

template <class T>
concept Enumeration = std::is_enum_v<T>;

/// The next member of an object that has been begun.
inline void put_name(std::string& out, std::string_view name) {
  if (out.back() != '{') out += ',';
  json::append(out, name);
  out += ':';
}

/// Output of a command may hold any bytes, and JSON must not.
inline void put(std::string& out, const std::string& v) { json::append(out, as_utf8(v)); }
inline void put(std::string& out, bool v) { out += v ? "true" : "false"; }
inline void put(std::string& out, std::int64_t v) { out += std::to_string(v); }
inline void put(std::string& out, Duration v) { put(out, v.count()); }
inline void put(std::string& out, Time v) { put(out, v.time_since_epoch()); }
inline void put(std::string& out, CivilTime v) {
  put(out, std::int64_t{v.time_since_epoch().count()});
}
inline void put(std::string& out, const WrittenTime& v) { json::append(out, print(v)); }
inline void put(std::string& out, const JobName& v) { json::append(out, v.text()); }
template <class Tag>
void put(std::string& out, Number<Tag> v) {
  put(out, static_cast<std::int64_t>(v.value));
}
template <class Tag>
void put(std::string& out, const Token<Tag>& v) {
  json::append(out, print(v));
}
template <Enumeration E>
void put(std::string& out, E v) {
  json::append(out, word(v));
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
void put(std::string& out, const T& v) {
  static const T defaults{};
  out += '{';
  put_fields(out, v, defaults);
  out += '}';
}
template <Listed T>
bool from_json(const json::value& in, T* out) {
  return in.is_object() && read_fields(in.get_object(), out);
}

template <class T>
void put(std::string& out, const std::optional<T>& v) {
  if (v) return put(out, *v);
  out += "null";
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
void put(std::string& out, const std::vector<T>& v) {
  out += '[';
  for (const T& item : v) {
    if (&item != v.data()) out += ',';
    put(out, item);
  }
  out += ']';
}
template <class T>
bool from_json(const json::value& in, std::vector<T>* out) {
  if (!in.is_array()) return false;
  for (const json::value& item : in.get_array()) {
    if (!from_json(item, &out->emplace_back())) return false;
  }
  return true;
}

inline void put(std::string& out, const std::map<std::string, std::string>& v) {
  out += '{';
  for (const auto& [key, value] : v) {
    put_name(out, key);
    json::append(out, value);
  }
  out += '}';
}
inline bool from_json(const json::value& in, std::map<std::string, std::string>* out) {
  if (!in.is_object()) return false;
  for (const auto& [key, value] : in.get_object()) {
    if (!from_json(value, &(*out)[std::string(key)])) return false;
  }
  return true;
}

template <class T>
void put(std::string& out, const Shared<T>& v) {
  put(out, *v);
}
template <class T>
bool from_json(const json::value& in, Shared<T>* out) {
  T value{};
  if (!from_json(in, &value)) return false;
  *out = std::move(value);
  return true;
}

template <class T>
void put(std::string& out, const Seldom<T>& v) {
  if (v) return put(out, *v);
  out += "null";
}
template <class T>
bool from_json(const json::value& in, Seldom<T>* out) {
  std::optional<T> value;
  if (!from_json(in, &value)) return false;
  *out = *std::move(value);
  return true;
}

template <class T>
void put_member(std::string& out, std::string_view name, const T& v) {
  put_name(out, name);
  put(out, v);
}

/// `{"kind": value}`: one alternative of a variant under its name.
template <class T>
void put_tagged(std::string& out, std::string_view kind, const T& v) {
  out += '{';
  put_member(out, kind, v);
  out += '}';
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
void put_fields(std::string& out, const T& v, const T& defaults) {
  const auto write = [&](std::string_view name, const auto& field, const auto& fallback) {
    if (!(field == fallback)) put_member(out, name, field);
  };
  fields(const_cast<T&>(v), defaults, write);  // NOLINT: it takes a reference for those who read
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

// ---- What resembles what came before it: only what differs from that --------------------------

template <class T>
void put_after(std::string& out, const T& v, const T& /*before*/) {
  put(out, v);
}
template <class T>
bool read_after(const json::value& in, T* out) {
  return from_json(in, out);
}

template <Listed T>
void put_after(std::string& out, const T& v, const T& before);
template <Listed T>
bool read_after(const json::value& in, T* out);
template <class T>
void put_after(std::string& out, const std::vector<T>& v, const std::vector<T>& before);
template <class T>
bool read_after(const json::value& in, std::vector<T>* out);

template <class T>
void put_after(std::string& out, const std::optional<T>& v, const std::optional<T>& before) {
  static const T kNone{};
  if (!v) return put(out, v);
  put_after(out, *v, before ? *before : kNone);
}
template <class T>
void put_after(std::string& out, const Seldom<T>& v, const Seldom<T>& before) = delete;
template <class T>
bool read_after(const json::value& in, std::optional<T>* out) {
  if (in.is_null()) {
    out->reset();
    return true;
  }
  if (!*out) out->emplace();
  return read_after(in, &**out);
}

template <Listed T>
void put_after(std::string& out, const T& v, const T& before) {
  out += '{';
  const auto write = [&](std::string_view name, const auto& field, const auto& fallback) {
    if (field == fallback) return;
    put_name(out, name);
    put_after(out, field, fallback);
  };
  fields(const_cast<T&>(v), before, write);  // NOLINT: as in put_fields()
  out += '}';
}
template <Listed T>
bool read_after(const json::value& in, T* out) {
  if (!in.is_object()) return false;
  std::size_t known = 0;
  bool good = true;
  fields(*out, *out, [&](std::string_view name, auto& field, const auto&) {
    const json::value* member = in.get_object().if_contains(name);  // also one that is null
    if (member == nullptr) return;
    ++known;
    good = good && read_after(*member, &field);
  });
  return good && known == in.get_object().size();
}

/// Each item after the one before it, the first after that of the list before.
template <class T>
void put_after(std::string& out, const std::vector<T>& v, const std::vector<T>& before) {
  static const T kNone{};
  const T* last = before.empty() ? &kNone : &before.front();
  out += '[';
  for (const T& item : v) {
    if (&item != v.data()) out += ',';
    put_after(out, item, *std::exchange(last, &item));
  }
  out += ']';
}
template <class T>
bool read_after(const json::value& in, std::vector<T>* out) {
  if (!in.is_array()) return false;
  T last = out->empty() ? T{} : std::move(out->front());
  out->clear();
  for (const json::value& item : in.get_array()) {
    if (!read_after(item, &last)) return false;
    out->push_back(last);
  }
  return true;
}

}  // namespace cronce
