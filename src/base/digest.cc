#include "base/digest.h"

#include <memory>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/check.h"

namespace cronce {
namespace {

using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

/// Finding the algorithm costs several times what a short text does: once per thread is enough.
EVP_MD_CTX* fresh_context() {
  static EVP_MD* const kSha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  CHECK(EVP_DigestInit_ex2(context.get(), kSha256, nullptr) == 1);
  return context.get();
}

}  // namespace

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
  EVP_MD_CTX* context = fresh_context();
  CHECK(EVP_DigestUpdate(context, text.data(), text.size()) == 1);
  CHECK(EVP_DigestFinal_ex(context, digest.bytes.data(), nullptr) == 1);
  return digest;
}

std::string openssl_version() { return OpenSSL_version(OPENSSL_VERSION_STRING); }

}  // namespace cronce
