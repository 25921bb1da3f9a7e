// How often something fails, counted and not reported: for what is meant to fail.
#pragma once

#include <cstddef>
#include <functional>

namespace cronce::contract {

/// Also counts an exception: what goes on after a failure may run into what is not there.
std::size_t count_failures(const std::function<void()>& check);

}  // namespace cronce::contract
