#include "store/open_store.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/ids.h"
#include "store/inspect.h"
#include "store/memory/memory_store.h"
#include "store/postgres/grants.h"
#include "store/postgres/hints.h"
#include "store/postgres/inspect_server.h"
#include "store/postgres/postgres_store.h"
#include "store/sqlite/inspect_file.h"
#include "store/sqlite/sqlite_store.h"

namespace cronce {
namespace {

struct Kind;

struct Address {
  const Kind* kind = nullptr;
  std::string whole;
  std::string rest;  // after the colon
};

struct Kind {
  std::string_view scheme;
  std::string_view form;  // empty: a second name of the one before
  bool server;
  Result<std::unique_ptr<Store>> (*open)(const Address& at, const StoreSettings& settings,
                                         const Clock& clock, Rng& rng);
  Result<Opened> (*adopt)(const Address& at, const StoreSettings& settings, const Clock& clock,
                          Rng& rng);
  Status (*backup)(const Address& at, const std::string& path, const Clock& clock, Rng& rng);
  StoreFacts (*inspect)(const Address& at, const std::string& name_space, const Clock& clock,
                        Duration patience);
  std::unique_ptr<HintLine> (*hints)(const Address& at, const std::string& name_space) = nullptr;
};

Result<std::unique_ptr<Store>> open_memory(const Address& at, const StoreSettings&,
                                           const Clock& clock, Rng& rng) {
  if (!at.rest.empty()) return Error{Code::invalid, "memory: nothing can follow the colon"};
  return std::unique_ptr<Store>(std::make_unique<MemoryStore>(clock, rng));
}

Result<Opened> adopt_memory(const Address&, const StoreSettings&, const Clock&, Rng&) {
  return Error{Code::invalid, "memory: a store in memory has no copies"};
}

Status backup_memory(const Address&, const std::string&, const Clock&, Rng&) {
  return Error{Code::invalid, "memory: a store in memory cannot be copied to a file"};
}

/// That of another process cannot be seen, and one of our own would be empty.
StoreFacts inspect_memory(const Address&, const std::string&, const Clock&, Duration) {
  StoreFacts facts;
  facts.trouble = StoreTrouble::missing;
  facts.message = "memory: such a store is there for its own process only";
  return facts;
}

Result<std::unique_ptr<Store>> open_sqlite(const Address& at, const StoreSettings& settings,
                                           const Clock& clock, Rng& rng) {
  if (at.rest.empty()) {
    return Error{Code::invalid, "sqlite: the path of a file must follow the colon"};
  }
  if (!settings.make && !std::filesystem::exists(at.rest)) {
    return Error{Code::not_found, fmt::format("{}: there is no such file", at.rest)};
  }
  auto store =
      SqliteStore::open_file({.path = at.rest, .store_moves = settings.store_moves}, clock, rng);
  if (!store) return store.error();
  return std::unique_ptr<Store>(*std::move(store));
}

Result<Opened> adopt_sqlite(const Address& at, const StoreSettings&, const Clock& clock, Rng& rng) {
  return adopt_sqlite_store({.path = at.rest}, clock, rng);
}

Status backup_sqlite(const Address& at, const std::string& path, const Clock& clock, Rng& rng) {
  return backup_sqlite_store({.path = at.rest}, path, clock, rng);
}

StoreFacts inspect_sqlite(const Address& at, const std::string&, const Clock& clock,
                          Duration patience) {
  return inspect_sqlite_store(at.rest, clock, patience);
}

PostgresStoreSettings server_settings(const Address& at, const std::string& name_space) {
  return {.server = {.conninfo = at.whole}, .name_space = name_space};
}

Result<std::unique_ptr<Store>> open_postgres(const Address& at, const StoreSettings& settings,
                                             const Clock& clock, Rng& rng) {
  PostgresStoreSettings server = server_settings(at, settings.name_space);
  server.server.answer_timeout = settings.answer_timeout;
  server.server.connect_timeout = 3 * settings.answer_timeout;
  const auto ready = check_server(server, settings.make);
  if (!ready) return ready.error();
  if (!*ready && !settings.make) {
    return Error{Code::not_found,
                 fmt::format("no store '{}' at {}: start a node with 'cronce run', or name another "
                             "with --store and --namespace",
                             settings.name_space, shown_address(at.whole))};
  }
  auto store = PostgresStore::connect(server, clock, rng);
  if (!store) return store.error();
  return std::unique_ptr<Store>(*std::move(store));
}

Result<Opened> adopt_postgres(const Address& at, const StoreSettings& settings, const Clock& clock,
                              Rng& rng) {
  StoreSettings existing = settings;
  existing.make = false;
  const auto store = open_postgres(at, existing, clock, rng);
  if (!store) return store.error();
  const auto opened = (*store)->open();
  if (!opened) return opened.error();
  // What is adopted counts as run up to now: by a clock of another century nothing would start.
  const Time latest = clock.wall() + std::chrono::days{1};
  if (opened->store_time > latest) {
    return Error{Code::conflict,
                 fmt::format("the server's clock shows {}, that of this machine {}: adopt it when "
                             "both are right",
                             print(opened->store_time), print(clock.wall()))};
  }
  const WriteId by_a_person{Incarnation::random(rng), 0, 1, 0, latest};
  const auto adopted = (*store)->control(by_a_person, Adopt{});
  if (!adopted) return adopted.error();
  return (*store)->open();
}

Status backup_postgres(const Address&, const std::string&, const Clock&, Rng&) {
  return Error{Code::invalid,
               "backup: a PostgreSQL server makes its own copies: pg_dump --schema=cronce, or a "
               "backup of the whole server; after one was restored: cronce adopt"};
}

StoreFacts inspect_postgres(const Address& at, const std::string& name_space, const Clock& clock,
                            Duration patience) {
  return inspect_server(server_settings(at, name_space), clock, patience);
}

std::unique_ptr<HintLine> hints_of_postgres(const Address& at, const std::string& name_space) {
  return std::make_unique<postgres::Hints>(at.whole, name_space);
}

constexpr Kind kind_of_postgres(std::string_view scheme, std::string_view form) {
  return {scheme,
          form,
          true,
          open_postgres,
          adopt_postgres,
          backup_postgres,
          inspect_postgres,
          hints_of_postgres};
}

constexpr std::array kKinds{
    Kind{"sqlite", "sqlite:PATH", false, open_sqlite, adopt_sqlite, backup_sqlite, inspect_sqlite},
    kind_of_postgres("postgresql", "postgresql://USER@HOST/DATABASE"),
    kind_of_postgres("postgres", ""),
    Kind{"memory", "memory:", false, open_memory, adopt_memory, backup_memory, inspect_memory},
};

Result<Address> read_address(const std::string& address) {
  const std::size_t colon = address.find(':');
  const std::string scheme = address.substr(0, colon);
  std::string forms;
  for (const Kind& kind : kKinds) {
    if (colon != std::string::npos && kind.scheme == scheme) {
      Address found{&kind, address, address.substr(colon + 1)};
      if (!kind.server || found.rest.starts_with("//")) return found;
      return Error{Code::invalid, fmt::format("{0}: // must follow the colon, as in "
                                              "{0}://USER@HOST/DATABASE",
                                              scheme)};
    }
    if (kind.form.empty()) continue;
    forms += fmt::format("{}{}", forms.empty() ? "" : ", ", kind.form);
  }
  return Error{Code::invalid,
               fmt::format("'{}' is no store; there are: {}", shown_address(address), forms)};
}

/// Up to there the value of a secret parameter goes on.
void hide_parameter(std::string& text, std::string_view name) {
  const std::string sign = fmt::format("{}=", name);
  for (std::size_t at = text.find('?'); (at = text.find(sign, at)) != std::string::npos;) {
    const bool whole = text[at - 1] == '?' || text[at - 1] == '&';
    at += sign.size();
    if (whole) text.replace(at, text.find('&', at) - at, "***");
  }
}

}  // namespace

std::string shown_address(const std::string& address) {
  const std::size_t slashes = address.find("://");
  if (slashes == std::string::npos) return address;
  std::string text = address;
  // A password with an @ that was not written as %40 is a password all the same.
  const std::size_t host = text.rfind('@', text.find('?'));
  const std::size_t colon = text.find(':', slashes + 3);
  if (host != std::string::npos && colon < host) text.replace(colon + 1, host - colon - 1, "***");
  for (const std::string_view secret : {"password", "sslpassword"}) hide_parameter(text, secret);
  return text;
}

Status check_address(const std::string& address, const std::string& name_space) {
  const auto found = read_address(address);
  if (!found) return found.error();
  if (const auto name = parse_namespace(name_space); !name) {
    return Error{Code::invalid, fmt::format("--namespace: {}", name.error().message)};
  }
  if (found->kind->server || name_space == kDefaultNamespace) return Done{};
  return Error{Code::invalid,
               fmt::format("--namespace: a store of the kind {}: is one namespace: leave '{}' out "
                           "(also in CRONCE_NAMESPACE), and name another store instead",
                           found->kind->scheme, name_space)};
}

bool is_server(const std::string& address) {
  const auto found = read_address(address);
  return found && found->kind->server;
}

Result<std::unique_ptr<Store>> open_store(const std::string& address, const StoreSettings& settings,
                                          const Clock& clock, Rng& rng) {
  const auto found = read_address(address);
  if (!found) return found.error();
  return found->kind->open(*found, settings, clock, rng);
}

Result<Opened> adopt_store(const std::string& address, const StoreSettings& settings,
                           const Clock& clock, Rng& rng) {
  const auto found = read_address(address);
  if (!found) return found.error();
  return found->kind->adopt(*found, settings, clock, rng);
}

Status backup_store(const std::string& address, const std::string& path, const Clock& clock,
                    Rng& rng) {
  const auto found = read_address(address);
  if (!found) return found.error();
  return found->kind->backup(*found, path, clock, rng);
}

std::unique_ptr<HintLine> open_hints(const std::string& address, const std::string& name_space) {
  const auto found = read_address(address);
  if (!found || found->kind->hints == nullptr) return nullptr;
  return found->kind->hints(*found, name_space);
}

StoreFacts inspect_store(const std::string& address, const std::string& name_space,
                         const Clock& clock, Duration patience) {
  const auto found = read_address(address);
  CHECK(found.ok());
  return found->kind->inspect(*found, name_space, clock, patience);
}

void see_from_here(std::vector<Node>& nodes, Time store_time, Duration boot) {
  for (Node& node : nodes) {
    const Duration ahead = node.wall.value_or(store_time) - store_time;
    node.clock_reading = store_time.time_since_epoch() - boot + std::max(ahead, Duration{0});
  }
}

std::string store_sql(const std::string& role) { return postgres::sql_for_person(role); }

}  // namespace cronce
