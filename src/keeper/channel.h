// A socket between two of our processes that carries whole messages, and descriptors with them.
//
// Nothing here waits: what the socket does not take stays in a queue until flush() is called again.
// A peer that died or broke the form is `closed`; messages that were whole before stay readable. A
// message is its length in four bytes, little end first, and its bytes.
#pragma once

#include <sys/socket.h>

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keeper/descriptor.h"

namespace cronce {

class Channel {
 public:
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.get(); }

  /// Queues a message; the descriptors arrive with it, and are closed here once they are sent.
  void send(std::string_view message, std::vector<Descriptor> descriptors = {});
  /// Writes what the socket takes. True when nothing is left to write.
  bool flush();
  /// The same, waiting for the socket; not longer than so for each piece.
  bool flush_for(int milliseconds);
  /// Bytes that are queued.
  std::size_t backlog() const { return backlog_; }

  /// Reads a part of what is there: whoever hears a flood looks at other things in between. False
  /// when nobody will ever send again.
  bool fill();
  /// The same, waiting until there is something.
  bool fill_for(int milliseconds);
  /// The next whole message that fill() has read.
  std::optional<std::string> next();
  /// The next descriptor that came with the messages.
  Descriptor next_descriptor();

  bool closed() const { return closed_; }
  void close();

 private:
  struct Chunk {
    std::string bytes;
    std::vector<Descriptor> descriptors;
  };

  /// Bytes written, 0 when the socket is full.
  std::size_t write_front();
  void take_descriptors(msghdr& header);

  Descriptor socket_;
  std::deque<Chunk> queue_;
  std::size_t sent_ = 0;  // of the front chunk
  std::size_t backlog_ = 0;
  std::string received_;
  std::size_t read_ = 0;  // of what was received
  std::deque<Descriptor> descriptors_;
  bool closed_ = false;
};

}  // namespace cronce
