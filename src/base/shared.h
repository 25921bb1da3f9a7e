// A value that many hold and nobody changes: copying it copies a pointer.
//
// It is never empty, compares by value, and is replaced as a whole. For what is large and changes
// seldom inside what is copied often: a job's definition in its row.
#pragma once

#include <memory>
#include <utility>

namespace cronce {

template <class T>
class Shared {
 public:
  Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}  // NOLINT: by intent

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

  bool operator==(const Shared& other) const {
    return value_ == other.value_ || *value_ == *other.value_;
  }
  bool operator==(const T& other) const { return *value_ == other; }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace cronce
