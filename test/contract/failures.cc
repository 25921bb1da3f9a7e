#include "test/contract/failures.h"

#include <exception>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace cronce::contract {

std::size_t count_failures(const std::function<void()>& check) {
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    try {
      check();
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
  }
  return static_cast<std::size_t>(results.size());
}

}  // namespace cronce::contract
