// Chaos: five real nodes on one store, fifty jobs, and a fault every second.
//
//   chaos [--store sqlite|postgres] [--nodes N] [--seed N] [--seconds S] [--faults N]
//         [--commands N] [--only KIND | --episode N] [--all-failpoints] [--keep] [--record FILE]
//         [--naive | --program FILE] [--expect RULE]
//
// The same seed draws the same faults. Ends with 0 if the judge has nothing to object to; with
// --expect, if he has objected by this rule. --naive is a scheduler that locks, runs and unlocks.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "test/chaos/cluster.h"
#include "test/chaos/judge.h"
#include "test/chaos/options.h"
#include "test/chaos/person.h"
#include "test/chaos/reader.h"

namespace cronce::chaos {
namespace {

namespace fs = std::filesystem;

constexpr int kTickUs = 10'000;
constexpr int kPatienceMs = 300'000;
constexpr int kFaultWaitsMs = 5'000;

std::string make_folder(const char* parent) {
  std::string path = fmt::format("{}/cronce-chaos-XXXXXX", parent);
  if (mkdtemp(path.data()) == nullptr) std::perror(path.c_str());
  return path;
}

std::vector<JobSpec> everybody() {
  std::vector<JobSpec> jobs = all_jobs();
  for (JobSpec& guest : guest_jobs()) jobs.push_back(std::move(guest));
  return jobs;
}

/// One run, from empty folders to a verdict.
class Chaos {
 public:
  explicit Chaos(const Options& options);
  ~Chaos();
  Chaos(const Chaos&) = delete;
  Chaos& operator=(const Chaos&) = delete;

  int run();

 private:
  std::unique_ptr<Servers> make_servers() const;
  Site make_site() const;
  void prepare();
  bool wait_for(const char* what, const std::function<bool()>& happened);
  bool begin();
  void inflict();
  void record(const Fault& fault) const;
  void visit_failpoints();
  void calm_down();
  void put_back();
  void gather();
  int verdict();
  void print_counts() const;
  void print_lateness() const;

  Options options_;
  std::unique_ptr<Servers> servers_;
  Site site_;
  Cluster cluster_;
  Reader reader_;
  Person person_;
  Evidence evidence_;
  std::vector<Violation> violations_;
};

Chaos::Chaos(const Options& options)
    : options_(options),
      servers_(make_servers()),
      site_(make_site()),
      cluster_(site_, servers_.get(), options.scope.nodes, options.scope.seed),
      reader_(site_.program, site_.store()),
      person_(site_, everybody(), options.scope.seed, options.scope.seconds, options.commands) {
  evidence_.jobs = options.naive ? all_jobs() : everybody();
  cluster_.on_end_of_others([this](pid_t pid, int status) { person_.ended(pid, status); });
  cluster_.on_deploy([this](std::size_t host) {
    if (host == 0) person_.begin_deploy();
    person_.deploy_to(host);
  });
}

Chaos::~Chaos() {
  if (options_.keep) {
    fmt::print("kept: {} {}\n", site_.folder, site_.witness);
    return;
  }
  std::error_code failed;
  fs::remove_all(site_.folder, failed);
  fs::remove_all(site_.witness, failed);
}

/// Half of the runs have a synchronous standby.
std::unique_ptr<Servers> Chaos::make_servers() const {
  if (!options_.scope.servers) return nullptr;
  return std::make_unique<Servers>(CHAOS_SERVERS, options_.scope.nodes,
                                   options_.scope.seed / 3 % 2 == 0, CHAOS_CLOCK_SHIM);
}

Site Chaos::make_site() const {
  return {.folder = make_folder(fs::temp_directory_path().c_str()),
          .witness = make_folder("/dev/shm"),
          .program = options_.program,
          .failing_program = options_.failing_program,
          .actor = CHAOS_ACTOR,
          .clock_shim = CHAOS_CLOCK_SHIM,
          .addresses = servers_ ? servers_->addresses() : std::vector<std::string>{}};
}

void Chaos::prepare() {
  fs::create_directory(site_.folder + "/store");
  for (std::size_t host = 0; host < site_.hosts(); ++host) {
    fs::create_directories(site_.state(host));
  }
  fs::create_directory(site_.witness + "/locks");
  write_file(site_.witness + "/witness", "");
  write_file(site_.jobs(), as_yaml(all_jobs(), site_.actor, site_.witness));
  write_file(site_.jobs() + ".table", as_table(all_jobs(), site_.actor, site_.witness));
  person_.write_guests();
  struct stat store{}, witness{};
  stat(site_.folder.c_str(), &store);
  stat(site_.witness.c_str(), &witness);
  if (store.st_dev == witness.st_dev) {
    fmt::print(
        "ATTENTION: the witness is on the file system of the store; one that forgets may "
        "take the witness with it\n");
  }
}

bool Chaos::wait_for(const char* what, const std::function<bool()>& happened) {
  const int end = now_ms() + kPatienceMs;
  while (!happened()) {
    if (now_ms() > end) {
      violations_.push_back({Rule::harness, fmt::format("{} did not happen", what)});
      return false;
    }
    cluster_.tick();
    usleep(kTickUs);
  }
  return true;
}

/// Slots count from when every job is known, also by a clock that is a little ahead.
bool Chaos::begin() {
  cluster_.start_all();
  const bool known = options_.naive || wait_for("the first start", [&] {
                       const bool there = site_.has_servers() || fs::exists(site_.file());
                       return there && reader_.jobs().size() == evidence_.jobs.size();
                     });
  reader_.forget_troubles();
  evidence_.from = wall_ms() + 1'000;
  return known;
}

void Chaos::inflict() {
  const int start = now_ms();
  std::deque<Fault> waiting;
  for (const Fault& fault : draw_faults(options_.scope)) waiting.push_back(fault);
  while (!waiting.empty()) {
    const int now = now_ms() - start;
    // What cannot be done for so long is not waited for, and keeps nothing else waiting.
    std::erase_if(waiting, [&](const Fault& fault) {
      if (now < fault.at_ms) return false;
      const bool done = cluster_.apply(fault);
      if (done) record(fault);
      return done || now > fault.at_ms + kFaultWaitsMs;
    });
    person_.tick(now);
    cluster_.tick();
    usleep(kTickUs);
  }
  while (now_ms() - start < options_.scope.seconds * 1'000) {
    person_.tick(now_ms() - start);
    cluster_.tick();
    usleep(kTickUs);
  }
}

void Chaos::record(const Fault& fault) const {
  if (options_.record.empty()) return;
  std::ofstream(options_.record, std::ios::app)
      << fmt::format(R"({{"seed":{},"episode":{},"kind":"{}","at":"{}"}})"
                     "\n",
                     options_.scope.seed, fault.number, name_of(fault.kind), print_time(wall_ms()));
}

/// One after the other on each node, until none is left that nobody has come to.
void Chaos::visit_failpoints() {
  wait_for("a visit to every failpoint", [&] {
    cluster_.visit_more();
    return cluster_.unvisited().empty();
  });
}

void Chaos::calm_down() {
  cluster_.calm();
  person_.stop();
  wait_for("calm", [&] { return cluster_.is_calm() && person_.is_idle(); });
  if (!options_.naive) put_back();
  if (servers_) evidence_.forgotten = servers_->forgotten();
  evidence_.to = wall_ms();
  if (!options_.naive) {
    int next = 0;
    wait_for("an end of every slot", [&] {
      if (now_ms() < next) return false;
      next = now_ms() + 1'000;
      evidence_.records = reader_.history();
      evidence_.acts = person_.acts();
      if (person_.is_idle()) person_.release(evidence_.records);
      return person_.is_idle() && find_missing(evidence_).empty();
    });
  }
  cluster_.leave();
  wait_for("the end of every node", [&] { return cluster_.has_left(); });
}

/// Nothing is paused, and every job is in a file.
void Chaos::put_back() {
  person_.make_good();
  wait_for("the end of every pause", [&] { return person_.is_idle(); });
  int next = 0;
  wait_for("the return of every job", [&] {
    if (now_ms() < next) return false;
    next = now_ms() + 500;
    return reader_.jobs().size() == evidence_.jobs.size();
  });
}

void Chaos::gather() {
  static constexpr std::size_t kStories = 20;
  std::vector<std::string> troubles;
  evidence_.witness = read_witness(read_file(site_.witness + "/witness"), troubles);
  evidence_.records = reader_.history();
  write_file(site_.folder + "/history", reader_.last_history());
  evidence_.acts = person_.acts();
  evidence_.lives = cluster_.lives();
  evidence_.hard_times = cluster_.hard_times();
  if (servers_ && servers_->has_failed()) troubles.push_back("the servers ended by themselves");
  if (!options_.naive) evidence_.lines = reader_.jobs();
  if (!options_.naive) evidence_.findings = reader_.verify();
  const std::size_t step = std::max<std::size_t>(1, evidence_.records.size() / kStories);
  for (std::size_t i = 0; i < evidence_.records.size() && !options_.naive; i += step) {
    const Record& one = evidence_.records[i];
    evidence_.stories[one.slot_ref()] = reader_.why(one.slot_ref());
  }
  for (const auto& more : {cluster_.troubles(), reader_.troubles()}) {
    troubles.insert(troubles.end(), more.begin(), more.end());
  }
  for (const std::string& one : troubles) violations_.push_back({Rule::harness, one});
  if (!options_.all_failpoints) return;
  for (const std::string& one : cluster_.unvisited()) {
    violations_.push_back({Rule::harness, fmt::format("nobody came to {}", one)});
  }
}

void Chaos::print_counts() const {
  int faults = 0;
  fmt::print("\n");
  for (int i = 0; i < kKinds; ++i) {
    const int count = cluster_.counts().at(static_cast<std::size_t>(i));
    if (count > 0) fmt::print("{:6} {}\n", count, name_of(static_cast<Kind>(i)));
    faults += count;
  }
  fmt::print("{:6} faults in all; {} of {} failpoints\n\n", faults, cluster_.visited().size(),
             all_failpoints().size());
  if (options_.commands > 0) person_.print_counts();
  std::map<std::string, int> states;
  for (const Record& one : evidence_.records) {
    ++states[one.reason.empty() ? one.state : one.state + ": " + one.reason];
  }
  for (const auto& [state, count] : states) fmt::print("{:6} {}\n", count, state);
  const auto starts = std::count_if(evidence_.witness.begin(), evidence_.witness.end(),
                                    [](const WitnessLine& one) { return one.what != "end"; });
  fmt::print("{:6} records, {} starts", evidence_.records.size(), starts);
  print_lateness();
}

/// Of slots that nothing keeps waiting but the clocks and the faults.
void Chaos::print_lateness() const {
  std::set<std::string> punctual;
  for (const JobSpec& job : evidence_.jobs) {
    if (job.overlap == "skip") punctual.insert(job.name);
  }
  std::vector<Millis> late;
  for (const WitnessLine& line : evidence_.witness) {
    const bool is_first = line.what != "end" && line.attempt == 1 && line.request.empty();
    if (is_first && punctual.contains(line.job)) late.push_back(line.at - line.slot);
  }
  std::sort(late.begin(), late.end());
  if (late.empty()) return fmt::print("\n\n");
  fmt::print(
      ", half of those that wait for none within {} ms of their slot, nine of ten within {} ms\n\n",
      late[late.size() / 2], late[late.size() * 9 / 10]);
}

int Chaos::verdict() {
  static constexpr int kShown = 10;
  for (Violation& one : judge(evidence_)) violations_.push_back(std::move(one));
  std::map<Rule, int> count;
  for (const Violation& one : violations_) {
    if (++count[one.rule] <= kShown) fmt::print("{}: {}\n", name_of(one.rule), one.what);
  }
  for (int i = 0; i <= static_cast<int>(Rule::harness); ++i) {
    const auto rule = static_cast<Rule>(i);
    fmt::print("{:6} {}\n", count.contains(rule) ? count.at(rule) : 0, name_of(rule));
  }
  if (!options_.expected.empty()) {
    const bool caught = std::any_of(count.begin(), count.end(), [&](const auto& one) {
      return name_of(one.first) == options_.expected;
    });
    fmt::print("control: {} was {}\n", options_.expected, caught ? "caught" : "NOT CAUGHT");
    return caught ? 0 : 1;
  }
  fmt::print("seed {}: {}\n", options_.scope.seed,
             violations_.empty() ? "nothing to object to" : "VIOLATIONS");
  fmt::print("again: {}\n", command_line(options_));
  return violations_.empty() ? 0 : 1;
}

int Chaos::run() {
  prepare();
  if (begin()) {
    inflict();
    if (options_.all_failpoints) visit_failpoints();
    calm_down();
  }
  gather();
  print_counts();
  const int exit_code = verdict();
  options_.keep = options_.keep || exit_code != 0;
  return exit_code;
}

}  // namespace
}  // namespace cronce::chaos

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  return cronce::chaos::Chaos(cronce::chaos::read_options({argv + 1, argv + argc})).run();
}
