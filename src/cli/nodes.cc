#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "cli/ledger.h"
#include "cli/shown_node.h"

namespace cronce {
namespace {

/// `+340ms`, `-1.2s`
std::string shown_offset(Duration offset) {
  return (offset < Duration{0} ? "-" : "+") + human_span(std::chrono::abs(offset));
}

std::string shown_role(const Node& node) {
  if (node.schedules && node.works) return "";
  return node.schedules ? "scheduler" : node.works ? "worker" : "none";
}

std::string shown_labels(const Node& node) {
  std::string text;
  for (const auto& [key, value] : node.labels) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value);
  }
  return text;
}

/// What the store says it runs: the node's own word is as old as its last beat.
std::size_t running(const Node& node, const ReadStore& read) {
  std::size_t count = 0;
  for (const JobRow& job : read.jobs) {
    for (const LiveRun& live : job.live) count += live.incarnation == node.incarnation ? 1U : 0U;
  }
  return count;
}

std::string shown_load(const Node& node, const ReadStore& read) {
  const std::size_t count = running(node, read);
  return node.max_running > 0 ? fmt::format("{} of {}", count, node.max_running)
                              : std::to_string(count);
}

Cell beat_cell(const Node& node, const Console& console) {
  const auto silent = silence(node, console);
  if (!silent) return {"unknown", Colour::dim};
  const std::string text = *silent < Seconds{1} ? "now" : human_span(*silent) + " ago";
  if (*silent >= node.lease) return {text + ", lease over", Colour::red};
  if (is_silent(node, console)) return {text + ", silent", Colour::yellow};
  return {node.leaving ? text + ", leaving" : text, Colour::green};
}

void print_table(const std::vector<Node>& nodes, const ReadStore& read, const Console& console) {
  using Side = Column::Side;
  constexpr Duration kBudget{2'000};  // farther off it decides nothing
  Table table({{"NODE"},
               {"BEAT"},
               {"RUNNING", Side::right},
               {"CLOCK", Side::right},
               {"LEASE", Side::right},
               {"ROLE"},
               {"LABELS", Side::left, true},
               {"VERSION"},
               {"ZONE DATA"}});
  for (const Node& node : nodes) {
    const Duration offset = clock_offset(node, read);
    Cell clock(shown_offset(offset));
    if (std::chrono::abs(offset) > kBudget) clock.colour = Colour::red;
    table.add({Cell(node.name), beat_cell(node, console), Cell(shown_load(node, read)), clock,
               Cell(print(node.lease)), Cell(shown_role(node)), Cell(shown_labels(node)),
               Cell(node.version), Cell(node.zone_data)});
  }
  put(console.out, table.print(console));
}

void print_remarks(const std::vector<Node>& nodes, const ReadStore& read, const Console& console) {
  const auto warn = [&](const std::string& text) {
    put(console.out, paint(console, Colour::yellow, text) + "\n");
  };
  std::set<std::string> zone_data;
  for (const Node& node : nodes) {
    zone_data.insert(node.zone_data);
    for (const std::string& source : outdated_sources(node, read.jobs)) {
      warn(
          fmt::format("{} offers another version of {} than the registered one: it runs none of "
                      "its jobs",
                      node.name, source));
    }
  }
  if (zone_data.size() > 1) {
    warn(fmt::format("zone data differ: {}; the newest decides", fmt::join(zone_data, ", ")));
  }
}

json::object node_json(const Node& node, const ReadStore& read, const Console& console) {
  const auto strings = [](const std::map<std::string, std::string>& map) {
    json::object out;
    for (const auto& [key, value] : map) out[key] = value;
    return out;
  };
  const auto silent = silence(node, console);
  json::array roles, outdated;
  if (node.schedules) roles.push_back("scheduler");
  if (node.works) roles.push_back("worker");
  for (const std::string& source : outdated_sources(node, read.jobs))
    outdated.push_back(json::value(source));
  json::object out;
  out["node"] = node.name;
  out["incarnation"] = print(node.incarnation);
  out["beat"] = node.beat.value;
  out["silent_ms"] = silent ? json::value(silent->count()) : json::value();
  out["lease"] = print(node.lease);
  out["leaving"] = node.leaving;
  out["running"] = running(node, read);
  out["max_running"] = node.max_running > 0 ? json::value(node.max_running) : json::value();
  out["clock_offset_ms"] = clock_offset(node, read).count();
  out["roles"] = roles;
  out["labels"] = strings(node.labels);
  out["version"] = node.version;
  out["zone_data"] = node.zone_data;
  out["sources"] = strings(node.digests);
  out["outdated_sources"] = outdated;
  return out;
}

}  // namespace

int run_nodes(const Args& args, const Console& console) {
  const auto read = read_store(args, console);
  if (!read) return fail(console, read.error());
  const auto nodes = read_nodes(*read);
  if (!nodes) return fail(console, nodes.error());
  if (args.has("--json")) {
    for (const Node& node : *nodes) {
      put(console.out, json::print(node_json(node, *read, console)) + "\n");
    }
    return kExitDone;
  }
  if (nodes->empty()) {
    put(console.out, "no node is alive: nothing is started until one is\n");
    return kExitDone;
  }
  print_table(*nodes, *read, console);
  print_remarks(*nodes, *read, console);
  return kExitDone;
}

}  // namespace cronce
