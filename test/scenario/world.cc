#include "test/scenario/world.h"

#include <fmt/format.h>

#include "engine/rank.h"
#include "model/codec.h"
#include "test/scenario/commands.h"

namespace cronce::scenario {

World::World() {
  door.news = [this](const std::string& from) {
    if (!stage.hints) return;
    for (const auto& [name, one] : machines) {
      if (name != from) one->hint();
    }
  };
}

std::vector<std::string> World::run(const Block& block) {
  stage.lines.clear();
  const std::size_t starts = stage.judge.starts();
  const std::size_t objections = stage.judge.objections().size();
  for (const Command& command : block.commands) perform(command);
  say_judgement(starts, objections);
  return stage.lines;
}

void World::perform(const Command& command) {
  const std::string mistake = perform_command(*this, command);
  if (!mistake.empty()) mistakes_.push_back(fmt::format("{}: {}", command.line, mistake));
  run_until(stage.now());
  stage.quiet = false;
}

void World::say_judgement(std::size_t starts_before, std::size_t objections_before) {
  const auto& objections = stage.judge.objections();
  for (std::size_t i = objections_before; i < objections.size(); ++i)
    stage.note("judge: " + objections[i]);
  if (objections.size() == objections_before && stage.judge.starts() > starts_before)
    stage.note("judge: ok");
}

void World::run_until(Duration since_begin) {
  constexpr std::size_t kEndless = 1'000'000;
  stage.agenda.at(since_begin, [] {});
  for (std::size_t steps = 0; stage.agenda.step(since_begin); ++steps) CHECK(steps < kEndless);
}

Machine& World::machine(const std::string& name) {
  auto& found = machines[name];
  if (!found) found = std::make_unique<Machine>(stage, door, network, name);
  return *found;
}

Offered World::read(const std::string& file, const std::string& node) {
  const FileContext context{file, "/srv", "UTC", node};
  const JobFile read = read_job_file(files[file], guess_format("/srv/" + file), context);
  for (const Diagnostic& diagnostic : read.diagnostics) {
    if (refuses(diagnostic.severity)) mistakes_.push_back(describe(diagnostic));
  }
  tell_judge(read.set);
  return {read.set, digest(read.set).hex(8)};
}

void World::tell_judge(const JobSet& set) {
  for (const Job& job : set.jobs) {
    if (job.was) stage.judge.renamed(job.was->text(), job.name.text());
    Promise promise;
    promise.overlaps = job.overlap == Overlap::allow;
    promise.retries = job.retries->max > 0;
    promise.reruns = job.on_lost == OnLost::rerun;
    if (job.concurrency) {
      promise.group = job.concurrency->group;
      promise.most = job.concurrency->max;
    }
    stage.judge.defined(job.name.text(), promise);
  }
}

/// A seed whose incarnation ranks behind all that were born before, for the first jobs of the
/// store.
Rng World::next_rank() {
  constexpr std::size_t kOrdered = 6;
  std::vector<Candidate> candidates;
  for (const Incarnation& incarnation : born_) candidates.push_back({incarnation});
  candidates.emplace_back();
  const auto is_last = [&](const Incarnation& self) {
    candidates.back().incarnation = self;
    for (std::uint64_t job = 1; job <= 4; ++job) {
      const JobUid uid{make_fence(Epoch{1}, job).value};  // the first ones that a store gives
      if (rank_of(uid, self, candidates) + 1 < candidates.size()) return false;
    }
    return true;
  };
  for (;;) {
    Rng drawn(++seed_);
    const Incarnation self = Incarnation::random(drawn);
    if (born_.size() < kOrdered && !is_last(self)) continue;
    born_.push_back(self);
    return Rng(seed_);
  }
}

}  // namespace cronce::scenario
