// A node as the store and the other nodes see it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace cronce {

struct Node {
  std::string name;
  Incarnation incarnation;
  Beat beat;
  Duration lease{60'000};  // its own L: whoever waits for its end waits that long
  std::map<std::string, std::string> labels;
  bool schedules = true;  // --role scheduler
  bool works = true;      // --role worker
  bool leaving = false;
  std::int64_t running = 0;
  std::int64_t max_running = 0;
  std::string version;
  std::string zone_data;
  Duration clock_reading{};    // wall clock minus boot-time clock
  std::optional<Time> wall;    // its wall clock as it sent this beat
  std::optional<Time> course;  // while it doubts a step of the store's clock: the time it goes by
  std::map<std::string, std::string> digests;  // source -> digest that it offers
  bool operator==(const Node&) const = default;
};

/// Whose schedules are to be believed when two nodes compute different slots: the newer program,
/// and of equal ones the newer zone data.
struct Knowledge {
  std::string version;
  std::string zone_data;
  bool operator==(const Knowledge&) const = default;
};
bool is_newer(const Knowledge& a, const Knowledge& b);
Knowledge knowledge_of(const Node& node);
bool knows_more(const Node& node, const Knowledge& than);
bool knows_less(const Node& node, const Knowledge& than);

}  // namespace cronce
