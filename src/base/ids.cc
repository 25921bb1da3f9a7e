#include "base/ids.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/quote.h"

namespace cronce {
namespace {

constexpr unsigned kFenceCountBits = 40;
constexpr std::size_t kLongestName = 128;

bool is_name(std::string_view text, std::string_view also) {
  if (text.empty() || text.size() > kLongestName || !is_letter_or_digit(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter_or_digit(c) || also.find(c) != std::string_view::npos;
  });
}

Error bad_name(std::string_view what, std::string_view text, std::string_view also) {
  return {Code::invalid,
          fmt::format("{} is not a {}: use a letter or digit, then up to 127 letters, digits or {}",
                      quote(text), what, also)};
}

}  // namespace

Fence make_fence(Epoch epoch, std::uint64_t count) {
  CHECK(count < std::uint64_t{1} << kFenceCountBits);
  return {(epoch.value << kFenceCountBits) + count};
}

Epoch epoch_of(Fence fence) { return {fence.value >> kFenceCountBits}; }

std::string print_token(const std::array<std::uint64_t, 2>& bits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(32);
  for (const std::uint64_t half : bits) {
    for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[half >> shift & 0xFU];
  }
  return text;
}

Result<std::array<std::uint64_t, 2>> parse_token(std::string_view text) {
  std::array<std::uint64_t, 2> bits{};
  const auto bad = [&] {
    return Error{Code::invalid, fmt::format("{} is not 32 hexadecimal digits", quote(text))};
  };
  if (text.size() != 32) return bad();
  for (std::size_t half = 0; half < 2; ++half) {
    const char* begin = text.data() + 16 * half;
    const auto [stop, error] = std::from_chars(begin, begin + 16, bits[half], 16);
    if (error != std::errc{} || stop != begin + 16) return bad();
  }
  return bits;
}

Result<JobName> parse_job_name(std::string_view text) {
  if (!is_name(text, "._/-")) return bad_name("job name", text, ". _ / -");
  return JobName(std::string(text));
}

Result<Namespace> parse_namespace(std::string_view text) {
  if (!is_name(text, "._-")) return bad_name("namespace", text, ". _ -");
  return Namespace(std::string(text));
}

}  // namespace cronce
