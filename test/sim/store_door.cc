#include "test/sim/store_door.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "engine/describe_engine.h"

namespace cronce::sim {

Time StoreDoor::time_for_people() { return judged_by(own_id()); }

/// A person goes by the time that the nodes go by.
WriteId StoreDoor::own_id() {
  WriteId id{console_, 0, ++console_sequence_, 0, std::nullopt};
  const std::vector<Node> nodes = store_.nodes().value();
  for (const Node& node : nodes) {
    if (node.course) id.course = std::max(id.course.value_or(*node.course), *node.course);
  }
  return id;
}

Time StoreDoor::judged_by(const WriteId& id) const {
  const Time now = stage_.clock.wall();
  return id.course ? std::min(now, *id.course) : now;
}

BeatAnswer StoreDoor::beat(const BeatAsk& ask) {
  BeatAnswer answer = store_.beat(ask).value();
  if (answer.closed) stage_.witness.closed(stage_.now());
  if (answer.refused == Refused::none) {
    stage_.witness.beaten(ask.node.incarnation, ask.node.beat);
    note_beat(ask, answer.beat == ask.node.beat);
    if (answer.beat > ask.node.beat) stage_.rare.saw(Rare::beat_overtaken);
    if (ask.node.course) stage_.rare.saw(Rare::clock_doubted);
    if (ask.node.leaving) hint();
  } else {
    stage_.rare.saw(Rare::swept_came_back);
  }
  return answer;
}

void StoreDoor::note_beat(const BeatAsk& ask, bool counts) {
  const Node& node = ask.node;
  auto known = askers_.find(node.incarnation);
  if (known == askers_.end()) {
    const Asker asker{node.name, knowledge_of(node), {}, stage_.clock.offset()};
    known = askers_.emplace(node.incarnation, asker).first;
  }
  if (!counts) return;  // a later one was here first
  known->second.last = stage_.now();
  const bool knew = known->second.knows_time;
  known->second.knows_time = node.course && *node.course <= kOrigin + stage_.now() + kFarAhead;
  if (!knew) known->second.knows_since = stage_.now();
  auto& offers = offered_[node.incarnation];
  if (offers != node.digests) offers = node.digests;
}

std::optional<WriteAnswered> StoreDoor::write(const WriteId& id, const WriteAsk& what) {
  judges(id);
  return passed(std::visit([&](const auto& one) { return ask(id, one); }, what));
}

std::optional<WriteAnswered> StoreDoor::write(const WriteId& id, const ControlAsk& what) {
  judges(id);
  auto written = store_.control(id, what);
  const auto* exec = std::get_if<ExecSlot>(&what);
  if (written && exec != nullptr) note_exec(id, *exec, written->answer);
  return passed(pass(id, std::move(written)));
}

std::optional<WriteAnswered> StoreDoor::write(const WriteId& id, const OnceAsk& what) {
  judges(id);
  auto written = store_.once(id, what);
  if (written) note_key(id, what, written->answer);
  return passed(pass(id, std::move(written)));
}

std::optional<WriteAnswered> StoreDoor::passed(std::optional<WriteAnswered> answered) {
  if (!answered) {
    stage_.rare.saw(Rare::stale_sequence);
    return answered;
  }
  for_each_claim(answered->outcome,
                 [&](const Claim& claim) { stage_.witness.granted(stage_.now(), claim); });
  stage_.trace([&] { return "  store " + describe(answered->outcome); });
  return answered;
}

template <class T>
std::optional<WriteAnswered> StoreDoor::pass(const WriteId& id, Result<Written<T>> written) {
  if (!written) return std::nullopt;
  return WriteAnswered{id.sequence, std::move(written->answer), std::move(written->before),
                       written->store_time};
}

std::optional<WriteAnswered> StoreDoor::ask(const WriteId& id, const DecideAsk& ask) {
  auto written = store_.decide(id, ask);
  if (!written) return std::nullopt;
  for (std::size_t i = 0; i < ask.entries.size(); ++i) {
    note(id, ask.entries[i], written->answer.entries[i]);
  }
  for (std::size_t i = 0; i < ask.lapses.size(); ++i) {
    if (written->answer.lapses[i] != Refused::none) continue;
    const bool deferred = ask.lapses[i].reason == Reason::overlap;
    stage_.rare.saw(deferred ? Rare::deferred_skipped : Rare::lapse_expired);
  }
  for (std::size_t i = 0; i < ask.changes.size(); ++i) {
    note(id, ask.changes[i], written->answer.changes[i]);
  }
  return pass(id, std::move(written));
}

void StoreDoor::note(const WriteId& id, const DecideEntry& entry, const DecideAnswer& answer) {
  static const std::map<Refused, Rare> kRefusals{{Refused::moved, Rare::decide_moved},
                                                 {Refused::future, Rare::decide_future},
                                                 {Refused::too_old, Rare::decide_too_old},
                                                 {Refused::retired, Rare::decide_retired},
                                                 {Refused::ended, Rare::decide_ended}};
  if (const auto rare = kRefusals.find(answer.refused); rare != kRefusals.end()) {
    stage_.rare.saw(rare->second);
  }
  Decided& last = decided_[entry.job];
  const bool same = last.from == entry.from && last.by != id.incarnation;
  if (same && stage_.now() - last.at < Duration{40}) stage_.rare.saw(Rare::decide_same_moment);
  if (answer.refused != Refused::none) return;
  note_time(id, entry);
  last = {entry.from, stage_.now(), id.incarnation};
  pointed_by_[entry.job] = knowledge(id.incarnation);
  for (const SkippedRange& range : entry.skipped) {
    if (range.reason == Reason::paused) stage_.rare.saw(Rare::range_paused);
    if (range.reason == Reason::missed) stage_.rare.saw(Rare::range_missed);
  }
  if (entry.runs.size() > 1) stage_.rare.saw(Rare::caught_up_all);
  for (std::size_t i = 0; i < answer.runs.size(); ++i) {
    const RunId run{entry.job, Space::slot, entry.runs[i].slot, "", Attempt{1}};
    const bool waits = answer.runs[i].state == RunState::pending;
    if (!answer.runs[i].claim && !waits && stage_.witness.was_named_by_exec(run)) {
      stage_.rare.saw(Rare::exec_met_by_decide);
    }
    if (!waits) continue;
    stage_.witness.enqueued(run);
    const bool deferred = entry.runs[i].how == SlotToRun::How::defer;
    stage_.rare.saw(deferred ? Rare::slot_deferred : Rare::slot_enqueued);
    if (deferred) deferred_.insert(run);
    hint();
  }
}

/// A newcomer believes the clock that the store has when it comes, if nobody who knows better is
/// heard after that: an answer tells what others had said before it.
void StoreDoor::note_time(const WriteId& id, const DecideEntry& entry) {
  const Time now = kOrigin + stage_.now();
  if (entry.through <= now + kFarAhead) return;
  const Asker& self = askers_[id.incarnation];
  const bool warned = std::any_of(askers_.begin(), askers_.end(), [&](const auto& asker) {
    const Asker& other = asker.second;
    return other.knows_time && other.last > self.first && other.knows_since < self.heard;
  });
  if (!warned && entry.through <= now + self.off + kFarAhead / 4) {
    stage_.witness.nobody_doubted(entry.job);
  }
}

std::optional<WriteAnswered> StoreDoor::ask(const WriteId& id, const std::vector<RunId>& runs) {
  auto written = store_.take(id, runs);
  if (!written) return std::nullopt;
  for (std::size_t i = 0; i < runs.size(); ++i) note(written->answer[i], runs[i]);
  return pass(id, std::move(written));
}

void StoreDoor::note(const TakeAnswer& answer, const RunId& run) {
  static const std::map<Refused, Rare> kRefusals{{Refused::busy, Rare::take_busy},
                                                 {Refused::full, Rare::take_full},
                                                 {Refused::gone, Rare::take_gone},
                                                 {Refused::paused, Rare::take_paused}};
  if (const auto rare = kRefusals.find(answer.refused); rare != kRefusals.end()) {
    stage_.rare.saw(rare->second);
  }
  if (answer.claim && deferred_.contains(run)) stage_.rare.saw(Rare::deferred_ran);
}

std::optional<WriteAnswered> StoreDoor::ask(const WriteId& id,
                                            const std::vector<FinishEntry>& ends) {
  auto written = store_.finish(id, ends);
  if (!written) return std::nullopt;
  for (std::size_t i = 0; i < ends.size(); ++i) note(ends[i], written->answer[i]);
  hint();
  return pass(id, std::move(written));
}

void StoreDoor::note(const FinishEntry& end, const FinishAnswer& answer) {
  if (answer.refused != Refused::none) return;
  const bool repeated = !finished_.insert(end.run).second;
  if (repeated) stage_.rare.saw(Rare::finish_repeated);
  const bool was_swept = stage_.witness.known().ended.contains(end.incarnation);
  const bool late = !repeated && was_swept && answer.state == RunState::succeeded;
  if (late && closed_next(end.run)) stage_.rare.saw(Rare::late_superseded);
  if (end.state == RunState::returned) stage_.rare.saw(Rare::claim_returned);
  const bool unused = end.state == RunState::returned && answer.state == RunState::cancelled;
  if (unused) stage_.witness.refused(end.run);  // a person had cancelled it
  if (end.state == RunState::lost && answer.state == RunState::lost)
    stage_.witness.self_lost(end.run);
}

/// Whether its success has made an attempt after it unnecessary.
bool StoreDoor::closed_next(RunId run) {
  ++run.attempt.value;
  const auto next = row(run);
  return next && next->state == RunState::skipped && next->reason == Reason::superseded;
}

std::optional<WriteAnswered> StoreDoor::ask(const WriteId& id,
                                            const std::vector<SweepEntry>& entries) {
  auto written = store_.sweep(id, entries);
  if (!written) return std::nullopt;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const SweepAnswer& answer = written->answer[i];
    const bool itself = entries[i].incarnation == id.incarnation;
    if (!answer.ended) {
      const auto& beats = stage_.witness.known().beats;
      const auto beat = beats.find(entries[i].incarnation);
      if (beat != beats.end() && beat->second > entries[i].beat) {
        stage_.rare.saw(Rare::sweep_too_late);
      }
      continue;
    }
    stage_.witness.ended(stage_.now(), entries[i].incarnation, entries[i].beat);
    stage_.rare.saw(itself             ? Rare::left_by_itself
                    : answer.lost == 0 ? Rare::swept_without_runs
                                       : Rare::swept_with_runs);
  }
  hint();
  return pass(id, std::move(written));
}

std::optional<WriteAnswered> StoreDoor::ask(const WriteId& id, const RegisterAsk& ask) {
  auto written = store_.enroll(id, ask);
  if (!written) return std::nullopt;
  const RegisterAnswer& answer = written->answer;
  for (std::size_t i = 0; i < answer.settled.size(); ++i)
    note(id, ask.settle[i], answer.settled[i]);
  note_registered(id, ask, answer);
  if (answer.refused == Refused::none && answer.registered == Registered::current) {
    note_set(id, ask);
  }
  return pass(id, std::move(written));
}

std::optional<WriteAnswered> StoreDoor::ask(const WriteId& id, const Remember& ask) {
  auto written = store_.control(id, ask);
  if (written && written->answer.refused == Refused::none) {
    note_told_time(id, ask);
    stage_.witness.remembered(stage_.now(), id.incarnation, ask.mark.time);
    std::vector<Claim> told = ask.running;
    told.insert(told.end(), ask.ended.begin(), ask.ended.end());
    told.insert(told.end(), ask.begun.begin(), ask.begun.end());
    const auto& unknown = written->answer.unknown;
    for (const Claim& claim : told) {  // also of a former life
      stage_.witness.told(stage_.now(), claim);
      if (std::find(unknown.begin(), unknown.end(), claim.run) == unknown.end()) continue;
      stage_.witness.not_put_back(stage_.now(), claim);
    }
    for (const Incarnation& one : ask.gone) {
      if (stage_.witness.ended_again(one)) stage_.rare.saw(Rare::ended_again);
    }
    stage_.rare.saw(told.empty() ? Rare::remembered_nothing : Rare::remembered_claims);
  }
  return pass(id, std::move(written));
}

std::optional<WriteAnswered> StoreDoor::ask(const WriteId& id, const OpenEpoch& ask) {
  auto written = store_.control(id, ask);
  if (written && written->answer.refused == Refused::none) {
    stage_.witness.opened(stage_.now());
    stage_.rare.saw(Rare::epoch_opened);
    hint();
  }
  return pass(id, std::move(written));
}

ControlAnswer StoreDoor::control(const ControlAsk& ask) {
  const WriteId id = own_id();
  judges(id);
  const ControlAnswer answer = store_.control(id, ask).value().answer;
  if (answer.refused == Refused::none) {
    note_person(id, ask);
    hint();
  }
  return answer;
}

void StoreDoor::finish_by_stranger(const FinishEntry& end) {
  auto written = store_.finish(own_id(), std::vector<FinishEntry>{end});
  if (written.ok() && written->answer.front().refused == Refused::stale) {
    stage_.rare.saw(Rare::finish_stale);
  }
}

void StoreDoor::purge() { static_cast<void>(store_.sweep(own_id(), {}).ok()); }

std::vector<Run> StoreDoor::runs() {
  RunFilter filter;
  filter.limit = std::numeric_limits<std::size_t>::max();
  std::vector<Run> found = store_.runs(filter).value();
  // What a seed picks from them must not depend on the order in which a store answers.
  std::sort(found.begin(), found.end(), [](const Run& a, const Run& b) {
    const auto key = [](const Run& run) {
      return std::tuple<bool, const RunId&>(run.slot_to.has_value(), run.id);
    };
    return key(a) < key(b);
  });
  return found;
}

std::optional<Run> StoreDoor::row(const RunId& id) {
  RunFilter filter;
  filter.job = id.job;
  filter.from = filter.to = id.slot;
  const std::vector<Run> found = store_.runs(filter).value();
  for (const Run& run : found) {
    if (run.id == id && !run.slot_to) return run;
  }
  return std::nullopt;
}

// ---- a store that forgets

void StoreDoor::keep_image() {
  image_ = {memory_.image(), stage_.witness.known(), until_, active_, stage_.now()};
}

void StoreDoor::put_back(bool elsewhere) {
  Kept kept = *std::exchange(image_, std::nullopt);
  const bool shows = stage_.canary != Canary::epoch_stays_open;
  memory_.put_back(std::move(kept.image), elsewhere && shows);
  stage_.witness.forgot(kept.at, stage_.now(), elsewhere, std::move(kept.known));
  until_ = std::move(kept.until);
  active_ = std::move(kept.active);
  pointed_by_.clear();  // what is forgotten cannot be compared with
  offered_.clear();
  digests_.clear();
}

}  // namespace cronce::sim
