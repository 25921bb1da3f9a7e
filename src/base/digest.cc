#include "base/digest.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "base/check.h"

namespace cronce {

std::uint64_t Digest::prefix() const {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) number = number << 8 | bytes[i];
  return number;
}

std::string Digest::hex(std::size_t digits) const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  CHECK(digits <= 2 * bytes.size());
  std::string text;
  for (std::size_t i = 0; i < digits; ++i) {
    const std::uint8_t byte = bytes[i / 2];
    text += kDigits[i % 2 == 0 ? byte >> 4 : byte & 15];
  }
  return text;
}

Digest sha256(std::string_view text) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.bytes.data());
  return digest;
}

std::string openssl_version() { return OpenSSL_version(OPENSSL_VERSION_STRING); }

}  // namespace cronce
