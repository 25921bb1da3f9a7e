#include "store/postgres/inspect_server.h"

#include <utility>

#include <fmt/format.h>

#include "base/rng.h"
#include "store/postgres/schema.h"
#include "store/postgres/values.h"

namespace cronce {
namespace {

using postgres::Reader;

constexpr std::int64_t kOldestServer = 120'000;

// Who is connected is counted by database: of sessions a role sees its own only.
constexpr const char* kFacts =
    "SELECT current_setting('server_version_num')::bigint, "
    "split_part(current_setting('server_version'), ' ', 1), "
    "pg_is_in_recovery(), current_setting('fsync')::boolean, "
    "current_setting('full_page_writes')::boolean, current_setting('synchronous_commit'), "
    "current_setting('synchronous_standby_names') <> '', (SELECT count(*) FROM "
    "pg_stat_replication), current_setting('server_encoding'), "
    "current_setting('max_connections')::bigint - "
    "current_setting('superuser_reserved_connections')::bigint, (SELECT sum(numbackends)::bigint "
    "FROM pg_stat_database), "
    "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, current_user, "
    "current_database(), has_database_privilege(current_database(), 'CREATE'), "
    "to_regclass('cronce.schema') IS NOT NULL";

constexpr const char* kSchemaVersion =
    "SELECT s.version, pg_has_role(c.relowner, 'USAGE') FROM cronce.schema s, pg_class c WHERE "
    "c.oid = 'cronce.schema'::regclass";
constexpr const char* kStoreRow = "SELECT epoch, closed FROM cronce.stores WHERE namespace = $1";
constexpr const char* kNotPermitted =
    "SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = 'cronce'::regnamespace AND "
    "relkind = 'r' AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, "
    "'INSERT') AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))) + "
    "(SELECT count(*) FROM pg_proc WHERE pronamespace = 'cronce'::regnamespace AND NOT "
    "has_function_privilege(oid, 'EXECUTE'))";

struct SeenServer {
  ServerFacts server;
  std::int64_t schema = 0;                      // 0: there is none
  std::optional<std::pair<Epoch, bool>> store;  // epoch, and whether it is closed
};

ServerFacts read_server_facts(const PostgresRows& rows) {
  ServerFacts facts;
  Reader in(rows);
  in.row();
  in.into(facts.version_number, facts.version, facts.standby, facts.fsync, facts.full_page_writes,
          facts.synchronous_commit, facts.synchronous_standbys, facts.standbys, facts.encoding,
          facts.most_connections, facts.connections, facts.now, facts.user, facts.database,
          facts.may_make, facts.has_schema);
  return facts;
}

class ServerVisit {
 public:
  explicit ServerVisit(std::unique_ptr<PostgresConnection> connection)
      : connection_(std::move(connection)) {}

  PostgresRows ask(const char* sql, std::vector<std::optional<std::string>> values = {}) {
    const std::vector<PostgresStatement> statements{{sql, std::move(values)}};
    auto rows = connection_->run(statements);
    if (!rows) throw postgres::StoreError{rows.error().error};
    return std::move(rows->front());
  }

 private:
  std::unique_ptr<PostgresConnection> connection_;
};

SeenServer look_at(const PostgresStoreSettings& settings) {
  auto connected = PostgresConnection::connect(settings.server);
  if (!connected) throw postgres::StoreError{connected.error().error};
  ServerVisit visit(*std::move(connected));
  SeenServer seen{.server = read_server_facts(visit.ask(kFacts))};
  if (!seen.server.has_schema) return seen;
  const PostgresRows refused = visit.ask(kNotPermitted);
  if (Reader in(refused); in.row()) seen.server.may_write = in.next<std::int64_t>() == 0;
  if (!seen.server.may_write) return seen;
  const PostgresRows versions = visit.ask(kSchemaVersion);
  if (Reader in(versions); in.row()) in.into(seen.schema, seen.server.may_change);
  if (seen.schema == 0) return seen;
  const PostgresRows stores = visit.ask(kStoreRow, {settings.name_space});
  if (Reader in(stores); in.row()) {
    const auto epoch = in.next<Epoch>();
    seen.store = {epoch, in.next<bool>()};
  }
  return seen;
}

std::string remedy_of_rights(const ServerFacts& server) {
  return fmt::format("its owner can: cronce store sql --grant {} | psql {}", server.user,
                     server.database);
}

/// Why nobody should work with it.
std::optional<Error> refusal_of(const ServerFacts& server) {
  if (server.version_number < kOldestServer) {
    return Error{Code::invalid,
                 fmt::format("PostgreSQL {} is too old: it must be 12 or newer", server.version)};
  }
  if (server.standby) {
    return Error{Code::unavailable,
                 "the server is a standby, and nothing can be decided there: name the primary, or "
                 "several hosts and target_session_attrs=read-write"};
  }
  if (!server.fsync) {
    return Error{Code::invalid,
                 "the server has fsync off: after a crash it may have forgotten what it has "
                 "granted, and a slot would run again: set fsync = on"};
  }
  if (!server.has_schema && !server.may_make) {
    return Error{Code::invalid,
                 fmt::format("user {} may not make the schema cronce in database {}: {}",
                             server.user, server.database, remedy_of_rights(server))};
  }
  if (server.has_schema && !server.may_write) {
    return Error{Code::invalid, fmt::format("user {} may not write the tables of schema cronce: {}",
                                            server.user, remedy_of_rights(server))};
  }
  return std::nullopt;
}

bool is_older(const SeenServer& seen) {
  return seen.schema > 0 && seen.schema < postgres::schema_version();
}

/// Only a node changes tables: programs of before that may be at work, and could not go on.
std::optional<Error> refusal_of_tables(const SeenServer& seen, bool make) {
  if (!is_older(seen) || (make && seen.server.may_change)) return std::nullopt;
  const std::string tables = fmt::format(
      "the tables in schema cronce are of an older program (version {}, this one needs {})",
      seen.schema, postgres::schema_version());
  if (seen.server.may_change) {
    return Error{Code::invalid, tables +
                                    ": the next node that is started brings them up to date, and "
                                    "so does cronce store sql | psql"};
  }
  return Error{Code::invalid, fmt::format("{}, and user {} may not change them: {}", tables,
                                          seen.server.user, remedy_of_rights(seen.server))};
}

/// What a standby has not yet is forgotten by a fail-over.
std::string grade_of(const ServerFacts& server) {
  const bool waits = server.synchronous_standbys && server.synchronous_commit != "local";
  return server.standbys > 0 && !waits ? "best effort" : "full";
}

StoreTrouble trouble_of_server(const Error& error) {
  return error.code == Code::unavailable ? StoreTrouble::away : StoreTrouble::refused;
}

void tell_failure(StoreFacts& facts, const Error& error) {
  facts.trouble = trouble_of_server(error);
  facts.message = error.message;
}

/// As everybody else reads it; nothing is missing that would be made.
Status read_rows_of(const PostgresStoreSettings& settings, const Clock& clock, StoreFacts& facts) {
  Rng rng(random_seed());
  const auto store = PostgresStore::connect(settings, clock, rng);
  if (!store) return store.error();
  auto jobs = (*store)->jobs();
  if (!jobs) return jobs.error();
  auto nodes = (*store)->nodes();
  if (!nodes) return nodes.error();
  RunFilter held;
  held.states = {RunState::held};
  held.output = false;
  auto runs = (*store)->runs(held);
  if (!runs) return runs.error();
  facts.jobs = *std::move(jobs);
  facts.nodes = *std::move(nodes);
  see_from_here(facts.nodes, facts.now, facts.boot);
  facts.held = *std::move(runs);
  return Done{};
}

}  // namespace

Result<bool> check_server(const PostgresStoreSettings& settings, bool make) {
  try {
    const SeenServer seen = look_at(settings);
    if (auto error = refusal_of(seen.server)) return *std::move(error);
    if (auto error = refusal_of_tables(seen, make)) return *std::move(error);
    return seen.store.has_value();
  } catch (const postgres::StoreError& failure) {
    return failure.error;
  }
}

StoreFacts inspect_server(PostgresStoreSettings settings, const Clock& clock, Duration patience) {
  StoreFacts facts;
  settings.server.connect_timeout = patience;
  settings.server.answer_timeout = patience;
  try {
    SeenServer seen = look_at(settings);
    facts.boot = clock.boot();
    facts.now = seen.server.now;
    facts.server = seen.server;
    facts.library = "PostgreSQL " + seen.server.version;
    facts.schema = seen.schema;
    facts.our_schema = postgres::schema_version();
    if (const auto error = refusal_of(seen.server)) {
      tell_failure(facts, *error);
    } else if (!seen.store) {
      facts.trouble = StoreTrouble::missing;
      facts.message = fmt::format("no store '{}' on this server", settings.name_space);
    } else {
      facts.grade = grade_of(seen.server);
      if (is_older(seen)) return facts;  // what it says is read when a node was here
      std::tie(facts.epoch, facts.closed) = *seen.store;
      if (const Status read = read_rows_of(settings, clock, facts); !read)
        tell_failure(facts, read.error());
    }
  } catch (const postgres::StoreError& failure) {
    tell_failure(facts, failure.error);
  }
  return facts;
}

}  // namespace cronce
