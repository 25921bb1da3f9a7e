#include "test/scenario/door.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "engine/describe_engine.h"

namespace cronce::scenario {
namespace {

template <class T>
std::optional<WriteAnswered> pass(const WriteId& id, const Result<Written<T>>& written) {
  if (!written) return std::nullopt;
  return WriteAnswered{id.sequence, written->answer, written->before, written->store_time};
}

/// One operation of the store for each kind of write.
struct Apply {
  Store& store;
  const WriteId& id;

  std::optional<WriteAnswered> operator()(const DecideAsk& ask) const {
    return pass(id, store.decide(id, ask));
  }
  std::optional<WriteAnswered> operator()(const std::vector<RunId>& runs) const {
    return pass(id, store.take(id, runs));
  }
  std::optional<WriteAnswered> operator()(const std::vector<FinishEntry>& ends) const {
    return pass(id, store.finish(id, ends));
  }
  std::optional<WriteAnswered> operator()(const std::vector<SweepEntry>& entries) const {
    return pass(id, store.sweep(id, entries));
  }
  std::optional<WriteAnswered> operator()(const RegisterAsk& ask) const {
    return pass(id, store.enroll(id, ask));
  }
  std::optional<WriteAnswered> operator()(const Remember& ask) const {
    return pass(id, store.control(id, ask));
  }
  std::optional<WriteAnswered> operator()(const OpenEpoch& ask) const {
    return pass(id, store.control(id, ask));
  }
};

/// What other nodes would be told of: all but a slot that was decided and runs.
bool is_news(const WriteAsk& ask, const Outcome& outcome) {
  const auto* answers = std::get_if<DecideAnswers>(&outcome);
  if (answers == nullptr) return !std::holds_alternative<std::vector<RunId>>(ask);
  return !answers->changes.empty() ||
         std::any_of(answers->entries.begin(), answers->entries.end(), [](const auto& entry) {
           return std::any_of(entry.runs.begin(), entry.runs.end(),
                              [](const auto& run) { return run.state == RunState::pending; });
         });
}

}  // namespace

std::string name_of(const JobRow& row) {
  return row.definition->name.text() + (row.whole ? "/" + *row.member : "");
}

Door::Door(Stage& stage, Store& store) : stage_(stage), store_(store) {
  words_.job = [this](JobUid uid) {
    for (const JobRow& row : jobs()) {
      if (row.uid == uid) return name_of(row);
    }
    return fmt::format("job {}", uid.value);
  };
  words_.node = [this](const Incarnation& incarnation) {
    const auto known = names_.find(incarnation);
    return known == names_.end() ? print(incarnation) : known->second;
  };
}

BeatAnswer Door::beat(const std::string& who, const BeatAsk& ask) {
  names_[ask.node.incarnation] = who;
  BeatAnswer answer = store_.beat(ask).value();
  if (answer.refused != Refused::none) stage_.say(who, "beats: " + Words::refusal(answer.refused));
  if (ask.node.leaving) news(who);
  return answer;
}

std::optional<WriteAnswered> Door::write(const std::string& who, const WriteId& id,
                                         const WriteAsk& ask) {
  const std::string asked = words_.ask(ask);  // before a register gives names that it did not have
  auto answered = std::visit(Apply{store_, id}, ask);
  if (!answered) {
    stage_.say(who,
               fmt::format("asks to {}: refused, a later write of its lane was here first", asked));
    return answered;
  }
  tell(who, ask, answered->outcome);
  if (is_news(ask, answered->outcome)) news(who);
  return answered;
}

void Door::tell(const std::string& who, const WriteAsk& ask, const Outcome& outcome) {
  for (const std::string& line : words_.lines(ask, outcome)) {
    if (const auto* answer = std::get_if<RegisterAnswer>(&outcome)) {
      const bool taken = answer->registered == Registered::current;
      if (!taken && std::exchange(last_refusal_[who], line) == line) continue;
      if (taken) last_refusal_.erase(who);
    }
    stage_.say(who, line);
  }
}

ControlAnswer Door::control(const ControlAsk& ask, const std::string& words) {
  const ControlAnswer answer = store_.control(own_id(), ask).value().answer;
  stage_.say("", fmt::format(
                     "{}: {}", words,
                     answer.refused == Refused::none ? "granted" : Words::refusal(answer.refused)));
  news("");
  return answer;
}

ControlAnswer Door::control_by(const std::string& who, const WriteId& id, const ControlAsk& ask) {
  names_[id.incarnation] = who;
  ControlAnswer answer = store_.control(id, ask).value().answer;
  news(who);
  return answer;
}

void Door::purge() { static_cast<void>(store_.sweep(own_id(), {}).ok()); }

std::optional<JobRow> Door::job(const std::string& name) {
  for (const JobRow& row : jobs()) {
    if (name_of(row) == name) return row;
  }
  return std::nullopt;
}

std::vector<Run> Door::runs(JobUid job) {
  RunFilter filter;
  filter.job = job;
  filter.limit = std::numeric_limits<std::size_t>::max();
  std::vector<Run> found = store_.runs(filter).value();
  std::sort(found.begin(), found.end(), [](const Run& a, const Run& b) {
    return std::tie(a.id, a.slot_to) < std::tie(b.id, b.slot_to);
  });
  return found;
}

}  // namespace cronce::scenario
