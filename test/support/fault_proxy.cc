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
#include <deque>
#include <functional>
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
  constexpr std::array<std::string_view, kLineFaults.size() + 2> kWords{
      "lose_request", "late_request", "twice",      "lose_answer",
      "cut_answer",   "half_open",    "late_answer"};
  return kWords[static_cast<std::size_t>(fault)];
}

/// A client, and the connection to the server that is its own.
struct FaultProxy::Line {
  int client;
  int server;
  Cutter asked{'S', true};
  Cutter answered{'Z', false};
  bool ready = false;  // the log-in is over
  std::optional<LineFault> meets;
  std::string request;                    // that meets it
  std::optional<Steady::time_point> due;  // when that is sent
  bool is_unheard = false;                // nobody is to hear the next answer
  bool is_dead = false;                   // nothing arrives any more
  struct Late {
    Steady::time_point due;
    std::string text;
  };
  std::deque<Late> answers;  // on their way

  void hang_up() {
    if (client >= 0) ::close(std::exchange(client, -1));
  }
  void end() {
    hang_up();
    if (server >= 0) ::close(std::exchange(server, -1));
  }

  void ask(std::string batch, std::optional<LineFault> fault) {
    meets = fault;
    if (fault == LineFault::lose_request) return end();
    if (fault == LineFault::half_open) {
      is_dead = true;
      return;
    }
    if (fault == LineFault::late_request) {
      request = std::move(batch);
      due = Steady::now() + kLateRequest;
      return hang_up();
    }
    send_all(server, batch);
    if (fault == LineFault::twice) request = std::move(batch);
  }

  void tell(const std::string& text, std::chrono::milliseconds late) {
    if (late.count() == 0 && answers.empty()) return send_all(client, text);
    answers.push_back({Steady::now() + late, text});
  }

  void answer(const std::string& text, std::chrono::milliseconds late) {
    ready = true;
    if (std::exchange(is_unheard, false)) return;
    const auto fault = std::exchange(meets, std::nullopt);
    if (fault == LineFault::late_request || fault == LineFault::lose_answer) return end();
    if (fault == LineFault::cut_answer) {
      send_all(client, std::string_view(text).substr(0, text.size() / 2));
      return end();
    }
    tell(text, fault == LineFault::late_answer ? kLateAnswer : late);
    if (fault == LineFault::twice) {
      is_unheard = true;
      send_all(server, std::exchange(request, {}));
    }
  }

  static bool read(int socket, Cutter& into);
  using NextFault = std::function<std::optional<LineFault>(std::string_view batch)>;
  void hear_client(const NextFault& next_fault);
  void hear_server(std::chrono::milliseconds late);
  bool has_late() const { return due || !answers.empty(); }
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

void FaultProxy::set(Weather weather) {
  weather_ = weather;
  CHECK(::write(wake_[1], "w", 1) == 1);
}

void FaultProxy::delay(std::chrono::milliseconds late) { late_ = late; }

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

void FaultProxy::Line::hear_server(std::chrono::milliseconds late) {
  if (!read(server, answered)) end();
  bool ended = true;
  while (ended && server >= 0) {
    const std::string text = answered.take(ended);
    if (ended) answer(text, late);
  }
  if (!ready && client >= 0) tell(answered.take_whole(), late);
}

void FaultProxy::Line::send_late() {
  if (due && Steady::now() >= *due) {
    due.reset();
    send_all(server, std::exchange(request, {}));
  }
  while (!answers.empty() && Steady::now() >= answers.front().due) {
    if (client >= 0) send_all(client, answers.front().text);
    answers.pop_front();
  }
}

std::optional<FaultProxy::Line> FaultProxy::accept() const {
  Line line{::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), tcp_socket()};
  const sockaddr_in address = loopback(server_port_);
  const auto* to = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(line.server, to, sizeof address) == 0) return line;
  line.end();
  return std::nullopt;
}

bool FaultProxy::is_awake() {
  char changed = 0;
  return ::read(wake_[0], &changed, 1) > 0;
}

void FaultProxy::poll_lines(std::list<Line>& lines, Weather weather) {
  const bool asks = weather == Weather::fair || weather == Weather::no_answers;
  const bool answers = weather == Weather::fair;
  const bool listens = weather != Weather::silent;
  std::vector<pollfd> watched{{wake_[0], POLLIN, 0}, {listens ? listener_ : -1, POLLIN, 0}};
  for (const Line& line : lines) {
    watched.push_back({asks && !line.is_dead ? line.client : -1, POLLIN, 0});
    watched.push_back({answers && !line.is_dead ? line.server : -1, POLLIN, 0});
  }
  const bool waits =
      std::any_of(lines.begin(), lines.end(), [](const Line& l) { return l.has_late(); });
  ::poll(watched.data(), watched.size(), waits ? 10 : -1);
  if (watched[0].revents != 0) return;  // it may be another weather
  std::size_t at = 2;
  for (Line& line : lines) {
    if (answers) line.send_late();
    if (watched[at].revents != 0) {
      line.hear_client([this](std::string_view batch) { return next_fault(batch); });
    }
    if (watched[at + 1].revents != 0 && line.server >= 0) line.hear_server(late_);
    at += 2;
  }
  if (watched[1].revents == 0) return;
  if (auto line = accept()) lines.push_back(*std::move(line));
}

void FaultProxy::serve() {
  std::list<Line> lines;
  for (;;) {
    poll_lines(lines, weather_);
    pollfd wake{wake_[0], POLLIN, 0};
    if (::poll(&wake, 1, 0) > 0 && !is_awake()) break;
    if (weather_ == Weather::refused) {
      for (Line& line : lines) line.end();
    }
    lines.remove_if([](const Line& line) { return line.client < 0 && line.server < 0; });
  }
  for (Line& line : lines) line.end();
}

}  // namespace cronce::test
