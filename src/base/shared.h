// A value that many hold and nobody changes: copying it copies a pointer.
//
// It compares by value and is replaced as a whole; edit() replaces it by a copy that is one's own.
// What equals a default T{} is not kept at all, so one that is seldom anything else costs eight
// bytes. For what is large and changes seldom inside what is copied or kept often: a job's
// definition in its row, the rarer parts of a definition.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace cronce {

template <class T>
class Shared {
 public:
  Shared()
    requires std::default_initializable<T>
  = default;
  Shared(T value) {  // NOLINT: by intent
    if (!is_default(value)) held_ = new Held(std::move(value));
  }
  template <class U>
    requires(!std::same_as<std::remove_cvref_t<U>, Shared> && std::convertible_to<U, T>)
  Shared(U&& value) : Shared(T(std::forward<U>(value))) {}  // NOLINT: by intent
  Shared(const Shared& other) : held_(other.held_) {
    if (held_ != nullptr) held_->holders.fetch_add(1, std::memory_order_relaxed);
  }
  Shared(Shared&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~Shared() {
    if (held_ != nullptr && held_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete held_;
    }
  }

  const T& operator*() const {
    if constexpr (std::default_initializable<T>) {
      if (held_ == nullptr) return the_default();
    }
    return held_->value;
  }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }  // NOLINT: by intent

  /// To change it; nobody else sees that. Valid until this is copied or assigned.
  T& edit() {
    Held* own = new Held(**this);
    *this = Shared(own);
    return own->value;
  }

  bool operator==(const Shared& other) const { return held_ == other.held_ || **this == *other; }
  template <class U>
    requires(!std::same_as<U, Shared> && std::convertible_to<const U&, T>)
  bool operator==(const U& other) const {
    return **this == other;
  }

 private:
  struct Held {
    explicit Held(T kept) : value(std::move(kept)) {}  // NOLINT: moves, where T can
    std::atomic<std::uint32_t> holders{1};
    T value;
  };
  explicit Shared(Held* held) : held_(held) {}

  static const T& the_default() {
    static const T kDefault{};
    return kDefault;
  }
  static bool is_default(const T& value) {
    if constexpr (std::default_initializable<T>) return value == the_default();
    return false;
  }

  Held* held_ = nullptr;
};

}  // namespace cronce
