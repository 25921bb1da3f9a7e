// A value or the reason why there is none.
//
// Expected failures are values: a function that can fail returns Result and the compiler insists
// that somebody looks. Our own mistakes are not results, they are CHECKs (check.h). Nothing of ours
// throws across its own seams; exceptions of a library end in the one file that includes it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace cronce {

/// Failures are told apart by what the caller can do about them.
enum class Code : std::uint8_t {
  invalid,      // the request is wrong and stays wrong: say so to whoever made it
  not_found,    // the thing named does not exist
  conflict,     // somebody else was first: a normal answer
  unavailable,  // nothing is known to have happened: try again later
  corrupt,      // what was stored cannot be right: stop
};

struct Error {
  Code code = Code::invalid;
  std::string message;
};

template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: by intent
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: by intent

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  T value() && {  // not a reference into what ends here: `for (x : f().value())` must live
    CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const E& error() const {
    CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, E> state_;
};

struct Done {};

/// Success without a value: `return Done{};`.
using Status = Result<Done>;

}  // namespace cronce
