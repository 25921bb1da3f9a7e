#include "model/job.h"

#include <algorithm>

namespace cronce {

std::optional<Duration> start_window(const Job& job) {
  if (job.catch_up.mode == CatchUp::Mode::none) return job.grace;
  if (!job.catch_up.window) return std::nullopt;
  return std::max(*job.catch_up.window, job.grace);
}

bool runs_at_boot(const Job& job) {
  const auto& elements = job.schedule.elements;
  return std::any_of(elements.begin(), elements.end(), [](const ElementSpec& one) {
    return std::holds_alternative<RebootSpec>(one);
  });
}

}  // namespace cronce
