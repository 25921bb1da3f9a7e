// The stores that the contract is run on: a visible row each.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/rng.h"
#include "store/store.h"

namespace cronce::contract {

struct StoreRow {
  std::string_view name;
  /// A fresh and empty store whose own clock is `clock`; both arguments outlive it.
  std::unique_ptr<Store> (*make)(const Clock& clock, Rng& rng);
};

std::span<const StoreRow> stores();

}  // namespace cronce::contract
