#include "test/oracle/zone.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace oracle {
namespace {

constexpr char kFolder[] = "/usr/share/zoneinfo/";

void set_process_zone(const std::string& name) {
  // An unknown name would silently be UTC.
  if (!std::filesystem::exists(kFolder + name)) throw std::runtime_error("no zone file: " + name);
  setenv("TZ", (":" + name).c_str(), 1);
  tzset();
}

std::int64_t glibc_offset(std::int64_t instant) {
  const std::time_t t = instant;
  std::tm fields{};
  if (localtime_r(&t, &fields) == nullptr) throw std::runtime_error("localtime_r failed");
  return fields.tm_gmtoff;
}

// `same` has offset `offset`, `other` (later) has not: the first instant that has not.
std::int64_t bisect(std::int64_t same, std::int64_t other, std::int64_t offset) {
  while (other - same > 1) {
    const std::int64_t middle = same + (other - same) / 2;
    (glibc_offset(middle) == offset ? same : other) = middle;
  }
  return other;
}

bool earlier(const Transition& transition, std::int64_t instant) { return transition.at < instant; }

}  // namespace

Zone::Zone(std::string name) : name_(std::move(name)) {
  set_process_zone(name_);
  scan();
}

// Steps of a day see every change, because no zone changes twice within a day: in the database of
// 2026 the closest two changes after 1969 are seven days apart (America/Recife, October 2000).
// After 2037 the zone files end in a rule for all years, for which localtime_r takes ten times as
// long; what they still list by date (Ramadan in Gaza) is seven days apart, too.
void Zone::scan() {
  first_offset_ = glibc_offset(kFirstInstant);
  std::int64_t offset = first_offset_;
  for (std::int64_t t = kFirstInstant; t < kLastInstant;) {
    const std::int64_t step = t < kEndOf2037 ? kDay : 3 * kDay;
    const std::int64_t next = std::min(t + step, kLastInstant);
    const std::int64_t after = glibc_offset(next);
    if (after != offset) transitions_.push_back({bisect(t, next, offset), offset, after});
    offset = after;
    t = next;
  }
}

std::vector<Transition> Zone::transitions(std::int64_t from, std::int64_t to) const {
  std::vector<Transition> found;
  auto it = std::lower_bound(transitions_.begin(), transitions_.end(), from, earlier);
  for (; it != transitions_.end() && it->at <= to; ++it) found.push_back(*it);
  return found;
}

std::vector<Segment> Zone::segments(std::int64_t from, std::int64_t to) const {
  std::vector<Segment> found;
  auto it = std::lower_bound(transitions_.begin(), transitions_.end(), from + 1, earlier);
  std::int64_t offset = it == transitions_.begin() ? first_offset_ : std::prev(it)->after;
  std::int64_t begin = from;
  for (; it != transitions_.end() && it->at <= to; ++it) {
    found.push_back({begin, it->at, offset});
    begin = it->at;
    offset = it->after;
  }
  found.push_back({begin, to + 1, offset});
  return found;
}

std::vector<std::int64_t> Zone::occurrences(std::int64_t civil) const {
  std::vector<std::int64_t> found;
  // No offset reaches a whole day, so the instant is less than a day away from the number.
  for (const Segment& segment : segments(civil - kDay, civil + kDay)) {
    const std::int64_t instant = civil - segment.offset;
    if (segment.begin <= instant && instant < segment.end) found.push_back(instant);
  }
  return found;
}

std::vector<std::string> zone_names() {
  std::ifstream file(std::string(kFolder) + "tzdata.zi");
  if (!file) throw std::runtime_error("cannot read tzdata.zi");
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string first;
    std::string second;
    words >> kind >> first >> second;
    if (kind != "Z" && kind != "L") continue;  // "Z NAME ..." or "L TARGET NAME"
    const std::string& name = kind == "Z" ? first : second;
    if (std::filesystem::exists(kFolder + name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace oracle
