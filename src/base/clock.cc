#include "base/clock.h"

#include <ctime>

namespace cronce {
namespace {

Duration read_clock(clockid_t id) {
  timespec now{};
  CHECK(clock_gettime(id, &now) == 0);
  return Seconds{now.tv_sec} +
         std::chrono::duration_cast<Duration>(std::chrono::nanoseconds{now.tv_nsec});
}

class SystemClock final : public Clock {
 public:
  Time wall() const override { return Time{read_clock(CLOCK_REALTIME)}; }
  Duration boot() const override { return read_clock(CLOCK_BOOTTIME); }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace cronce
