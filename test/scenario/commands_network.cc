// Commands about messages: held, delivered, repeated, dropped.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "test/scenario/command_rows.h"

namespace cronce::scenario {
namespace {

using Body = const std::string&;

void hold(World& world, Args& args, Body) {
  const std::string node = args.word("a node");
  const std::string kind = args.word("what to hold");
  static constexpr auto kKinds =
      std::to_array<std::string_view>({"beat", "answer", "write", "decide", "take", "report",
                                       "sweep", "register", "settle", "remember", "open"});
  if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end())
    return args.wrong(fmt::format("{} is none of: {}", kind, fmt::join(kKinds, ", ")));
  world.network.hold(node, kind);
}

template <bool (Network::*Deed)(const std::string&)>
void to_held(World& world, Args& args, Body) {
  const std::string node = args.word("a node");
  if (!(world.network.*Deed)(node)) args.wrong("nothing of " + node + " is held");
}

template <void (Network::*Deed)(const std::string&)>
void to_links(World& world, Args& args, Body) {
  do {
    (world.network.*Deed)(args.word("a node"));
  } while (!args.empty());
}

void hints(World& world, Args& args, Body) {
  world.stage.hints = args.take("on");
  if (!world.stage.hints && !args.take("off")) args.wrong("hints are on or off");
}

constexpr auto kNetworkRows = std::to_array<CommandRow>({
    {"hold", hold},
    {"deliver", to_held<&Network::deliver>},
    {"repeat", to_held<&Network::repeat>},
    {"drop", to_held<&Network::drop>},
    {"cut", to_links<&Network::cut>},
    {"heal", to_links<&Network::heal>},
    {"hints", hints},
});

}  // namespace

std::span<const CommandRow> network_commands() { return kNetworkRows; }

}  // namespace cronce::scenario
