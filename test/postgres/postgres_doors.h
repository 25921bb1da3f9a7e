// The PostgreSQL store, opened twice.
//
// A namespace is emptied and used again: a suite needs tens of thousands of stores.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/rng.h"
#include "test/support/fault_proxy.h"
#include "test/support/two_doors.h"

namespace cronce {

class PostgresDoors final : public TwoDoors {
 public:
  enum class Way : std::uint8_t {
    direct,
    pooled,    // both doors through two sessions
    bad_line,  // through bad_line(), on which faults can be planned
  };

  PostgresDoors(Way way, const Clock& clock, Rng& rng);
  ~PostgresDoors() override;

  static test::FaultProxy& bad_line();

  /// Copies what the namespace holds now; what is given puts that back.
  std::function<void(bool elsewhere)> image();

 private:
  struct Doors;

  Store& door(std::size_t which) override;
  std::string difference(std::size_t which) override;

  std::unique_ptr<Doors> doors_;
};

}  // namespace cronce
