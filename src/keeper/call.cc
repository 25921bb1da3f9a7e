#include "keeper/call.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "keeper/environment.h"

namespace cronce {
namespace {

constexpr std::int64_t kLowestStatus = 100;
constexpr std::int64_t kHighestStatus = 599;

bool is_printable(std::string_view text, std::string_view but_not = "") {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    return (!control || c == '\t') && but_not.find(c) == std::string_view::npos;
  });
}

bool read_member(const json::object& in, std::string_view name, std::string* out) {
  const json::value* member = json::find(in, name);
  if (member == nullptr || !member->is_string()) return false;
  *out = std::string(member->get_string());
  return true;
}

/// A list with two members of a kind.
const json::array* as_pair(const json::value* value, bool (json::value::*is_kind)() const) {
  if (value == nullptr || !value->is_array() || value->get_array().size() != 2) return nullptr;
  const json::array& pair = value->get_array();
  return (pair[0].*is_kind)() && (pair[1].*is_kind)() ? &pair : nullptr;
}

bool read_call_headers(const json::object& in, CallOrder* out) {
  const json::value* list = json::find(in, "headers");
  if (list == nullptr || !list->is_array()) return false;
  for (const json::value& item : list->get_array()) {
    const json::array* pair = as_pair(&item, &json::value::is_string);
    if (pair == nullptr) return false;
    auto& [name, value] = out->headers.emplace_back();
    name = std::string((*pair)[0].get_string());
    value = std::string((*pair)[1].get_string());
    if (name.empty() || !is_printable(name, ":; \t") || !is_printable(value)) return false;
  }
  return true;
}

bool read_expected(const json::object& in, CallOrder* out) {
  const json::array* range = as_pair(json::find(in, "expect"), &json::value::is_int64);
  if (range == nullptr) return false;
  out->expect_low = (*range)[0].get_int64();
  out->expect_high = (*range)[1].get_int64();
  return kLowestStatus <= out->expect_low && out->expect_low <= out->expect_high &&
         out->expect_high <= kHighestStatus;
}

}  // namespace

CallOrder call_order(const Claim& claim, const JobName& job, const HttpCall& call) {
  CallOrder order{call.method, call.url,        {call.headers.begin(), call.headers.end()},
                  call.body,   call.expect_low, call.expect_high};
  order.headers.insert(order.headers.end(),
                       {{"Idempotency-Key", claim.key},
                        {"Cronce-Job", job.text()},
                        {"Cronce-Slot", print(told_slot(claim))},
                        {"Cronce-Attempt", fmt::format("{}", claim.run.attempt.value)},
                        {"Cronce-Fence", fmt::format("{}", claim.fence.value)}});
  return order;
}

std::string print(const CallOrder& order) {
  json::array headers;
  for (const auto& [name, value] : order.headers) headers.push_back(json::array{name, value});
  json::object out;
  out["method"] = order.method;
  out["url"] = order.url;
  out["headers"] = std::move(headers);
  out["body"] = order.body;
  out["expect"] = json::array{order.expect_low, order.expect_high};
  return json::print(out);
}

Result<CallOrder> parse_call_order(std::string_view text) {
  constexpr std::size_t kMembers = 5;
  const Error wrong{Code::invalid, "what to call cannot be read: no order of a keeper"};
  const auto parsed = json::parse(text);
  if (!parsed || !parsed->is_object()) return wrong;
  const json::object& in = parsed->get_object();
  CallOrder order;
  const bool right = in.size() == kMembers && read_member(in, "method", &order.method) &&
                     read_member(in, "url", &order.url) && read_call_headers(in, &order) &&
                     read_member(in, "body", &order.body) && read_expected(in, &order);
  const bool sendable =
      !order.method.empty() && is_printable(order.method, " \t") && is_printable(order.url, " \t");
  if (!right || !sendable) return wrong;
  return order;
}

}  // namespace cronce
