// The stores that the contract is run on: a visible row each.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/rng.h"
#include "store/store.h"

namespace cronce::contract {

/// Puts back what a store held: elsewhere, as a fail-over does, or in its place, as a restore does.
using PutBack = std::function<void(bool elsewhere)>;

struct StoreRow {
  std::string_view name;
  /// A fresh and empty store whose own clock is `clock`; both arguments outlive it.
  std::unique_ptr<Store> (*make)(const Clock& clock, Rng& rng);
  /// What such a store holds now. None: it cannot be put back in a test, and the rules of a store
  /// that has forgotten are not shown for it; the suite says so.
  PutBack (*image)(Store& store);
  /// Its calls are slow: of the pairs of faults at two calls one is tried, another at each call.
  bool slow = false;
};

std::span<const StoreRow> stores();

}  // namespace cronce::contract
