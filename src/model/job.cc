#include "model/job.h"

#include <algorithm>

namespace cronce {

std::optional<Duration> start_window(const Job& job) {
  if (job.catch_up.mode == CatchUp::Mode::none) return job.grace;
  if (!job.catch_up.window) return std::nullopt;
  return std::max(*job.catch_up.window, job.grace);
}

}  // namespace cronce
