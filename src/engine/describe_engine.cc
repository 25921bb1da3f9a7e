#include "engine/describe_engine.h"

#include <array>

#include <fmt/format.h>

#include "model/describe.h"
#include "model/words.h"

namespace cronce {
namespace {

constexpr std::array<std::string_view, 14> kRefused{
    "granted", "ended",   "closed", "gone", "moved", "future",  "too old",
    "paused",  "retired", "busy",   "full", "stale", "invalid", "clock"};
static_assert(kRefused.size() == Words<Refused>::kList.size());

/// A node may be told of so many jobs at once that their names would hide everything else.
constexpr std::size_t kFewJobs = 3;

std::string in_job(const RunId& run) {
  return fmt::format("job {} {}", run.job.value, describe(run));
}

std::string describe_end(const FinishEntry& end) {
  return fmt::format("{} {} fence {}", in_job(end.run), describe(end.state, end.reason),
                     end.fence.value);
}

template <class T>
std::string next_of(const T& what) {
  return what.next ? print(*what.next) : "none";
}

std::string describe_entry(const DecideEntry& entry) {
  static constexpr std::array<std::string_view, 3> kHow{"run", "enqueue", "defer"};
  std::string text = fmt::format(" [job {} turn {} from {} through {}", entry.job.value,
                                 entry.turn.value, print(entry.from), print(entry.through));
  for (const SkippedRange& range : entry.skipped) {
    text += fmt::format(", {} {} to {}", describe(RunState::skipped, range.reason), range.count,
                        print(range.to));
  }
  for (const SlotToRun& run : entry.runs) {
    text += fmt::format(", {} {}", kHow[static_cast<std::size_t>(run.how)], print(run.slot));
  }
  text += fmt::format(", next {}]", next_of(entry));
  return text;
}

struct ChangeText {
  std::string operator()(const ResumeJob& change) const {
    return fmt::format("resume job {} from {}, {} covered, next {}", change.job.value,
                       print(change.base), change.covered, next_of(change));
  }
  std::string operator()(const Repoint& change) const {
    return fmt::format("repoint job {} turn {} next {}", change.job.value, change.turn.value,
                       next_of(change));
  }
  std::string operator()(const JoinMember& change) const {
    return fmt::format("join job {} next {}", change.whole.value, next_of(change));
  }
  std::string operator()(const EndMember& change) const {
    return fmt::format("end share job {} turn {}, {} covered, next {}", change.job.value,
                       change.turn.value, change.covered, next_of(change));
  }
  std::string operator()(const StartAtBoot& change) const {
    return fmt::format("start job {} at boot {}", change.job.value, change.boot);
  }
};

struct OutcomeText {
  std::string operator()(const std::monostate&) const { return "nothing"; }
  std::string operator()(const DecideAnswers& answers) const {
    std::string text;
    for (const DecideAnswer& answer : answers.entries) {
      text += fmt::format(" {}", describe(answer.refused));
      for (const SlotOutcome& run : answer.runs)
        text += fmt::format(" {}", cronce::describe(run.state, run.reason));
    }
    for (const Refused refused : answers.lapses)
      text += fmt::format(" lapse {}", describe(refused));
    for (const Refused refused : answers.changes)
      text += fmt::format(" change {}", describe(refused));
    return fmt::format("decide:{}", text);
  }
  std::string operator()(const std::vector<TakeAnswer>& answers) const {
    std::string text = "take:";
    for (const TakeAnswer& answer : answers) text += fmt::format(" {}", describe(answer.refused));
    return text;
  }
  std::string operator()(const std::vector<FinishAnswer>& answers) const {
    std::string text = "finish:";
    for (const FinishAnswer& answer : answers) text += fmt::format(" {}", describe(answer.refused));
    return text;
  }
  std::string operator()(const std::vector<SweepAnswer>& answers) const {
    std::string text = "sweep:";
    for (const SweepAnswer& answer : answers) {
      text += answer.ended ? fmt::format(" ended, {} lost", answer.lost) : " nothing";
    }
    return text;
  }
  std::string operator()(const RegisterAnswer& answer) const {
    return fmt::format(
        "register: {} generation {}",
        answer.refused == Refused::none ? word(answer.registered) : describe(answer.refused),
        answer.generation.value);
  }
  std::string operator()(const ControlAnswer& answer) const {
    return fmt::format("control: {}", describe(answer.refused));
  }
  std::string operator()(const OnceAnswer& answer) const {
    return fmt::format("once: {}", describe(answer.refused));
  }
};

struct AskText {
  std::string operator()(const DecideAsk& ask) const {
    if (ask.empty()) return "settle the last write";
    std::string text = "decide";
    for (const DecideEntry& entry : ask.entries) text += describe_entry(entry);
    for (const Lapse& lapse : ask.lapses) {
      text +=
          " lapse " + in_job(lapse.run) + " " + cronce::describe(RunState::skipped, lapse.reason);
    }
    for (const PlanChange& change : ask.changes)
      text += fmt::format(" [{}]", std::visit(ChangeText{}, change));
    return text;
  }
  std::string operator()(const std::vector<RunId>& runs) const {
    std::string text = "take";
    for (const RunId& run : runs) text += fmt::format(" {}", in_job(run));
    return text;
  }
  std::string operator()(const std::vector<FinishEntry>& ends) const {
    std::string text = "finish";
    for (const FinishEntry& end : ends) text += fmt::format(" {}", describe_end(end));
    return text;
  }
  std::string operator()(const std::vector<SweepEntry>& entries) const {
    if (entries.empty()) return "sweep nobody: purge";
    std::string text = "sweep";
    for (const SweepEntry& entry : entries) {
      text +=
          fmt::format(" {} at beat {}", print(entry.incarnation).substr(0, 8), entry.beat.value);
    }
    return text;
  }
  std::string operator()(const RegisterAsk& ask) const {
    std::string text =
        fmt::format("register {} {}: {} jobs", ask.source, ask.digest, ask.jobs.size());
    for (const DecideEntry& entry : ask.settle) text += describe_entry(entry);
    return text;
  }
  std::string operator()(const Remember& ask) const {
    std::string text = fmt::format("remember {}, {} running, {} ended", describe(ask.mark),
                                   ask.running.size(), ask.ended.size() + ask.begun.size());
    if (!ask.gone.empty()) text += fmt::format(", {} gone", ask.gone.size());
    return text;
  }
  std::string operator()(const OpenEpoch& ask) const {
    return fmt::format("open the epoch after {}", ask.closed.value);
  }
};

struct EventText {
  std::string operator()(const Ticked&) const { return "tick"; }
  std::string operator()(const Offered& offered) const {
    return fmt::format("offered {} {}", offered.set.source, offered.digest);
  }
  std::string operator()(const BeatAnswered& event) const {
    if (event.answer.refused != Refused::none) {
      return fmt::format("beat refused: {}", describe(event.answer.refused));
    }
    const BeatAnswer& answer = event.answer;
    std::string text = fmt::format("beat {} answered: {} nodes, {} changed, {} stops, {} held",
                                   answer.beat.value, answer.nodes.size(), answer.changed.size(),
                                   answer.stops.size(), answer.held.size());
    if (answer.closed) text += fmt::format(", epoch {} is closed", answer.epoch.value);
    if (answer.changed.size() > kFewJobs) return text;
    for (const JobRow& job : answer.changed) text += fmt::format(" [{}]", describe(job));
    return text;
  }
  std::string operator()(const BeatUnanswered&) const { return "beat not answered"; }
  std::string operator()(const WriteAnswered& event) const {
    return fmt::format("write {} answered: {}; before: write {}", event.sequence,
                       describe(event.outcome), event.before.sequence);
  }
  std::string operator()(const WriteUnanswered& event) const {
    return fmt::format("write {} not answered", event.sequence);
  }
  std::string operator()(const RunStarted& event) const {
    return fmt::format("run started: {}", in_job(event.run));
  }
  std::string operator()(const RunProgressed& event) const {
    return fmt::format("run says: {}: {}", in_job(event.run), event.text);
  }
  std::string operator()(const RunEnded& event) const {
    return fmt::format("run ended: {}", describe_end(event.end));
  }
  std::string operator()(const Hinted&) const { return "hint"; }
  std::string operator()(const LeaveAsked&) const { return "asked to leave"; }
};

struct ActionText {
  std::string operator()(const SendBeat& action) const {
    return fmt::format("beat: {}", describe(action.ask.node));
  }
  std::string operator()(const SendWrite& action) const {
    return fmt::format("write {}: {}", action.id.sequence, std::visit(AskText{}, action.ask));
  }
  std::string operator()(const StartRun& action) const {
    return fmt::format("start {} {}", action.job->name.text(), describe(action.claim));
  }
  std::string operator()(const StopRun& action) const {
    return fmt::format("stop {}: {}", in_job(action.run),
                       describe(RunState::cancelled, action.reason));
  }
  std::string operator()(const TrustUntil& action) const {
    return fmt::format("trust until boot {}", print(action.boot));
  }
  std::string operator()(const EndStored& action) const {
    return fmt::format("end stored: {}", in_job(action.run));
  }
  std::string operator()(const KeepBoot& action) const { return "keep boot " + action.boot; }
  std::string operator()(const LookForNotices& action) const {
    return (action.wanted ? "look for notices of " : "no notices of ") +
           action.job.definition->name.text();
  }
  std::string operator()(const KeepMark& action) const {
    std::string text = "keep mark " + describe(action.mark);
    for (const Claim& claim : action.claims) text += ", " + in_job(claim.run);
    return text;
  }
  std::string operator()(const KillAll&) const { return "kill all"; }
  std::string operator()(const Left&) const { return "left"; }
};

}  // namespace

std::string describe(const Event& event) { return std::visit(EventText{}, event); }

std::string describe(const Action& action) { return std::visit(ActionText{}, action); }

std::string_view describe(Refused refused) { return kRefused[static_cast<std::size_t>(refused)]; }

std::string describe(const Outcome& outcome) { return std::visit(OutcomeText{}, outcome); }

}  // namespace cronce
