#include "test/chaos/options.h"

#include <cstdlib>

#include <fmt/format.h>

namespace cronce::chaos {

Options read_options(const std::vector<std::string>& words) {
  Options out;
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
  return out;
}

}  // namespace cronce::chaos
