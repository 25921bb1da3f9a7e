// The simulated network between a host and the store: what becomes of a request and of its answer.
#pragma once

#include <optional>

#include "test/sim/stage.h"

namespace cronce::sim {

/// What will happen to one call; delays count from the asking, and from the store for the answer.
struct Fate {
  std::optional<Duration> request;  // none: dropped
  std::optional<Duration> again;    // the request arrives a second time
  std::optional<Duration> answer;   // none: dropped
  Duration second_answer{};
};

struct Link {
  bool cut = false;
  unsigned drop_percent = 1;  // of requests, and of answers
  unsigned slow_percent = 1;  // take up to three times the answer timeout
  unsigned twice_percent = 1;
  Duration lag{};  // of every answer

  void heal() { *this = {false, 0, 0, 0, {}}; }
  Fate draw(Stage& stage) const;
};

}  // namespace cronce::sim
