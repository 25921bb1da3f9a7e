// What a keeper hears from a node that may be dying, and a node from its keeper.
//
// The first byte chooses who listens, and how the bytes are cut into pieces on their way through a
// channel.
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "keeper/channel.h"
#include "keeper/message.h"
#include "test/fuzz/property.h"

namespace cronce::fuzz {
namespace {

/// What can be read is written back as it was, byte for byte: there is one form for each message.
template <class Decode>
void check_message(std::string_view bytes, const Decode& decode) {
  const auto message = decode(bytes);
  if (message) {
    CHECK(encode(*message) == bytes);
  } else {
    CHECK(is_one_line(message.error().message));
  }
}

void check_both(std::string_view bytes) {
  check_message(bytes, decode_order);
  check_message(bytes, decode_report);
}

/// The same bytes arrive in pieces, and then the peer is gone.
void check_channel(std::string_view bytes, std::size_t piece) {
  auto ends = make_socket_pair();
  CHECK(ends);
  Channel channel(std::move((*ends)[1]));
  std::size_t taken = 0;
  const auto take_all = [&] {
    while (const auto message = channel.next()) {
      taken += message->size();
      check_both(*message);
    }
  };
  while (!bytes.empty() && !channel.closed()) {
    const std::string_view part = bytes.substr(0, piece);
    if (send((*ends)[0].get(), part.data(), part.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;
    bytes.remove_prefix(part.size());
    channel.fill();
    take_all();
  }
  (*ends)[0].reset();
  while (channel.fill()) take_all();
  take_all();
  CHECK(channel.closed() && !channel.next());
}

}  // namespace
}  // namespace cronce::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace cronce;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes + 1), size - 1);
  if (bytes[0] % 2 == 0) {
    fuzz::check_both(text);
  } else {
    fuzz::check_channel(text, static_cast<std::size_t>(bytes[0] / 2) + 1);
  }
  return 0;
}
