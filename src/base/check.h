// Assertions that stay on in every build: for our own mistakes, never for input.
//
// A failed CHECK prints where and what, and aborts. A scheduler that no longer knows its own state
// must not start anything.
#pragma once

namespace cronce {

[[noreturn]] void check_failed(const char* file, int line, const char* what);

}  // namespace cronce

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::cronce::check_failed(__FILE__, __LINE__, #condition))
