// Names and numbers that must not be mixed up, each a type of its own.
//
// A Name is text that was checked; a Number is a counter that only its owner increases; a Token is
// 128 random bits. Comparable, hashable by their value, printed as they are stored.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/rng.h"

namespace cronce {

template <class Tag>
struct Number {
  std::uint64_t value = 0;
  auto operator<=>(const Number&) const = default;
};

/// Grows with every start of a job, across restores and fail-overs: epoch x 2^40 + count.
using Fence = Number<struct FenceTag>;
/// One history of the store.
using Epoch = Number<struct EpochTag>;
/// Every change of a job's plan increases it.
using Turn = Number<struct TurnTag>;
/// The version of a set of definitions, counted by the store.
using Generation = Number<struct GenerationTag>;
/// Given to a job at its first registration; survives renames.
using JobUid = Number<struct JobUidTag>;
/// Which time a slot is tried: 1, 2, ...
using Attempt = Number<struct AttemptTag>;
/// The number of a node's heartbeat.
using Beat = Number<struct BeatTag>;

Fence make_fence(Epoch epoch, std::uint64_t count);
Epoch epoch_of(Fence fence);

template <class Tag>
struct Token {
  std::array<std::uint64_t, 2> bits{};

  static Token random(Rng& rng) { return {{rng.next(), rng.next()}}; }
  auto operator<=>(const Token&) const = default;
};

/// One life of a node process.
using Incarnation = Token<struct IncarnationTag>;
/// The identity that a store was born with.
using StoreId = Token<struct StoreIdTag>;

/// 32 hexadecimal digits.
std::string print_token(const std::array<std::uint64_t, 2>& bits);
Result<std::array<std::uint64_t, 2>> parse_token(std::string_view text);

template <class Tag>
std::string print(const Token<Tag>& token) {
  return print_token(token.bits);
}

template <class Tag>
class Name {
 public:
  const std::string& text() const { return text_; }
  auto operator<=>(const Name&) const = default;

 private:
  explicit Name(std::string text) : text_(std::move(text)) {}
  friend Result<Name<struct JobTag>> parse_job_name(std::string_view text);
  friend Result<Name<struct NamespaceTag>> parse_namespace(std::string_view text);

  std::string text_;
};

using JobName = Name<struct JobTag>;
using Namespace = Name<struct NamespaceTag>;

/// `[A-Za-z0-9][A-Za-z0-9._/-]{0,127}`, case-sensitive.
Result<JobName> parse_job_name(std::string_view text);
/// The same without `/`.
Result<Namespace> parse_namespace(std::string_view text);

}  // namespace cronce
