#include "test/sim/script.h"

#include <fmt/format.h>

#include "test/sim/zones.h"

namespace cronce::sim {
namespace {

Duration seconds(Rng& rng, std::int64_t low, std::int64_t high) {
  return Duration{1'000 * rng.between(low, high)};
}

ScheduleSpec often(Rng& rng) {
  if (rng.chance(40)) {
    static constexpr std::array<int, 3> kSteps{15, 20, 30};
    return {{CronSpec{fmt::format("*/{} * * * * *", kSteps[rng.below(kSteps.size())])}}};
  }
  return {{EverySpec{seconds(rng, 12, 45), std::nullopt}}};
}

ScheduleSpec seldom(Rng& rng) {
  if (rng.chance(50)) return {{CronSpec{rng.chance(50) ? "* * * * *" : "*/2 * * * *"}}};
  return {{EverySpec{seconds(rng, 40, 100), std::nullopt}}};
}

Job base_job(const std::string& name, ScheduleSpec schedule) {
  Job job{parse_job_name(name).value(), std::move(schedule), ArgvCommand{{"./" + name}}};
  job.kill_after = Duration{2'000};
  return job;
}

void shorten_history(Rng& rng, Job& job) {
  if (!rng.chance(40)) return;
  job.history.edit().succeeded = rng.between(1, 4);
  job.history.edit().failed = rng.between(1, 4);
  job.history.edit().skipped = rng.between(1, 4);
}

/// At most once, no overlap: what a job is when its author says nothing.
Job plain_job(Rng& rng) {
  Job job = base_job("plain", often(rng));
  if (rng.chance(30)) job.catch_up = {CatchUp::Mode::none, std::nullopt, 100};
  job.grace = seconds(rng, 5, 60);
  return job;
}

Job queued_job(Rng& rng) {
  Job job = base_job("queued", often(rng));
  job.overlap = Overlap::queue;
  job.catch_up.cap = rng.between(1, 3);
  job.retries.edit().max = rng.between(1, 2);
  job.retries.edit().backoff = seconds(rng, 1, 5);
  job.on_lost = OnLost::rerun;
  return job;
}

Job replaced_job(Rng& rng) {
  Job job = base_job("replaced", often(rng));
  job.overlap = Overlap::replace;
  if (rng.chance(50)) job.timeout = seconds(rng, 5, 20);
  return job;
}

Job free_job(Rng& rng) {
  Job job = base_job("free", seldom(rng));
  job.overlap = Overlap::allow;
  job.catch_up = {CatchUp::Mode::all, seconds(rng, 60, 200), rng.between(2, 5)};
  return job;
}

Job single_job(Rng& rng) {
  const Time time = kOrigin + seconds(rng, -60, 400);
  Job job = base_job("single", {{AtSpec{parse_written_time(print(time)).value()}}});
  job.retries.edit().max = rng.between(0, 1);
  job.retries.edit().backoff = Duration{2'000};
  return job;
}

Job chained_job(Rng& rng) {
  Job job = base_job("chained", {{AfterSpec{seconds(rng, 10, 40)}}});
  if (rng.chance(50)) job.on_lost = OnLost::rerun;
  return job;
}

Job picky_job(Rng& rng) {
  Job job = base_job("picky", seldom(rng));
  job.on = std::map<std::string, std::string>{{"zone", "a"}};
  job.jitter = seconds(rng, 1, 6);
  job.concurrency = Concurrency{"group", 1};
  job.catch_up = {CatchUp::Mode::latest, seconds(rng, 20, 60), 100};
  job.grace = Duration{10'000};
  return job;
}

Job held_job(Rng& rng) {
  Job job = base_job("held", often(rng));
  job.on_lost = OnLost::hold;
  job.concurrency = Concurrency{"group", 1};
  job.timeout = seconds(rng, 5, 30);
  if (rng.chance(50)) job.catch_up.window = seconds(rng, 15, 40);
  return job;
}

/// On every node, each with a calendar of its own.
Job shared_job(Rng& rng) {
  Job job = base_job("shared", {{EverySpec{seconds(rng, 60, 110), std::nullopt}}});
  job.everywhere = true;
  if (rng.chance(50)) job.retries.edit().max = 1;
  job.retries.edit().backoff = Duration{2'000};
  return job;
}

/// Its zone means something else to older nodes.
Job moved_job(Rng& rng) {
  Job job = base_job("moved", {{CronSpec{rng.chance(50) ? "* 0 * * *" : "*/2 * * * *"}}});
  job.schedule.timezone = kMovedZone;
  job.priority = rng.between(-2, 2);
  return job;
}

/// The next deploy: other words, another schedule, a new name, a job less or more.
void edit(Rng& rng, std::vector<Job>& jobs, std::vector<Job>& dropped, std::size_t version) {
  Job& job = jobs[rng.below(jobs.size())];
  const auto dice = rng.below(100);
  if (dice < 25) {
    job.command = ArgvCommand{{fmt::format("./{}-{}", job.name.text(), version)}};
  } else if (dice < 60) {
    const bool fixed = std::holds_alternative<AtSpec>(job.schedule.elements.front()) ||
                       std::holds_alternative<AfterSpec>(job.schedule.elements.front()) ||
                       job.everywhere || job.schedule.timezone == kMovedZone;
    if (fixed) job.priority = rng.between(-2, 2);
    if (!fixed) job.schedule = rng.chance(50) ? often(rng) : seldom(rng);
  } else if (dice < 75) {
    if (job.was) return;  // its first name of this version is nobody's any more
    job.was = job.name;
    job.name = parse_job_name(fmt::format("{}-{}", job.name.text(), version)).value();
  } else if (dice < 90 && jobs.size() > 5) {
    dropped.push_back(job);
    jobs.erase(jobs.begin() + (&job - jobs.data()));
  } else if (!dropped.empty()) {
    jobs.push_back(dropped.back());
    dropped.pop_back();
  }
}

/// A second source: a job of its own, perhaps one that the first has as well, perhaps one that it
/// defines otherwise. Its second version has only what is its own.
std::vector<Offered> write_extras(Rng& rng, const std::vector<Job>& jobs) {
  Job own = base_job("extra", seldom(rng));
  own.overlap = Overlap::allow;
  std::vector<Job> first{own};
  const auto dice = rng.below(100);
  if (dice < 60) first.push_back(jobs.front());
  if (dice < 25) first.back().command = ArgvCommand{{"./otherwise"}};
  return {{{"extra.yaml", std::nullopt, {first.begin(), first.end()}}, "extra-0"},
          {{"extra.yaml", std::nullopt, {own}}, "extra-1"}};
}

}  // namespace

Job outside_job() { return base_job("outside", {{EverySpec{Duration{25'000}, std::nullopt}}}); }

Script write_script(Rng& rng) {
  std::vector<Job> jobs{plain_job(rng),  queued_job(rng),  replaced_job(rng), free_job(rng),
                        single_job(rng), chained_job(rng), picky_job(rng),    held_job(rng)};
  const auto leave_out = 1 + rng.below(3);
  for (std::uint64_t i = 0; i < leave_out; ++i) jobs.erase(jobs.begin() + rng.between(1, 5));
  if (rng.chance(40)) jobs.push_back(shared_job(rng));
  if (rng.chance(40)) jobs.push_back(moved_job(rng));
  for (Job& job : jobs) shorten_history(rng, job);
  Script script;
  script.numbered = rng.chance(30);
  script.extras = write_extras(rng, jobs);
  std::vector<Job> dropped;
  if (rng.chance(30)) dropped.push_back(outside_job());
  const auto versions = static_cast<std::size_t>(rng.between(2, 4));
  for (std::size_t version = 0; version < versions; ++version) {
    for (int i = 0; version > 0 && i < 2; ++i) edit(rng, jobs, dropped, version);
    Offered set{{"jobs.yaml", std::nullopt, {jobs.begin(), jobs.end()}},
                fmt::format("digest-{}", version)};
    if (script.numbered) set.set.generation = Generation{version + 1};
    script.sets.push_back(std::move(set));
    for (Job& job : jobs) job.was.reset();
  }
  return script;
}

Node write_node(Rng& rng, std::size_t index) {
  Node node;
  node.name = fmt::format("n{}", index);
  node.labels.emplace("zone", index == 0 || rng.chance(40) ? "a" : "b");
  node.max_running = rng.chance(20) ? rng.between(2, 4) : 0;
  node.version = "1.0";
  node.zone_data = rng.chance(50) ? kOldZones : kNewZones;
  return node;
}

LeaseSettings write_lease(Rng& rng) {
  using std::chrono::seconds;
  if (rng.chance(20)) return {seconds(5), seconds(1), seconds(1), seconds(1), 10};
  return {seconds(15), seconds(3), seconds(2), seconds(3), 10};
}

}  // namespace cronce::sim
