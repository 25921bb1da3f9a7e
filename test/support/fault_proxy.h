// A bad line to a PostgreSQL server: what is sent through it arrives, unless a fault was planned.
//
// A batch is what a client sends up to its Sync, an answer what the server sends up to its
// ReadyForQuery. Batches are counted; some of them can be met by a fault. And the line as a whole
// can be cut, and healed.
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

/// Those that end the connection, as its client sees it.
inline constexpr std::array kLineFaults{LineFault::lose_request, LineFault::late_request,
                                        LineFault::twice, LineFault::lose_answer,
                                        LineFault::cut_answer};
std::string_view word(LineFault fault);

/// What passes. Nothing is lost on a line that is cut: it arrives, late, when the line is healed,
/// as TCP would send it again; also when its sender has gone meanwhile.
enum class LineState : std::uint8_t {
  open,
  cut,          // nothing, in no direction
  no_requests,  // answers pass
  no_answers,   // requests pass
  reset,        // every connection ends, and every new one
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
  std::uint64_t batches() const { return batches_; }

  void set(LineState state);
  /// Every answer arrives so much later.
  void delay_answers(std::chrono::milliseconds delay);
  /// The connections of now pass nothing any more, and neither side hears of it; new ones work.
  void forget_connections();
  /// New connections go to another server of 127.0.0.1; those of now end.
  void lead_to(int server_port);

 private:
  struct Line;

  void serve();
  void serve_until_told(std::list<Line>& lines);
  bool is_told_to_end(short events);
  void wake();
  std::optional<Line> accept() const;
  std::optional<LineFault> next_fault(std::string_view batch);

  std::atomic<int> server_port_;
  int listener_;
  int port_;
  std::array<int, 2> wake_{-1, -1};
  std::atomic<std::uint64_t> batches_ = 0;
  std::atomic<LineState> state_ = LineState::open;
  std::atomic<std::chrono::milliseconds> delay_{std::chrono::milliseconds{0}};
  std::atomic<int> forgotten_ = 0;  // connections of an earlier age pass nothing
  std::atomic<int> ended_ = 0;      // and these are over
  std::mutex mutex_;
  std::optional<LineFault> fault_;
  std::string words_;
  int wait_ = 0;
  bool each_ = false;
  std::thread thread_;
};

}  // namespace cronce::test
