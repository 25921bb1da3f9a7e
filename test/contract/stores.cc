#include "test/contract/stores.h"

#include <array>

#include "store/memory/memory_store.h"
#include "test/postgres/postgres_doors.h"
#include "test/sqlite/sqlite_doors.h"

namespace cronce::contract {
namespace {

std::unique_ptr<Store> make_memory(const Clock& clock, Rng& rng) {
  return std::make_unique<MemoryStore>(clock, rng);
}

PutBack image_of_memory(Store& store) {
  auto& memory = dynamic_cast<MemoryStore&>(store);
  return [&memory, image = memory.image()](bool elsewhere) { memory.put_back(image, elsewhere); };
}

std::unique_ptr<Store> make_sqlite(const Clock& clock, Rng& rng) {
  return std::make_unique<SqliteDoors>(clock, rng);
}

PutBack image_of_sqlite(Store& store) {
  auto& doors = dynamic_cast<SqliteDoors&>(store);
  return [&doors, image = doors.image()](bool elsewhere) { doors.put_back(image, elsewhere); };
}

std::unique_ptr<Store> make_postgres(const Clock& clock, Rng& rng) {
  return std::make_unique<PostgresDoors>(PostgresDoors::Way::direct, clock, rng);
}

std::unique_ptr<Store> make_pooled_postgres(const Clock& clock, Rng& rng) {
  return std::make_unique<PostgresDoors>(PostgresDoors::Way::pooled, clock, rng);
}

PutBack image_of_postgres(Store& store) { return dynamic_cast<PostgresDoors&>(store).image(); }

constexpr std::array kStores{
    StoreRow{"memory", make_memory, image_of_memory},
    StoreRow{"sqlite", make_sqlite, image_of_sqlite, true},
    StoreRow{"postgres", make_postgres, image_of_postgres, true},
    StoreRow{"pooled_postgres", make_pooled_postgres, image_of_postgres, true},
};

}  // namespace

std::span<const StoreRow> stores() { return kStores; }

}  // namespace cronce::contract
