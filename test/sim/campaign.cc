#include "test/sim/campaign.h"

#include <chrono>

#include <fmt/format.h>

#include "test/sim/shares.h"

namespace cronce::sim {
namespace {

/// So many seeds reach everything.
constexpr std::uint64_t kEnough = 10'000;
constexpr std::uint64_t kFewestFaults = 20;  // in each seed

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - since_).count();
  }

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

void print_failure(const Campaign& campaign, const Tally& tally) {
  fmt::print("seed {} FAILED: {}\nreplay: sim --seed {}{}{} --trace\n", tally.first_failed,
             tally.why.data(), tally.first_failed,
             settings_of(campaign, tally.first_failed).liveness ? " --liveness" : "",
             campaign.canary == Canary::none
                 ? ""
                 : fmt::format(" --canary {}", static_cast<int>(campaign.canary)));
}

Campaign part(const Campaign& campaign, Range range, bool liveness) {
  Campaign one = campaign;
  one.range = range;
  one.liveness = liveness;
  return one;
}

/// Whether the seeds with its bug are found wrong, for the right reason; a process that dies is
/// none.
bool catches(const Campaign& campaign) {
  Campaign one = campaign;
  one.liveness = campaign.liveness || needs_liveness(campaign.canary);
  const Tally tally = run_shares(one);
  const std::string_view why = tally.why.data();
  const bool caught =
      tally.failed && why.starts_with('I') && why.starts_with(must_break(one.canary));
  fmt::print("canary {:>2} {:<45} ", static_cast<int>(one.canary), name_of(one.canary));
  if (tally.failed) {
    fmt::print("{} at seed {} ({:.60})\n",
               caught ? "caught" : "NOT CAUGHT as it must be, but wrong", tally.first_failed, why);
  } else {
    fmt::print("NOT CAUGHT in {} seeds\n", tally.seeds);
  }
  return caught;
}

}  // namespace

int run_one(const Campaign& campaign) {
  const Report report = run_world(settings_of(campaign, campaign.range.first));
  for (const Violation& violation : report.violations) {
    fmt::print("{}: {}\n", violation.invariant, violation.what);
  }
  fmt::print("seed {}: {} events, {} faults, {} slots, {} starts, hash {:016x}: {}\n",
             campaign.range.first, report.events, report.faults, report.slots, report.starts,
             report.hash, report.violations.empty() ? "ok" : "FAILED");
  return report.violations.empty() ? 0 : 1;
}

int run_range(const Campaign& campaign) {
  const Stopwatch watch;
  const Tally tally = run_shares(campaign);
  print_averages(tally, watch.seconds());
  const bool reached = print_reached(tally) || tally.seeds < kEnough;
  if (tally.failed) print_failure(campaign, tally);
  return tally.failed || !reached ? 1 : 0;
}

int run_standard(const Campaign& campaign) {
  const Stopwatch watch;
  Tally all;
  for (const Campaign& one :
       {part(campaign, {1, 8'000}, false), part(campaign, {1, 2'000}, true)}) {
    const Stopwatch part_watch;
    const Tally tally = run_shares(one);
    fmt::print("{}: ", one.liveness ? "liveness" : "safety");
    print_averages(tally, part_watch.seconds());
    if (tally.failed) print_failure(one, tally);
    all.add(tally);
  }
  const bool reached = print_reached(all) && all.fewest_faults >= kFewestFaults;
  fmt::print("{:.1f} s in all\n", watch.seconds());
  return all.failed || !reached ? 1 : 0;
}

int run_twice(const Campaign& campaign) {
  for (auto seed = campaign.range.first; seed <= campaign.range.last; ++seed) {
    auto settings = settings_of(campaign, seed);
    settings.reader = Reader::hash;
    if (run_world(settings).hash == run_world(settings).hash) continue;
    fmt::print("seed {} took two courses\n", seed);
    return 1;
  }
  fmt::print("seeds {} to {}: the same course twice\n", campaign.range.first, campaign.range.last);
  return 0;
}

int run_canary(const Campaign& campaign) { return catches(campaign) ? 1 : 0; }

int run_canaries(const Campaign& campaign) {
  const Stopwatch watch;
  int missed = 0;
  for (std::size_t i = 1; i <= kCanaries; ++i) {
    Campaign one = campaign;
    one.canary = static_cast<Canary>(i);
    if (!catches(one)) ++missed;
  }
  fmt::print("{} of {} canaries caught, {:.1f} s\n", static_cast<int>(kCanaries) - missed,
             kCanaries, watch.seconds());
  return missed == 0 ? 0 : 1;
}

}  // namespace cronce::sim
