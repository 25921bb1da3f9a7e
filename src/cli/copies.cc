// Copies of a store: `backup` makes one, `adopt` makes one a store. `store sql`: how one is made by
// hand.
#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "base/json.h"
#include "cli/human.h"
#include "cli/shown_node.h"
#include "cli/store_args.h"
#include "store/open_store.h"

namespace cronce {
namespace {

/// The clocks of a server's nodes are not ours: whoever lives beats, in the time in which all do.
std::size_t count_beating(Store& store, const std::vector<Node>& before) {
  constexpr int kLongestBeat = 6;  // seconds
  std::size_t alive = 0;
  for (int second = 0; second < kLongestBeat && alive == 0 && !before.empty(); ++second) {
    std::this_thread::sleep_for(Seconds{1});
    const auto now = store.nodes();
    if (!now) continue;
    for (const Node& node : *now) {
      alive +=
          static_cast<std::size_t>(std::any_of(before.begin(), before.end(), [&](const Node& old) {
            return old.incarnation == node.incarnation && old.beat < node.beat;
          }));
    }
  }
  return alive;
}

std::size_t count_heard(const std::vector<Node>& nodes, const Console& console) {
  return static_cast<std::size_t>(std::count_if(
      nodes.begin(), nodes.end(), [&](const Node& node) { return !is_silent(node, console); }));
}

/// Whoever adopts a store under living nodes has what they run started a second time. A copy, which
/// cannot be opened before it is adopted, has no nodes of its own.
std::optional<Refusal> still_in_use(const Places& places, const Console& console) {
  Rng rng(random_seed());
  const auto store = open_store(places.store, {.name_space = places.name_space, .make = false},
                                console.clock, rng);
  if (!store || !(*store)->open()) return std::nullopt;
  const auto nodes = (*store)->nodes();
  if (!nodes) return store_failure(nodes.error());
  const std::size_t alive =
      is_server(places.store) ? count_beating(**store, *nodes) : count_heard(*nodes, console);
  if (alive == 0) return std::nullopt;
  return Refusal{kExitRefused,
                 fmt::format("adopt: {} of this store {} alive: it is where it was, and need not "
                             "be taken over; otherwise stop them first",
                             counted(alive, "node"), alive == 1 ? "is" : "are")};
}

}  // namespace

int run_adopt(const Args& args, const Console& console) {
  const auto places = find_store(args);
  if (!places) return fail(console, places.error());
  if (const auto refusal = still_in_use(*places, console)) return fail(console, *refusal);
  Rng rng(random_seed());
  const auto adopted =
      adopt_store(places->store, {.name_space = places->name_space}, console.clock, rng);
  if (!adopted) return fail(console, store_failure(adopted.error()));
  if (args.has("--json")) {
    const json::object out{{"store", shown_address(places->store)},
                           {"id", print(adopted->id)},
                           {"epoch", adopted->epoch.value},
                           {"settled_to", print(adopted->store_time)}};
    put(console.out, json::print(out) + "\n");
    return kExitDone;
  }
  put(console.out,
      fmt::format("adopted {}: epoch {}; what ran is lost, and no slot up to {} runs "
                  "again\n",
                  shown_address(places->store), adopted->epoch.value, print(adopted->store_time)));
  return kExitDone;
}

int run_backup(const Args& args, const Console& console) {
  if (args.words.empty()) return fail(console, kExitUsage, "no file: try 'cronce backup FILE'");
  const auto places = find_store(args);
  if (!places) return fail(console, places.error());
  const std::string path = absolute_path(args.words.front());
  Rng rng(random_seed());
  const Status done = backup_store(places->store, path, console.clock, rng);
  if (!done) return fail(console, store_failure(done.error()));
  if (args.has("--json")) {
    const json::object out{{"store", shown_address(places->store)}, {"file", path}};
    put(console.out, json::print(out) + "\n");
    return kExitDone;
  }
  put(console.out,
      fmt::format("copied {} to {}\nbefore it is used: cronce adopt --store sqlite:{}\n",
                  places->store, path, path));
  return kExitDone;
}

int run_store(const Args& args, const Console& console) {
  if (args.words != std::vector<std::string>{"sql"}) {
    return fail(console, kExitUsage, "there is only: cronce store sql");
  }
  put(console.out, store_sql(args.get("--grant").value_or("")));
  return kExitDone;
}

}  // namespace cronce
