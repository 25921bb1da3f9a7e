// What the tests of the judge have in common.
#pragma once

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "test/chaos/judge.h"

namespace cronce::chaos {

inline constexpr Millis kStart = 1'800'000'000'000;  // a multiple of every interval

/// A test changes the evidence, and says which rules the judge sees broken.
class JudgeTest : public testing::Test {
 protected:
  std::vector<Rule> rules() const {
    std::vector<Rule> out;
    for (const Violation& one : judge(evidence_)) out.push_back(one.rule);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }
  void expect(const std::vector<Rule>& expected) const { EXPECT_EQ(rules(), expected); }

  Evidence evidence_;
};

}  // namespace cronce::chaos
