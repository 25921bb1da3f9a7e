#include "node/story.h"

#include <fmt/format.h>

#include "base/text.h"
#include "engine/describe_engine.h"
#include "model/describe.h"
#include "model/shown_run.h"
#include "model/words.h"

namespace cronce {
namespace {

std::string number(std::int64_t value) { return fmt::format("{}", value); }
std::string number(std::uint64_t value) { return fmt::format("{}", value); }

bool is_good(RunState state) { return state == RunState::succeeded; }

/// What it said last, as much as belongs into a line.
std::string last_words(const std::string& output) {
  constexpr std::size_t kMost = 200;
  const std::string line(last_line(output));
  return line.size() <= kMost ? line : line.substr(0, kMost) + "...";
}

}  // namespace

std::string Story::job_name(JobUid job) const {
  const Job* known = engine_.definition(job);
  return known != nullptr ? known->name.text() : fmt::format("job {}", job.value);
}

std::string Story::name_of(const RunId& run) const {
  if (const auto known = known_.find(run); known != known_.end()) return known->second.name;
  const std::string job = job_name(run.job);
  if (run.space == Space::slot) return fmt::format("{}@{}", job, print(run.slot));
  return fmt::format("{}@{}/{}", job, word(run.space), run.request);
}

std::string Story::node_name(const Incarnation& incarnation) const {
  const auto known = nodes_.find(incarnation);
  return known == nodes_.end() ? print(incarnation).substr(0, 8) : known->second;
}

void Story::tell(const Event& event, const Now& now) {
  if (log_.writes(LogLevel::debug)) log_.debug("event: " + describe(event));
  if (const auto* beat = std::get_if<BeatAnswered>(&event)) tell_beat(*beat, now);
  if (std::holds_alternative<BeatUnanswered>(event)) store_is_silent();
  if (std::holds_alternative<WriteUnanswered>(event)) store_is_silent();
  if (const auto* end = std::get_if<RunEnded>(&event)) tell_end(end->end);
  const auto* write = std::get_if<WriteAnswered>(&event);
  if (write == nullptr) return;
  store_answers();
  tell_answer(write->before.sequence, write->before.outcome);
  tell_answer(write->sequence, write->outcome);
  asked_.erase(asked_.begin(), asked_.upper_bound(write->sequence));
}

void Story::store_answers() {
  if (std::exchange(silent_, false)) log_.info("the store answers again");
}

void Story::store_is_silent() {
  if (std::exchange(silent_, true)) return;
  log_.warning(
      "the store does not answer: nothing is started; what runs goes on as long as the lease is "
      "trusted");
}

void Story::tell(const Action& action) {
  if (log_.writes(LogLevel::debug)) log_.debug("order: " + describe(action));
  if (const auto* write = std::get_if<SendWrite>(&action)) note(*write);
  if (const auto* start = std::get_if<StartRun>(&action)) {
    known_[start->claim.run] = {start->claim, name_of(start->claim.run), std::nullopt};
    log_.debug("claimed", {{"slot", name_of(start->claim.run)},
                           {"attempt", number(start->claim.run.attempt.value)},
                           {"fence", number(start->claim.fence.value)},
                           {"due", print(start->claim.due)},
                           {"claimed_at", print(start->claim.claimed_at)}});
  }
  if (const auto* stop = std::get_if<StopRun>(&action)) {
    log_.info("stopping", {{"slot", name_of(stop->run)}, {"reason", word(stop->reason)}});
  }
  if (const auto* stored = std::get_if<EndStored>(&action)) strangers_.erase(stored->run);
  if (std::holds_alternative<KillAll>(action)) {
    log_.warning(
        "the others took this node for dead: all that it ran is killed, and it goes on as a new "
        "incarnation");
  }
}

void Story::note(const SendWrite& write) {
  Asked& asked = asked_[write.id.sequence];
  if (const auto* decide = std::get_if<DecideAsk>(&write.ask)) {
    asked.entries = decide->entries;
    asked.lapses = decide->lapses;
  } else if (const auto* takes = std::get_if<std::vector<RunId>>(&write.ask)) {
    asked.takes = *takes;
  } else if (const auto* sweeps = std::get_if<std::vector<SweepEntry>>(&write.ask)) {
    asked.sweeps = *sweeps;
  } else if (const auto* set = std::get_if<RegisterAsk>(&write.ask)) {
    asked.entries = set->settle;
    asked.source = set->source;
    asked.digest = set->digest;
    asked.jobs = set->jobs.size();
  }
}

// ---- beats

void Story::tell_beat(const BeatAnswered& event, const Now& now) {
  store_answers();
  if (event.answer.refused != Refused::none) return;
  tell_members(event.answer);
  tell_clock(event.answer, now);
  tell_mistrusted(event.answer.changed);
  if (event.answer.closed && !closed_) {
    log_.warning(
        "the store has forgotten something: nothing is decided until every node has told what it "
        "remembers");
  }
  if (!event.answer.closed && closed_) log_.info("the store goes on in a new epoch");
  closed_ = event.answer.closed;
}

void Story::tell_members(const BeatAnswer& answer) {
  std::map<Incarnation, std::string> nodes;
  for (const Shared<Node>& node : answer.nodes) {
    nodes[node->incarnation] = node->name;
    const bool is_news = !nodes_.contains(node->incarnation) && node->incarnation != answer.self;
    if (is_news) log_.info("another node is here", {{"node", node->name}});
  }
  for (const auto& [incarnation, name] : nodes_) {
    if (!nodes.contains(incarnation)) log_.info("a node is gone", {{"node", name}});
  }
  nodes_ = std::move(nodes);
}

void Story::tell_mistrusted(const std::vector<JobRow>& jobs) {
  for (const JobRow& job : jobs) {
    if (!engine_.mistrusts(job)) continue;
    const auto told = mistrusted_.find(job.uid);
    if (told != mistrusted_.end() && told->second == job.revision) continue;
    mistrusted_[job.uid] = job.revision;
    log_.warning(
        "the store's definition of a job is not that of this node's file, though it is said to be "
        "of the same digest: it does not run here",
        {{"job", shown_name(job)}, {"revision", number(job.revision)}});
  }
}

void Story::tell_clock(const BeatAnswer& answer, const Now& now) {
  if (answer.disputed && !disputed_) {
    log_.warning(
        "this machine's clock disagrees with the other nodes': it decides nothing",
        {{"wall", now.wall ? print(*now.wall) : ""}, {"cluster", print(answer.store_time)}});
  }
  if (!answer.disputed && disputed_) log_.info("the clocks agree again");
  disputed_ = answer.disputed;
  if (now.doubted && !doubted_) {
    log_.warning("the store's clock jumped ahead and is not believed",
                 {{"store", print(answer.store_time)}, {"cluster", print(now.cluster)}});
  }
  if (!now.doubted && doubted_) log_.info("the store's clock is believed again");
  doubted_ = now.doubted;
  if (now.doubted || now.timeless || !now.wall) return;
  const bool is_off = std::chrono::abs(*now.wall - now.cluster) > budget_;
  if (is_off && !is_off_) {
    log_.warning("this machine's clock is wrong; slots run by the store's all the same",
                 {{"wall", print(*now.wall)}, {"cluster", print(now.cluster)}});
  }
  if (!is_off && is_off_) log_.info("this machine's clock is right again");
  is_off_ = is_off;
}

// ---- answers

void Story::tell_answer(std::uint64_t sequence, const Outcome& outcome) {
  const auto found = asked_.find(sequence);
  if (found == asked_.end()) return;
  const Asked asked = std::move(found->second);
  asked_.erase(found);
  if (const auto* decided = std::get_if<DecideAnswers>(&outcome)) tell_decided(asked, *decided);
  if (const auto* set = std::get_if<RegisterAnswer>(&outcome)) tell_registered(asked, *set);
  if (const auto* swept = std::get_if<std::vector<SweepAnswer>>(&outcome)) {
    tell_swept(asked, *swept);
  }
  const auto* takes = std::get_if<std::vector<TakeAnswer>>(&outcome);
  if (takes == nullptr) return;
  for (std::size_t i = 0; i < takes->size() && i < asked.takes.size(); ++i) {
    const TakeAnswer& answer = (*takes)[i];
    if (answer.claim) continue;
    log_.debug("not taken", {{"slot", name_of(asked.takes[i])},
                             {"why", describe(answer.refused)},
                             {"winner", answer.winner}});
  }
}

void Story::tell_decided(const Asked& asked, const DecideAnswers& answers) {
  for (std::size_t i = 0; i < answers.entries.size() && i < asked.entries.size(); ++i) {
    tell_decided(asked.entries[i], answers.entries[i]);
  }
  for (std::size_t i = 0; i < answers.lapses.size() && i < asked.lapses.size(); ++i) {
    if (answers.lapses[i] != Refused::none) continue;
    tell_skipped(asked.lapses[i].run, asked.lapses[i].reason);
  }
}

void Story::tell_decided(const DecideEntry& entry, const DecideAnswer& answer) {
  if (answer.refused != Refused::none) {
    log_.debug("not decided here", {{"slot", name_of({entry.job, Space::slot, entry.from, "", {}})},
                                    {"why", describe(answer.refused)},
                                    {"winner", answer.winner}});
    return;
  }
  for (const SkippedRange& range : entry.skipped) {
    log_.info(describe(RunState::skipped, range.reason),
              {{"slot", name_of({entry.job, Space::slot, range.from, "", {}})},
               {"to", print(range.to)},
               {"count", number(range.count)}});
  }
  for (std::size_t i = 0; i < answer.runs.size() && i < entry.runs.size(); ++i) {
    const RunId run{entry.job, Space::slot, entry.runs[i].slot, "", Attempt{1}};
    const SlotOutcome& outcome = answer.runs[i];
    if (outcome.state == RunState::skipped) tell_skipped(run, outcome.reason);
    if (outcome.state == RunState::pending)
      log_.info(describe(RunState::pending, Reason::none), {{"slot", name_of(run)}});
  }
}

void Story::tell_skipped(const RunId& run, Reason reason) {
  log_.info(describe(RunState::skipped, reason), {{"slot", name_of(run)}});
}

void Story::tell_registered(const Asked& asked, const RegisterAnswer& answer) {
  for (std::size_t i = 0; i < answer.settled.size() && i < asked.entries.size(); ++i) {
    tell_decided(asked.entries[i], answer.settled[i]);
  }
  if (answer.refused != Refused::none) return;
  const std::string key = asked.source + " " + asked.digest;
  const auto told = registered_.find(key);
  if (told != registered_.end() && told->second == answer.registered) return;
  registered_[key] = answer.registered;
  const std::string generation = number(answer.generation.value);
  std::string jobs;
  for (const std::string& job : answer.jobs) jobs += (jobs.empty() ? "" : " ") + job;
  switch (answer.registered) {
    case Registered::current:
      return log_.info("registered", {{"source", asked.source},
                                      {"jobs", number(std::uint64_t{asked.jobs})},
                                      {"generation", generation}});
    case Registered::superseded:
      return log_.warning(
          "not registered: other nodes have a newer version of this file; its jobs run there",
          {{"source", asked.source}, {"generation", generation}});
    case Registered::conflict:
      return log_.error(
          "not registered: another definition has this number, or another source these jobs",
          {{"source", asked.source}, {"generation", generation}, {"jobs", jobs}});
    case Registered::numbered:
      return log_.error(
          "not registered: the generation of this file must be greater than the current one",
          {{"source", asked.source}, {"generation", generation}});
    case Registered::owing:
    case Registered::early:
      return log_.debug("registered soon", {{"source", asked.source}, {"jobs", jobs}});
  }
}

void Story::tell_swept(const Asked& asked, const std::vector<SweepAnswer>& answers) {
  for (std::size_t i = 0; i < answers.size() && i < asked.sweeps.size(); ++i) {
    if (!answers[i].ended) continue;
    const Incarnation& swept = asked.sweeps[i].incarnation;
    if (swept == engine_.incarnation()) continue;
    log_.warning("ended a node that was silent for its whole lease",
                 {{"node", node_name(swept)}, {"lost", number(answers[i].lost)}});
  }
}

// ---- runs

void Story::started(const RunId& run, std::int64_t pid, Time at) {
  const auto known = known_.find(run);
  if (known == known_.end()) return;
  known->second.started_at = at;
  const Claim& claim = known->second.claim;
  log_.info("started", {{"slot", known->second.name},
                        {"attempt", number(run.attempt.value)},
                        {"fence", number(claim.fence.value)},
                        {"lateness_ms", number((at - claim.due).count())},
                        {"pid", number(pid)}});
}

void Story::progressed(const RunId& run, const std::string& text) {
  log_.info("progress", {{"slot", name_of(run)}, {"says", text}});
}

void Story::tell_end(const FinishEntry& end) {
  const auto known = known_.find(end.run);
  const bool ours = known != known_.end();
  if (!ours && !strangers_.insert(end.run).second) return;
  const std::string state = describe(end.state, end.reason);
  const std::string slot = name_of(end.run);
  const std::string attempt = number(end.run.attempt.value);
  const std::string exit = end.exit_code ? number(*end.exit_code) : "";
  if (!ours) {
    log_.info("reporting a run of a former node: " + state,
              {{"slot", slot}, {"attempt", attempt}, {"exit", exit}});
    return;
  }
  const auto took = end.started_at && end.finished_at
                        ? std::optional(*end.finished_at - *end.started_at)
                        : std::nullopt;
  const std::string took_text = took ? print(*took) : "";
  if (is_good(end.state)) {
    log_.info(state, {{"slot", slot}, {"attempt", attempt}, {"took", took_text}});
  } else {
    log_.warning(state, {{"slot", slot},
                         {"attempt", attempt},
                         {"exit", exit},
                         {"took", took_text},
                         {"says", last_words(end.output_tail)}});
  }
  known_.erase(known);
}

void log_swept(const Log& log, const std::vector<std::int64_t>& lost) {
  for (const std::int64_t one : lost) {
    log.info("ended a former node of this machine", {{"lost", number(one)}});
  }
}

}  // namespace cronce
