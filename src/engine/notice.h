// What of a job somebody wants to be told: the words of `notify.on`, found in its row and ledger.
//
// Pure, and the same whoever looks: a notice has a key, by which the store lets one node tell it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/operation.h"
#include "model/plan.h"

namespace cronce {

struct Notice {
  std::string_view event;  // `failed`
  Run run;
  bool decided = true;  // if nobody has, there is no row: the run is its id and when it was due
  bool operator==(const Notice&) const = default;
};

/// So many rows, newest first, are enough to find what has just become worth telling.
inline constexpr std::size_t kRowsForNotices = 300;

/// `runs` are the newest rows of the job, with all attempts. What is older than a day is no news.
std::vector<Notice> notices_of(const JobRow& job, const std::vector<Run>& runs, Time now);

/// When the first slot that is not late yet, of those that wait and the one due next, becomes so;
/// none if nobody wants to know.
std::optional<Time> late_at(const JobRow& job, Time now);

/// Never that of another notice. `way` is how it is told: each is done once.
std::string notice_key(const Notice& notice, std::string_view way);

}  // namespace cronce
