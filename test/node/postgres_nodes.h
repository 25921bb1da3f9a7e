// Nodes on a PostgreSQL server, each on a line of its own that can be cut, and with a state folder
// of its own, as on another host.
//
// A test is named by the failure that it shows: docs/guarantees.md has the list. The judge is the
// witness, as of all tests of nodes; the ledger must then say the same.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "test/node/world.h"
#include "test/support/fault_proxy.h"
#include "test/support/postgres_server.h"

namespace cronce::test {

class NodesOnPostgres : public testing::Test {
 protected:
  /// In a namespace of the test's name, on a server that all tests share: they leave it running.
  NodesOnPostgres();

  static PostgresServer& shared_server();
  /// From now on nodes and commands use this one, which lives longer.
  void use(const PostgresServer& server);
  /// As a client names it, by this port.
  std::string address(int port) const;
  PostgresServer& server() { return *server_; }

  /// A job with a slot each second; `keys` are lines of its definition.
  std::string job(const std::string& name, const std::string& command,
                  const std::vector<std::string>& keys = {}) const;
  /// A job that misses no slot.
  std::string steady_job(const std::string& name) const;
  /// A command that goes on for ever, and tells the witness that it does.
  std::string ticking() const;
  void write_jobs(const std::string& jobs, const std::string& file = "jobs.yaml") const;

  /// With jobs.yaml, over a line of its own.
  NodeProcess& start(const std::string& name, const std::vector<std::string>& flags = {},
                     const std::map<std::string, std::string>& environment = {});
  NodeProcess& start_with(const std::string& name, const std::vector<std::string>& arguments,
                          const std::map<std::string, std::string>& environment = {});
  NodeProcess& node(const std::string& name) { return *nodes_.at(name); }
  FaultProxy& line(const std::string& name);
  /// TERM to these, and their end.
  void leave(const std::vector<std::string>& names);

  // What the witness has seen.

  std::vector<Start> starts_of(const std::string& job) const;
  bool sees_start(const std::string& job, const std::string& node) const;
  /// So many more than there are.
  bool sees_more(std::size_t starts) const;
  std::set<Time> slots_of(const std::string& job) const;
  /// The node that started it last.
  std::string last_node(const std::string& job) const;
  std::size_t ticks() const;

  /// The first column of a query of cronce.ledger for this namespace; `where` is what else holds.
  std::string ask_ledger(const std::string& what, const std::string& where = "true") const;

  // What must hold.

  /// Whatever the attempt: no slot was started a second time.
  void expect_each_slot_once() const;
  /// Every second from its first start to its last.
  bool has_no_gaps(const std::string& job) const;
  /// Nothing ticked after a later run of its job had started.
  void expect_no_overlap() const;
  /// `cronce verify` and the fences say so too.
  void expect_clean();

 private:
  std::map<std::string, std::unique_ptr<FaultProxy>> lines_;
  PostgresServer* server_;

 protected:
  World world_;  // gone before the lines are

 private:
  std::map<std::string, NodeProcess*> nodes_;
};

/// How often a text contains another.
std::size_t times_in(const std::string& text, const std::string& part);

}  // namespace cronce::test
