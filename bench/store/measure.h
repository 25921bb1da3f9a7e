// Time that was spent, and parts of many such times.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <vector>

namespace cronce {

/// Wall time, and the CPU time of this process, which a busy machine does not change.
struct Cost {
  double wall = 0, cpu = 0;
};

class Watch {
 public:
  Cost read() const {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_;
    return {wall.count(), cpu() - cpu_};
  }

 private:
  static double cpu() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
  }

  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
  double cpu_ = cpu();
};

using Costs = std::vector<Cost>;

/// The time that this share of them took no longer than.
inline double part(Costs costs, double share, double Cost::* of) {
  std::sort(costs.begin(), costs.end(),
            [&](const Cost& a, const Cost& b) { return a.*of < b.*of; });
  const auto last = static_cast<double>(costs.size() - 1);
  return costs[static_cast<std::size_t>(share * last)].*of;
}

}  // namespace cronce
