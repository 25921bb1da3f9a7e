// Usage: bench_failover PROGRAM ACTOR TRIES [claims|killed|leaves]
// How late a slot starts when its home node is killed, or told to leave, just before it; and how
// long after the slot 100 commands a second are claimed. Measured by the commands' own clock
// readings and the ledger, never asserted.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "test/chaos/evidence.h"
#include "test/chaos/processes.h"

namespace cronce::chaos {
namespace {

constexpr int kNodes = 3;
constexpr Millis kInterval = 2'000;
/// How long before the slot: long enough to be sure that it is before.
constexpr Millis kBefore = 50;

Millis wall_now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<Millis>(now.tv_sec) * 1'000 + now.tv_nsec / 1'000'000;
}

void sleep_until(Millis time) {
  for (Millis left = 0; (left = time - wall_now()) > 0;)
    usleep(static_cast<useconds_t>(left) * 1'000);
}

void wait_until(const char* what, const std::function<bool()>& happened) {
  const Millis end = wall_now() + 60'000;
  while (!happened()) {
    if (wall_now() > end) {
      fmt::print(stderr, "bench_failover: {} did not happen\n", what);
      std::exit(70);
    }
    usleep(20'000);
  }
}

void print_row(const char* what, std::vector<Millis> late) {
  std::sort(late.begin(), late.end());
  const auto at = [&](double part) {
    return late.at(static_cast<std::size_t>(std::ceil(part * static_cast<double>(late.size()))) -
                   1);
  };
  fmt::print("{:44} p50 {:5} ms   p99 {:5} ms   most {:5} ms   of {}\n", what, at(0.5), at(0.99),
             late.back(), late.size());
}

/// Nodes on a store of their own.
class Bench {
 public:
  Bench(std::string program, std::string actor)
      : program_(std::move(program)), actor_(std::move(actor)) {
    folder_ = (std::filesystem::temp_directory_path() / "cronce-failover-XXXXXX").string();
    if (mkdtemp(folder_.data()) == nullptr) std::exit(70);
    for (const char* name : {"/locks", "/store"}) std::filesystem::create_directory(folder_ + name);
    write_file(folder_ + "/witness", "");
  }
  ~Bench() {
    for (const auto& [name, pid] : nodes_) {
      end(name, SIGKILL);
      wait_for(name);
    }
    std::filesystem::remove_all(folder_);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void write_jobs(const std::string& text) const { write_file(folder_ + "/jobs.yaml", text); }
  std::string tick() const {
    return fmt::format(
        "jobs:\n  tick:\n    schedule: {{ every: {}ms }}\n"
        "    run: [\"{}\", \"{}\", plain, \"0\", succeeds]\n",
        kInterval, actor_, folder_);
  }

  void start(const std::string& name) {
    const std::string log = fmt::format("{}/log-{}-{}", folder_, name, ++lives_);
    nodes_[name] = spawn({program_, "run", "--node", name, "--store", store(), "--state",
                          folder_ + "/state", folder_ + "/jobs.yaml"},
                         {}, log);
    wait_until("ready", [&] { return read_file(log).find("ready") != std::string::npos; });
  }

  /// With KILL all its processes at one moment: a machine that is gone.
  void end(const std::string& name, int signal) {
    const pid_t pid = nodes_.at(name);
    if (signal == SIGKILL) {
      for (const Process& one : below(pid)) kill(one.pid, SIGKILL);
    }
    kill(pid, signal);
  }
  void wait_for(const std::string& name) const { waitpid(nodes_.at(name), nullptr, 0); }

  /// Who decides this slot, as `why` says.
  std::string home_of(Millis slot) const {
    const auto text = ask({"why", "tick", print_time(slot), "--json"});
    const auto& home = boost::json::parse(text).at("home");
    return home.is_string() ? std::string(home.as_string()) : "";
  }

  Millis start_of(Millis slot) const {
    Millis at = 0;
    wait_until("a start", [&] {
      std::vector<std::string> trouble;
      for (const WitnessLine& line : read_witness(read_file(folder_ + "/witness"), trouble)) {
        if (line.what == "begin" && line.slot == slot) at = line.at;
      }
      return at != 0;
    });
    return at;
  }

  std::string ask(std::vector<std::string> words) const {
    words.insert(words.begin(), program_);
    words.insert(words.end(), {"--store", store()});
    return chaos::run(words).text;
  }

 private:
  std::string store() const { return "sqlite:" + folder_ + "/store/cronce.db"; }

  std::string program_;
  std::string actor_;
  std::string folder_;
  std::map<std::string, pid_t> nodes_;
  int lives_ = 0;
};

void time_loss(Bench& bench, int tries, int signal, const char* what) {
  bench.write_jobs(bench.tick());
  for (int i = 0; i < kNodes; ++i) bench.start(fmt::format("n{}", i));
  std::vector<Millis> late;
  Millis latest = 0;
  while (late.size() < static_cast<std::size_t>(tries)) {
    const Millis slot = (wall_now() / kInterval + 2) * kInterval;
    sleep_until(slot - kInterval / 2);
    const std::string home = bench.home_of(slot);
    if (home.empty() || wall_now() > slot - kBefore) continue;
    sleep_until(slot - kBefore);
    bench.end(home, signal);
    late.push_back(bench.start_of(slot) - slot);
    if (late.back() >= *std::max_element(late.begin(), late.end())) latest = slot;
    bench.wait_for(home);
    bench.start(home);
  }
  print_row(what, late);
  fmt::print("the latest of them:\n{}", bench.ask({"why", "tick", print_time(latest)}));
}

void time_claims(Bench& bench, int seconds) {
  static constexpr int kJobs = 100;
  static constexpr Millis kWarm = 5'000;
  std::string text = "jobs:\n";
  for (int i = 0; i < kJobs; ++i) {
    text += fmt::format("  j{}:\n    schedule: {{ every: 1s }}\n    run: [\"true\"]\n", i);
  }
  bench.write_jobs(text);
  bench.start("n0");
  const Millis from = wall_now() + kWarm;
  sleep_until(from + seconds * 1'000);
  std::vector<Millis> claims, starts;
  const auto lines = bench.ask({"history", "--json", "--limit", "100000"});
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    const auto record = boost::json::parse(line).as_object();
    if (!record.at("started_at").is_string()) continue;
    const Millis slot = *read_time(std::string(record.at("slot").as_string()));
    if (slot < from) continue;
    claims.push_back(*read_time(std::string(record.at("claimed_at").as_string())) - slot);
    starts.push_back(*read_time(std::string(record.at("started_at").as_string())) - slot);
  }
  print_row("100 commands each second: claim after slot", claims);
  print_row("100 commands each second: start after slot", starts);
}

}  // namespace
}  // namespace cronce::chaos

int main(int argc, char** argv) {
  using namespace cronce::chaos;
  if (argc < 4) return 64;
  setvbuf(stdout, nullptr, _IOLBF, 0);
  const int tries = std::atoi(argv[3]);
  const std::string only = argc > 4 ? argv[4] : "";
  const auto wanted = [&](const char* part) { return only.empty() || only == part; };
  if (wanted("claims")) {
    Bench bench(argv[1], argv[2]);
    time_claims(bench, 30);
  }
  if (wanted("killed")) {
    Bench bench(argv[1], argv[2]);
    time_loss(bench, tries, SIGKILL, "home killed 50 ms before the slot");
  }
  if (wanted("leaves")) {
    Bench bench(argv[1], argv[2]);
    time_loss(bench, tries, SIGTERM, "home told to leave 50 ms before the slot");
  }
}
