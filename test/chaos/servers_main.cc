// The servers of a chaos run, in a process of their own: whoever kills nodes and waits for children
// must not meet them.
//
//   chaos_servers NODES sync|async CLOCK_SHIM
//
// A PostgreSQL server and its standby, pgbouncer for every second node, and a line for each node
// and one for people. It says `address N URL` for each line (the last is the people's) and `ready`,
// then does what it is told, a line each, and ends when nobody can tell it anything any more:
//
//   line N open | cut | no_requests | no_answers | reset | forget | slow MS | batch FAULT
//   clock MS            the wall clock of the servers is wrong by so much
//   do restart MS       stops in order, and starts again so much later
//   do crash MS         the same, as after a crash
//   do hold MS          every process of the server stops where it is for so long
//   do fail-over-stopped MS, do fail-over-cut MS   the standby takes over; if it is asynchronous,
//   the
//                       last MS of the primary never came to it. A primary that is cut goes on, and
//                       nobody hears of it
//   do restore MS       back to a base backup that is so old
//
// Each `do` is answered with `done`, or with `done FROM TO`: what the server said between these
// times, in milliseconds of the kernel's clock, was forgotten.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "test/support/fault_proxy.h"
#include "test/support/pooler.h"
#include "test/support/postgres_server.h"

namespace cronce::test {
namespace {

using std::chrono::milliseconds;

constexpr int kSessions = 4;  // of the pooler
constexpr std::int64_t kNanos = 1'000'000;

std::int64_t wall_ms() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000 + now.tv_nsec / kNanos;
}

void wait_ms(int time) { std::this_thread::sleep_for(milliseconds{time}); }

/// The error of the servers' wall clock, where their user can read it.
class ServersClock {
 public:
  explicit ServersClock(const std::string& shim) : folder_(true) {
    std::filesystem::copy_file(shim, folder_.file("shim.so"));
    folder_.write("clock", std::string(sizeof(std::int64_t), '\0'));
    const int file = open(folder_.file("clock").c_str(), O_RDWR | O_CLOEXEC);
    void* page = mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    CHECK(page != MAP_FAILED);
    error_ = static_cast<std::int64_t*>(page);
  }

  std::map<std::string, std::string> environment() const {
    return {{"LD_PRELOAD", folder_.file("shim.so")}, {"CHAOS_CLOCK", folder_.file("clock")}};
  }
  void set(int error_ms) { *error_ = error_ms * kNanos; }

 private:
  ServerFolder folder_;
  std::int64_t* error_;
};

/// From when to when the server's word is forgotten.
struct Forgotten {
  std::int64_t from;
  std::int64_t to;
};

class Servers {
 public:
  Servers(int nodes, bool is_synchronous, const std::string& shim);

  void say_addresses() const;
  void set_line(std::istringstream& words);
  void set_clock(int error_ms) { clock_.set(error_ms); }
  std::optional<Forgotten> act(const std::string& what, int time);

 private:
  void restart(int time);
  void hold(int time);
  Forgotten fail_over(int lag, bool stops);
  Forgotten restore(int age);
  /// The lines lead to this one from now on, and it gets a standby.
  void lead();
  std::int64_t last_replayed() const;

  bool is_synchronous_;
  ServersClock clock_;
  std::unique_ptr<PostgresServer> primary_;
  std::unique_ptr<PostgresServer> standby_;
  std::unique_ptr<Pooler> pooler_;
  std::vector<std::unique_ptr<FaultProxy>> lines_;
};

Servers::Servers(int nodes, bool is_synchronous, const std::string& shim)
    : is_synchronous_(is_synchronous),
      clock_(shim),
      primary_(std::make_unique<PostgresServer>(PostgresServerSettings{
          .fsync = true, .max_connections = 100, .environment = clock_.environment()})) {
  for (int i = 0; i <= nodes; ++i) lines_.push_back(std::make_unique<FaultProxy>(0));
  lead();
  clock_.set(3'600'000);
  const std::string ahead = primary_->ask("SELECT extract(epoch FROM clock_timestamp())::bigint");
  clock_.set(0);
  CHECK(std::stoll(ahead) * 1'000 > wall_ms() + 3'500'000);
}

void Servers::lead() {
  auto pooler = std::make_unique<Pooler>(*primary_, kSessions);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const bool pools = i % 2 == 1 && i + 1 < lines_.size();
    lines_[i]->lead_to(pools ? pooler->port() : primary_->port());
  }
  pooler_ = std::move(pooler);
  standby_ = primary_->make_standby(is_synchronous_);
}

void Servers::say_addresses() const {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    std::cout << "address " << i << " postgresql://cronce:" << primary_->password()
              << "@127.0.0.1:" << lines_[i]->port()
              << "/postgres?sslmode=disable&gssencmode=disable\n";
  }
  std::cout << "ready\n" << std::flush;
}

void Servers::set_line(std::istringstream& words) {
  std::size_t number = 0;
  std::string state;
  words >> number >> state;
  FaultProxy& line = *lines_.at(number);
  int time = 0;
  if (state == "slow") words >> time;
  line.delay_answers(milliseconds{time});
  if (state == "open") line.was_met();  // what was planned is not
  if (state == "forget") line.forget_connections();
  if (state == "batch") {
    std::size_t fault = 0;
    words >> fault;
    line.plan(kLineFaults.at(fault), 0);
    return;
  }
  static const std::map<std::string, LineState> kStates{{"cut", LineState::cut},
                                                        {"no_requests", LineState::no_requests},
                                                        {"no_answers", LineState::no_answers},
                                                        {"reset", LineState::reset}};
  const auto found = kStates.find(state);
  line.set(found == kStates.end() ? LineState::open : found->second);
}

std::optional<Forgotten> Servers::act(const std::string& what, int time) {
  if (what == "hold") hold(time);
  if (what == "restart") primary_->stop();
  if (what == "crash") primary_->crash();
  if (what == "restart" || what == "crash") {
    wait_ms(time);
    primary_->start();
  }
  const bool stops = what == "fail-over-stopped";
  if (stops || what == "fail-over-cut") {
    const Forgotten forgotten = fail_over(time, stops);
    // Whatever it has answered came to a synchronous standby.
    return is_synchronous_ ? std::nullopt : std::optional(forgotten);
  }
  if (what == "restore") return restore(time);
  return std::nullopt;
}

void Servers::hold(int time) {
  primary_->freeze();
  wait_ms(time);
  primary_->thaw();
}

std::int64_t Servers::last_replayed() const {
  return std::stoll(primary_->ask(
      "SELECT coalesce(extract(epoch FROM pg_last_xact_replay_timestamp()) * 1000, 0)::bigint"));
}

Forgotten Servers::fail_over(int lag, bool stops) {
  if (!is_synchronous_) {
    standby_->ask("ALTER SYSTEM SET primary_conninfo = 'host=/nowhere'");
    standby_->ask("SELECT pg_reload_conf()");
    wait_ms(lag);
  }
  if (stops) {
    primary_->crash();
  } else {
    primary_->freeze();
  }
  const std::int64_t end = wall_ms();
  standby_->promote();
  const std::unique_ptr<PostgresServer> old = std::exchange(primary_, std::move(standby_));
  const std::int64_t begin = last_replayed();
  lead();
  if (stops) return {begin, end};
  // Cut off from everybody it does what it was asked for before, and nobody hears of it.
  old->thaw();
  old->crash();
  return {begin, end};
}

Forgotten Servers::restore(int age) {
  const std::int64_t begin = wall_ms();
  std::unique_ptr<PostgresServer> backup = primary_->make_backup();
  wait_ms(age);
  primary_->crash();
  const std::int64_t end = wall_ms();
  standby_.reset();
  primary_ = std::move(backup);
  primary_->start();
  lead();
  return {begin, end};
}

int serve(int nodes, bool is_synchronous, const std::string& shim) {
  Servers servers(nodes, is_synchronous, shim);
  servers.say_addresses();
  std::thread worker;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string first, what;
    int time = 0;
    words >> first;
    if (first == "line") servers.set_line(words);
    if (first == "clock" && words >> time) servers.set_clock(time);
    if (first != "do" || !(words >> what >> time)) continue;
    if (worker.joinable()) worker.join();  // whoever tells us has heard that it is done
    worker = std::thread([&servers, what, time] {
      const auto forgotten = servers.act(what, time);
      std::cout << "done";
      if (forgotten) std::cout << " " << forgotten->from << " " << forgotten->to;
      std::cout << "\n" << std::flush;
    });
  }
  if (worker.joinable()) worker.join();
  return 0;
}

}  // namespace
}  // namespace cronce::test

int main(int argc, char** argv) {
  if (argc != 4) return 64;
  return cronce::test::serve(std::atoi(argv[1]), std::string_view(argv[2]) == "sync", argv[3]);
}
