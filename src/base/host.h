// What this machine calls itself.
#pragma once

#include <string>

namespace cronce {

std::string host_name();

/// The zone of this machine by its name in the tz database, as cron would use it: from $TZ,
/// otherwise from where /etc/localtime points, otherwise from /etc/timezone. `UTC` on a machine
/// without a zone; empty where it has one that bears no name.
std::string host_zone(const std::string& etc = "/etc");

/// Another one for each start of this machine; empty where nothing tells.
std::string boot_id();

}  // namespace cronce
