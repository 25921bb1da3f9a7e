// A process beside the nodes that claims for itself: `cronce exec` for a slot, `cronce once` for a
// key.
//
// It is no engine: it asks, runs one child under a keeper of its own, beats meanwhile, reports and
// leaves. Unknown outcomes, trust and closed epochs it treats as the protocol says. It may die at
// any time; then others end it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "test/sim/keeper.h"
#include "test/sim/link.h"
#include "test/sim/store_door.h"

namespace cronce::sim {

struct ExecErrand {
  Job job;
  Time slot{};
};
struct KeyErrand {
  std::string key;
  bool rerun_lost = false;
  Duration keep{};
};
using Errand = std::variant<ExecErrand, KeyErrand>;

class Caller : public std::enable_shared_from_this<Caller> {
 public:
  Caller(Stage& stage, StoreDoor& door, const Link& link, const HostClock& clock,
         const std::string& name, Errand errand);

  void start();
  /// The process dies; its keeper stays.
  void kill();
  // What befalls its machine.
  void crash();
  void pause();
  void go_on();

  const Incarnation& incarnation() const { return node_.incarnation; }

 private:
  using Ask = std::variant<WriteAsk, ControlAsk, OnceAsk>;
  enum class Stand : std::uint8_t { asking, working, reporting, leaving, gone };

  /// Later, if it lives and stands still no more.
  template <class Do>
  void later(Duration at, Do what);
  bool goes() const { return !dead_ && stand_ != Stand::gone; }

  // Calls to the store.
  void beat();
  void answered(Duration asked, const BeatAnswer& answer);
  void write_next();
  std::optional<Ask> next_ask() const;
  void send(const Ask& ask);
  void answered(std::uint64_t sequence, const WriteAnswered& answer);
  void unanswered(std::uint64_t sequence);

  // Its errand.
  Ask errand_ask() const;
  Ask report() const;
  void learn(const Outcome& outcome);
  void learn_asked(const Outcome& outcome);
  void begin(const Claim& claim, const Job& job);
  void ended(const FinishEntry& end);
  void trust_from(Duration asked);
  void keep_mark(const BeatAnswer& answer);
  Duration boot() const { return clock_.boot(stage_.now()); }
  Time wall() const { return wall_ + (boot() - started_); }
  Time course() const { return mark_ ? mark_->time + (boot() - marked_at_) : wall(); }
  Time latest() const;
  bool names_slot() const { return std::holds_alternative<ExecErrand>(errand_); }

  Stage& stage_;
  StoreDoor& door_;
  const Link& link_;
  const HostClock& clock_;
  Errand errand_;
  Node node_;
  Keeper keeper_;
  std::vector<Deed> backlog_;

  Stand stand_ = Stand::asking;
  bool dead_ = false;
  bool paused_ = false;
  Duration started_{};
  Time wall_{};  // its clock as it started; since then its boot clock counts
  Duration trust_until_{-1};

  Beat granted_;
  bool refused_ = false;  // its incarnation was ended
  StoreId store_id_;      // as it was opened
  std::optional<Mark> mark_;
  Duration marked_at_{};
  bool closed_ = false;
  bool remembered_ = false;

  std::uint64_t sequence_ = 0;
  std::uint64_t answered_ = 0;
  std::optional<std::uint64_t> in_flight_;
  std::optional<std::uint64_t> unknown_;  // being settled
  Duration not_before_{};                 // true time

  std::optional<Claim> claim_;
  std::optional<FinishEntry> end_;
};

}  // namespace cronce::sim
