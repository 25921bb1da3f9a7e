// pgbouncer before a test's PostgreSQL server: every transaction may get another of its few
// sessions.
#pragma once

#include <string>

#include "test/support/postgres_server.h"
#include "test/support/server_folder.h"

namespace cronce::test {

class Pooler {
 public:
  /// With so many sessions. The server must outlive it.
  Pooler(const PostgresServer& server, int sessions);
  Pooler(const Pooler&) = delete;
  Pooler& operator=(const Pooler&) = delete;

  std::string conninfo() const;
  int port() const { return port_; }

 private:
  ServerFolder folder_;
  int port_;
  std::string password_;
};

}  // namespace cronce::test
