// Names that other schedulers use, and what they are called in a job file.
#pragma once

#include <optional>
#include <string_view>

namespace cronce {

/// A key of Kubernetes, APScheduler or plain habit -> what to write instead: `concurrencyPolicy` ->
/// "write overlap: skip (Forbid), ...". Compared without case, `_` and `-`.
std::optional<std::string_view> foreign_key(std::string_view name);

/// A value: `Forbid` -> `skip`.
std::optional<std::string_view> foreign_value(std::string_view value);

}  // namespace cronce
