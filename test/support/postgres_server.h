// A PostgreSQL server of a test's own. It listens on 127.0.0.1, where it wants the password, and on
// a socket in its folder, where it does not. A second one may follow it as its standby.
//
// The programs are those of the newest version below /usr/lib/postgresql, or of the folder that
// CRONCE_POSTGRES_BIN names. What cannot be done is a failed CHECK, after the server's own words.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "test/support/server_folder.h"

namespace cronce::test {

struct PostgresServerSettings {
  bool fsync = false;  // and on a disk
  int max_connections = 50;
  std::map<std::string, std::string> more;         // lines of postgresql.conf
  std::map<std::string, std::string> environment;  // of the server, and of what is made of it
};

class PostgresServer {
 public:
  /// Started.
  explicit PostgresServer(const PostgresServerSettings& settings = {});
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// `postgresql://cronce:PASSWORD@127.0.0.1:PORT/postgres`: the superuser, over TCP.
  std::string conninfo() const;
  /// The same over the socket, without a password.
  std::string socket_conninfo() const;
  std::string password() const { return "open-sesame"; }
  int port() const { return port_; }
  const std::string& folder() const { return folder_.path(); }
  std::string log() const { return folder_.read("server.log"); }

  /// Ends what is under way, and leaves a clean folder.
  void stop();
  /// Ends at once, as after a crash of a server's process.
  void crash();
  /// Kills every process of it: none says a last word.
  void kill();
  void start();
  /// Stops every process of it where it is, and lets them go on.
  void freeze();
  void thaw();

  /// A line of postgresql.conf, in force at once if the server takes it without a restart.
  void set(const std::string& key, const std::string& value);
  /// From now on it also takes TLS, with a certificate of its own for localhost in
  /// `data/server.crt`.
  void use_tls();
  /// The first column of what the superuser gets for it, as psql prints it.
  std::string ask(const std::string& sql) const;

  /// A standby that streams; if it is synchronous, a commit waits for it from now on.
  std::unique_ptr<PostgresServer> make_standby(bool is_synchronous);
  /// Makes a standby a server of its own.
  void promote();
  /// Makes it a standby of nobody, which can be promoted.
  void demote();
  /// A standby hears no more from its primary.
  void cut_off() const;

  /// A copy of all its files, as a cold backup makes it; it is down for that time.
  void back_up();
  /// Kills it, and starts it with the files of the copy.
  void restore();
  /// A base backup: a server that is not started, with all that this one had when it was made.
  std::unique_ptr<PostgresServer> make_backup() const;

 private:
  struct CopyOf {
    const PostgresServer* primary;
  };
  explicit PostgresServer(const CopyOf& of, const std::string& flags);
  void control(const std::string& action, const std::string& with = "") const;
  /// To all processes of it.
  std::vector<pid_t> signal(int number) const;
  void remove_leftovers() const;

  ServerFolder folder_;
  std::string bin_;
  int port_;
  bool is_on_disk_;
  std::map<std::string, std::string> environment_;
};

}  // namespace cronce::test
