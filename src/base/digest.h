// SHA-256, for names and digests that must never change: definitions are registered under one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cronce {

struct Digest {
  std::array<std::uint8_t, 32> bytes{};

  /// The first eight bytes as a big-endian number.
  std::uint64_t prefix() const;
  /// The first `digits` hexadecimal digits, at most 64.
  std::string hex(std::size_t digits = 64) const;
  bool operator==(const Digest&) const = default;
};

Digest sha256(std::string_view text);

/// The release of the library that computes it, as it is loaded: `3.0.15`.
std::string openssl_version();

}  // namespace cronce
