// The SQLite store, opened twice.
//
// A file is emptied and used again: a suite needs tens of thousands of stores, and most of the time
// of a new one goes into its statements.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/rng.h"
#include "test/support/two_doors.h"

namespace cronce {

class SqliteDoors final : public TwoDoors {
 public:
  SqliteDoors(const Clock& clock, Rng& rng);
  ~SqliteDoors() override;

  /// The bytes of the file.
  std::string image();
  void put_back(const std::string& image, bool elsewhere);

 private:
  struct Doors;

  Store& door(std::size_t which) override;
  std::string difference(std::size_t which) override;

  Rng& rng_;
  std::unique_ptr<Doors> doors_;
};

}  // namespace cronce
