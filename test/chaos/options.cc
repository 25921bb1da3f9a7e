#include "test/chaos/options.h"

#include <cstdlib>

#include <fmt/format.h>

namespace cronce::chaos {

Options read_options(const std::vector<std::string>& words) {
  Options out;
  out.scope.nodes = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& flag = words[i];
    const auto text = [&] { return ++i < words.size() ? words[i] : ""; };
    const auto number = [&] { return std::atoi(text().c_str()); };
    if (flag == "--seed") {
      out.scope.seed = static_cast<std::uint64_t>(number());
    } else if (flag == "--seconds") {
      out.scope.seconds = number();
    } else if (flag == "--faults") {
      out.scope.faults = number();
    } else if (flag == "--commands") {
      out.commands = number();
    } else if (flag == "--store") {
      const std::string store = text();
      if (store != "sqlite" && store != "postgres") {
        fmt::print(stderr, "chaos: '{}' is no store\n", store);
        std::exit(64);
      }
      out.scope.servers = store == "postgres";
    } else if (flag == "--nodes") {
      out.scope.nodes = number();
    } else if (flag == "--episode") {
      out.scope.episode = number();
    } else if (flag == "--record") {
      out.record = text();
    } else if (flag == "--only") {
      out.scope.only = text();
    } else if (flag == "--expect") {
      out.expected = text();
    } else if (flag == "--program") {
      out.program = text();
      out.failing_program.clear();
    } else if (flag == "--naive") {
      out.naive = true;
      out.scope.keepers = false;
      out.program = CHAOS_NAIVE;
      out.failing_program.clear();
    } else if (flag == "--all-failpoints") {
      out.all_failpoints = true;
    } else if (flag == "--keep") {
      out.keep = true;
    } else {
      fmt::print(stderr, "chaos: '{}' is no option\n", flag);
      std::exit(64);
    }
  }
  // Of servers three to five; of a file five.
  const int usual = out.scope.servers ? 3 + static_cast<int>(out.scope.seed % 3) : 5;
  if (out.scope.nodes == 0) out.scope.nodes = usual;
  return out;
}

std::string command_line(const Options& options) {
  const Scope& scope = options.scope;
  return fmt::format(
      "chaos --store {} --nodes {} --seed {} --seconds {} --faults {} --commands {}{}{}",
      scope.servers ? "postgres" : "sqlite", scope.nodes, scope.seed, scope.seconds, scope.faults,
      options.commands, scope.only.empty() ? "" : " --only ", scope.only);
}

}  // namespace cronce::chaos
