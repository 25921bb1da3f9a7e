// A node in a few words: it beats, registers jobs that run every ten seconds, starts and ends them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/rng.h"
#include "store/store.h"

namespace cronce {

/// When the tests begin.
inline constexpr Time kStart{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

inline Job job_every_ten_seconds(const std::string& name) {
  return Job{.name = parse_job_name(name).value(),
             .schedule = {.elements = {EverySpec{std::chrono::seconds{10}, std::nullopt}}},
             .command = ArgvCommand{{"true"}}};
}

class Client {
 public:
  Client(Store& store, Rng& rng, const Clock& clock) : store_(&store), clock_(clock) {
    self_.name = std::string(1, 'a');
    self_.incarnation = Incarnation::random(rng);
  }

  Result<BeatAnswer> beat() {
    ++self_.beat.value;
    self_.clock_reading = clock_.wall().time_since_epoch() - clock_.boot();
    return store_->beat({self_, {}, known_, std::nullopt, Beat{}});
  }

  /// What changed up to here need not be told again.
  void knows(std::uint64_t changes) { known_ = changes; }

  /// The same node, through another door.
  Client& at(Store& store) {
    store_ = &store;
    return *this;
  }

  const Node& self() const { return self_; }
  WriteId next() { return {self_.incarnation, 0, ++sequence_, 0, std::nullopt}; }

  Result<Written<RegisterAnswer>> enroll(Time now, const std::vector<std::string>& names,
                                         const std::string& source = "jobs") {
    RegisterAsk ask{source, "1", std::nullopt, {}, {}};
    for (const std::string& name : names) {
      ask.jobs.push_back({job_every_ten_seconds(name), now, after(now), std::nullopt});
    }
    return store_->enroll(next(), ask);
  }

  /// Decides what every job owes; the newest slot runs.
  Result<Written<DecideAnswers>> decide(const std::vector<JobRow>& jobs, Time now) {
    DecideAsk ask;
    for (const JobRow& job : jobs) {
      const Time from = *job.plan.next, newest = after(now) - kPeriod;
      if (from > now) continue;
      DecideEntry entry{job.uid, job.plan.turn,      from,       newest,
                        {},      {{newest, newest}}, after(now), {}};
      if (from < newest) {
        entry.skipped.push_back(
            {from, newest - kPeriod, (newest - from) / kPeriod, Reason::missed});
      }
      ask.entries.push_back(std::move(entry));
    }
    return store_->decide(next(), ask);
  }

  Result<Written<std::vector<FinishAnswer>>> finish(const std::vector<Claim>& claims) {
    std::vector<FinishEntry> ends;
    for (const Claim& claim : claims) {
      ends.push_back({claim.run, claim.fence, claim.incarnation, RunState::succeeded});
    }
    return store_->finish(next(), ends);
  }

  static std::vector<Claim> claims_of(const DecideAnswers& answers) {
    std::vector<Claim> claims;
    for (const DecideAnswer& answer : answers.entries) {
      for (const SlotOutcome& run : answer.runs) {
        if (run.claim) claims.push_back(*run.claim);
      }
    }
    return claims;
  }

 private:
  static constexpr Duration kPeriod = std::chrono::seconds{10};
  static Time after(Time now) { return Time{(now.time_since_epoch() / kPeriod + 1) * kPeriod}; }

  Store* store_;
  const Clock& clock_;
  Node self_;
  std::uint64_t sequence_ = 0;
  std::uint64_t known_ = 0;
};

}  // namespace cronce
