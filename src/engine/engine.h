// The engine: takes a time and an event, returns actions.
//
// It owns no clock, thread, lock, socket or file, and its randomness is the seed that it is given.
// The same engine runs in the daemon and, millions of slots at a time, in the simulator. What it
// does is only asking: the store judges every slot again, in the step that settles it. So a wrong
// view of time, of the members or of a plan costs a refused attempt.
//
// It has one lane, with one write in flight; what becomes due meanwhile forms the next batch.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/action.h"
#include "engine/due.h"
#include "engine/event.h"
#include "engine/members.h"
#include "engine/trust.h"

namespace cronce {

struct EngineSettings {
  Node self;  // name, labels, roles, capacity, versions; the engine fills in the rest
  LeaseSettings lease;
  Duration standby{300};
};

class Engine {
 public:
  Engine(EngineSettings settings, Rng rng);

  std::vector<Action> step(const Now& now, const Event& event);

  /// The boot time at which the engine wants a Ticked if nothing else happens.
  Duration next_wakeup(const Now& now) const;

  const Incarnation& incarnation() const { return incarnation_; }
  std::size_t running() const { return running_.size(); }

 private:
  struct Flight {
    std::uint64_t sequence = 0;
    WriteAsk ask;
  };
  struct Holding {
    Claim claim;
    std::optional<Time> started_at;  // not yet told to the store
    bool stopping = false;
  };
  enum class Leaving : std::uint8_t { no, handing_over, waiting, gone };

  // Events.
  void on(const Ticked&, const Now& now);
  void on(const Offered& event, const Now& now);
  void on(const BeatAnswered& event, const Now& now);
  void on(const BeatUnanswered&, const Now& now);
  void on(const WriteAnswered& event, const Now& now);
  void on(const WriteUnanswered& event, const Now& now);
  void on(const RunStarted& event, const Now& now);
  void on(const RunEnded& event, const Now& now);
  void on(const Hinted&, const Now& now);
  void on(const LeaveAsked&, const Now& now);

  // Life and trust.
  void be_born();
  void beat_if_due(const Now& now);
  bool trusts(const Now& now) const;
  void obey(const BeatAnswer& answer);
  void leave_if_done(const Now& now);

  // The lane: what to write next, and what its answers mean.
  void write_if_free(const Now& now);
  void send(WriteAsk ask);
  void look_later(const Now& now);
  void settle_unknown(const Before& before, const Now& now);
  void learn_outcome(const WriteAsk& ask, const Outcome& outcome, Time store_time, const Now& now);
  void decided(const DecideAsk& ask, const DecideAnswers& answers, const Now& now);
  void decided(const DecideEntry& entry, const DecideAnswer& answer, const Now& now);
  void took(const std::vector<RunId>& runs, const std::vector<TakeAnswer>& answers, const Now& now);
  void finished(const std::vector<FinishEntry>& ends);
  void swept(const std::vector<SweepEntry>& entries, const std::vector<SweepAnswer>& answers);
  void registered(const RegisterAsk& ask, const RegisterAnswer& answer, Time store_time,
                  const Now& now);
  void accept(const Claim& claim, const Now& now);

  // What to ask.
  RegisterAsk compose_register() const;
  Time settled_until(const Job& job) const;
  DecideAsk compose_decide(const Now& now) const;
  std::vector<RunId> compose_take(const Now& now) const;
  void add_lapses(const KnownJob& job, const Now& now, DecideAsk& ask) const;
  SlotToRun::How how_to_run(const KnownJob& job, std::int64_t places) const;

  // Jobs and who may run them.
  void learn(const JobRow& row);
  bool fits(const Node& node, const JobRow& job) const;
  bool fits_here(const JobRow& job) const;
  bool anyone_fits(const JobRow& job) const;
  bool suspects_live(const JobRow& job) const;
  std::int64_t free_places() const;
  Duration delay_for(const KnownJob& job) const;
  std::optional<Time> wake_time(const KnownJob& job) const;
  void schedule_wake(const KnownJob& job, Time earliest);
  void drop_wake(JobUid uid);
  void reschedule_all();

  EngineSettings settings_;
  Rng rng_;
  Incarnation incarnation_;
  Members members_;
  std::vector<Action> actions_;

  Beat beat_;
  bool beat_in_flight_ = false;
  bool beat_wanted_ = true;
  Duration beat_asked_{};
  Duration trust_until_{-1};
  std::uint64_t known_changes_ = 0;

  std::map<JobUid, KnownJob> jobs_;
  std::set<std::pair<Time, JobUid>> wakes_;
  std::map<JobUid, Time> wake_of_;

  std::uint64_t sequence_ = 0;
  std::optional<Flight> flight_;
  std::optional<Flight> unknown_;
  Duration retry_at_{};

  std::map<RunId, Holding> running_;
  std::map<RunId, FinishEntry> ends_;  // until the store has them
  std::optional<Offered> offered_;
  bool to_register_ = false;
  Duration register_at_{};
  Time store_time_{};  // what the last answer told; older than the store's own
  std::vector<std::string> owing_;

  Leaving leaving_ = Leaving::no;
  Duration leave_asked_{};
};

}  // namespace cronce
