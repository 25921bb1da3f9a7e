// An open file descriptor with one owner, which closes it.
#pragma once

#include <unistd.h>

#include <array>
#include <cerrno>
#include <initializer_list>
#include <utility>

#include "base/result.h"

namespace cronce {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return number_; }
  bool open() const { return number_ >= 0; }
  int release() { return std::exchange(number_, -1); }
  void reset(int number = -1) {
    if (number_ >= 0) ::close(number_);
    number_ = number;
  }

 private:
  int number_ = -1;
};

/// `cannot open '/x': No such file or directory`, for errno as it stands.
Error system_error(const char* deed, const char* object = nullptr);

/// Where the writer of `ends[1]` is heard at `ends[0]`. Neither survives an exec.
using DescriptorPair = std::array<Descriptor, 2>;
Result<DescriptorPair> make_pipe();
Result<DescriptorPair> make_socket_pair();

/// Closes everything but 0, 1, 2 and those named: what a process that lives on its own must do
/// with what it was born with.
void close_all_but(std::initializer_list<int> kept);

/// A read() or poll() that a signal interrupts is asked again.
template <class Call>
auto retry(Call call) -> decltype(call()) {
  for (;;) {
    const auto answer = call();
    if (answer >= 0 || errno != EINTR) return answer;
  }
}

}  // namespace cronce
