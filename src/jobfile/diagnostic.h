// What is wrong, doubtful or worth knowing in a file, and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cronce {

enum class Severity : std::uint8_t {
  syntax,   // the file cannot be read as what it is
  error,    // `run` refuses the file
  finding,  // `run` takes the file and mends it: two equal lines become one job
  warning,  // probably a mistake
  note,     // worth knowing
};

struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;
  std::size_t line = 0;    // from 1; 0 means the whole file
  std::size_t column = 0;  // from 1, in characters; 0 means the whole line
  std::string job;         // where it belongs to one
  std::string message;     // what was found and what would be right, one line
};

using Diagnostics = std::vector<Diagnostic>;

/// `jobs.yaml:12:15: error: ...`
std::string describe(const Diagnostic& diagnostic);

/// The lower-case word.
std::string_view name(Severity severity);

}  // namespace cronce
