#include "keeper/descriptor.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "base/quote.h"

namespace cronce {

Error system_error(const char* deed, const char* object) {
  const char* reason = std::strerror(errno);
  const Code code = errno == ENOENT ? Code::not_found : Code::unavailable;
  if (object == nullptr) return {code, fmt::format("cannot {}: {}", deed, reason)};
  return {code, fmt::format("cannot {} {}: {}", deed, quote(object), reason)};
}

Result<DescriptorPair> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return system_error("make a pipe");
  return DescriptorPair{Descriptor(ends[0]), Descriptor(ends[1])};
}

Result<DescriptorPair> make_socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
    return system_error("make a pair of sockets");
  }
  return DescriptorPair{Descriptor(ends[0]), Descriptor(ends[1])};
}

void close_all_but(std::initializer_list<int> kept) {
  std::vector<int> stay(kept);
  std::sort(stay.begin(), stay.end());
  unsigned first = 3;
  for (const int number : stay) {
    if (number < 3) continue;
    const auto place = static_cast<unsigned>(number);
    if (place > first) close_range(first, place - 1, 0);
    first = place + 1;
  }
  close_range(first, ~0U, 0);
}

}  // namespace cronce
