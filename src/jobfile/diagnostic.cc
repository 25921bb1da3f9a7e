#include "jobfile/diagnostic.h"

#include <fmt/format.h>

namespace cronce {

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::syntax:
      return "syntax";
    case Severity::error:
      return "error";
    case Severity::finding:
      return "finding";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "unknown";
}

std::string describe(const Diagnostic& diagnostic) {
  std::string text = diagnostic.file;
  if (diagnostic.line > 0) text += fmt::format(":{}", diagnostic.line);
  if (diagnostic.line > 0 && diagnostic.column > 0) text += fmt::format(":{}", diagnostic.column);
  const bool syntax = diagnostic.severity == Severity::syntax;
  return text + fmt::format(": {}: {}", syntax ? "syntax error" : name(diagnostic.severity),
                            diagnostic.message);
}

}  // namespace cronce
