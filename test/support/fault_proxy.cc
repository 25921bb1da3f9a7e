#include "test/support/fault_proxy.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <list>
#include <utility>
#include <vector>

#include "base/check.h"

namespace cronce::test {
namespace {

using Steady = std::chrono::steady_clock;

constexpr auto kLateRequest = std::chrono::milliseconds{100};
constexpr auto kLateAnswer = std::chrono::milliseconds{500};

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int tcp_socket() {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  CHECK(made >= 0);
  return made;
}

void send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the next read says that it is gone
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

/// Cuts a stream after each message of one type. The first message of a client has no type.
class Cutter {
 public:
  Cutter(char end, bool has_untyped) : end_(end), untyped_(has_untyped) {}

  void add(std::string_view bytes) { bytes_ += bytes; }

  /// All up to the end of the next such message; without one, what may go on at once.
  std::string take(bool& ended) {
    ended = false;
    while (!ended) {
      const std::size_t head = untyped_ ? 4 : 5;
      if (bytes_.size() - at_ < head) break;
      const std::size_t length = number(at_ + head - 4) + head - 4;
      if (bytes_.size() - at_ < length) break;
      ended = !untyped_ && bytes_[at_] == end_;
      untyped_ = false;
      at_ += length;
    }
    if (!ended) return {};
    std::string taken = bytes_.substr(0, at_);
    bytes_.erase(0, std::exchange(at_, 0));
    return taken;
  }

  /// Whole messages that end nothing: a log-in is a conversation.
  std::string take_whole() {
    std::string taken = bytes_.substr(0, at_);
    bytes_.erase(0, std::exchange(at_, 0));
    return taken;
  }

 private:
  std::size_t number(std::size_t at) const {
    std::size_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
      value = value << 8U | static_cast<unsigned char>(bytes_[i]);
    }
    return value;
  }

  char end_;
  bool untyped_;
  std::string bytes_;
  std::size_t at_ = 0;  // the beginning of the first message that is not whole
};

}  // namespace

std::string_view word(LineFault fault) {
  constexpr std::array<std::string_view, 7> kWords{"lose_request", "late_request", "twice",
                                                   "lose_answer",  "cut_answer",   "half_open",
                                                   "late_answer"};
  return kWords[static_cast<std::size_t>(fault)];
}

/// A client, and the connection to the server that is its own.
struct FaultProxy::Line {
  int client;
  int server;
  Cutter asked{'S', true};
  Cutter answered{'Z', false};
  int age = 0;
  bool is_dead = false;  // it passes nothing any more
  int waiting = 0;       // batches without an answer
  bool ready = false;    // the log-in is over
  std::optional<LineFault> meets;
  std::string request;                    // that meets it
  std::optional<Steady::time_point> due;  // when that is sent
  std::string late;                       // an answer
  std::optional<Steady::time_point> late_due;
  bool is_unheard = false;                     // nobody is to hear the next answer
  std::optional<Steady::time_point> heard_at;  // when the server speaks next, on a slow line

  void hang_up() {
    if (client >= 0) ::close(std::exchange(client, -1));
  }
  void end() {
    hang_up();
    if (server >= 0) ::close(std::exchange(server, -1));
  }
  /// The client hears of it at once, whatever it has sent.
  void reset() {
    const linger at_once{1, 0};
    if (client >= 0) ::setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    end();
  }

  void ask(std::string batch, std::optional<LineFault> fault) {
    meets = fault;
    ++waiting;
    if (fault == LineFault::lose_request) return end();
    if (fault == LineFault::late_request) {
      request = std::move(batch);
      due = Steady::now() + kLateRequest;
      return hang_up();
    }
    if (fault == LineFault::half_open) {
      is_dead = true;
      return;
    }
    send_all(server, batch);
    if (fault == LineFault::twice) request = std::move(batch);
  }

  void answer(const std::string& text) {
    if (std::exchange(ready, true)) --waiting;
    if (std::exchange(is_unheard, false)) return;
    const auto fault = std::exchange(meets, std::nullopt);
    if (fault == LineFault::late_request || fault == LineFault::lose_answer) return end();
    if (fault == LineFault::cut_answer) {
      send_all(client, std::string_view(text).substr(0, text.size() / 2));
      return end();
    }
    if (fault == LineFault::late_answer) {
      late = text;
      late_due = Steady::now() + kLateAnswer;
      return;
    }
    send_all(client, text);
    if (fault == LineFault::twice) {
      is_unheard = true;
      ++waiting;
      send_all(server, std::exchange(request, {}));
    }
  }

  static bool read(int socket, Cutter& into);
  using NextFault = std::function<std::optional<LineFault>(std::string_view batch)>;
  void hear_client(const NextFault& next_fault);
  void hear_server();
  void hear_server_after(std::chrono::milliseconds delay);
  void send_late();
};

FaultProxy::FaultProxy(int server_port) : server_port_(server_port), listener_(tcp_socket()) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  CHECK(::listen(listener_, 64) == 0);
  CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  CHECK(::pipe2(wake_.data(), O_CLOEXEC) == 0);
  thread_ = std::thread([this] { serve(); });
}

FaultProxy::~FaultProxy() {
  ::close(wake_[1]);
  thread_.join();
  ::close(wake_[0]);
  ::close(listener_);
}

void FaultProxy::plan(LineFault fault, int batches, const std::string& words) {
  const std::lock_guard lock(mutex_);
  fault_ = fault;
  wait_ = batches;
  words_ = words;
  each_ = false;
}

void FaultProxy::plan_each(LineFault fault, const std::string& words) {
  plan(fault, 0, words);
  const std::lock_guard lock(mutex_);
  each_ = true;
}

bool FaultProxy::was_met() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(fault_, std::nullopt);
}

std::optional<LineFault> FaultProxy::next_fault(std::string_view batch) {
  const std::lock_guard lock(mutex_);
  ++batches_;
  if (!fault_ || batch.find(words_) == std::string_view::npos) return std::nullopt;
  if (each_) return fault_;
  if (wait_-- > 0) return std::nullopt;
  return std::exchange(fault_, std::nullopt);
}

bool FaultProxy::Line::read(int socket, Cutter& into) {
  std::array<char, 65'536> bytes;
  const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
  if (got > 0) into.add({bytes.data(), static_cast<std::size_t>(got)});
  return got > 0;
}

void FaultProxy::Line::hear_client(const NextFault& next_fault) {
  if (!read(client, asked)) {
    hang_up();
    if (!due && !meets) end();
  }
  bool ended = true;
  while (ended && client >= 0) {
    std::string batch = asked.take(ended);
    if (!ended) break;
    const auto fault = next_fault(batch);
    ask(std::move(batch), fault);
  }
  if (!ready && server >= 0) send_all(server, asked.take_whole());
}

void FaultProxy::Line::hear_server() {
  if (!read(server, answered)) end();
  bool ended = true;
  while (ended && server >= 0) {
    const std::string text = answered.take(ended);
    if (ended) answer(text);
  }
  // A log-in, or a notification that nobody asked for.
  if (waiting == 0 && client >= 0) send_all(client, answered.take_whole());
}

/// On a slow line what is heard is noted first, and read later.
void FaultProxy::Line::hear_server_after(std::chrono::milliseconds delay) {
  if (delay.count() > 0 && !heard_at) {
    heard_at = Steady::now();
  } else {
    heard_at.reset();
    hear_server();
  }
}

void FaultProxy::Line::send_late() {
  if (late_due && Steady::now() >= *late_due) {
    late_due.reset();
    send_all(client, std::exchange(late, {}));
  }
  if (!due || Steady::now() < *due) return;
  due.reset();
  send_all(server, std::exchange(request, {}));
}

std::optional<FaultProxy::Line> FaultProxy::accept() const {
  Line line{::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), tcp_socket()};
  line.age = forgotten_;
  const sockaddr_in address = loopback(server_port_);
  const auto* to = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(line.server, to, sizeof address) == 0) return line;
  line.end();
  return std::nullopt;
}

void FaultProxy::wake() { CHECK(::write(wake_[1], "", 1) == 1); }

void FaultProxy::set(LineState state) {
  state_ = state;
  wake();
}

void FaultProxy::delay_answers(std::chrono::milliseconds delay) {
  delay_ = delay;
  wake();
}

void FaultProxy::forget_connections() {
  ++forgotten_;
  wake();
}

void FaultProxy::lead_to(int server_port) {
  server_port_ = server_port;
  ended_ = ++forgotten_;
  wake();
}

bool FaultProxy::is_told_to_end(short events) {
  char told = 0;
  return events != 0 && ::read(wake_[0], &told, 1) != 1;
}

void FaultProxy::serve() {
  std::list<Line> lines;
  serve_until_told(lines);
  for (Line& line : lines) line.end();
}

void FaultProxy::serve_until_told(std::list<Line>& lines) {
  for (;;) {
    const LineState state = state_;
    const bool asks = state != LineState::cut && state != LineState::no_requests;
    const bool answers = state != LineState::cut && state != LineState::no_answers;
    for (Line& line : lines) {
      if (state == LineState::reset || line.age < ended_) line.reset();
    }
    lines.remove_if([](const Line& line) { return line.client < 0 && line.server < 0; });
    const auto now = Steady::now();
    std::vector<pollfd> watched{{wake_[0], POLLIN, 0},
                                {state == LineState::cut ? -1 : listener_, POLLIN, 0}};
    bool waits = false;
    for (const Line& line : lines) {
      const bool passes = !line.is_dead && line.age >= forgotten_;
      const bool is_late = line.heard_at && now < *line.heard_at + delay_.load();
      watched.push_back({passes && asks ? line.client : -1, POLLIN, 0});
      watched.push_back({passes && answers && !is_late ? line.server : -1, POLLIN, 0});
      waits = waits || line.due || line.late_due || is_late;
    }
    ::poll(watched.data(), watched.size(), waits ? 10 : -1);
    if (is_told_to_end(watched[0].revents)) return;
    if (watched[0].revents != 0) continue;  // it may be another state
    std::size_t at = 2;
    for (Line& line : lines) {
      line.send_late();
      if (watched[at].revents != 0) {
        line.hear_client([this](std::string_view batch) { return next_fault(batch); });
      }
      if (watched[at + 1].revents != 0 && line.server >= 0) line.hear_server_after(delay_);
      at += 2;
    }
    if (watched[1].revents == 0) continue;
    if (auto line = accept()) lines.push_back(*std::move(line));
  }
}

}  // namespace cronce::test
