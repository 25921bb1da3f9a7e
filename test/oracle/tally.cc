#include "test/oracle/tally.h"

#include <array>
#include <exception>
#include <thread>
#include <utility>

namespace oracle {
namespace {

constexpr std::size_t kMostExamples = 20;
constexpr std::uint64_t kThreads = 2;

void run_one(const std::function<void(std::uint64_t, Tally&)>& body, std::uint64_t number,
             Tally& tally) {
  try {
    body(number, tally);
  } catch (const std::exception& refused) {
    tally.differ(refused.what());
  }
}

}  // namespace

void Tally::differ(std::string example) {
  ++differing;
  if (examples.size() < kMostExamples) examples.push_back(std::move(example));
}

void Tally::add(const Tally& other) {
  cases += other.cases;
  near += other.near;
  slots += other.slots;
  differing += other.differing;
  for (const std::string& example : other.examples) {
    if (examples.size() < kMostExamples) examples.push_back(example);
  }
}

Tally share_out(std::uint64_t count, const std::function<void(std::uint64_t, Tally&)>& body) {
  std::array<Tally, kThreads> tallies;
  std::vector<std::thread> threads;
  for (std::uint64_t mine = 0; mine < kThreads; ++mine) {
    threads.emplace_back([&, mine] {
      for (std::uint64_t i = mine; i < count; i += kThreads) run_one(body, i, tallies[mine]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  Tally sum;
  for (const Tally& tally : tallies) sum.add(tally);
  return sum;
}

}  // namespace oracle
