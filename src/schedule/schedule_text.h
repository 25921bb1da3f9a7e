// The text form of a schedule element: `0 2 * * *`, `@daily`, `@every 15m`, `@reboot`,
// `CRON_TZ=Europe/Berlin 0 2 * * *`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/schedule_spec.h"
#include "schedule/parse_error.h"

namespace cronce {

struct ScheduleText {
  std::optional<std::string> timezone;  // from a TZ= or CRON_TZ= prefix
  ElementSpec element;
};

/// Checks the cron fields too. Offsets count from the start of the text.
Result<ScheduleText, ParseError> parse_schedule_text(std::string_view text);

}  // namespace cronce
