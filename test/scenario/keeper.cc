#include "test/scenario/keeper.h"

#include <algorithm>
#include <regex>
#include <utility>

#include <fmt/format.h>

#include "model/describe.h"

namespace cronce::scenario {
namespace {

struct Course {
  Duration lasts{1'000};
  bool succeeds = true;
};

Course course_of(const cronce::Command& command) {
  static const std::regex sleep(R"(sleep ([0-9.]+))");
  const std::string text = describe(command);
  Course course;
  if (std::smatch match; std::regex_search(text, match, sleep))
    course.lasts = Duration{std::llround(std::stod(match[1]) * 1000)};
  course.succeeds = text.find("false") == std::string::npos;
  return course;
}

std::string slot_of(const Stage& stage, const RunId& run) {
  return run.space == Space::slot ? print_elapsed(stage.since_begin(run.slot))
                                  : "manual/" + run.request;
}

}  // namespace

Keeper::Keeper(Stage& stage, const MachineClock& clock, std::string node, std::string member,
               Tell tell)
    : stage_(stage),
      clock_(clock),
      node_(std::move(node)),
      member_(std::move(member)),
      tell_(std::move(tell)) {}

std::string Keeper::name_of(const Child& child) const {
  return fmt::format("{}@{} #{}", child.job, slot_of(stage_, child.claim.run),
                     child.claim.run.attempt.value);
}

void Keeper::later(Duration delay, std::function<void()> deed) {
  stage_.agenda.after(delay, [this, deed = std::move(deed)] {
    if (dead_) return;
    if (suspended_) {
      backlog_.push_back(deed);
    } else {
      deed();
    }
  });
}

/// The deadline is looked at again here: between the claim and now the node may have been frozen.
void Keeper::start(const Claim& claim, const Job& job) {
  if (dead_) return;
  Child child{claim, job.name.text() + (job.everywhere ? "/" + member_ : "")};
  if (boot() >= deadline_) {
    stage_.say(node_, fmt::format("does not start {}: trust is over", name_of(child)));
    return tell(claim, RunState::failed, Reason::spawn);
  }
  const RunId& run = claim.run;
  stage_.say(node_, fmt::format("starts {}, fence {}", name_of(child), claim.fence.value));
  const std::int64_t due = run.space == Space::slot ? stage_.since_begin(run.slot).count()
                                                    : std::numeric_limits<std::int64_t>::min();
  child.judged = stage_.judge.started(
      {child.job, slot_of(stage_, run), due, run.attempt.value, claim.fence.value, node_},
      stage_.since_begin(stage_.clock.wall()).count());
  const std::uint64_t id = ++last_id_;
  children_.emplace(id, child);
  tell_.started(run);
  const Course course = course_of(job.command);
  later(course.lasts, [this, id, course] {
    end(id, course.succeeds ? RunState::succeeded : RunState::failed,
        course.succeeds ? Reason::none : Reason::exit);
  });
  if (job.timeout) later(*job.timeout, [this, id] { end(id, RunState::timed_out, Reason::none); });
}

void Keeper::end(std::uint64_t id, RunState state, Reason reason) {
  const auto found = children_.find(id);
  if (found == children_.end()) return;
  const Child child = found->second;
  children_.erase(found);
  stage_.judge.ended(child.judged, state == RunState::succeeded);
  stage_.say(node_, fmt::format("{} ends: {}", name_of(child), describe(state, reason)));
  tell(child.claim, state, reason);
}

void Keeper::tell(const Claim& claim, RunState state, Reason reason) {
  FinishEntry entry;
  entry.run = claim.run;
  entry.fence = claim.fence;
  entry.incarnation = claim.incarnation;
  entry.state = state;
  entry.reason = reason;
  tell_.ended(entry);
}

bool Keeper::end(const std::string& job, RunState state) {
  const auto child = std::find_if(children_.begin(), children_.end(),
                                  [&](const auto& one) { return one.second.job == job; });
  if (child == children_.end()) return false;
  end(child->first, state, state == RunState::failed ? Reason::exit : Reason::none);
  return true;
}

void Keeper::stop(const RunId& run, Reason reason) {
  const auto child = std::find_if(children_.begin(), children_.end(),
                                  [&](const auto& one) { return one.second.claim.run == run; });
  if (child != children_.end()) end(child->first, RunState::cancelled, reason);
}

void Keeper::trust_until(Duration boot) {
  deadline_ = std::max(deadline_, boot);
  later(clock_.when(deadline_) - stage_.now(), [this] { look_at_deadline(); });
}

void Keeper::look_at_deadline() {
  if (boot() < deadline_ || children_.empty()) return;
  stage_.say(node_, "trust is over, the keeper stops its children");
  for (const auto& [id, child] : children_) {
    later(stage_.lease.stop,
          [this, doomed = id] { end(doomed, RunState::failed, Reason::signal); });
  }
}

void Keeper::kill_all() {
  const auto children = children_;
  for (const auto& [id, child] : children) end(id, RunState::failed, Reason::signal);
}

void Keeper::crash() {
  for (const auto& [id, child] : children_) stage_.judge.ended(child.judged, false);
  children_.clear();
  dead_ = true;
}

void Keeper::suspend() {
  suspended_ = true;
  for (const auto& [id, child] : children_) stage_.judge.stands_still(child.judged);
}

/// Whoever wakes after the deadline is killed before it does more work.
void Keeper::wake() {
  suspended_ = false;
  if (boot() >= deadline_) kill_all();
  for (const auto& [id, child] : children_) stage_.judge.goes_on(child.judged);
  for (const auto& deed : std::exchange(backlog_, {})) deed();
}

}  // namespace cronce::scenario
