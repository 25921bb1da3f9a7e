#include "test/postgres/postgres_doors.h"

#include <array>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "test/postgres/mirror_check.h"
#include "test/support/pooler.h"
#include "test/support/postgres_server.h"

namespace cronce {
namespace {

/// One for all tests of a process.
const test::PostgresServer& shared_server() {
  static const test::PostgresServer server;
  return server;
}

const test::Pooler& shared_pooler() {
  static const test::Pooler pooler(shared_server(), 2);
  return pooler;
}

std::string conninfo_of(PostgresDoors::Way way) {
  switch (way) {
    case PostgresDoors::Way::direct:
      return shared_server().socket_conninfo();
    case PostgresDoors::Way::pooled:
      return shared_pooler().conninfo();
    case PostgresDoors::Way::bad_line:
      break;
  }
  return fmt::format(
      "postgresql://cronce:{}@127.0.0.1:{}/postgres?sslmode=disable&gssencmode=disable",
      shared_server().password(), PostgresDoors::bad_line().port());
}

PostgresStoreSettings settings_of(PostgresDoors::Way way, const std::string& name) {
  PostgresStoreSettings settings;
  settings.server.conninfo = conninfo_of(way);
  settings.name_space = name;
  return settings;
}

}  // namespace

struct PostgresDoors::Doors {
  Doors(Way with_way, std::string with_name) : way(with_way), name(std::move(with_name)) {}

  Way way;
  std::string name;
  LentClock clock;
  std::array<std::unique_ptr<PostgresStore>, 2> doors;
  std::unique_ptr<PostgresMirrorCheck> check;
  int images = 0;

  void open(Rng& rng) {
    for (auto& door : doors) {
      auto opened = PostgresStore::connect(settings_of(way, name),
                                           std::make_unique<embedded::OwnClock>(clock), rng);
      if (!opened) FAIL() << opened.error().message;
      door = *std::move(opened);
    }
    check = std::make_unique<PostgresMirrorCheck>(settings_of(Way::direct, name));
  }

  static std::vector<std::unique_ptr<Doors>>& unused(Way way) {
    static std::map<Way, std::vector<std::unique_ptr<Doors>>> doors;
    return doors[way];
  }
};

test::FaultProxy& PostgresDoors::bad_line() {
  static test::FaultProxy proxy(shared_server().port());
  return proxy;
}

PostgresDoors::PostgresDoors(Way way, const Clock& clock, Rng& rng) {
  static int count = 0;
  auto& unused = Doors::unused(way);
  if (unused.empty()) {
    doors_ = std::make_unique<Doors>(way, "contract-" + std::to_string(++count));
    doors_->clock.lend(clock);
    doors_->open(rng);
  } else {
    doors_ = std::move(unused.back());
    unused.pop_back();
    doors_->clock.lend(clock);
    doors_->check->empty(StoreId::random(rng));
  }
}

PostgresDoors::~PostgresDoors() {
  auto& unused = Doors::unused(doors_->way);
  unused.push_back(std::move(doors_));
}

std::function<void(bool elsewhere)> PostgresDoors::image() {
  const std::string copy = doors_->name + "-image-" + std::to_string(++doors_->images);
  doors_->check->copy(doors_->name, copy);
  return [doors = doors_.get(), copy](bool elsewhere) {
    doors->check->copy(copy, doors->name);
    if (elsewhere) doors->check->move_elsewhere();
  };
}

Store& PostgresDoors::door(std::size_t which) { return *doors_->doors.at(which); }

std::string PostgresDoors::difference(std::size_t which) {
  return doors_->check->difference(*doors_->doors.at(which));
}

}  // namespace cronce
