#include "test/chaos/evidence.h"

#include <time.h>

#include <array>
#include <cstdio>
#include <sstream>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace cronce::chaos {
namespace {

constexpr Millis kNanosPerMilli = 1'000'000;

std::string text_of(const boost::json::value& value) {
  return value.is_string() ? std::string(value.as_string()) : "";
}

/// Absent, or null: nothing.
std::string text_at(const boost::json::object& line, const char* name) {
  const boost::json::value* found = line.if_contains(name);
  return found == nullptr ? "" : text_of(*found);
}

template <class Take>
void each_object(const std::string& json_lines, Take take) {
  std::istringstream lines(json_lines);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) take(boost::json::parse(line).as_object());
  }
}

}  // namespace

std::optional<Millis> read_time(const std::string& text) {
  std::tm civil{};
  int millis = 0;
  char zone = 0;
  const int seconds_only =
      std::sscanf(text.c_str(), "%d-%d-%dT%d:%d:%d%c", &civil.tm_year, &civil.tm_mon,
                  &civil.tm_mday, &civil.tm_hour, &civil.tm_min, &civil.tm_sec, &zone);
  if (seconds_only != 7) return std::nullopt;
  if (zone == '.' && std::sscanf(text.c_str() + text.find('.'), ".%3d%c", &millis, &zone) != 2) {
    return std::nullopt;
  }
  if (zone != 'Z') return std::nullopt;
  civil.tm_year -= 1900;
  civil.tm_mon -= 1;
  return static_cast<Millis>(timegm(&civil)) * kSecond + millis;
}

std::string print_time(Millis time) {
  const std::time_t seconds = time / kSecond;
  std::tm civil{};
  gmtime_r(&seconds, &civil);
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &civil);
  return {text, size};
}

std::string print(const SlotRef& slot) {
  return fmt::format("{}@{}{}", slot.job, slot.request.empty() ? "" : "manual/",
                     slot.request.empty() ? print_time(slot.slot) : slot.request);
}

std::string print(const RunRef& run) { return fmt::format("{}#{}", print(run.of), run.attempt); }

std::string name_of(What what) {
  static constexpr std::array<const char*, kWhats> kNames{
      "trigger", "pause", "resume", "cancel", "backfill", "release", "retire", "recede", "drop"};
  return kNames.at(static_cast<std::size_t>(what));
}

std::vector<WitnessLine> read_witness(const std::string& text, std::vector<std::string>& trouble) {
  std::vector<WitnessLine> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    WitnessLine one;
    std::string slot;
    std::int64_t wall = 0, steady = 0;
    words >> one.what >> one.job >> slot >> one.attempt >> one.fence >> one.node >> one.key >>
        one.pid >> wall >> steady;
    const auto time = read_time(slot);
    const bool whole = words && time && (one.what != "end" || words >> one.exit_code);
    if (!whole) {
      trouble.push_back(fmt::format("the witness has the line '{}'", line));
      continue;
    }
    one.slot = *time;
    const std::string manual = one.job + "@manual/";
    if (one.key.starts_with(manual)) one.request = one.key.substr(manual.size());
    one.at = wall / kNanosPerMilli;
    out.push_back(one);
  }
  return out;
}

std::vector<Record> read_history(const std::string& json_lines) {
  std::vector<Record> out;
  each_object(json_lines, [&](const boost::json::object& line) {
    Record one;
    one.job = text_of(line.at("job"));
    one.slot = read_time(text_of(line.at("slot"))).value_or(0);
    one.attempt = line.at("attempt").to_number<int>();
    one.state = text_of(line.at("state"));
    one.reason = text_of(line.at("reason"));
    one.node = text_of(line.at("node"));
    if (const auto& fence = line.at("fence"); !fence.is_null()) {
      one.fence = fence.to_number<std::uint64_t>();
    }
    if (const auto& code = line.at("exit_code"); !code.is_null()) {
      one.exit_code = code.to_number<int>();
    }
    one.kind = text_at(line, "kind");
    one.request = text_at(line, "request");
    one.claimed_at = read_time(text_at(line, "claimed_at")).value_or(0);
    out.push_back(one);
  });
  return out;
}

std::vector<RunRef> read_runs(const std::string& said) {
  std::string objects;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('{') && line.ends_with('}')) objects += line + "\n";
  }
  std::vector<RunRef> out;
  each_object(objects, [&](const boost::json::object& line) {
    if (line.if_contains("attempt") == nullptr) return;
    out.push_back({{text_at(line, "job"), read_time(text_at(line, "slot")).value_or(0),
                    text_at(line, "request")},
                   line.at("attempt").to_number<int>()});
  });
  return out;
}

std::vector<Finding> read_findings(const std::string& json_lines) {
  std::vector<Finding> out;
  each_object(json_lines, [&](const boost::json::object& line) {
    const boost::json::value* attempt = line.if_contains("attempt");
    const bool has_attempt = attempt != nullptr && attempt->is_number();
    out.push_back({text_at(line, "finding"),
                   {{text_at(line, "job"), read_time(text_at(line, "slot")).value_or(0),
                     text_at(line, "request")},
                    has_attempt ? attempt->to_number<int>() : 0},
                   boost::json::serialize(line)});
  });
  return out;
}

std::vector<JobLine> read_jobs(const std::string& json_lines) {
  std::vector<JobLine> out;
  each_object(json_lines, [&](const boost::json::object& line) {
    out.push_back({text_of(line.at("job")), read_time(text_of(line.at("next"))),
                   line.at("running").to_number<int>()});
  });
  return out;
}

}  // namespace cronce::chaos
