// `doctor` on clocks and zone data.
#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "cli/doctor.h"
#include "cli/human.h"
#include "cli/shown_node.h"

namespace cronce {
namespace {

/// As far as nodes of one host may be apart (docs/sqlite.md).
constexpr Duration kClockBudget{2'000};
/// On a server slots go by its clock, whatever those of the nodes show.
constexpr Duration kServerBudget{30'000};
constexpr const char* kSetClock = "chronyc makestep, or: timedatectl set-ntp true";

std::string shown_lead(Duration offset) {
  return fmt::format("{} {}", human_span(std::chrono::abs(offset)),
                     offset < Duration{0} ? "behind" : "ahead of");
}

int year_of(const std::string& zone_data) {
  int year = 0;
  std::from_chars(zone_data.data(), zone_data.data() + zone_data.size(), year);
  return year;
}

int year_of(Time time) {
  return static_cast<int>(
      std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(time)}.year());
}

/// The versions of those that were heard of lately, each with its nodes.
std::map<std::string, std::vector<std::string>> living_zone_data(const StoreFacts& store) {
  std::map<std::string, std::vector<std::string>> versions;
  for (const Node& node : store.nodes) {
    if (!is_silent(node, store.boot)) versions[node.zone_data].push_back(node.name);
  }
  return versions;
}

}  // namespace

Findings check_synchronised(const DoctorFacts& facts) {
  const HostFacts& host = facts.host;
  if (!host.clock_known) return {};
  const std::string why = facts.store.server
                              ? "slots go by the server's clock, and commands see this one"
                              : "slots are due by it, however wrong it is";
  if (!host.synchronised) {
    return {found_note("the kernel does not call this clock synchronised", why,
                       "timedatectl set-ntp true; of a container: on its host")};
  }
  if (host.clock_error >= Seconds{1}) {
    return {found_note(fmt::format("the clock may be off by {}", human_span(host.clock_error)), why,
                       "chronyc tracking")};
  }
  return {found_ok(fmt::format("synchronised within {}", human_span(host.clock_error)))};
}

Findings check_wall_clock(const DoctorFacts& facts) {
  constexpr Time kMade{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
  const HostFacts& host = facts.host;
  Findings found;
  if (host.wall < kMade) {
    found.push_back(found_error(fmt::format("the wall clock shows {}", print(host.wall)),
                                "what is due now would be missed", kSetClock));
  }
  if (host.boot_shift != Duration{0}) {
    found.push_back(found_warning(fmt::format("a time namespace: the host started {} earlier here",
                                              human_span(std::chrono::abs(host.boot_shift))),
                                  "all processes on a store must count from the same start",
                                  "start nodes and commands outside of it"));
  }
  const bool server = facts.store.server.has_value();
  if (!server && (!facts.store.was_read() || facts.store.nodes.empty())) return found;
  // By readings: the store may have been read a while ago.
  const Duration lead = (host.wall - host.boot) - (facts.store.now - facts.store.boot);
  if (std::chrono::abs(lead) > (server ? kServerBudget : kClockBudget)) {
    found.push_back(
        found_warning(fmt::format("the wall clock is {} the store's time", shown_lead(lead)),
                      server ? "slots go by the server's clock, and commands see this one"
                             : "a node that starts with this clock decides nothing",
                      kSetClock));
  }
  if (found.empty()) found.push_back(found_ok("the wall clock agrees with the store's time"));
  return found;
}

Findings check_node_clocks(const DoctorFacts& facts) {
  const StoreFacts& store = facts.store;
  if (!store.was_read() || store.nodes.empty()) return {};
  Findings found;
  if (store.disputed) {
    found.push_back(found_error("the clocks of the nodes disagree, and none has a majority",
                                "nobody decides anything until they agree", kSetClock));
  }
  const Duration reading = store.now.time_since_epoch() - store.boot;
  const Duration budget = store.server ? kServerBudget : kClockBudget;
  Duration farthest{};
  for (const Node& node : store.nodes) {
    const Duration offset = node.clock_reading - reading;
    farthest = std::max(farthest, std::chrono::abs(offset));
    if (std::chrono::abs(offset) > budget) {
      found.push_back(found_warning(
          fmt::format("node {} is {} the store's time", node.name, shown_lead(offset)),
          store.server ? "slots go by the server's clock, and its commands see its own"
                       : fmt::format("beyond {} it decides nothing", human_span(budget)),
          kSetClock));
    }
    if (node.course) {
      found.push_back(found_warning(
          fmt::format("node {} doubts a step of the store's clock", node.name),
          "it goes by the old time until the clocks of the living nodes agree", kSetClock));
    }
  }
  if (found.empty()) {
    found.push_back(found_ok(
        fmt::format("{} within {}", counted(store.nodes.size(), "node"), human_span(farthest))));
  }
  return found;
}

Findings check_zone_data(const DoctorFacts& facts) {
  const HostFacts& host = facts.host;
  if (!host.zones_there) {
    return {found_error("no zone data in " + host.zone_folder,
                        "no schedule outside UTC can be computed", "apt-get install tzdata")};
  }
  const int year = year_of(host.zone_data);
  const std::string text = fmt::format("{} in {}", host.zone_data, host.zone_folder);
  if (year == 0) {
    return {found_note("zone data without a version in " + host.zone_folder,
                       "nodes with different rules could not be told apart",
                       "apt-get install tzdata")};
  }
  if (year + 2 <= year_of(host.wall)) {
    return {found_note("zone data " + text, "governments have changed clocks since",
                       "apt-get install tzdata")};
  }
  return {found_ok(text)};
}

Findings check_node_zone_data(const DoctorFacts& facts) {
  if (!facts.store.was_read()) return {};
  const auto versions = living_zone_data(facts.store);
  if (versions.empty()) return {};
  if (versions.size() > 1) {
    std::vector<std::string> each;
    for (const auto& [version, nodes] : versions) {
      each.push_back(fmt::format("{} on {}", version, some_of(nodes)));
    }
    return {found_warning(fmt::format("zone data differ: {}", fmt::join(each, ", ")),
                          "the newest decides when a slot is; others may expect another time",
                          "apt-get install tzdata, then start the older ones again")};
  }
  const std::string& version = versions.begin()->first;
  if (version != facts.host.zone_data) {
    return {found_note(fmt::format("the living nodes have zone data {}, this host has {}", version,
                                   facts.host.zone_data),
                       "a node reads them when it starts", "start the nodes again, one by one")};
  }
  return {found_ok("the same on all living nodes")};
}

Findings check_job_zones(const DoctorFacts& facts) {
  const auto& unknown = facts.host.unknown_zones;
  if (unknown.empty()) return {};
  return {found_warning(fmt::format("jobs name zones that are not known here: {}",
                                    some_of({unknown.begin(), unknown.end()})),
                        "a node of this host cannot compute their slots",
                        "apt-get install tzdata")};
}

}  // namespace cronce
