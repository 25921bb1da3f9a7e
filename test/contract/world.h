// The words in which the rules are written: a store, a clock that stands still, nodes that beat,
// and jobs with a slot every ten seconds.
//
// Times are printed in seconds since the world began. After every step the world looks whether the
// tables are right (watch.h); what is not is a failure of the running test. A world can be made
// faulty at one call, and its nodes can be made careless: see test/support/.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "test/contract/stores.h"
#include "test/contract/watch.h"
#include "test/support/faulty_store.h"
#include "test/support/lane.h"
#include "test/support/manual_clock.h"

namespace cronce::contract {

using namespace std::chrono_literals;

inline constexpr Time kStart{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
inline constexpr Duration kPeriod = 10s;

/// So many seconds after the world began.
constexpr Time at(int seconds) { return kStart + std::chrono::seconds{seconds}; }
/// The slot at that second.
RunId slot_of(JobUid job, int second, std::uint64_t attempt = 1);
RunId request_of(JobUid job, const std::string& request, std::uint64_t attempt = 1);

/// A job named so that runs every ten seconds, with the defaults of a job file.
Job job_named(const std::string& name);
/// With one retry.
Job retried(const std::string& name);

class World;

/// A node: one incarnation with a lane of its own, and what it was told.
class Actor {
 public:
  Actor(World& world, Node self, std::optional<Mark> mark);

  /// Each with a new number, until one is answered.
  BeatAnswer beat(const std::vector<StartedRun>& started = {},
                  const std::vector<RunProgress>& progress = {});
  RegisterAnswer enroll(const RegisterAsk& ask);
  DecideAnswer decide(const DecideEntry& entry);
  std::vector<DecideAnswer> decide(const std::vector<DecideEntry>& batch);
  Refused lapse(const RunId& run, Reason reason);
  TakeAnswer take(const RunId& run);
  FinishAnswer finish(const FinishEntry& end);
  FinishAnswer finish(const Claim& claim, RunState state, Reason reason = Reason::none);
  SweepAnswer sweep(const Actor& other);
  SweepAnswer sweep(const Actor& other, Beat seen);  // an earlier one
  ControlAnswer control(const ControlAsk& ask);
  OnceAnswer once(const OnceAsk& ask);
  Refused change(const PlanChange& change);
  /// That slot of a job of that name, as `cronce exec` asks for it.
  ControlAnswer exec(const Job& job, Time slot);
  /// The same, with a clock that shows that and may be half a minute off.
  ControlAnswer exec_by(Time wall, const Job& job, Time slot);
  /// Tells what it knows: its mark and its claims. What cannot be put back it stops.
  ControlAnswer remember();
  /// Opens the epoch after the one that its last beat was answered with.
  ControlAnswer open();

  /// Decides all that is owed of the job as a node does: the newest slot runs.
  DecideAnswer run(JobUid job, SlotToRun::How how = SlotToRun::How::run);
  /// The same for a slot that must start; a failure, and no claim, if it does not.
  Claim start(JobUid job);

  Node& self() { return self_; }  // what the next beat tells
  const Incarnation& incarnation() const { return self_.incarnation; }
  Beat last_beat() const { return self_.beat; }
  Lane& lane() { return lane_; }
  std::optional<Mark>& mark() { return mark_; }  // what the next beat tells of the store
  std::vector<Claim> claims() const;             // that it knows of

 private:
  World& world_;
  Node self_;
  Lane lane_;
  std::uint64_t pokes_ = 0;
  std::optional<Mark> mark_;
  Beat granted_;
  Beat granted_closed_;
  Epoch epoch_;
};

class World {
 public:
  explicit World(const StoreRow& row, Settling settling = Settling::as_protocol);

  Time now() const { return clock_.wall(); }
  void pass(Duration time) { clock_.advance(time); }
  void set_clock(Time time) { clock_.set(time); }

  /// A new node that has beaten once; with the mark that its host has kept.
  Actor& node(const std::string& name, std::optional<Mark> mark = std::nullopt);
  /// A process that has not beaten.
  Actor& stranger(const std::string& name, std::optional<Mark> mark = std::nullopt);
  /// The uid of a job that this node registers as the only one of a source of its name.
  JobUid job(Actor& by, const Job& job = job_named("j"));

  /// What a node asks to register these jobs now; the digest is the source's content.
  RegisterAsk set_of(const std::string& source, const std::string& digest,
                     const std::vector<Job>& jobs) const;
  /// What a node asks to settle all that is owed now.
  DecideEntry owed(JobUid job, SlotToRun::How how = SlotToRun::How::run);
  /// The first slot after the cursor and now.
  Time next_slot(JobUid job);

  /// What the store holds now, to be put back later.
  PutBack image() { return row_.image(*store_); }
  /// The store forgets all that came after.
  void put_back(const PutBack& image, bool elsewhere = true);

  // Looking, past the faults.
  Store& direct() { return *store_; }
  std::vector<JobRow> jobs();
  std::vector<Run> runs(JobUid job);
  JobRow row(JobUid job);
  std::optional<JobUid> find(const std::string& name);
  std::optional<Run> run(const RunId& id);
  /// `10#1 running, 20-40#1 skipped: missed (3), r#1 pending`: slots, then requests.
  std::string ledger(JobUid job);
  /// A node's share of a job that runs everywhere.
  std::optional<JobUid> member(JobUid whole, const std::string& node);
  /// `skipped: overlap`; `none` without a row.
  std::string state(const RunId& id);

  FaultyStore& faulty() { return faulty_; }
  Settling settling() const { return settling_; }
  /// What is held back arrives; then everybody must know exactly the claims that the store holds.
  void end();
  /// How many claims were unknown to their owner, or held by nobody, when the world ended.
  std::size_t unknown_claims() const { return unknown_claims_; }

 private:
  friend class Actor;

  void learn(const std::optional<Claim>& claim);
  void forget(const RunId& run) { known_.erase(run); }
  void forget(const Incarnation& incarnation);
  void look(Excuse excuse = Excuse::none);

  ManualClock clock_{kStart};
  Rng rng_{1};
  StoreRow row_;
  Settling settling_;
  std::unique_ptr<Store> store_;
  FaultyStore faulty_;
  Watch watch_;
  std::vector<std::unique_ptr<Actor>> actors_;
  std::map<RunId, Claim> known_;
  std::size_t unknown_claims_ = 0;
};

/// A slot's outcome in words: `running`, `skipped: overlap`; or why the entry was refused.
std::string told(const DecideAnswer& answer);
/// `none`, `moved`, ...
std::string told(Refused refused);

}  // namespace cronce::contract
