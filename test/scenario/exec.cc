#include "test/scenario/exec.h"

#include <utility>

#include <fmt/format.h>

#include "engine/trust.h"
#include "model/describe.h"

namespace cronce::scenario {

ExecProcess::ExecProcess(Stage& stage, Door& door, std::string name, Incarnation incarnation)
    : stage_(stage), door_(door), clock_(stage.now(), stage.begin, 1'000) {
  node_.name = std::move(name);
  node_.incarnation = incarnation;
  node_.lease = stage.lease.lease;
  node_.beat = Beat{1};
  node_.schedules = node_.works = false;
}

void ExecProcess::run(const std::string& job, Time slot, Duration lasts) {
  Job definition{
      *parse_job_name(job),
      {},
      ShellCommand{.line = fmt::format("sleep {}", static_cast<double>(lasts.count()) / 1000)}};
  const Time wall = clock_.wall(stage_.now());
  const ControlAnswer answer = door_.control_by(
      node_.name, next_id(), ExecSlot{node_, definition, slot, wall, Duration{30'000}});
  std::string told = "refused";
  if (answer.refused != Refused::none) told = Words::refusal(answer.refused);
  if (answer.settled) told = "settled, " + describe(answer.settled->state, answer.settled->reason);
  if (answer.claim) told = fmt::format("running, fence {}", answer.claim->fence.value);
  stage_.say(node_.name, fmt::format("execs {}@{}: {}", job, print(slot), told));
  if (!answer.claim) return;
  keeper_ = std::make_unique<Keeper>(
      stage_, clock_, node_.name, node_.name,
      Keeper::Tell{[](const RunId&) {}, [this](const FinishEntry& end) { report(end); }});
  keeper_->trust_until(clock_.boot(stage_.now()) + trust_of(stage_.lease));
  keeper_->start(*answer.claim, definition);
  beat();
}

/// Its child is its life: it beats until that has ended.
void ExecProcess::beat() {
  stage_.agenda.after(stage_.lease.beat, [this] {
    if (over_) return;
    BeatAsk ask;
    ask.granted = node_.beat;
    ++node_.beat.value;
    ask.node = node_;
    const Duration asked = clock_.boot(stage_.now());
    const BeatAnswer answer = door_.beat(node_.name, ask);
    if (answer.refused != Refused::none) return keeper_->kill_all();
    keeper_->trust_until(asked + trust_of(stage_.lease));
    beat();
  });
}

/// Then it leaves: a sweep of itself.
void ExecProcess::report(const FinishEntry& end) {
  over_ = true;
  door_.write(node_.name, next_id(), std::vector<FinishEntry>{end});
  door_.write(node_.name, next_id(), std::vector<SweepEntry>{{node_.incarnation, node_.beat}});
}

}  // namespace cronce::scenario
