// Transcripts: what somebody types and, to the letter, what comes back.
//
// A transcript file is a list of blocks with one blank line between them; lines that begin with `#`
// between blocks are comments:
//
//   # The clocks of New York skip 02:30 on that day.
//   $ cronce next '30 2 * * *' --tz America/New_York --from 2025-03-08T12:00:00Z --count 1
//   Sun 2025-03-09 03:00:00 -04:00  2025-03-09T07:00:00Z
//
// Output lines are stdout and stderr as they came. A last line `[exit 65]` is the exit code, 0 when
// it is absent. An output without a final line break ends with the line kNoLineBreak. A blank line
// belongs to the output unless a command, a comment or the end of the file follows it.
//
// In a Markdown page the blocks stand between ```console and ```, where an output line `...` stands
// for any number of lines.
//
// Nothing here runs a command or touches a file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cronce::golden {

inline constexpr std::string_view kNoLineBreak = "\\ no line break at the end";

/// What a command did.
struct Outcome {
  std::vector<std::string> lines;
  int exit_code = 0;
};

/// The lines of an output, marked if the last one is not ended.
std::vector<std::string> split_output(std::string_view output);

struct Block {
  std::string place;  // `README.md:12`
  std::string command;
  Outcome expected;
  std::string indent;    // that of the fence in a page
  bool elastic = false;  // `...` stands for any lines
};

/// A file as its blocks and the lines around them, so that it can be written back.
struct Transcript {
  std::vector<std::variant<std::string, Block>> parts;
  std::vector<std::string> mistakes;  // lines that are neither block nor comment, with their place
};

Transcript parse_transcript(const std::string& path, std::string_view text);
Transcript parse_page(const std::string& path, std::string_view text);
std::string print(const Transcript& transcript);

/// Empty when the outcome is the expected one; otherwise where they part, for a person.
std::string difference(const Block& block, const Outcome& outcome);

enum class Use { run, show, refuse };

/// What a page may show: our own command lines, which are run, and a few others, which are not.
Use use_of(std::string_view command);

/// `build/cronce` is where `make build` puts the program; tests have it in PATH.
std::string runnable(std::string command);

}  // namespace cronce::golden
