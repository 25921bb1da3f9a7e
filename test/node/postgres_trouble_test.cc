// A PostgreSQL server that cannot be used: one clear line, the right exit code, and work again as
// soon as it can be.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "test/node/postgres_nodes.h"

namespace cronce::test {
namespace {

class PostgresTrouble : public NodesOnPostgres {
 protected:
  PostgresTrouble() { use(own_); }

  /// What a node says while it waits, or before it ends, without the time; PORT stands for ours.
  std::vector<std::string> troubles(const std::string& log) const {
    std::vector<std::string> found;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      for (const char* word : {" warning ", " error "}) {
        const std::size_t at = line.find(word);
        if (at != std::string::npos) line = line.substr(at + 1);
      }
      if (!line.starts_with("warning ") && !line.starts_with("error ") &&
          !line.starts_with("cronce: "))
        continue;
      const std::string port = std::to_string(own_.port());
      const std::size_t at = line.find(port);
      if (at != std::string::npos) line.replace(at, port.size(), "PORT");
      found.push_back(line);
    }
    return found;
  }

  NodeProcess& start_direct(const std::vector<std::string>& flags = {}) {
    std::string jobs = steady_job("job");
    for (int i = 1; i < jobs_; ++i) jobs += steady_job(fmt::format("job-{}", i));
    write_jobs(jobs);
    std::vector<std::string> arguments{world_.path("jobs.yaml"), "--drain", "1s"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    world_.state = world_.path("state-a");
    return world_.start("a", arguments);
  }

  /// A node that waits for nobody, and a command that reads, say this and nothing else.
  void expect_refusal(int exit_code, const std::string& words) {
    NodeProcess& node = start_direct({"--store-wait", "0s"});
    EXPECT_EQ(node.end(), exit_code);
    EXPECT_EQ(troubles(node.log()), std::vector<std::string>{"cronce: run: " + words});
    EXPECT_EQ(times_in(node.log(), "\n"), 1U) << node.log();
    const World::Said read = world_.command({"jobs"});
    EXPECT_EQ(read.exit_code, exit_code) << read.text;
    EXPECT_EQ(times_in(read.text, "\n"), 1U) << read.text;
    EXPECT_EQ(read.text.find(own_.password()), std::string::npos);
  }

  /// It waits with one line, and works when the server can be used.
  void expect_wait(const std::string& words, const std::function<void()>& mend) {
    NodeProcess& node = start_direct();
    EXPECT_TRUE(node.says("waiting for the store: "));
    mend();
    EXPECT_TRUE(sees_more(2));
    EXPECT_EQ(troubles(node.log()),
              std::vector<std::string>{"warning waiting for the store: " + words});
    expect_end(node);
  }

  /// Whatever was missed meanwhile was made up for.
  void expect_end(NodeProcess& node) {
    EXPECT_TRUE(wait_until([&] { return has_no_gaps("job"); }));
    node.send(SIGTERM);
    EXPECT_EQ(node.end(), 0);
    expect_each_slot_once();
    expect_clean();
  }

  /// Under a node that runs: it says this once, starts nothing, and goes on by itself.
  void expect_outage(const std::function<void()>& harm, const std::string& words,
                     const std::function<void()>& mend) {
    NodeProcess& node = start_direct();
    ASSERT_TRUE(sees_more(2));
    harm();
    EXPECT_TRUE(node.says("the store failed: " + words));
    EXPECT_TRUE(node.says("the store does not answer: nothing is started"));
    EXPECT_EQ(times_in(node.log(), words), 1U);
    mend();
    EXPECT_TRUE(node.says("the store answers again"));
    EXPECT_TRUE(sees_more(3));
    EXPECT_EQ(node.log().find(own_.password()), std::string::npos);
    expect_end(node);
  }

  void set_password(const std::string& password) {
    own_.ask(fmt::format("ALTER ROLE cronce PASSWORD '{}'", password));
    own_.ask(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE client_addr IS NOT NULL");
  }

  /// Only with TLS, or only without.
  void set_access(const std::string& type) {
    std::ofstream(own_.folder() + "/data/pg_hba.conf")
        << "local all all trust\n"
        << type << " all all 127.0.0.1/32 scram-sha-256\n";
    own_.set("log_connections", "on");
    own_.ask(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE client_addr IS NOT NULL");
  }

  PostgresServer own_{{.fsync = true}};
  int jobs_ = 1;
};

// ---- away

constexpr const char* kRefused =
    "connection to server at \"127.0.0.1\", port PORT failed: Connection refused: is the server "
    "running, and is this its address?";

TEST_F(PostgresTrouble, it_is_down_at_the_start) {
  own_.stop();
  expect_refusal(69, kRefused);
  expect_wait(kRefused, [&] { own_.start(); });
}

TEST_F(PostgresTrouble, it_goes_away_and_comes_back) {
  expect_outage([&] { own_.crash(); },
                fmt::format("connection to server at \"127.0.0.1\", port {} failed: Connection "
                            "refused: is the server running, and is this its address?",
                            own_.port()),
                [&] { own_.start(); });
}

// ---- not for us

constexpr const char* kPassword =
    "connection to server at \"127.0.0.1\", port PORT failed: password authentication failed for "
    "user \"cronce\": check the user, and the password in PGPASSWORD or ~/.pgpass";

TEST_F(PostgresTrouble, it_wants_another_password) {
  set_password("another");
  expect_refusal(77, kPassword);
}

TEST_F(PostgresTrouble, it_wants_another_password_from_now_on) {
  expect_outage([&] { set_password("another"); },
                fmt::format("connection to server at \"127.0.0.1\", port {} failed: password "
                            "authentication failed for user \"cronce\": check the user, and the "
                            "password in PGPASSWORD or ~/.pgpass",
                            own_.port()),
                [&] { set_password(own_.password()); });
}

TEST_F(PostgresTrouble, it_has_no_tls_and_we_want_it) {
  world_.store += "?sslmode=require";
  expect_refusal(77,
                 "connection to server at \"127.0.0.1\", port PORT failed: server does not support "
                 "SSL, but SSL was required: turn TLS on at the server, or ask for less by "
                 "sslmode");
  own_.use_tls();
  NodeProcess& node = start_direct();
  EXPECT_TRUE(sees_more(1));
  expect_end(node);
}

TEST_F(PostgresTrouble, it_wants_tls_and_we_have_none) {
  own_.use_tls();
  set_access("hostssl");
  const std::string any = world_.store;
  world_.store += "?sslmode=disable";
  expect_refusal(
      77,
      "connection to server at \"127.0.0.1\", port PORT failed: no pg_hba.conf entry for "
      "host \"127.0.0.1\", user \"cronce\", database \"postgres\", no encryption: the "
      "roles and pg_hba.conf of the server say who may connect");
  world_.store = any;
  NodeProcess& node = start_direct();
  EXPECT_TRUE(sees_more(1));
  expect_end(node);
}

TEST_F(PostgresTrouble, it_wants_tls_from_now_on) {
  own_.use_tls();
  world_.store += "?sslmode=disable";
  expect_outage([&] { set_access("hostssl"); },
                fmt::format("connection to server at \"127.0.0.1\", port {} failed: no pg_hba.conf "
                            "entry for host \"127.0.0.1\", user \"cronce\", database \"postgres\", "
                            "no encryption: the roles and pg_hba.conf of the server say who may "
                            "connect",
                            own_.port()),
                [&] { set_access("host"); });
}

// ---- it cannot write

TEST_F(PostgresTrouble, it_is_read_only_at_the_start) {
  const std::string words =
      "cannot execute CREATE SCHEMA in a read-only transaction: a standby, or set to read-only: "
      "name the primary, or several hosts and target_session_attrs=read-write";
  own_.set("default_transaction_read_only", "on");
  NodeProcess& refused = start_direct({"--store-wait", "0s"});
  EXPECT_EQ(refused.end(), 69);
  EXPECT_EQ(troubles(refused.log()), std::vector<std::string>{"cronce: run: " + words});
  expect_wait(words, [&] { own_.set("default_transaction_read_only", "off"); });
}

// That is a default, and each of our transactions says what it is for.
TEST_F(PostgresTrouble, it_is_read_only_by_default_from_now_on_which_harms_nobody_who_works) {
  NodeProcess& node = start_direct();
  ASSERT_TRUE(sees_more(1));
  own_.set("default_transaction_read_only", "on");
  EXPECT_TRUE(sees_more(4));
  EXPECT_EQ(troubles(node.log()), std::vector<std::string>{});
  own_.set("default_transaction_read_only", "off");
  expect_end(node);
}

/// The room for a database that is about to be full.
class SmallDisk {
 public:
  /// For whom the folder around it belongs to.
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    std::filesystem::create_directory(path_);
    is_mounted_ = mount("none", path_.c_str(), "tmpfs", 0, "size=24m,mode=777") == 0;
    std::filesystem::create_directory(space());
    struct stat around{};
    const bool is_given = stat(path_.substr(0, path_.rfind('/')).c_str(), &around) == 0 &&
                          chown(space().c_str(), around.st_uid, around.st_gid) == 0;
    is_mounted_ = is_mounted_ && is_given;
  }
  ~SmallDisk() {
    if (is_mounted_) umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool is_mounted() const { return is_mounted_; }
  std::string space() const { return path_ + "/space"; }
  void fill() const {
    std::ofstream file(path_ + "/other", std::ios::binary);
    const std::string block(4'096, 'x');
    while (file.write(block.data(), 4'096).flush()) {
    }
  }
  void make_room() const { std::filesystem::remove(path_ + "/other"); }

 private:
  std::string path_;
  bool is_mounted_ = false;
};

TEST_F(PostgresTrouble, its_disk_is_full) {
  const SmallDisk disk(own_.folder() + "/small");
  if (geteuid() != 0)
    GTEST_SKIP() << "NOT TESTED: a full disk of the server, which only root can make";
  ASSERT_TRUE(disk.is_mounted());
  own_.ask(fmt::format("CREATE TABLESPACE small LOCATION '{}'", disk.space()));
  own_.ask("CREATE DATABASE small TABLESPACE small");
  world_.store =
      fmt::format("postgresql://cronce:{}@127.0.0.1:{}/small", own_.password(), own_.port());
  jobs_ = 20;
  const std::string words = "No space left on device: the disk of the server is full";
  EXPECT_EQ(world_.command({"jobs"}).exit_code, 69);  // whoever comes first writes a file
  disk.fill();
  NodeProcess& refused = start_direct({"--store-wait", "0s"});
  EXPECT_EQ(refused.end(), 69);
  EXPECT_EQ(times_in(refused.log(), "\n"), 1U) << refused.log();
  EXPECT_NE(refused.log().find(words), std::string::npos) << refused.log();
  disk.make_room();
  NodeProcess& node = start_direct();
  ASSERT_TRUE(sees_more(20));
  disk.fill();
  EXPECT_TRUE(node.says(words));
  EXPECT_TRUE(node.says("the store does not answer: nothing is started"));
  disk.make_room();
  EXPECT_TRUE(node.says("the store answers again"));
  EXPECT_TRUE(sees_more(40));
  expect_end(node);
}

}  // namespace
}  // namespace cronce::test
