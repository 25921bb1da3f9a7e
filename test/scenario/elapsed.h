// Times as scenarios write them: since the scenario began, `+10s`, `+1m10.3s`, `-5m`.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"

namespace cronce::scenario {

std::string print_elapsed(Duration since_begin);
Result<Duration> parse_elapsed(std::string_view text);

/// The same text with every instant as elapsed time, and fences as `epoch.count`.
std::string in_elapsed(const std::string& text, Time begin);

}  // namespace cronce::scenario
