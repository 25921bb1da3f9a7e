#include "test/sim/world.h"

#include "model/describe.h"
#include "store/memory/memory_store.h"
#include "test/sim/canary_store.h"
#include "test/sim/script.h"

namespace cronce::sim {
namespace {

constexpr Duration kFirstFault{8'000};
constexpr Duration kSafetyLasts{600'000};
constexpr Duration kCalmLasts{150'000};

/// After the last fault a lease must run out, and what waited must have its turn, before all is
/// normal.
constexpr Duration kSettling{60'000};

class World {
 public:
  explicit World(const WorldSettings& settings)
      : settings_(settings),
        stage_(settings.seed * 2 + static_cast<std::uint64_t>(settings.liveness), settings.canary,
               settings.reader),
        store_rng_(stage_.rng.next()),
        store_(stage_.clock, store_rng_),
        wrapped_(stage_, store_),
        door_(stage_, wrapped_, store_),
        script_(write_script(stage_.rng)),
        trouble_(stage_, door_, hosts_, script_) {
    stage_.lease = write_lease(stage_.rng);
    stage_.walls_right = stage_.rng.chance(85);
  }

  Report run() {
    make_hosts();
    const Duration troubled = settings_.liveness ? stage_.random(450'000, 540'000) : kSafetyLasts;
    plan_faults(troubled);
    while (stage_.agenda.step(troubled)) {
    }
    if (!settings_.liveness) return report(troubled, std::nullopt);
    trouble_.heal();
    // What a step of the store's clock settled too early is not the calm's fault.
    const Time calm = std::max(stage_.clock.wall() + kSettling, stage_.witness.store_most());
    while (stage_.agenda.step(troubled + kCalmLasts)) {
    }
    return report(troubled + kCalmLasts, calm);
  }

 private:
  void make_hosts() {
    const auto count = static_cast<std::size_t>(stage_.rng.between(3, 5));
    door_.hint = [this] {
      for (const auto& host : hosts_) host->hint();
    };
    const std::int64_t skew = stage_.walls_right ? 5'000 : 3'600'000;
    for (std::size_t i = 0; i < count; ++i) {
      static constexpr std::array<int, 5> kRates{900, 900, 1000, 1100, 1100};
      const HostClock clock({}, stage_.random(0, 1'000'000),
                            kRates[stage_.rng.below(kRates.size())], stage_.random(-skew, skew));
      Node node = write_node(stage_.rng, i);
      limited_ = limited_ || node.max_running > 0;
      hosts_.push_back(std::make_unique<Host>(stage_, door_, i, std::move(node), clock));
      const bool worker = i > 0 && stage_.rng.chance(15);
      if (!worker) hosts_.back()->offer(script_.sets.front());
      if (!worker && stage_.rng.chance(40)) hosts_.back()->offer(script_.extras.front());
      stage_.agenda.at(stage_.random(0, 5'000),
                       [host = hosts_.back().get()] { host->start_process(); });
    }
  }

  void plan_faults(Duration until) {
    const auto plan = [&](std::int64_t count, auto deed) {
      for (std::int64_t i = 0; i < count; ++i) {
        stage_.agenda.at(stage_.random(kFirstFault.count(), until.count() - 1'000), deed);
      }
    };
    plan(stage_.rng.between(20, 32), [this] { trouble_.strike(); });
    plan(stage_.rng.between(4, 10), [this] { trouble_.use(); });
  }

  void count_rows(const std::vector<Run>& rows, const std::vector<JobRow>& jobs, Report& report) {
    const auto saw = [&](bool it_is, Rare state) { report.rare.saw(state, it_is ? 1 : 0); };
    const Time end = kOrigin + stage_.now() + kFarAhead;  // not what a clock in 2098 settled
    for (const Run& row : rows) {
      const bool counts = row.id.space == Space::slot && row.slot_to.value_or(row.id.slot) <= end;
      if (counts) report.slots += static_cast<std::uint64_t>(row.count);
      const bool skipped = row.state == RunState::skipped;
      saw(row.kind == RunKind::retry, Rare::retry_made);
      saw(row.kind == RunKind::rerun && row.state != RunState::held, Rare::rerun_made);
      saw(row.state == RunState::held, Rare::held_made);
      saw(row.reason == Reason::late, Rare::late_finish);
      saw(skipped && row.reason == Reason::overlap, Rare::skipped_overlap);
      saw(skipped && row.reason == Reason::queue_full, Rare::queue_full);
      saw(skipped && row.reason == Reason::replaced, Rare::replaced);
      saw(skipped && row.reason == Reason::past, Rare::past_at);
      saw(skipped && row.reason == Reason::store_regressed, Rare::slot_regressed);
      saw(skipped && row.reason == Reason::node_absent, Rare::node_absent);
      saw(skipped && row.reason == Reason::civil_repeat, Rare::civil_repeated);
      saw(row.state == RunState::lost && row.reason == Reason::regressed, Rare::run_regressed);
    }
    for (const JobRow& job : jobs) {
      saw(job.floor > Time{}, Rare::purged);
      const bool after =
          std::holds_alternative<AfterSpec>(job.definition->schedule.elements.front());
      saw(after && job.runs_started > 1, Rare::after_rearmed);
    }
  }

  Report report(Duration end, std::optional<Time> calm_since) {
    Evidence evidence{stage_.witness, door_.jobs(), door_.runs(), {}};
    for (const auto& host : hosts_) {
      evidence.nodes.push_back(host->node().name);
      evidence.new_zones = evidence.new_zones || host->node().zone_data == kNewZones;
    }
    evidence.lease = stage_.lease.lease;
    evidence.end = end;
    evidence.store_end = stage_.clock.wall();
    evidence.limited = limited_;
    evidence.walls_right = stage_.walls_right;
    evidence.calm_since = calm_since;
    for (const Run& row : evidence.rows) stage_.journal.note(describe(row));
    Report report;
    report.hash = stage_.journal.hash();
    report.events = stage_.journal.events();
    report.faults = trouble_.faults();
    report.troubles = trouble_.counts();
    report.nodes = hosts_.size();
    report.minutes = static_cast<double>(end.count()) / 60'000;
    report.starts = stage_.witness.starts().size();
    report.rare = stage_.rare;
    count_rows(evidence.rows, evidence.jobs, report);
    Verdict verdict = check(evidence);
    report.violations = std::move(verdict.violations);
    report.excused = verdict.excused;
    return report;
  }

  WorldSettings settings_;
  Stage stage_;
  Rng store_rng_;
  MemoryStore store_;
  CanaryStore wrapped_;
  StoreDoor door_;
  Script script_;
  Trouble::Hosts hosts_;
  Trouble trouble_;
  bool limited_ = false;
};

}  // namespace

Report run_world(const WorldSettings& settings) { return World(settings).run(); }

}  // namespace cronce::sim
