// A small validator of JSON schemas, for tests.
#pragma once

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"

namespace cronce {

/// The keywords of JSON Schema 2020-12 that the schema uses; any other is a failure.
class Validator {
 public:
  /// The whole schema must outlive it.
  explicit Validator(const json::object& whole) : definitions_(whole.at("$defs").as_object()) {}

  bool accepts(const json::value& rules, const json::value& value) const {
    const json::object& all = rules.as_object();
    return std::all_of(all.begin(), all.end(), [&](const auto& rule) {
      return follows(all, rule.key(), rule.value(), value);
    });
  }

 private:
  bool follows(const json::object& all, std::string_view key, const json::value& rule,
               const json::value& value) const {
    if (key == "$ref") return accepts(resolve(rule.as_string()), value);
    if (key == "type") return has_type(rule, value);
    if (key == "enum") return contains(rule.as_array(), value);
    if (key == "not") return !accepts(rule, value);
    if (key == "anyOf") return count(rule.as_array(), value) > 0;
    if (key == "oneOf") return count(rule.as_array(), value) == 1;
    if (const auto* text = value.if_string()) return text_follows(key, rule, *text);
    if (value.is_number()) return number_follows(key, rule, value.to_number<double>());
    if (const auto* list = value.if_array()) return list_follows(all, key, rule, *list);
    if (const auto* map = value.if_object()) return map_follows(all, key, rule, *map);
    return is_known(key);
  }

  static bool is_known(std::string_view key) {
    static const std::set<std::string_view> kKnown{
        "$schema",          "$defs",         "title",         "description",
        "examples",         "pattern",       "minLength",     "minimum",
        "maximum",          "items",         "prefixItems",   "minItems",
        "maxItems",         "uniqueItems",   "properties",    "required",
        "propertyNames",    "minProperties", "maxProperties", "additionalProperties",
        "dependentRequired"};
    CHECK(kKnown.contains(key));
    return true;
  }

  const json::value& resolve(std::string_view reference) const {
    return definitions_.at(reference.substr(reference.rfind('/') + 1));
  }
  static bool contains(const json::array& values, const json::value& value) {
    return std::find(values.begin(), values.end(), value) != values.end();
  }
  std::ptrdiff_t count(const json::array& rules, const json::value& value) const {
    return std::count_if(rules.begin(), rules.end(),
                         [&](const json::value& each) { return accepts(each, value); });
  }

  static bool has_type(const json::value& rule, const json::value& value) {
    if (const auto* names = rule.if_array()) {
      return std::any_of(names->begin(), names->end(),
                         [&](const json::value& each) { return has_type(each, value); });
    }
    const std::string_view name = rule.as_string();
    return (name == "object" && value.is_object()) || (name == "array" && value.is_array()) ||
           (name == "string" && value.is_string()) || (name == "boolean" && value.is_bool()) ||
           (name == "integer" && value.is_int64()) || (name == "number" && value.is_number());
  }

  static bool text_follows(std::string_view key, const json::value& rule, std::string_view text) {
    if (key == "minLength") return text.size() >= rule.to_number<std::size_t>();
    if (key != "pattern") return is_known(key);
    return std::regex_search(std::string(text), std::regex(std::string(rule.as_string())));
  }

  static bool number_follows(std::string_view key, const json::value& rule, double number) {
    if (key == "minimum") return number >= rule.to_number<double>();
    if (key == "maximum") return number <= rule.to_number<double>();
    return is_known(key);
  }

  bool list_follows(const json::object& all, std::string_view key, const json::value& rule,
                    const json::array& list) const {
    if (key == "minItems") return list.size() >= rule.to_number<std::size_t>();
    if (key == "maxItems") return list.size() <= rule.to_number<std::size_t>();
    if (key == "uniqueItems") {
      return std::all_of(list.begin(), list.end(), [&](const json::value& each) {
        return std::count(list.begin(), list.end(), each) == 1;
      });
    }
    const auto* first = json::find(all, "prefixItems");
    const std::size_t before = first == nullptr ? 0 : first->as_array().size();
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (key == "prefixItems" && i < before && !accepts(rule.as_array()[i], list[i])) return false;
      if (key == "items" && i >= before && !accepts(rule, list[i])) return false;
    }
    return is_known(key);
  }

  bool map_follows(const json::object& all, std::string_view key, const json::value& rule,
                   const json::object& map) const {
    if (key == "minProperties") return map.size() >= rule.to_number<std::size_t>();
    if (key == "maxProperties") return map.size() <= rule.to_number<std::size_t>();
    if (key == "required") return has_all(rule.as_array(), map);
    const auto* listed = json::find(all, "properties");
    for (const auto& [name, value] : map) {
      if (key == "propertyNames" && !accepts(rule, json::value(name))) return false;
      const bool is_listed = listed != nullptr && listed->as_object().contains(name);
      if (key == "properties" && is_listed && !accepts(rule.as_object().at(name), value)) {
        return false;
      }
      if (key == "additionalProperties" && !is_listed &&
          !(rule.is_object() && accepts(rule, value))) {
        return false;
      }
      const auto* needs = key == "dependentRequired" ? json::find(rule.as_object(), name) : nullptr;
      if (needs != nullptr && !has_all(needs->as_array(), map)) return false;
    }
    return is_known(key);
  }

  static bool has_all(const json::array& names, const json::object& map) {
    return std::all_of(names.begin(), names.end(),
                       [&](const json::value& name) { return map.contains(name.as_string()); });
  }

  const json::object& definitions_;
};

}  // namespace cronce
