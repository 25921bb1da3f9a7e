#include "store/open_store.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "store/inspect.h"
#include "store/memory/memory_store.h"
#include "store/sqlite/inspect_file.h"
#include "store/sqlite/sqlite_store.h"

namespace cronce {
namespace {

struct Kind {
  std::string_view scheme;
  std::string_view form;
  Result<std::unique_ptr<Store>> (*open)(const std::string& rest, const StoreSettings& settings,
                                         const Clock& clock, Rng& rng);
  Result<Opened> (*adopt)(const std::string& rest, const Clock& clock, Rng& rng);
  Status (*backup)(const std::string& rest, const std::string& path, const Clock& clock, Rng& rng);
  StoreFacts (*inspect)(const std::string& rest, const Clock& clock, Duration patience);
};

Result<std::unique_ptr<Store>> open_memory(const std::string& rest, const StoreSettings&,
                                           const Clock& clock, Rng& rng) {
  if (!rest.empty()) return Error{Code::invalid, "memory: nothing can follow the colon"};
  return std::unique_ptr<Store>(std::make_unique<MemoryStore>(clock, rng));
}

Result<Opened> adopt_memory(const std::string&, const Clock&, Rng&) {
  return Error{Code::invalid, "memory: a store in memory has no copies"};
}

Status backup_memory(const std::string&, const std::string&, const Clock&, Rng&) {
  return Error{Code::invalid, "memory: a store in memory cannot be copied to a file"};
}

/// That of another process cannot be seen, and one of our own would be empty.
StoreFacts inspect_memory(const std::string&, const Clock&, Duration) {
  StoreFacts facts;
  facts.trouble = StoreTrouble::missing;
  facts.message = "memory: such a store is there for its own process only";
  return facts;
}

Result<std::unique_ptr<Store>> open_sqlite(const std::string& rest, const StoreSettings& settings,
                                           const Clock& clock, Rng& rng) {
  if (rest.empty()) return Error{Code::invalid, "sqlite: the path of a file must follow the colon"};
  auto store =
      SqliteStore::open_file({.path = rest, .store_moves = settings.store_moves}, clock, rng);
  if (!store) return store.error();
  return std::unique_ptr<Store>(*std::move(store));
}

Result<Opened> adopt_sqlite(const std::string& rest, const Clock& clock, Rng& rng) {
  return adopt_sqlite_store({.path = rest}, clock, rng);
}

Status backup_sqlite(const std::string& rest, const std::string& path, const Clock& clock,
                     Rng& rng) {
  return backup_sqlite_store({.path = rest}, path, clock, rng);
}

constexpr std::array kKinds{
    Kind{"sqlite", "sqlite:PATH", open_sqlite, adopt_sqlite, backup_sqlite, inspect_sqlite_store},
    Kind{"memory", "memory:", open_memory, adopt_memory, backup_memory, inspect_memory},
};

struct Address {
  const Kind* kind;
  std::string rest;
};

Result<Address> read_address(const std::string& address) {
  const std::size_t colon = address.find(':');
  const std::string scheme = address.substr(0, colon);
  std::string forms;
  for (const Kind& kind : kKinds) {
    if (colon != std::string::npos && kind.scheme == scheme) {
      return Address{&kind, address.substr(colon + 1)};
    }
    forms += fmt::format("{}{}", forms.empty() ? "" : ", ", kind.form);
  }
  return Error{Code::invalid, fmt::format("'{}' is no store; there are: {}", address, forms)};
}

}  // namespace

Status check_address(const std::string& address) {
  const auto found = read_address(address);
  if (!found) return found.error();
  return Done{};
}

Result<std::unique_ptr<Store>> open_store(const std::string& address, const StoreSettings& settings,
                                          const Clock& clock, Rng& rng) {
  const auto found = read_address(address);
  if (!found) return found.error();
  return found->kind->open(found->rest, settings, clock, rng);
}

Result<Opened> adopt_store(const std::string& address, const Clock& clock, Rng& rng) {
  const auto found = read_address(address);
  if (!found) return found.error();
  return found->kind->adopt(found->rest, clock, rng);
}

Status backup_store(const std::string& address, const std::string& path, const Clock& clock,
                    Rng& rng) {
  const auto found = read_address(address);
  if (!found) return found.error();
  return found->kind->backup(found->rest, path, clock, rng);
}

StoreFacts inspect_store(const std::string& address, const Clock& clock, Duration patience) {
  const auto found = read_address(address);
  CHECK(found.ok());
  return found->kind->inspect(found->rest, clock, patience);
}

}  // namespace cronce
