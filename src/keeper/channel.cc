#include "keeper/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace cronce {
namespace {

constexpr std::size_t kLength = 4;
constexpr std::uint32_t kLongest = 128 << 20;  // an output tail has at most half of it
constexpr std::size_t kMostDescriptors = 8;
constexpr std::size_t kChunk = 64 * 1024;

struct ControlRoom {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> bytes{};
};

void attach(msghdr& header, ControlRoom& room, const std::vector<Descriptor>& descriptors) {
  if (descriptors.empty()) return;
  CHECK(descriptors.size() <= kMostDescriptors);
  header.msg_control = room.bytes.data();
  header.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
  cmsghdr* control = CMSG_FIRSTHDR(&header);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
  std::array<int, kMostDescriptors> numbers{};
  for (std::size_t i = 0; i < descriptors.size(); ++i) numbers[i] = descriptors[i].get();
  std::memcpy(CMSG_DATA(control), numbers.data(), descriptors.size() * sizeof(int));
}

/// A socket that is full, no memory, or too many descriptors on their way: but the peer lives.
bool passes(int error) {
  return error == EAGAIN || error == ENOBUFS || error == ENOMEM || error == ETOOMANYREFS;
}

}  // namespace

void Channel::send(std::string_view message, std::vector<Descriptor> descriptors) {
  if (closed_) return;
  CHECK(message.size() <= kLongest);
  const bool joins = !queue_.empty() && descriptors.empty() && queue_.back().bytes.size() < kChunk;
  if (!joins) queue_.push_back({{}, std::move(descriptors)});
  std::string& bytes = queue_.back().bytes;
  for (std::size_t i = 0; i < kLength; ++i) {
    bytes += static_cast<char>(message.size() >> (8 * i));
  }
  bytes += message;
  backlog_ += kLength + message.size();
}

std::size_t Channel::write_front() {
  Chunk& chunk = queue_.front();
  iovec part{chunk.bytes.data() + sent_, chunk.bytes.size() - sent_};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  ControlRoom room;
  attach(header, room, chunk.descriptors);
  const ssize_t written =
      retry([&] { return sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT); });
  if (written > 0) {
    chunk.descriptors.clear();
    return static_cast<std::size_t>(written);
  }
  if (!passes(errno)) {
    queue_.clear();
    sent_ = 0;
    backlog_ = 0;
    // Not `closed`: what the peer said before it died is still to be read.
  }
  return 0;
}

bool Channel::flush() {
  while (!queue_.empty()) {
    const std::size_t written = write_front();
    if (written == 0) return queue_.empty();
    backlog_ -= written;
    sent_ += written;
    if (sent_ < queue_.front().bytes.size()) continue;
    queue_.pop_front();
    sent_ = 0;
  }
  return true;
}

bool Channel::flush_for(int milliseconds) {
  pollfd watch{socket_.get(), POLLOUT, 0};
  while (!flush()) {
    if (retry([&] { return poll(&watch, 1, milliseconds); }) <= 0) return false;
  }
  return true;
}

bool Channel::fill_for(int milliseconds) {
  pollfd watch{socket_.get(), POLLIN, 0};
  retry([&] { return poll(&watch, 1, milliseconds); });
  return fill();
}

void Channel::take_descriptors(msghdr& header) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    std::array<int, kMostDescriptors> numbers{};
    const std::size_t size = c->cmsg_len - CMSG_LEN(0);
    std::memcpy(numbers.data(), CMSG_DATA(c), size);
    for (std::size_t i = 0; i < size / sizeof(int); ++i) descriptors_.emplace_back(numbers[i]);
  }
}

bool Channel::fill() {
  received_.erase(0, std::exchange(read_, 0));
  if (closed_) return false;
  std::array<char, kChunk> room;
  iovec part{room.data(), room.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  ControlRoom control;
  header.msg_control = control.bytes.data();
  header.msg_controllen = control.bytes.size();
  const ssize_t got =
      retry([&] { return recvmsg(socket_.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC); });
  if (got < 0 && errno == EAGAIN) return true;
  closed_ = got <= 0;
  if (closed_) return false;
  take_descriptors(header);
  received_.append(room.data(), static_cast<std::size_t>(got));
  return true;
}

std::optional<std::string> Channel::next() {
  const std::string_view rest = std::string_view(received_).substr(read_);
  if (rest.size() < kLength) return std::nullopt;
  std::uint32_t size = 0;
  for (std::size_t i = kLength; i-- > 0;) size = size << 8 | static_cast<unsigned char>(rest[i]);
  if (size > kLongest) {
    closed_ = true;
    read_ = received_.size();
    return std::nullopt;
  }
  if (rest.size() - kLength < size) return std::nullopt;
  read_ += kLength + size;
  return std::string(rest.substr(kLength, size));
}

void Channel::close() {
  closed_ = true;
  socket_.reset();
}

Descriptor Channel::next_descriptor() {
  if (descriptors_.empty()) return {};
  Descriptor first = std::move(descriptors_.front());
  descriptors_.pop_front();
  return first;
}

}  // namespace cronce
