// A small HTTP server on the loopback, in threads of the test: it remembers what it was asked, byte
// by byte, and answers as it is told.
//
// Every connection has a thread. Those that wait end with the server at the latest.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"

namespace cronce::test {

/// What came: the line and the headers, each with its end of line, and the body.
struct SeenRequest {
  std::string head;
  std::string body;

  bool has(const std::string& line) const {
    return ("\n" + head).find("\n" + line + "\r\n") != std::string::npos;
  }
};

/// A connection whose request was read.
class HttpConnection {
 public:
  HttpConnection(int socket, int over) : socket_(socket), over_(over) {}

  const SeenRequest& request() const { return request_; }
  /// False when the other side is gone.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// Until the other side is gone, or the server.
  void wait() const {
    std::array<pollfd, 2> either{{{socket_, POLLRDHUP, 0}, {over_, POLLIN, 0}}};
    poll(either.data(), either.size(), -1);
  }
  bool read_request() {
    std::string all;
    std::size_t end = std::string::npos;
    while ((end = all.find("\r\n\r\n")) == std::string::npos) {
      if (!read_into(all)) return false;
    }
    request_.head = all.substr(0, end + 2);
    request_.body = all.substr(end + 4);
    if (has_expectation()) return true;  // the body comes when we say so
    const std::size_t size = length();
    while (request_.body.size() < size) {
      if (!read_into(request_.body)) return false;
    }
    return true;
  }

 private:
  bool read_into(std::string& text) const {
    std::array<pollfd, 2> either{{{socket_, POLLIN, 0}, {over_, POLLIN, 0}}};
    poll(either.data(), either.size(), -1);
    if (either[1].revents != 0) return false;
    std::array<char, 65'536> room{};
    const ssize_t got = recv(socket_, room.data(), room.size(), 0);
    if (got > 0) text.append(room.data(), static_cast<std::size_t>(got));
    return got > 0;
  }
  bool has_expectation() const { return request_.has("Expect: 100-continue"); }
  std::size_t length() const {
    constexpr std::string_view kName = "\nContent-Length: ";
    const std::size_t at = request_.head.find(kName);
    if (at == std::string::npos) return 0;
    return std::stoul(request_.head.substr(at + kName.size()));
  }

  int socket_;
  int over_;
  SeenRequest request_;
};

/// The machine's own would be asked for the loopback too.
inline void forget_proxies() {
  for (const char* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
                           "no_proxy", "NO_PROXY"}) {
    unsetenv(name);
  }
}

/// Bound to a port that is free.
inline int loopback_socket(int* port) {
  forget_proxies();
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  CHECK(bind(made, plain, size) == 0 && getsockname(made, plain, &size) == 0);
  *port = ntohs(address.sin_port);
  return made;
}

class HttpServer {
 public:
  using Answer = std::function<void(HttpConnection&)>;

  explicit HttpServer(Answer answer)
      : answer_(std::move(answer)),
        socket_(loopback_socket(&port_)),
        over_(eventfd(0, EFD_CLOEXEC)) {
    CHECK(listen(socket_, 64) == 0);
    listener_ = std::thread([this] { serve(); });
  }
  /// Says the same to everybody.
  explicit HttpServer(std::string answer)
      : HttpServer(Answer([answer = std::move(answer)](HttpConnection& to) { to.send(answer); })) {}
  ~HttpServer() {
    CHECK(eventfd_write(over_, 1) == 0);
    listener_.join();
    for (std::thread& one : connections_) one.join();
    close(socket_);
    close(over_);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url(const std::string& path = "/") const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  std::vector<SeenRequest> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  /// Waits for so many.
  bool sees(std::size_t count) {
    std::unique_lock lock(mutex_);
    return seen_.wait_for(lock, std::chrono::seconds{60},
                          [&] { return requests_.size() >= count; });
  }

 private:
  void serve() {
    for (;;) {
      std::array<pollfd, 2> either{{{socket_, POLLIN, 0}, {over_, POLLIN, 0}}};
      poll(either.data(), either.size(), -1);
      if (either[1].revents != 0) return;
      const int one = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (one >= 0) connections_.emplace_back([this, one] { talk(one); });
    }
  }

  void talk(int socket) {
    HttpConnection connection(socket, over_);
    if (connection.read_request()) {
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(connection.request());
      }
      seen_.notify_all();
      answer_(connection);
    }
    close(socket);
  }

  Answer answer_;
  int port_ = 0;
  int socket_;
  int over_;
  std::thread listener_;
  std::vector<std::thread> connections_;  // of the listener
  std::mutex mutex_;
  std::condition_variable seen_;
  std::vector<SeenRequest> requests_;
};

/// A port that nobody else can have, and where nobody listens.
class DeafPort {
 public:
  DeafPort() : socket_(loopback_socket(&port_)) {}
  ~DeafPort() { close(socket_); }
  DeafPort(const DeafPort&) = delete;
  DeafPort& operator=(const DeafPort&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  int port_ = 0;
  int socket_;
};

/// `HTTP/1.1 200 OK` with a body and its length.
inline std::string http_answer(const std::string& status, const std::string& body = "",
                               const std::string& headers = "") {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         headers + "\r\n" + body;
}

}  // namespace cronce::test
