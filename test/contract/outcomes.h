// What becomes of two operations whose order matters, in each situation.
//
// Of such a pair: what is true only when the first of the two came first, and what only when the
// second did. A pair that is not named ends the same way in both orders.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "test/contract/scene.h"

namespace cronce::contract {

using Outcomes = std::map<std::pair<std::string, std::string>, std::pair<std::string, std::string>>;

Outcomes expected_in(Situation situation);

}  // namespace cronce::contract
