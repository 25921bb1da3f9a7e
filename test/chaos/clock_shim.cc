// Preloaded into a node: its wall clock is wrong by what a file says, from one moment to the next.
//
// Only the wall clock: timers and the steady clocks stay as they are. The file has nanoseconds as
// one 64-bit number; who holds it changes the clock while the node runs.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

const volatile std::int64_t* map_offset() {
  static const std::int64_t none = 0;
  const char* path = std::getenv("CHAOS_CLOCK");
  if (path == nullptr) return &none;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return &none;
  void* page = mmap(nullptr, sizeof none, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return page == MAP_FAILED ? &none : static_cast<const volatile std::int64_t*>(page);
}

std::int64_t offset() {
  static const volatile std::int64_t* const value = map_offset();
  return *value;
}

bool is_wall(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  const auto failed = syscall(SYS_clock_gettime, clock, out);
  if (failed != 0 || !is_wall(clock)) return static_cast<int>(failed);
  const std::int64_t time = out->tv_sec * kSecond + out->tv_nsec + offset();
  out->tv_sec = time / kSecond;
  out->tv_nsec = time % kSecond;
  return 0;
}

int gettimeofday(timeval* out, void*) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1'000;
  return 0;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
