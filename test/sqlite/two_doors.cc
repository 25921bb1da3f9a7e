#include "test/sqlite/two_doors.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace cronce {
namespace {

/// A folder in memory where there is one: tens of thousands of stores are made here.
std::filesystem::path next_path() {
  static std::uint64_t count = 0;
  const std::filesystem::path memory = "/dev/shm";
  const auto folder =
      std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
  return folder / ("cronce-contract-" + std::to_string(::getpid()) + "-" + std::to_string(++count));
}

}  // namespace

TwoDoors::TwoDoors(const Clock& clock, Rng& rng) : clock_(clock), rng_(rng), path_(next_path()) {
  open_doors();
}

TwoDoors::~TwoDoors() {
  close_doors();
  for (const char* end : {"", "-journal", "-lock"}) std::filesystem::remove(path_.string() + end);
}

void TwoDoors::open_doors() {
  for (auto& door : doors_) {
    auto opened = SqliteStore::open_file({.path = path_, .store_moves = true}, clock_, rng_);
    if (!opened) FAIL() << opened.error().message;
    door = *std::move(opened);
  }
  check_ = std::make_unique<MirrorCheck>(path_);
}

void TwoDoors::close_doors() {
  for (auto& door : doors_) door.reset();
  check_.reset();
}

std::string TwoDoors::image() {
  close_doors();
  std::ostringstream bytes;
  bytes << std::ifstream(path_, std::ios::binary).rdbuf();
  open_doors();
  return bytes.str();
}

/// In place: the same file with older bytes. Elsewhere: as if it had been on another device then.
void TwoDoors::put_back(const std::string& image, bool elsewhere) {
  close_doors();
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << image;
  if (elsewhere) sqlite::Database(path_, nullptr).run("UPDATE meta SET device = device + 1");
  open_doors();
}

template <class Call>
auto TwoDoors::pass(Call call) {
  SqliteStore& door = *doors_[++calls_ % 2];
  auto answer = call(door);
  EXPECT_EQ(check_->difference(door), "");
  return answer;
}

Result<Opened> TwoDoors::open() {
  return pass([&](Store& store) { return store.open(); });
}
Result<BeatAnswer> TwoDoors::beat(const BeatAsk& ask) {
  return pass([&](Store& store) { return store.beat(ask); });
}
Result<Written<RegisterAnswer>> TwoDoors::enroll(const WriteId& id, const RegisterAsk& ask) {
  return pass([&](Store& store) { return store.enroll(id, ask); });
}
Result<Written<DecideAnswers>> TwoDoors::decide(const WriteId& id, const DecideAsk& ask) {
  return pass([&](Store& store) { return store.decide(id, ask); });
}
Result<Written<std::vector<TakeAnswer>>> TwoDoors::take(const WriteId& id,
                                                        std::span<const RunId> runs) {
  return pass([&](Store& store) { return store.take(id, runs); });
}
Result<Written<std::vector<FinishAnswer>>> TwoDoors::finish(const WriteId& id,
                                                            std::span<const FinishEntry> ends) {
  return pass([&](Store& store) { return store.finish(id, ends); });
}
Result<Written<std::vector<SweepAnswer>>> TwoDoors::sweep(const WriteId& id,
                                                          std::span<const SweepEntry> nodes) {
  return pass([&](Store& store) { return store.sweep(id, nodes); });
}
Result<Written<ControlAnswer>> TwoDoors::control(const WriteId& id, const ControlAsk& ask) {
  return pass([&](Store& store) { return store.control(id, ask); });
}
Result<Written<OnceAnswer>> TwoDoors::once(const WriteId& id, const OnceAsk& ask) {
  return pass([&](Store& store) { return store.once(id, ask); });
}
Result<std::vector<JobRow>> TwoDoors::jobs() {
  return pass([&](Store& store) { return store.jobs(); });
}
Result<std::vector<Run>> TwoDoors::runs(const RunFilter& filter) {
  return pass([&](Store& store) { return store.runs(filter); });
}
Result<std::vector<Node>> TwoDoors::nodes() {
  return pass([&](Store& store) { return store.nodes(); });
}

}  // namespace cronce
