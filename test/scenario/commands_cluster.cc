// Commands about the machines: files, starts, deaths, clocks, and the passing of time.
#include <array>
#include <map>

#include <fmt/format.h>

#include "test/scenario/command_rows.h"

namespace cronce::scenario {
namespace {

using Body = const std::string&;

void begin(World& world, Args& args, Body) {
  const auto time = parse_time(args.word("a time such as 2026-03-29T00:00:00Z"));
  if (!time) return args.wrong(time.error().message);
  world.stage.clock.step(*time - world.stage.begin);
  world.stage.begin = *time;
}

void lease(World& world, Args& args, Body) {
  static const std::map<Duration, LeaseSettings> kTable{
      {kLease5.lease, kLease5}, {kLease15.lease, kLease15}, {kLease60.lease, kLease60}};
  const auto row = kTable.find(args.length());
  if (row == kTable.end()) return args.wrong("a lease is 5s, 15s or 60s");
  world.stage.lease = row->second;
}

void naive(World& world, Args& args, Body) {
  static const std::map<std::string, Naive> kWords{
      {"lock", Naive::lock}, {"blind-take", Naive::blind_take}, {"row-fences", Naive::row_fences}};
  const auto row = kWords.find(args.word("a naive store"));
  if (row == kWords.end()) return args.wrong("a naive store is lock, blind-take or row-fences");
  world.store.naive = row->second;
}

void file(World& world, Args& args, Body body) { world.files[args.word("a file")] = body; }

/// `h1..h40` is forty names.
std::vector<std::string> names_of(const std::string& word) {
  const std::size_t dots = word.find("..");
  if (dots == std::string::npos) return {word};
  const std::size_t digits = word.find_first_of("0123456789");
  const int last = std::stoi(word.substr(word.find_first_of("0123456789", dots)));
  std::vector<std::string> names;
  for (int i = std::stoi(word.substr(digits)); i <= last; ++i)
    names.push_back(word.substr(0, digits) + std::to_string(i));
  return names;
}

void add_labels(const std::string& text, Node& node) {
  const std::size_t equals = text.find('=');
  node.labels[text.substr(0, equals)] = equals == std::string::npos ? "" : text.substr(equals + 1);
}

/// Nodes, files and settings in any order.
struct StartWords {
  std::vector<std::string> nodes;
  std::vector<std::string> files;
  Node node;
  std::map<std::string, std::string> zones;
  Duration wall{};
  int rate = 1'000;

  void read(World& world, Args& args) {
    while (!args.empty()) {
      if (args.take("label")) {
        add_labels(args.word("a label such as disk=big"), node);
      } else if (args.take("wall")) {
        wall = args.elapsed();
      } else if (args.take("zone")) {
        const std::string pair = args.word("zones such as Europe/Berlin=Africa/Lagos");
        zones[pair.substr(0, pair.find('='))] = pair.substr(pair.find('=') + 1);
      } else if (args.take("rate")) {
        rate = static_cast<int>(args.number());
      } else if (args.take("as")) {
        node.name = args.word("a name");
      } else if (args.take("version")) {
        node.version = args.word("a version");
      } else if (args.take("zone-data")) {
        node.zone_data = args.word("a release");
      } else if (args.take("at-most")) {
        node.max_running = args.number();
      } else {
        const std::string word = args.word("");
        const bool is_file = world.files.contains(word);
        for (const std::string& name : names_of(word)) (is_file ? files : nodes).push_back(name);
      }
    }
    if (nodes.empty()) args.wrong("a node is missing");
  }

  void set_up(const std::string& name, const Stage& stage, Machine& machine) const {
    machine.node = node;
    if (node.name.empty()) machine.node.name = name;
    machine.zones = zones;
    machine.clock = {stage.now(), stage.begin + wall, rate};
  }
};

/// What a machine was told at an earlier start stays, unless it is told anew.
void start(World& world, Args& args, Body) {
  StartWords words;
  words.read(world, args);
  for (const std::string& name : words.nodes) {
    const bool is_new = !world.machines.contains(name);
    Machine& machine = world.machine(name);
    if (machine.alive()) return args.wrong(name + " is running");
    if (is_new) words.set_up(name, world.stage, machine);
    for (const std::string& one : words.files) {
      const Offered offered = world.read(one, name);
      machine.offers.insert_or_assign(offered.set.source, offered);
    }
    machine.start(world.next_rank());
  }
}

void deploy(World& world, Args& args, Body) {
  StartWords words;
  words.read(world, args);
  for (const std::string& name : words.nodes) {
    for (const std::string& one : words.files) world.machine(name).offer(world.read(one, name));
  }
}

template <void (Machine::*Deed)()>
void to_nodes(World& world, Args& args, Body) {
  do {
    const std::string name = args.word("a node");
    if (!world.machines.contains(name)) return args.wrong("there is no node " + name);
    (world.machine(name).*Deed)();
  } while (!args.empty());
}

void wall(World& world, Args& args, Body) {
  Machine& machine = world.machine(args.word("a node"));
  machine.clock.step_wall(args.elapsed());
}

void end(World& world, Args& args, Body) {
  const std::string job = args.word("a job");
  const bool good = args.take("ok");
  if (!good && !args.take("failed")) return args.wrong("a child ends ok or failed");
  for (const auto& [name, machine] : world.machines) {
    if (machine->end_child(job, good ? RunState::succeeded : RunState::failed)) return;
  }
  args.wrong("nothing of " + job + " runs");
}

void run(World& world, Args& args, Body) {
  if (args.take("until")) return world.run_until(args.elapsed());
  if (args.take("for")) return world.run_until(world.stage.now() + args.length());
  args.wrong("run until +10s, or run for 10s");
}

constexpr auto kClusterRows = std::to_array<CommandRow>({
    {"begin", begin},
    {"lease", lease},
    {"naive", naive},
    {"file", file, true},
    {"start", start},
    {"deploy", deploy},
    {"kill", to_nodes<&Machine::kill>},
    {"crash", to_nodes<&Machine::crash>},
    {"freeze", to_nodes<&Machine::freeze>},
    {"thaw", to_nodes<&Machine::thaw>},
    {"suspend", to_nodes<&Machine::suspend>},
    {"wake", to_nodes<&Machine::wake>},
    {"drain", to_nodes<&Machine::drain>},
    {"wall", wall},
    {"end", end},
    {"run", run},
});

}  // namespace

std::span<const CommandRow> cluster_commands() { return kClusterRows; }

}  // namespace cronce::scenario
