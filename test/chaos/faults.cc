#include "test/chaos/faults.h"

#include <algorithm>
#include <array>
#include <random>

#include <fmt/format.h>

namespace cronce::chaos {
namespace {

/// Nothing before the nodes know one another.
constexpr int kFirstMs = 2'000;

struct Row {
  Kind kind;
  int weight;
  int least_ms;
  int most_ms;
  bool without_keepers;  // what can be done to any scheduler
  int weight_of_servers;
};

// A lease is 5 seconds: some freezes are longer. The last column: in a run with servers.
constexpr std::array<Row, kKinds> kRows{{
    {Kind::kill_node, 3, 0, 2'000, true, 3},
    {Kind::kill_keeper, 3, 0, 0, false, 2},
    {Kind::kill_both, 3, 0, 2'000, false, 3},
    {Kind::kill_all, 3, 0, 2'000, false, 3},
    {Kind::kill_sub_keeper, 2, 0, 0, false, 2},
    {Kind::kill_job, 3, 0, 0, true, 2},
    {Kind::stop_node, 3, 200, 8'000, true, 3},
    {Kind::stop_keeper, 2, 200, 8'000, false, 2},
    {Kind::stop_both, 2, 200, 8'000, false, 2},
    {Kind::term_node, 2, 0, 2'000, true, 1},
    {Kind::wrong_clock, 3, 500, 6'000, true, 4},
    {Kind::hold_store, 1, 200, 6'000, false, 2},
    {Kind::failpoint, 8, 0, 0, false, 5},
    {Kind::cut, 0, 300, 8'000, true, 4},
    {Kind::cut_requests, 0, 300, 8'000, true, 3},
    {Kind::cut_answers, 0, 300, 8'000, true, 4},
    {Kind::cut_all, 0, 300, 8'000, true, 2},
    {Kind::half_open, 0, 1, 1, true, 3},
    {Kind::slow, 0, 2'000, 12'000, true, 3},
    {Kind::reset, 0, 100, 4'000, true, 2},
    {Kind::flap, 0, 1'000, 6'000, true, 2},
    {Kind::lose_batch, 0, 0, 0, true, 8},
    {Kind::restart_server, 0, 0, 2'000, true, 4},
    {Kind::crash_server, 0, 0, 2'000, true, 4},
    {Kind::fail_over_stopped, 0, 0, 2'500, true, 4},
    {Kind::fail_over_cut, 0, 0, 2'500, true, 4},
    {Kind::restore, 0, 500, 6'000, true, 4},
    {Kind::server_clock, 0, 1'000, 8'000, true, 4},
    {Kind::deploy, 0, 0, 0, false, 2},
}};

// The calls of seams.cc: those of every slot, and those of a start, an end or an accident.
constexpr std::array kBusy{"store.decide",      "keeper.start", "launch.spawn",
                           "store.finish",      "keeper.read",  "store.take",
                           "keeper.end_stored", "store.beat",   "keeper.trust_until"};
constexpr std::array kRare{"store.open",   "store.enroll",    "store.sweep", "leftovers.clear",
                           "mark.keep",    "keeper.kill_all", "spool.put",   "spool.sync",
                           "spool.remove", "keeper.stop",     "keeper.leave"};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  int between(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }

  const Row& row(const Scope& scope) {
    const auto weight = [&](const Row& row) {
      const bool possible = scope.keepers || row.without_keepers;
      const bool wanted = scope.only.empty() || scope.only == name_of(row.kind);
      const int usual = scope.servers ? row.weight_of_servers : row.weight;
      return possible && wanted ? usual : 0;
    };
    int sum = 0;
    for (const Row& row : kRows) sum += weight(row);
    int left = between(0, std::max(sum, 1) - 1);
    for (const Row& row : kRows) {
      left -= weight(row);
      if (left < 0) return row;
    }
    return kRows.front();
  }

  /// A little, more than the two seconds that one host allows, or an hour.
  std::int64_t offset() {
    static constexpr std::array<std::int64_t, 4> kOffsets{500, 3'000, 90'000, 3'600'000};
    const auto size = kOffsets.at(static_cast<std::size_t>(between(0, 3)));
    return between(0, 1) == 0 ? size : -size;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace

std::string name_of(Kind kind) {
  static constexpr std::array<const char*, kKinds> kNames{
      "kill-node",     "kill-keeper", "kill-both",      "kill-all",     "kill-sub-keeper",
      "kill-job",      "stop-node",   "stop-keeper",    "stop-both",    "term-node",
      "wrong-clock",   "hold-store",  "failpoint",      "cut",          "cut-requests",
      "cut-answers",   "cut-all",     "half-open",      "slow",         "reset",
      "flap",          "lose-batch",  "restart-server", "crash-server", "fail-over-stopped",
      "fail-over-cut", "restore",     "server-clock",   "deploy"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string describe(const Fault& fault) {
  std::string text = fault.number == 0 ? "" : fmt::format("#{} ", fault.number);
  text += fmt::format("{:7.3f} {} node-{}", fault.at_ms / 1'000.0, name_of(fault.kind), fault.node);
  if (fault.amount_ms > 0) text += fmt::format(" {} ms", fault.amount_ms);
  if (fault.kind == Kind::wrong_clock) text += fmt::format(" by {:+} ms", fault.offset_ms);
  if (fault.kind == Kind::server_clock) text += fmt::format(" by {:+} ms", server_step(fault));
  if (fault.kind == Kind::slow) text += fmt::format(" by {} ms", slowness(fault));
  return text;
}

int slowness(const Fault& fault) {
  static constexpr std::array kSlow{300, 2'500, 5'000, 10'000};
  return kSlow.at(fault.variant % kSlow.size());
}

int server_step(const Fault& fault) {
  static constexpr std::array kSteps{-800, -300, 300, 800};
  return kSteps.at(fault.variant % kSteps.size());
}

std::string server_action(const Fault& fault) {
  const std::string name = name_of(fault.kind);
  return fault.kind == Kind::restart_server || fault.kind == Kind::crash_server
             ? name.substr(0, name.find('-'))
             : name;
}

std::vector<Fault> draw_faults(const Scope& scope) {
  Draw draw(scope.seed);
  Draw variants(scope.seed + 1);
  std::vector<Fault> out;
  for (int i = 0; i < scope.faults; ++i) {
    const Row& row = draw.row(scope);
    Fault fault;
    fault.at_ms = draw.between(kFirstMs, std::max(kFirstMs, scope.seconds * 1'000));
    fault.kind = row.kind;
    fault.node = draw.between(0, scope.nodes - 1);
    fault.amount_ms = draw.between(row.least_ms, row.most_ms);
    fault.offset_ms = draw.offset();
    fault.variant = static_cast<unsigned>(variants.between(0, 999));
    out.push_back(fault);
  }
  std::sort(out.begin(), out.end(),
            [](const Fault& a, const Fault& b) { return a.at_ms < b.at_ms; });
  for (std::size_t i = 0; i < out.size(); ++i) out[i].number = static_cast<int>(i) + 1;
  if (scope.episode > 0) {
    std::erase_if(out, [&](const Fault& one) { return one.number != scope.episode; });
  }
  return out;
}

std::vector<std::string> all_failpoints() {
  std::vector<std::string> out;
  const auto add = [&](const char* name) {
    out.push_back(fmt::format("{}.before", name));
    out.push_back(fmt::format("{}.after", name));
  };
  for (const char* name : kBusy) add(name);
  for (const char* name : kRare) add(name);
  return out;
}

bool comes_often(const std::string& failpoint) {
  return std::any_of(kBusy.begin(), kBusy.end(),
                     [&](const char* name) { return failpoint.starts_with(name); });
}

}  // namespace cronce::chaos
