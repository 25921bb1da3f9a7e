#include "test/contract/reference.h"

#include <algorithm>

#include "model/describe.h"

namespace cronce::contract {
namespace {

constexpr std::int64_t kReruns = 3;  // where the job names no number of retries

bool is_one_of(Refused refused, std::initializer_list<std::pair<Refused, bool>> holding) {
  return std::any_of(holding.begin(), holding.end(),
                     [&](const auto& one) { return one.first == refused && one.second; });
}

bool any(std::initializer_list<std::pair<Refused, bool>> holding) {
  return std::any_of(holding.begin(), holding.end(), [](const auto& one) { return one.second; });
}

bool is_result(RunState state) {
  return state == RunState::succeeded || state == RunState::failed ||
         state == RunState::timed_out || state == RunState::cancelled;
}

}  // namespace

std::string describe_call(const Call& call) {
  const std::string who(1, static_cast<char>('a' + call.client));
  struct Print {
    std::string operator()(const DecideEntry& ask) const { return "decide " + print(ask.from); }
    std::string operator()(const RunId& ask) const { return "take " + describe(ask); }
    std::string operator()(const FinishEntry& ask) const {
      return "finish " + describe(ask.run) + " " + describe(ask.state, ask.reason);
    }
    std::string operator()(const SweepEntry&) const { return "sweep"; }
    std::string operator()(const Beat& ask) const { return "beat " + std::to_string(ask.value); }
    std::string operator()(const DecideAnswer& a) const { return refusal(a.refused); }
    std::string operator()(const TakeAnswer& a) const { return refusal(a.refused); }
    std::string operator()(const FinishAnswer& a) const {
      return refusal(a.refused) + ", " + describe(a.state, Reason::none);
    }
    std::string operator()(const SweepAnswer& a) const {
      return (a.ended ? "ended, lost " : "not ended, lost ") + std::to_string(a.lost);
    }
    std::string operator()(const Refused& a) const { return refusal(a); }
    static std::string refusal(Refused refused) {
      return refused == Refused::none ? "granted"
                                      : "refused " + std::to_string(static_cast<int>(refused));
    }
  };
  return who + " " + std::visit(Print{}, call.ask) + ": " + std::visit(Print{}, call.answer);
}

void Reference::add_job(const JobRow& row) {
  Plan& plan = jobs_[row.uid];
  plan.overlap = row.definition->overlap;
  plan.on_lost = row.definition->on_lost;
  plan.retries = row.definition->retries->max;
  plan.backoff = row.definition->retries->backoff;
  plan.turn = row.plan.turn;
  plan.next = row.plan.next;
}

bool Reference::explains(const Call& call) {
  return std::visit(
      [&](const auto& ask, const auto& answer) {
        if constexpr (requires { on(call, ask, answer); }) {
          return on(call, ask, answer);
        } else {
          return false;  // an answer to another question
        }
      },
      call.ask, call.answer);
}

bool Reference::lives(const Incarnation& incarnation) const {
  const auto member = members_.find(incarnation);
  return member != members_.end() && !member->second.ended;
}

bool Reference::is_busy(const Plan& job) {
  return job.overlap != Overlap::allow &&
         std::any_of(job.rows.begin(), job.rows.end(),
                     [](const auto& row) { return row.second.state == RunState::running; });
}

/// Attempts of the slot that count: what was given back does not.
std::int64_t Reference::tried(const Plan& job, const Key& key) {
  return std::count_if(job.rows.begin(), job.rows.end(), [&](const auto& row) {
    return row.first.first == key.first && row.second.state != RunState::returned &&
           row.second.state != RunState::skipped;
  });
}

bool Reference::starts(Plan& job, Row& row, const Call& call, const std::optional<Claim>& claim) {
  if (!claim || claim->incarnation != call.by || claim->fence <= job.fence) return false;
  row.state = RunState::running;
  row.owner = call.by;
  row.fence = job.fence = claim->fence;
  return true;
}

/// Its slot was never started: not a retry, and not a rerun.
bool Reference::is_first(const Plan& job, Key key) {
  while (key.second > 1) {
    --key.second;
    if (job.rows.at(key).state != RunState::returned) return false;
  }
  return true;
}

/// Older slots wait and are to start first.
bool Reference::has_line(const Plan& job) {
  return job.overlap == Overlap::queue &&
         std::any_of(job.rows.begin(), job.rows.end(), [&](const auto& row) {
           return row.second.state == RunState::pending && is_first(job, row.first);
         });
}

bool Reference::settles(Plan& job, const Call& call, const SlotToRun& slot,
                        const SlotOutcome& outcome) {
  const Key key{slot.slot, 1};
  if (job.rows.contains(key)) return false;  // cannot be asked for: it was never above the cursor
  const bool busy = is_busy(job);
  Row row{RunState::running, slot.due, {}, {}};
  if (busy) {
    row.state = job.overlap == Overlap::queue ? RunState::pending : RunState::skipped;
  } else if (slot.how == SlotToRun::How::enqueue || has_line(job)) {
    row.state = RunState::pending;
  }
  if (row.state != outcome.state) return false;
  if (row.state == RunState::running && !starts(job, row, call, outcome.claim)) return false;
  if (row.state != RunState::running && outcome.claim) return false;
  if (!busy && job.overlap == Overlap::skip) {  // what waits is superseded
    for (auto& [other, waiting] : job.rows) {
      const bool waits = waiting.state == RunState::pending && is_first(job, other);
      if (waits) waiting.state = RunState::skipped;
    }
  }
  job.rows[key] = row;
  return true;
}

bool Reference::on(const Call& call, const DecideEntry& ask, const DecideAnswer& answer) {
  Plan& job = jobs_.at(ask.job);
  const std::initializer_list<std::pair<Refused, bool>> reasons{
      {Refused::ended, !lives(call.by)},
      {Refused::moved, ask.turn != job.turn || job.next != ask.from},
      {Refused::future, ask.through > call.store_time}};
  if (answer.refused != Refused::none) return is_one_of(answer.refused, reasons);
  if (any(reasons) || answer.plan.turn <= job.turn || answer.plan.next != ask.next) return false;
  if (answer.runs.size() != ask.runs.size()) return false;
  for (std::size_t i = 0; i < ask.runs.size(); ++i) {
    if (!settles(job, call, ask.runs[i], answer.runs[i])) return false;
  }
  for (const SkippedRange& range : ask.skipped) {
    job.rows[{range.from, 1}] = {RunState::skipped, range.from, {}, {}};
  }
  job.turn = answer.plan.turn;
  job.next = ask.next;
  return true;
}

bool Reference::on(const Call& call, const RunId& ask, const TakeAnswer& answer) {
  Plan& job = jobs_.at(ask.job);
  const auto row = job.rows.find({ask.slot, ask.attempt.value});
  const bool waits = row != job.rows.end() && row->second.state == RunState::pending;
  const std::initializer_list<std::pair<Refused, bool>> reasons{
      {Refused::ended, !lives(call.by)},
      {Refused::gone, !waits},
      {Refused::future, waits && row->second.due > call.store_time},
      {Refused::busy, waits && is_busy(job)}};
  if (answer.refused != Refused::none) return is_one_of(answer.refused, reasons) && !answer.claim;
  return !any(reasons) && starts(job, row->second, call, answer.claim);
}

/// What follows an attempt that came out of `running`.
void Reference::end(Plan& job, const Key& key, RunState state, Time now) {
  Row& row = job.rows.at(key);
  row.state = state;
  const Key next{key.first, key.second + 1};
  const std::int64_t used = tried(job, key);
  const std::int64_t reruns = job.retries > 0 ? job.retries : kReruns;
  if (state == RunState::returned) {
    job.rows[next] = {RunState::pending, row.due, {}, {}};
  } else if (state == RunState::failed && used <= job.retries) {
    job.rows[next] = {RunState::pending, now + job.backoff, {}, {}};
  } else if (state == RunState::lost && job.on_lost == OnLost::rerun && used <= reruns) {
    job.rows[next] = {RunState::pending, now, {}, {}};
  } else if (state == RunState::lost && job.on_lost == OnLost::hold) {
    job.rows[next] = {RunState::held, now, {}, {}};
  }
}

bool Reference::on(const Call& call, const FinishEntry& ask, const FinishAnswer& answer) {
  Plan& job = jobs_.at(ask.run.job);
  const Key key{ask.run.slot, ask.run.attempt.value};
  const auto found = job.rows.find(key);
  if (found == job.rows.end()) return answer.refused == Refused::gone;
  Row& row = found->second;
  const bool started = row.fence != Fence{};
  if (!started || row.fence != ask.fence || row.owner != ask.incarnation) {
    return answer.refused == Refused::stale;
  }
  if (row.state == RunState::lost && !is_result(ask.state) && ask.state != RunState::lost) {
    return answer.refused == Refused::stale;
  }
  if (row.state == RunState::running) {
    end(job, key, ask.state, call.store_time);
  } else if (row.state == RunState::lost) {
    row.state = ask.state;
    const auto next = job.rows.find({key.first, key.second + 1});
    const bool waits = next != job.rows.end() && next->second.state == RunState::pending;
    if (waits && ask.state == RunState::succeeded) next->second.state = RunState::skipped;
  }
  return answer.refused == Refused::none && answer.state == job.rows.at(key).state;
}

bool Reference::on(const Call& call, const SweepEntry& ask, const SweepAnswer& answer) {
  const auto member = members_.find(ask.incarnation);
  const bool ends = lives(ask.incarnation) && member->second.beat == ask.beat;
  if (answer.ended != ends) return false;
  if (!ends) return answer.lost == 0;
  member->second.ended = true;
  std::int64_t lost = 0;
  for (auto& [uid, job] : jobs_) {
    std::vector<Key> held;
    for (const auto& [key, row] : job.rows) {
      if (row.state == RunState::running && row.owner == ask.incarnation) held.push_back(key);
    }
    for (const Key& key : held) end(job, key, RunState::lost, call.store_time);
    lost += static_cast<std::int64_t>(held.size());
  }
  return answer.lost == lost;
}

bool Reference::on(const Call& call, const Beat& ask, const Refused& answer) {
  Member& member = members_[call.by];
  if (member.ended) return answer == Refused::ended;
  member.beat = std::max(member.beat, ask);
  return answer == Refused::none;
}

std::string Reference::digest() const {
  std::string text;
  const auto add = [&](std::int64_t number) { text += std::to_string(number) + " "; };
  for (const auto& [uid, job] : jobs_) {
    add(static_cast<std::int64_t>(job.turn.value));
    add(static_cast<std::int64_t>(job.fence.value));
    for (const auto& [key, row] : job.rows) {
      add(key.first.time_since_epoch().count());
      add(static_cast<std::int64_t>(key.second));
      add(static_cast<std::int64_t>(row.state));
      add(static_cast<std::int64_t>(row.fence.value));
    }
  }
  for (const auto& [incarnation, member] : members_) {
    add(static_cast<std::int64_t>(member.beat.value));
    add(member.ended ? 1 : 0);
  }
  return text;
}

}  // namespace cronce::contract
