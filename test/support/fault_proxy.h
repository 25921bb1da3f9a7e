// A bad line to a PostgreSQL server: what is sent through it arrives, unless a fault was planned.
//
// A batch is what a client sends up to its Sync, an answer what the server sends up to its
// ReadyForQuery. Batches are counted; one of them can be met by a fault, which also ends its
// connection, as a client sees it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
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
  cut_answer,  // its first half arrives
};

inline constexpr std::array kLineFaults{LineFault::lose_request, LineFault::late_request,
                                        LineFault::twice, LineFault::lose_answer,
                                        LineFault::cut_answer};
std::string_view word(LineFault fault);

class FaultProxy {
 public:
  /// To 127.0.0.1.
  explicit FaultProxy(int server_port);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  int port() const { return port_; }
  /// So many batches later, from any client.
  void plan(LineFault fault, int batches);
  /// Whether it was met; if not, it will not be.
  bool was_met();
  std::uint64_t batches() const { return batches_; }

 private:
  struct Line;

  void serve();
  std::optional<Line> accept() const;
  std::optional<LineFault> next_fault();

  int server_port_;
  int listener_;
  int port_;
  std::array<int, 2> wake_{-1, -1};
  std::atomic<std::uint64_t> batches_ = 0;
  std::mutex mutex_;
  std::optional<LineFault> fault_;
  int wait_ = 0;
  std::thread thread_;
};

}  // namespace cronce::test
