// Something to do later, once: a function without arguments that is moved and never copied.
//
// Small captures lie inside it, so that planning a deed allocates nothing; larger ones are boxed.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace cronce::sim {

class Deed {
 public:
  Deed() = default;
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, Deed>>>
  Deed(F function) {  // NOLINT: by intent, as std::function does
    if constexpr (sizeof(F) <= kRoom && std::is_nothrow_move_constructible_v<F>) {
      hold(std::move(function));
    } else {
      hold([boxed = std::make_unique<F>(std::move(function))] { (*boxed)(); });
    }
  }
  Deed(Deed&& other) noexcept : does_(std::exchange(other.does_, nullptr)) {
    if (does_ != nullptr) does_(Op::move, &room_, &other.room_);
  }
  Deed& operator=(Deed&& other) noexcept {
    if (this == &other) return *this;
    clear();
    does_ = std::exchange(other.does_, nullptr);
    if (does_ != nullptr) does_(Op::move, &room_, &other.room_);
    return *this;
  }
  ~Deed() { clear(); }

  void operator()() { does_(Op::call, &room_, nullptr); }
  /// Nothing of it is left.
  void do_once() {
    (*this)();
    clear();
  }

 private:
  enum class Op : unsigned char { call, move, drop };
  static constexpr std::size_t kRoom = 48;

  template <class F>
  void hold(F&& function) {
    using Held = std::decay_t<F>;
    static_assert(sizeof(Held) <= kRoom && alignof(Held) <= alignof(std::max_align_t));
    ::new (static_cast<void*>(&room_)) Held(std::forward<F>(function));
    does_ = [](Op op, void* self, void* other) {
      auto* held = static_cast<Held*>(self);
      if (op == Op::call) return (*held)();
      if (op == Op::drop) return held->~Held();
      auto* from = static_cast<Held*>(other);
      ::new (self) Held(std::move(*from));
      from->~Held();
    };
  }
  void clear() {
    if (does_ != nullptr) std::exchange(does_, nullptr)(Op::drop, &room_, nullptr);
  }

  alignas(std::max_align_t) std::byte room_[kRoom];
  void (*does_)(Op, void*, void*) = nullptr;
};

}  // namespace cronce::sim
