#include "test/support/postgres_server.h"

#include <signal.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/check.h"

namespace cronce::test {
namespace {

constexpr const char* kPidFile = "data/postmaster.pid";

std::string find_programs() {
  if (const char* named = std::getenv("CRONCE_POSTGRES_BIN")) return named;
  int newest = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", none)) {
    if (!std::filesystem::exists(entry.path() / "bin/initdb")) continue;
    newest = std::max(newest, std::atoi(entry.path().filename().c_str()));
  }
  CHECK(newest > 0);
  return "/usr/lib/postgresql/" + std::to_string(newest) + "/bin";
}

std::vector<pid_t> children_of(pid_t parent) {
  const std::string id = std::to_string(parent);
  std::ifstream file("/proc/" + id + "/task/" + id + "/children");
  std::vector<pid_t> all;
  for (pid_t one = 0; file >> one;) all.push_back(one);
  return all;
}

/// Some packages have the server alone.
std::string find_psql(const std::string& programs) {
  const std::string own = programs + "/psql";
  return std::filesystem::exists(own) ? own : "psql";
}

std::string conf_line(const std::string& key, const std::string& value) {
  return key + " = '" + value + "'\n";
}

}  // namespace

PostgresServer::PostgresServer(const PostgresServerSettings& settings)
    : folder_(settings.fsync),
      bin_(find_programs()),
      port_(free_port()),
      is_on_disk_(settings.fsync),
      environment_(settings.environment) {
  folder_.write("password", password());
  CHECK(folder_.run(bin_ + "/initdb -D data -U cronce -E UTF8 --locale=C -N --wal-segsize=4"
                           " --auth-local=trust --auth-host=scram-sha-256 --pwfile=password"));
  std::ofstream conf(folder_.file("data/postgresql.conf"), std::ios::app);
  conf << conf_line("listen_addresses", "127.0.0.1") << conf_line("shared_buffers", "16MB")
       << conf_line("dynamic_shared_memory_type", "mmap")  // goes with the folder
       << conf_line("fsync", settings.fsync ? "on" : "off")
       << conf_line("max_connections", std::to_string(settings.max_connections));
  for (const auto& [key, value] : settings.more) conf << conf_line(key, value);
  conf.close();
  start();
}

PostgresServer::PostgresServer(const CopyOf& of, const std::string& flags)
    : folder_(of.primary->is_on_disk_),
      bin_(of.primary->bin_),
      port_(free_port()),
      is_on_disk_(of.primary->is_on_disk_),
      environment_(of.primary->environment_) {
  CHECK(folder_.run(bin_ + "/pg_basebackup -D data " + flags + " -X stream -c fast -d '" +
                    of.primary->socket_conninfo() + " application_name=standby'"));
  std::ofstream(folder_.file("data/postgresql.conf"), std::ios::app)
      << conf_line("synchronous_standby_names", "");
}

std::string PostgresServer::conninfo() const {
  return "postgresql://cronce:" + password() + "@127.0.0.1:" + std::to_string(port_) + "/postgres";
}

std::string PostgresServer::socket_conninfo() const {
  return "host=" + folder_.path() + " port=" + std::to_string(port_) +
         " user=cronce dbname=postgres";
}

void PostgresServer::control(const std::string& action, const std::string& with) const {
  const bool is_done = folder_.run(with + bin_ + "/pg_ctl -D data -s -w -t 60 " + action);
  if (!is_done) std::fprintf(stderr, "%s\n", log().c_str());
  CHECK(is_done);
}

void PostgresServer::stop() { control("-m fast stop"); }

void PostgresServer::crash() { control("-m immediate stop"); }

void PostgresServer::start() {
  std::string with = "env ";
  for (const auto& [name, value] : environment_)
    with.append(name).append("=").append(value).append(" ");
  control("-l server.log -o '-p " + std::to_string(port_) + " -k " + folder_.path() + "' start",
          with);
}

void PostgresServer::promote() { control("promote"); }

void PostgresServer::demote() {
  stop();
  folder_.write("data/standby.signal", "");
  start();
}

void PostgresServer::cut_off() const {
  ask("ALTER SYSTEM SET primary_conninfo = ''");
  control("reload");
  CHECK(comes_true([&] { return ask("SELECT count(*) FROM pg_stat_wal_receiver") == "0"; }));
}

void PostgresServer::back_up() {
  stop();
  CHECK(folder_.run("cp -a data backup"));
  start();
}

void PostgresServer::restore() {
  kill();
  CHECK(folder_.run("rm -r data") && folder_.run("cp -a backup data"));
  start();
}

void PostgresServer::freeze() { signal(SIGSTOP); }

void PostgresServer::thaw() { signal(SIGCONT); }

void PostgresServer::kill() {
  const std::vector<pid_t> all = signal(SIGKILL);
  CHECK(comes_true([&] { return std::none_of(all.begin(), all.end(), is_alive); }));
  remove_leftovers();
}

std::vector<pid_t> PostgresServer::signal(int number) const {
  const pid_t server = folder_.read_pid(kPidFile);
  CHECK(server > 0 && ::kill(server, SIGSTOP) == 0);  // it makes no more of them
  std::vector<pid_t> all = children_of(server);
  all.push_back(server);
  for (const pid_t one : all) ::kill(one, number);
  return all;
}

/// The lock files name a process that may be a zombie for long, which the next server would take
/// for one that lives; and the kernel keeps the shared memory if no server follows.
void PostgresServer::remove_leftovers() const {
  std::ifstream file(folder_.file(kPidFile));
  std::string line;
  for (int number = 0; number < 7; ++number) std::getline(file, line);
  int memory = -1;
  CHECK(std::sscanf(line.c_str(), "%*u %d", &memory) == 1 &&
        shmctl(memory, IPC_RMID, nullptr) == 0);
  std::filesystem::remove(folder_.file(kPidFile));
  std::filesystem::remove(folder_.file(".s.PGSQL." + std::to_string(port_) + ".lock"));
}

void PostgresServer::set(const std::string& key, const std::string& value) {
  std::ofstream(folder_.file("data/postgresql.conf"), std::ios::app) << conf_line(key, value);
  control("reload");
}

void PostgresServer::use_tls() {
  CHECK(
      folder_.run("openssl req -new -x509 -nodes -days 2 -subj /CN=localhost "
                  "-keyout data/server.key -out data/server.crt"));
  set("ssl", "on");
}

std::string PostgresServer::ask(const std::string& sql) const {
  folder_.write("question", sql);
  CHECK(folder_.run(find_psql(bin_) + " -X -A -t -q -v ON_ERROR_STOP=1 -f question -o answer '" +
                    socket_conninfo() + "'"));
  std::string answer = folder_.read("answer");
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  return answer;
}

std::unique_ptr<PostgresServer> PostgresServer::make_standby(bool is_synchronous) {
  std::unique_ptr<PostgresServer> made(new PostgresServer(CopyOf{this}, "-R"));
  made->start();
  if (is_synchronous) set("synchronous_standby_names", "standby");
  const std::string wanted = is_synchronous ? "streaming sync" : "streaming async";
  CHECK(comes_true(
      [&] { return ask("SELECT state || ' ' || sync_state FROM pg_stat_replication") == wanted; }));
  return made;
}

std::unique_ptr<PostgresServer> PostgresServer::make_backup() const {
  return std::unique_ptr<PostgresServer>(new PostgresServer(CopyOf{this}, ""));
}

}  // namespace cronce::test
