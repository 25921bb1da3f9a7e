#include "node/supervisor.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace cronce {
namespace {

std::int64_t number(const char* text) {
  return text == nullptr ? 0 : parse_number(text).value_or(0);
}

}  // namespace

Supervisor::Supervisor(const Environment& environment) {
  const char* address = environment("NOTIFY_SOCKET");
  if (address == nullptr || (*address != '/' && *address != '@')) return;
  address_ = address;
  socket_.reset(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const std::int64_t allowed = number(environment("WATCHDOG_USEC"));
  const char* whose = environment("WATCHDOG_PID");
  const bool ours = whose == nullptr || number(whose) == getpid();
  if (allowed > 0 && ours) interval_ = Duration{std::max<std::int64_t>(allowed / 2'000, 1)};
}

/// Nobody is told when it cannot be said: a service manager that is gone starts nothing again.
void Supervisor::say(std::string_view words) const {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (!socket_.open() || address_.size() >= sizeof to.sun_path) return;
  std::copy(address_.begin(), address_.end(), std::begin(to.sun_path));
  if (address_.front() == '@') to.sun_path[0] = '\0';  // a name that is no file
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
  [[maybe_unused]] const auto sent =
      sendto(socket_.get(), words.data(), words.size(), MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&to), size);  // NOLINT: as the call wants it
}

}  // namespace cronce
