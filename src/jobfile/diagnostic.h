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

/// `run` does not take a file with one of these.
constexpr bool refuses(Severity severity) {
  return severity == Severity::syntax || severity == Severity::error;
}

/// So many errors of one file are told.
inline constexpr std::size_t kMostErrors = 1'000;

struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;
  std::size_t line = 0;    // from 1; 1:1 also for what the whole file is about; 0: no line
  std::size_t column = 0;  // from 1, in characters
  std::string job;         // where it belongs to one
  std::string message;     // what was found and what would be right, one line
};

using Diagnostics = std::vector<Diagnostic>;

/// `jobs.yaml:12:15: error: ...`
std::string describe(const Diagnostic& diagnostic);

/// The lower-case word.
std::string_view name(Severity severity);

}  // namespace cronce
