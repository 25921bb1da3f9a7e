// A scenario as text: commands, and what is expected to come of them.
//
//   # 1. A title (and the failure that it is about)
//   # What could go wrong, in a sentence.
//
//   file shop.yaml
//     jobs:
//       billing: { schedule: { every: 10s }, run: sleep 2 }
//   start a shop.yaml
//   run until +10s
//   ----
//   +0s      a   registers shop: current, generation 1
//   +10s     a   decides billing@+10s: running, fence 1.1
//
// A block is commands up to `----`, one per line, and then the lines that they say, up to a blank
// one. Indented lines are the text of the command above. Lines with `#` and blank ones between
// commands are for the reader. Nothing here knows what a command does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cronce::scenario {

struct Command {
  std::size_t line = 0;  // in the file, from 1
  std::string text;
  std::string body;  // the indented lines below it, without their indent
};

struct Block {
  std::vector<std::string> lines;  // as written, with `----`
  std::vector<Command> commands;
  std::vector<std::string> expected;
};

struct Script {
  std::vector<Block> blocks;
  std::vector<std::string> rest;  // after the last block
  std::vector<std::string> mistakes;
};

Script parse_script(std::string_view text);
std::string print_script(const Script& script);

/// Both texts, the first line in which they part marked in each.
std::string difference(const Block& block, const std::vector<std::string>& said);

}  // namespace cronce::scenario
