// A bad line to a PostgreSQL server: what is sent through it arrives, unless a fault was planned.
//
// A batch is what a client sends up to its Sync, an answer what the server sends up to its
// ReadyForQuery. Batches are counted; some of them can be met by a fault, which also ends their
// connection, as a client sees it. And there is the weather, which all that is sent meets.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace cronce::test {

enum class LineFault : std::uint8_t {
  lose_request,  // it never arrives
  late_request,  // it arrives when its client has long gone
  twice,         // it arrives twice; the client hears of the first alone
  lose_answer,
  cut_answer,   // its first half arrives
  half_open,    // it never arrives, and nobody is told: the connection stands
  late_answer,  // after half a second; nothing ends
};

/// Those that end a connection.
inline constexpr std::array kLineFaults{LineFault::lose_request, LineFault::late_request,
                                        LineFault::twice, LineFault::lose_answer,
                                        LineFault::cut_answer};
std::string_view word(LineFault fault);

enum class Weather : std::uint8_t {
  fair,
  silent,      // nothing arrives on either side, and nobody is told: connections stand
  no_answers,  // requests arrive, and answers do not
  refused,     // connections end, and none can be made
};

class FaultProxy {
 public:
  /// To 127.0.0.1.
  explicit FaultProxy(int server_port);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  int port() const { return port_; }
  /// So many batches later, from any client; of those with these words, if there are any.
  void plan(LineFault fault, int batches, const std::string& words = "");
  /// Each batch with these words, until was_met() is asked.
  void plan_each(LineFault fault, const std::string& words);
  /// Whether it was met, if it was to be met once; from now on it is not any more.
  bool was_met();
  void set(Weather weather);
  /// Answers arrive so much later.
  void delay(std::chrono::milliseconds late);
  std::uint64_t batches() const { return batches_; }

 private:
  struct Line;

  void serve();
  void poll_lines(std::list<Line>& lines, Weather weather);
  /// False at the end.
  bool is_awake();
  std::optional<Line> accept() const;
  std::optional<LineFault> next_fault(std::string_view batch);

  int server_port_;
  int listener_;
  int port_;
  std::array<int, 2> wake_{-1, -1};
  std::atomic<std::uint64_t> batches_ = 0;
  std::atomic<Weather> weather_ = Weather::fair;
  std::atomic<std::chrono::milliseconds> late_{};
  std::mutex mutex_;
  std::optional<LineFault> fault_;
  std::string words_;
  int wait_ = 0;
  bool each_ = false;
  std::thread thread_;
};

}  // namespace cronce::test
