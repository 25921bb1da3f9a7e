#include "test/scenario/words.h"

#include <array>

#include <fmt/format.h>

#include "engine/describe_engine.h"
#include "model/describe.h"

namespace cronce::scenario {
namespace {

using Lines = std::vector<std::string>;

std::string granted(const std::optional<Claim>& claim) {
  return claim ? fmt::format("running, fence {}", claim->fence.value) : "granted";
}

/// What runs or ran without a claim of ours is somebody else's, and was so before.
std::string settled(const SlotOutcome& outcome) {
  const bool new_row = outcome.state == RunState::pending || outcome.state == RunState::skipped;
  return (new_row ? "" : "settled, ") + describe(outcome.state, outcome.reason);
}

std::string_view verb(SlotToRun::How how) {
  static constexpr std::array<std::string_view, 3> kVerbs{"decides", "enqueues", "defers"};
  return kVerbs[static_cast<std::size_t>(how)];
}

std::string span_of(const SkippedRange& range) {
  if (range.from == range.to) return print(range.from);
  return fmt::format("{} to {} ({} slots)", print(range.from), print(range.to), range.count);
}

/// What changes a plan: to be asked, and as it is told.
std::array<std::string, 2> change(const Words& words, const PlanChange& change) {
  const auto both = [](const std::string& verb, const std::string& rest) {
    return std::array{verb + " " + rest, verb + "s " + rest};
  };
  if (const auto* resume = std::get_if<ResumeJob>(&change))
    return both("resume", words.job(resume->job));
  if (const auto* repoint = std::get_if<Repoint>(&change)) {
    return both("repoint", fmt::format("{} to {}", words.job(repoint->job),
                                       repoint->next ? print(*repoint->next) : "none"));
  }
  if (const auto* join = std::get_if<JoinMember>(&change))
    return both("join", words.job(join->whole));
  if (const auto* boot = std::get_if<StartAtBoot>(&change))
    return both("start", words.job(boot->job) + " at boot " + boot->boot);
  return both("end", words.job(std::get<EndMember>(change).job));
}

/// What was asked, without an answer.
struct AskWords {
  const Words& words;

  std::string operator()(const DecideAsk& ask) const {
    Lines parts;
    for (const DecideEntry& entry : ask.entries)
      parts.push_back(fmt::format("decide {}@{}", words.job(entry.job), print(entry.from)));
    for (const Lapse& lapse : ask.lapses) parts.push_back("let lapse " + words.run(lapse.run));
    for (const PlanChange& one : ask.changes) parts.push_back(change(words, one).front());
    return ask.empty() ? "settle" : fmt::format("{}", fmt::join(parts, ", "));
  }
  std::string operator()(const std::vector<RunId>& runs) const {
    Lines parts;
    for (const RunId& run : runs) parts.push_back(words.run(run));
    return fmt::format("take {}", fmt::join(parts, ", "));
  }
  std::string operator()(const std::vector<FinishEntry>& ends) const {
    Lines parts;
    for (const FinishEntry& end : ends)
      parts.push_back(fmt::format("{} {}", words.run(end.run), describe(end.state, end.reason)));
    return fmt::format("report {}", fmt::join(parts, ", "));
  }
  std::string operator()(const std::vector<SweepEntry>& entries) const {
    Lines parts;
    for (const SweepEntry& entry : entries) parts.push_back(words.node(entry.incarnation));
    return fmt::format("sweep {}", fmt::join(parts, ", "));
  }
  std::string operator()(const RegisterAsk& ask) const { return "register " + ask.source; }
  std::string operator()(const Remember& ask) const {
    const bool nothing = ask.mark == Mark{};
    return fmt::format("remember {}, {} running, {} ended",
                       nothing ? "nothing" : "up to " + print(ask.mark.time), ask.running.size(),
                       ask.ended.size() + ask.begun.size());
  }
  std::string operator()(const OpenEpoch&) const { return "open the next epoch"; }
};

void add_entry(const Words& words, const DecideEntry& entry, const DecideAnswer& answer,
               Lines& lines) {
  const std::string job = words.job(entry.job);
  if (answer.refused != Refused::none) {
    const auto how = entry.runs.empty() ? SlotToRun::How::run : entry.runs.back().how;
    const Time slot = entry.runs.empty() ? entry.from : entry.runs.back().slot;
    lines.push_back(fmt::format("{} {}@{}: {}", verb(how), job, print(slot),
                                Words::refusal(answer.refused, answer.winner)));
    return;
  }
  for (const SkippedRange& range : entry.skipped) {
    lines.push_back(fmt::format("decides {}@{}: {}", job, span_of(range),
                                describe(RunState::skipped, range.reason)));
  }
  for (std::size_t i = 0; i < answer.runs.size(); ++i) {
    const SlotOutcome& outcome = answer.runs[i];
    lines.push_back(fmt::format("{} {}@{}: {}", verb(entry.runs[i].how), job,
                                print(entry.runs[i].slot),
                                outcome.claim ? granted(outcome.claim) : settled(outcome)));
  }
}

std::string told(Refused refused) {
  return refused == Refused::none ? "granted" : Words::refusal(refused);
}

/// What was asked, with what came of it.
struct AnswerWords {
  const Words& words;
  const Outcome& outcome;

  Lines operator()(const DecideAsk& ask) const {
    Lines lines;
    const auto& answers = std::get<DecideAnswers>(outcome);
    for (std::size_t i = 0; i < ask.entries.size(); ++i)
      add_entry(words, ask.entries[i], answers.entries[i], lines);
    for (std::size_t i = 0; i < ask.lapses.size(); ++i) {
      lines.push_back(fmt::format("lets lapse {}: {}", words.run(ask.lapses[i].run),
                                  answers.lapses[i] == Refused::none
                                      ? describe(RunState::skipped, ask.lapses[i].reason)
                                      : Words::refusal(answers.lapses[i])));
    }
    for (std::size_t i = 0; i < answers.changes.size(); ++i)
      lines.push_back(
          fmt::format("{}: {}", change(words, ask.changes[i]).back(), told(answers.changes[i])));
    return lines;
  }
  Lines operator()(const std::vector<RunId>& runs) const {
    Lines lines;
    const auto& answers = std::get<std::vector<TakeAnswer>>(outcome);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const TakeAnswer& answer = answers[i];
      lines.push_back(fmt::format(
          "takes {}: {}", words.run(runs[i]),
          answer.claim ? granted(answer.claim) : Words::refusal(answer.refused, answer.winner)));
    }
    return lines;
  }
  Lines operator()(const std::vector<FinishEntry>& ends) const {
    Lines lines;
    const auto& answers = std::get<std::vector<FinishAnswer>>(outcome);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      std::string line = fmt::format("reports {} {}", words.run(ends[i].run),
                                     describe(ends[i].state, ends[i].reason));
      if (answers[i].refused != Refused::none) {
        line += ": " + Words::refusal(answers[i].refused);
      } else if (answers[i].state != ends[i].state) {
        line += fmt::format(": it is {}", describe(answers[i].state, Reason::none));
      }
      lines.push_back(std::move(line));
    }
    return lines;
  }
  Lines operator()(const std::vector<SweepEntry>& entries) const {
    Lines lines;
    const auto& answers = std::get<std::vector<SweepAnswer>>(outcome);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string what =
          answers[i].ended ? fmt::format("ended, {} lost", answers[i].lost) : "nothing";
      lines.push_back(fmt::format("sweeps {}: {}", words.node(entries[i].incarnation), what));
    }
    return lines;
  }
  Lines operator()(const RegisterAsk& ask) const {
    static constexpr std::array<std::string_view, 6> kRegistered{
        "current", "superseded", "conflict", "numbered", "owing", "early"};
    const auto& answer = std::get<RegisterAnswer>(outcome);
    Lines lines;
    for (std::size_t i = 0; i < answer.settled.size(); ++i)
      add_entry(words, ask.settle[i], answer.settled[i], lines);
    std::string line = fmt::format("registers {}: ", ask.source);
    if (answer.refused != Refused::none) {
      line += Words::refusal(answer.refused);
    } else {
      line +=
          fmt::format("{}, generation {}", kRegistered[static_cast<std::size_t>(answer.registered)],
                      answer.generation.value);
    }
    if (!answer.jobs.empty()) line += fmt::format(": {}", fmt::join(answer.jobs, ", "));
    lines.push_back(std::move(line));
    return lines;
  }
  Lines operator()(const Remember& ask) const { return controlled(ask, "remembers"); }
  Lines operator()(const OpenEpoch& ask) const { return controlled(ask, "opens"); }

  template <class Ask>
  Lines controlled(const Ask& ask, std::string_view verb) const {
    const auto& answer = std::get<ControlAnswer>(outcome);
    const std::string asked = AskWords{words}(ask);
    std::string line =
        fmt::format("{}{}: {}", verb, asked.substr(asked.find(' ')), told(answer.refused));
    if (!answer.unknown.empty()) line += fmt::format(", {} unknown", answer.unknown.size());
    return {line};
  }

  static std::string describe(RunState state, Reason reason) {
    return cronce::describe(state, reason);
  }
};

}  // namespace

std::string Words::run(const RunId& id) const {
  const std::string what = id.space == Space::slot ? print(id.slot) : "manual/" + id.request;
  return fmt::format("{}@{} #{}", job(id.job), what, id.attempt.value);
}

std::string Words::ask(const WriteAsk& what) const { return std::visit(AskWords{*this}, what); }

std::vector<std::string> Words::lines(const WriteAsk& ask, const Outcome& outcome) const {
  return std::visit(AnswerWords{*this, outcome}, ask);
}

std::string Words::refusal(Refused refused, const std::string& winner) {
  const std::string text = fmt::format("refused, {}", describe(refused));
  return winner.empty() ? text : fmt::format("{}, winner {}", text, winner);
}

}  // namespace cronce::scenario
