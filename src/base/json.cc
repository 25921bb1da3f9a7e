#include "base/json.h"

#include <algorithm>

#include <fmt/format.h>

namespace cronce::json {

namespace {

Error wrong_type(std::string_view key, std::string_view wanted) {
  return {Code::invalid, fmt::format("'{}' must be {}", key, wanted)};
}

}  // namespace

Result<value> parse(std::string_view text) {
  boost::json::error_code failed;
  boost::json::parse_options options;
  options.max_depth = 32;
  value v =
      boost::json::parse(boost::json::string_view(text.data(), text.size()), failed, {}, options);
  if (failed) return Error{Code::invalid, "not JSON: " + failed.message()};
  return v;
}

std::string print(const value& v) { return boost::json::serialize(v); }

std::string print(const object& v) { return boost::json::serialize(v); }

void append(std::string& out, std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; };
  if (!std::all_of(text.begin(), text.end(), is_plain)) {
    out += boost::json::serialize(boost::json::string_view(text));
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

const value* find(const object& o, std::string_view key) {
  const value* v = o.if_contains(boost::json::string_view(key.data(), key.size()));
  return v == nullptr || v->is_null() ? nullptr : v;
}

Result<std::optional<std::string>> find_string(const object& o, std::string_view key) {
  const value* v = find(o, key);
  if (v == nullptr) return std::optional<std::string>{};
  if (!v->is_string()) return wrong_type(key, "a text");
  return std::optional<std::string>{std::string(v->get_string())};
}

Result<std::optional<std::int64_t>> find_int(const object& o, std::string_view key) {
  const value* v = find(o, key);
  if (v == nullptr) return std::optional<std::int64_t>{};
  if (!v->is_int64()) return wrong_type(key, "a whole number");
  return std::optional<std::int64_t>{v->get_int64()};
}

}  // namespace cronce::json
