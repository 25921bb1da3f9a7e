#include "test/support/pooler.h"

#include "base/check.h"

namespace cronce::test {

Pooler::Pooler(const PostgresServer& server, int sessions)
    : folder_(false), port_(free_port()), password_(server.password()) {
  folder_.write("users", "\"cronce\" \"" + password_ + "\"\n");
  folder_.write("conf",
                "[databases]\npostgres = " + server.socket_conninfo() +
                    "\n[pgbouncer]\n"
                    "listen_addr = 127.0.0.1\nlisten_port = " +
                    std::to_string(port_) +
                    "\nunix_socket_dir =\nauth_type = scram-sha-256\nauth_file = users\n"
                    "pool_mode = transaction\nserver_login_retry = 1\ndefault_pool_size = " +
                    std::to_string(sessions) + "\nlogfile = pooler.log\npidfile = pooler.pid\n");
  CHECK(folder_.run("/usr/sbin/pgbouncer -d conf") &&
        comes_true([&] { return is_listening(port_); }));
}

std::string Pooler::conninfo() const {
  return "postgresql://cronce:" + password_ + "@127.0.0.1:" + std::to_string(port_) + "/postgres";
}

}  // namespace cronce::test
