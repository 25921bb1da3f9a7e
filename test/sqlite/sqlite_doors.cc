#include "test/sqlite/sqlite_doors.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "store/sqlite/sqlite_store.h"
#include "test/sqlite/mirror_check.h"

namespace cronce {
namespace {

/// In memory where there is such a folder.
std::string next_path() {
  static std::uint64_t count = 0;
  const std::filesystem::path memory = "/dev/shm";
  const auto folder =
      std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
  return folder / ("cronce-contract-" + std::to_string(::getpid()) + "-" + std::to_string(++count));
}

}  // namespace

struct SqliteDoors::Doors {
  std::string path = next_path();
  LentClock clock;
  std::array<std::unique_ptr<SqliteStore>, 2> doors;
  std::unique_ptr<MirrorCheck> check;

  ~Doors() {
    close();
    for (const char* end : {"", "-journal", "-lock"}) std::filesystem::remove(path + end);
  }

  void open(Rng& rng) {
    for (auto& door : doors) {
      auto opened = SqliteStore::open_file({.path = path, .store_moves = true},
                                           std::make_unique<embedded::OwnClock>(clock), rng);
      if (!opened) FAIL() << opened.error().message;
      door = *std::move(opened);
    }
    check = std::make_unique<MirrorCheck>(path);
  }

  void close() {
    for (auto& door : doors) door.reset();
    check.reset();
  }

  /// As it was when it was new, but for another id.
  void empty(Rng& rng) { check->empty(StoreId::random(rng)); }

  static std::vector<std::unique_ptr<Doors>>& unused() {
    static std::vector<std::unique_ptr<Doors>> doors;
    return doors;
  }
};

SqliteDoors::SqliteDoors(const Clock& clock, Rng& rng) : rng_(rng) {
  auto& unused = Doors::unused();
  if (unused.empty()) {
    doors_ = std::make_unique<Doors>();
    doors_->clock.lend(clock);
    doors_->open(rng);
  } else {
    doors_ = std::move(unused.back());
    unused.pop_back();
    doors_->clock.lend(clock);
    doors_->empty(rng);
  }
}

SqliteDoors::~SqliteDoors() { Doors::unused().push_back(std::move(doors_)); }

std::string SqliteDoors::image() {
  doors_->close();
  std::ostringstream bytes;
  bytes << std::ifstream(doors_->path, std::ios::binary).rdbuf();
  doors_->open(rng_);
  return bytes.str();
}

/// In place: the same file with older bytes. Elsewhere: as if it had been on another device then.
void SqliteDoors::put_back(const std::string& image, bool elsewhere) {
  doors_->close();
  std::ofstream(doors_->path, std::ios::binary | std::ios::trunc) << image;
  if (elsewhere) {
    sqlite::Database(doors_->path, nullptr).run("UPDATE meta SET device = device + 1");
  }
  doors_->open(rng_);
}

Store& SqliteDoors::door(std::size_t which) { return *doors_->doors.at(which); }

std::string SqliteDoors::difference(std::size_t which) {
  return doors_->check->difference(*doors_->doors.at(which));
}

}  // namespace cronce
