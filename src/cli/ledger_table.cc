// Lines of the ledger for people.
#include <fmt/format.h>

#include "base/utf8.h"
#include "cli/ledger.h"
#include "model/describe.h"
#include "model/words.h"

namespace cronce {
namespace {

std::optional<Colour> colour_of(RunState state) {
  switch (state) {
    case RunState::succeeded:
      return Colour::green;
    case RunState::failed:
    case RunState::timed_out:
    case RunState::lost:
      return Colour::red;
    case RunState::running:
      return Colour::bold;
    case RunState::held:
    case RunState::cancelled:
      return Colour::yellow;
    case RunState::pending:
    case RunState::returned:
    case RunState::skipped:
      return Colour::dim;
  }
  return std::nullopt;
}

/// How long it ran, or has run so far.
std::string shown_span(const Run& run, Time now) {
  if (!run.started_at) return "";
  if (run.finished_at) return human_span(*run.finished_at - *run.started_at);
  return run.state == RunState::running ? human_span(now - *run.started_at) : "";
}

std::string shown_lateness(const Run& run) {
  if (!run.started_at) return "";
  return human_span(std::max(*run.started_at - run.due, Duration{0}));
}

}  // namespace

std::string shown_id(const Run& run) {
  if (run.slot_to) {
    return fmt::format("{} to {} ({})", print(run.id.slot), print(*run.slot_to),
                       counted(static_cast<std::size_t>(run.count), "slot"));
  }
  const std::string id = run.id.space == Space::slot
                             ? print(run.id.slot)
                             : fmt::format("{} {}", word(run.id.space), run.id.request);
  return run.id.attempt > Attempt{1} ? fmt::format("{} #{}", id, run.id.attempt.value) : id;
}

Cell state_cell(const Run& run) {
  Cell cell(describe(run.state, run.reason));
  cell.colour = colour_of(run.state);
  return cell;
}

std::string shown_when(const Run& run, Time now) {
  if (run.state == RunState::running) {
    const std::string since = "since " + human_span(now - run.claimed_at.value_or(now));
    return run.progress.empty() ? since : since + ", " + as_utf8(run.progress);
  }
  if (run.finished_at) return human_relative(*run.finished_at, now);
  return human_relative(run.slot_to.value_or(run.due), now);
}

Table ledger_table(const std::vector<LedgerLine>& lines, Time now, bool with_jobs) {
  using Side = Column::Side;
  Table table({{"SLOT"},
               {"WHEN", Side::right},
               {"JOB", Side::left, true},
               {"STATE"},
               {"KIND"},
               {"LATE", Side::right},
               {"TOOK", Side::right},
               {"EXIT", Side::right},
               {"NODE"}});
  for (const auto& [job, run] : lines) {
    const Time at = run.slot_to.value_or(run.id.space == Space::slot ? run.id.slot : run.due);
    const bool usual = run.kind == RunKind::scheduled;
    table.add({Cell(shown_id(run)), Cell(human_relative(at, now), Colour::dim),
               Cell(with_jobs ? shown_name(*job) : ""), state_cell(run),
               Cell(usual ? "" : std::string(word(run.kind))), Cell(shown_lateness(run)),
               Cell(shown_span(run, now)),
               Cell(run.exit_code ? std::to_string(*run.exit_code) : ""), Cell(run.node)});
  }
  return table;
}

}  // namespace cronce
