// An optional value that is mostly absent: then it takes the place of a pointer, not of the value.
//
// Copies and compares like std::optional.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace cronce {

template <class T>
class Seldom {
 public:
  Seldom() = default;
  Seldom(std::nullopt_t) {}                                           // NOLINT: by intent
  Seldom(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT: by intent
  Seldom(const Seldom& other)
      : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Seldom(Seldom&&) noexcept = default;
  Seldom& operator=(Seldom other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Seldom() = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  void reset() { value_.reset(); }

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

  bool operator==(const Seldom& other) const {
    return value_ && other.value_ ? *value_ == *other.value_ : !value_ && !other.value_;
  }
  bool operator==(const T& other) const { return value_ && *value_ == other; }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace cronce
