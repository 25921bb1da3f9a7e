// fill_store PATH JOBS: plays the story into a new SQLite store, for tests that run the program.
#include <cstdio>
#include <fstream>
#include <iterator>

#include "store/sqlite/sqlite_store.h"
#include "test/reads/story.h"

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  using cronce::embedded::OwnClock;
  std::ifstream file(argv[2]);
  const std::string jobs{std::istreambuf_iterator<char>(file), {}};
  // It ended an hour ago, however long ago the machine was started: who reads it goes on from
  // there, and its nodes are silent.
  constexpr cronce::Duration kLength = std::chrono::hours{8} + std::chrono::seconds{450};
  cronce::ManualClock clock({}, cronce::system_clock().boot() - kLength);
  cronce::Rng rng(1);
  auto store =
      cronce::SqliteStore::open_file({.path = argv[1]}, std::make_unique<OwnClock>(clock), rng);
  if (!store) {
    std::fprintf(stderr, "fill_store: %s\n", store.error().message.c_str());
    return 1;
  }
  cronce::Story(**store, clock, jobs).play();
  return 0;
}
