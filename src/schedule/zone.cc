#include "schedule/zone.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>

#include <cctz/time_zone.h>
#include <fmt/format.h>

#include "base/quote.h"
#include "base/suggest.h"

namespace cronce {
namespace {

using std::chrono::sys_days;
using std::chrono::sys_seconds;

/// Before and after every written time, with room for an offset.
constexpr sys_seconds kBeginning = sys_days{std::chrono::year{0} / 1 / 1};
constexpr sys_seconds kEnd = sys_days{std::chrono::year{10001} / 1 / 1};

constexpr Seconds kCycle = std::chrono::days{146'097};  // 400 years
constexpr const char* kZoneFolder = "/usr/share/zoneinfo";

Seconds offset_at(const cctz::time_zone& zone, sys_seconds t) {
  return Seconds{zone.lookup(t).offset};
}

/// Asks cctz for every change. It goes 400 years beyond the last change that the data lists, which
/// covers each way in which a yearly rule can meet the calendar.
std::shared_ptr<const Zone> read_zone(const std::string& name, const cctz::time_zone& zone) {
  std::vector<Zone::Change> changes;
  Seconds last = offset_at(zone, kBeginning);
  const Seconds first = last;
  sys_seconds t = kBeginning;
  cctz::time_zone::civil_transition change;
  while (zone.next_transition(t, &change)) {
    t = std::chrono::time_point_cast<Seconds>(zone.lookup(change.to).trans);
    const Seconds offset = offset_at(zone, t);
    if (offset != last) changes.push_back({t, offset});
    last = offset;
  }
  const bool repeats =
      !changes.empty() && changes.back().at > sys_days{std::chrono::year{2300} / 1 / 1};
  return std::make_shared<Zone>(name, first, std::move(changes), repeats);
}

/// `tzdata.zi` says the release in its first line and each name in a line of kind Z or L.
struct ZoneData {
  std::string version = "unknown";
  std::vector<std::string> names;
};

ZoneData read_zone_data() {
  ZoneData data;
  std::ifstream in(fmt::format("{}/tzdata.zi", kZoneFolder));
  for (std::string line; std::getline(in, line);) {
    constexpr std::string_view kVersion = "# version ";
    if (line.starts_with(kVersion)) data.version = line.substr(kVersion.size());
    if (line.starts_with("Z ")) data.names.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (line.starts_with("L ")) data.names.push_back(line.substr(line.rfind(' ') + 1));
  }
  std::sort(data.names.begin(), data.names.end());
  return data;
}

const ZoneData& zone_data() {
  static const ZoneData data = read_zone_data();
  return data;
}

/// The list of names where the system has it; otherwise the shape of a name, so that a system with
/// zone files but without the list still works.
bool is_zone_name(std::string_view name) {
  const auto& names = zone_names();
  if (!names.empty()) return std::binary_search(names.begin(), names.end(), name);
  const auto starts = [&](std::string_view s) { return name.starts_with(s); };
  return !name.empty() && name.front() >= 'A' && name.front() <= 'Z' && !starts("Fixed/") &&
         name.find("..") == std::string_view::npos;
}

Error unknown_zone(std::string_view name) {
  const auto& names = zone_names();
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto nearest = suggest(name, candidates);
  return {Code::not_found,
          nearest ? fmt::format("unknown time zone {}: did you mean {}?", quote(name), *nearest)
                  : fmt::format("unknown time zone {}: use a name of the tz database, such as "
                                "Europe/Berlin or UTC",
                                quote(name))};
}

}  // namespace

Zone::Zone(std::string name, Seconds first_offset, std::vector<Change> changes, bool repeats)
    : name_(std::move(name)), stretches_(std::move(changes)), repeats_from_(kEnd) {
  stretches_.insert(stretches_.begin(), Change{kBeginning, first_offset});
  for (std::size_t i = 1; i < stretches_.size(); ++i) {
    CHECK(stretches_[i - 1].at < stretches_[i].at);
    CHECK(stretches_[i - 1].offset != stretches_[i].offset);
  }
  if (repeats) repeats_from_ = stretches_.back().at;
}

std::size_t Zone::index(sys_seconds t) const {
  const auto later = std::upper_bound(stretches_.begin(), stretches_.end(), t,
                                      [](sys_seconds a, const Change& b) { return a < b.at; });
  return later == stretches_.begin() ? 0 : static_cast<std::size_t>(later - stretches_.begin()) - 1;
}

Stretch Zone::at(sys_seconds t) const {
  Seconds cycles{0};
  while (t >= repeats_from_) {
    t -= kCycle;
    cycles += kCycle;
  }
  const std::size_t i = index(t);
  const bool last = i + 1 == stretches_.size();
  Stretch s;
  s.begin = stretches_[i].at + cycles;
  s.end = last ? kEnd : stretches_[i + 1].at + cycles;
  s.offset = stretches_[i].offset;
  s.before = i == 0 ? s.offset : stretches_[i - 1].offset;
  s.after = last ? s.offset : stretches_[i + 1].offset;
  return s;
}

ZoneResult load_zone(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Zone>, std::less<>> loaded;
  const std::lock_guard lock(mutex);
  if (const auto known = loaded.find(name); known != loaded.end()) return known->second;
  const std::string key(name);
  cctz::time_zone zone;
  if (!is_zone_name(name) || !cctz::load_time_zone(key, &zone)) return unknown_zone(name);
  return loaded.emplace(key, read_zone(key, zone)).first->second;
}

const std::string& zone_data_version() { return zone_data().version; }

const std::vector<std::string>& zone_names() { return zone_data().names; }

}  // namespace cronce
