// The engine: takes a time and an event, returns actions.
//
// It owns no clock, thread, lock, socket or file, and its randomness is the seed that it is given.
// The same engine runs in the daemon and, millions of slots at a time, in the simulator. What it
// does is only asking: the store judges every slot again, in the step that settles it. So a wrong
// view of time, of the members or of a plan costs a refused attempt.
//
// It has one lane, with one write in flight; what becomes due meanwhile forms the next batch.
//
//   engine.cc           life: beats, trust, leaving
//   engine_epoch.cc     a store that has forgotten something
//   engine_jobs.cc      the jobs it knows, who may run them, when to look at them again
//   engine_ask.cc       what it asks about jobs
//   engine_take.cc      runs that wait, and the places that they wait for
//   engine_register.cc  what it asks about its own files
//   engine_lane.cc      which write comes next, and what answers mean
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/rng.h"
#include "base/time.h"
#include "engine/action.h"
#include "engine/due.h"
#include "engine/event.h"
#include "engine/members.h"
#include "engine/schedules.h"
#include "engine/trust.h"
#include "schedule/zone.h"

namespace cronce {

struct EngineSettings {
  Node self;  // name, labels, roles, capacity, versions; the engine fills in the rest
  LeaseSettings lease;
  Duration standby{300};
  std::optional<Mark> mark;         // what a former process on this machine kept
  std::vector<Claim> claims;        // those of this node's former processes, of the last hour
  std::optional<std::string> boot;  // this start of the machine, if none has kept it
  ZoneFinder find_zone = load_zone;
};

class Engine {
 public:
  Engine(EngineSettings settings, Rng rng);

  std::vector<Action> step(const Now& now, const Event& event);

  /// The boot time at which the engine wants a Ticked if nothing else happens.
  Duration next_wakeup(const Now& now) const;

  const Incarnation& incarnation() const { return incarnation_; }
  std::size_t running() const { return running_.size(); }
  /// Of a job that it knows; for words about it.
  const Job* definition(JobUid job) const;
  /// Whether the store says something else of a job than this node's file, of which it has the
  /// digest. Somebody else has written it; it does not run here.
  bool mistrusts(const JobRow& job) const;
  /// Its files are registered, nothing is due, runs or is under way.
  bool is_idle(const Now& now) const;

 private:
  struct Flight {
    std::uint64_t sequence = 0;
    WriteAsk ask;
    std::optional<Time> course;  // judged by nothing later
  };
  struct Holding {
    Claim claim;
    std::optional<Time> started_at;       // until the store was told
    std::optional<std::string> progress;  // the same
    Beat told_by;                         // the last beat that told both as they are
    bool stopping = false;
  };
  /// A claim that was made or ended in the last hour: what a store that forgets must be told again.
  struct Recent {
    Claim claim;
    std::optional<FinishEntry> end;
    Duration at{};
  };
  /// This node's place among those who could do something for a job.
  struct Ranks {
    std::size_t decides = 0;
    std::size_t takes = 0;
  };
  struct Alarm {
    Time at{};
    Time acts{};  // when the first in rank acts
    std::size_t rank = 0;
  };
  /// A job, and when to look at it again.
  struct Watched : KnownJob {
    Time free_since = kMinTime;  // when we heard that a run of it had ended
    std::optional<Alarm> wake;   // for its plan
    std::optional<Alarm> take;   // for a run that waits
    std::optional<Ranks> ranks;  // none: to be computed
  };
  /// Jobs by the time of an alarm.
  using Queue = std::set<std::pair<Time, JobUid>>;
  /// Jobs that share places; those without a limit are one group of their own.
  struct Group {
    std::optional<std::int64_t> max;
    std::int64_t live = 0;
    Duration not_before{};  // the store says that it is full, and no news have come since
    Queue takes;            // have a run that could start if there is a place
  };
  /// A file of this node.
  struct Offer {
    Offered offered;
    std::vector<std::uint32_t> by_name;  // its jobs, in the order of their names
    bool wanted = true;                  // to be registered
    bool superseded = false;             // until nobody alive offers the current one
    Duration not_before{};
    std::set<std::string> owing;

    const Shared<Job>* find(const JobName& name) const;
  };
  /// What most rows have in common, of the row that was learnt last.
  struct Sameness {
    Shared<std::map<std::string, std::string>> sources;
    Shared<Knowledge> pointed_by;
    Shared<std::string> moved_by;
  };
  using Due = std::vector<Watched*>;

  /// What was refused is looked at again after this, unless a beat brings news first.
  static constexpr Duration kPatience{300};
  /// News that come without pause are asked for no more often than this.
  static constexpr Duration kBeatGap{50};

  /// Who swept nobody for so long sweeps all the same: a sweep also purges.
  static constexpr Duration kPurgeGap = std::chrono::minutes{1};

  /// How often the end of a share is asked for whose node may have been gone for a day.
  static constexpr Duration kAskAgain = std::chrono::hours{1};

  /// What the lane is used for. Ends first: they free what others wait for. But whoever was written
  /// waits until the others had their turn, so that none keeps another from ever being written.
  enum class Errand : std::uint8_t { ends, files, sweeps, slots, takes, purge };
  static constexpr std::size_t kErrands = 6;
  /// What one write holds at most, of what can be many.
  static constexpr std::size_t kMostEntries = 1'000;

  enum class Leaving : std::uint8_t { no, handing_over, waiting, gone };

  // Events.
  void on(const Ticked&, const Now& now);
  void on(const Offered& event, const Now& now);
  void on(const BeatAnswered& event, const Now& now);
  void on(const BeatUnanswered&, const Now& now);
  void on(const WriteAnswered& event, const Now& now);
  void on(const WriteUnanswered& event, const Now& now);
  void on(const RunStarted& event, const Now& now);
  void on(const RunProgressed& event, const Now& now);
  void on(const RunEnded& event, const Now& now);
  void on(const Hinted&, const Now& now);
  void on(const LeaveAsked&, const Now& now);

  // Life and trust.
  void follow_clock(const Now& now);
  void be_born();
  Duration beat_time() const;
  void beat_if_due(const Now& now);
  BeatAsk compose_beat(const Now& now);
  void news_were_told(Beat granted);
  /// The lease is ours for longer than one answer takes, and our clock is one to go by.
  bool trusts(const Now& now) const;
  /// Knows the time, and may act on it.
  bool can_judge(const Now& now) const { return trusts(now) && !now.timeless; }
  void trust_from(Duration asked);
  void obey(const BeatAnswer& answer);
  void stop(Holding& holding, Reason reason);
  void note_unaware();
  bool all_know() const;
  void leave_if_done(const Now& now);
  bool leaves() const { return leaving_ != Leaving::no; }

  // A store that has forgotten something.
  bool follow_epoch(const BeatAnswer& answer, const Now& now);
  void keep_mark(const BeatAnswer& answer, const Now& now);
  Time marked_time(const BeatAnswer& answer, const Now& now) const;
  void hear_closed(const BeatAnswer& answer, std::optional<Epoch> before, const Now& now);
  bool hears_closed(Duration boot) const;
  Duration closed_time() const;
  void write_while_closed(const Now& now);
  void remembered(const ControlAnswer& answer, const Now& now);
  void note_claim(const Claim& claim, std::optional<FinishEntry> end, const Now& now);
  void note_gone(const std::vector<Incarnation>& ended);
  void forget_old_claims(const Now& now);

  // The lane: what to write next, and what its answers mean.
  void write_if_free(const Now& now);
  std::optional<WriteAsk> compose(Errand errand, const Due& due, const Now& now);
  std::vector<FinishEntry> compose_finish() const;
  void send(WriteAsk ask, const Now& now);
  void look_later(const Due& due, const Now& now);
  void settle_unknown(const Before& before, const Now& now);
  void learn_outcome(const WriteAsk& ask, const Outcome& outcome, const Now& now);
  void decided(const DecideAsk& ask, const DecideAnswers& answers, const Now& now);
  void decided(const DecideEntry& entry, const DecideAnswer& answer, const Now& now);
  void changed(const PlanChange& change, Refused refused, const Now& now);
  void finished(const std::vector<FinishEntry>& ends, const std::vector<FinishAnswer>& answers,
                const Now& now);
  std::vector<SweepEntry> compose_sweep(const Now& now);
  bool is_time_to_purge(const Now& now);
  void tell_for_second_claim(const FinishEntry& end);
  void swept(const std::vector<SweepEntry>& entries, const std::vector<SweepAnswer>& answers);
  void registered(const RegisterAsk& ask, const RegisterAnswer& answer, const Now& now);
  const Recent* recent_of(const Claim& claim) const;
  bool has_begun(const Claim& claim) const;
  FinishEntry known_end(const Claim& claim) const;
  void accept(const Claim& claim, const Now& now);

  // What to ask about jobs.
  Due ready(Queue& queue, std::optional<Alarm> Watched::* alarm, const Now& now);
  static void by_priority(Due& due);
  DecideAsk compose_decide(const Due& due, const Now& now);
  void add_lapses(const KnownJob& job, const Now& now, DecideAsk& ask) const;
  void add_changes(const Now& now, DecideAsk& ask);
  void add_boot(DecideAsk& ask);
  bool knows_its_jobs() const;
  std::vector<PlanChange> end_of_members() const;
  std::optional<PlanChange> repoint(const KnownJob& job) const;
  EndMember end_of(const KnownJob& member) const;
  ResumeJob end_of_pause(const KnownJob& job) const;
  SlotToRun::How how_to_run(const KnownJob& job, std::int64_t places) const;

  // Runs that wait.
  std::optional<Time> take_time(const Watched& job) const;
  std::vector<RunId> compose_take(const Now& now);
  void took(const std::vector<RunId>& runs, const std::vector<TakeAnswer>& answers, const Now& now);
  Group& group_of(const JobRow& job);
  std::int64_t places_in(const Group& group, const Now& now) const;
  std::int64_t free_places() const;
  std::optional<Duration> next_take(const Now& now) const;
  void now_live(JobRow& row, const RunId& run, Fence fence);
  void no_longer_live(JobRow& row, const RunId& run);

  // What to ask about this node's files.
  std::optional<Duration> register_time(const Offer& offer) const;
  const Offer* offer_to_register(const Now& now) const;
  RegisterAsk compose_register(const Offer& offer) const;
  /// How far each job is settled, by its name; not the members.
  using Cursors = std::map<std::string_view, Time>;
  Cursors cursors() const;
  JobToRegister compose_job(const Shared<Job>& job, const Cursors& cursors) const;

  // Jobs and who may run them.
  void learn(const JobRow& row, const Now& now);
  JobRow to_keep(JobRow row);
  void replace_row(Watched& job, const JobRow& row, const Now& now);
  void index(Watched& job);
  void unindex(Watched& job);
  void forget_jobs();
  void watch_absent(const Now& now);
  bool fits(const Node& node, const JobRow& job) const;
  bool would_fit(const Node& node, const JobRow& job) const;
  static bool offers(const Node& node, const JobRow& job);
  bool is_as_offered(const JobRow& job) const;
  void look_for_notices(const JobRow& row, const JobRow* before);
  bool fits_here(const JobRow& job) const;
  bool anyone_fits(const JobRow& job) const;
  bool suspects_live(const JobRow& job) const;
  static bool decides(const Node& node, const JobRow& job);
  Ranks ranks_here(const JobRow& job) const;
  std::optional<Time> wake_time(const Watched& job) const;
  void schedule_wake(Watched& job, Time earliest);
  void drop_wake(Watched& job);
  void rank_all_anew();

  EngineSettings settings_;
  Rng rng_;
  Incarnation incarnation_;
  Members members_;
  std::vector<Action> actions_;

  Beat beat_;
  Beat granted_;
  bool beat_in_flight_ = false;
  bool beat_wanted_ = true;
  Duration beat_asked_ = -kBeatGap;
  Time beat_asked_at_{};     // in cluster time
  Time read_at_ = kMinTime;  // what the store told us was true then, or later
  Time latest_ = kMinTime;   // the cluster time of the last step
  Time able_since_ =
      kMinTime;  // since then this node could act; ranks of what is older wait from there
  Duration trust_until_{-1};
  bool disputed_ = false;  // the last answer said that this node's clock is not one to go by
  bool doubted_ = false;   // at the last answer
  std::uint64_t known_changes_ = 0;
  Time store_time_{};  // what the last answer told; older than the store's own

  std::optional<Mark> mark_;
  StoreId store_;  // of what was seen, also while no time is believed
  std::optional<Epoch> epoch_;
  std::optional<Duration> closed_since_;
  Duration closed_at_{};  // what a closed epoch allows is not written before
  bool has_remembered_ = false;
  Duration remembered_at_{};
  Duration waits_since_{};       // to open the next
  Duration heard_closed_{};      // when the last answer that said so was asked for
  Beat closed_beat_;             // and its number
  std::vector<Claim> unmarked_;  // started since the last mark
  std::map<RunId, Recent> recent_;
  std::deque<RunId> recent_order_;  // oldest first
  std::deque<Incarnation> gone_;    // were ended, oldest first

  std::map<JobUid, Watched> jobs_;
  std::map<std::string, Group> groups_;      // by name; without one: those without a limit
  std::set<JobUid> to_compare_;              // their next was computed by who knew less
  std::set<JobUid> wholes_;                  // run everywhere
  std::map<JobUid, JobUid> own_members_;     // of which whole, which
  std::map<JobUid, JobUid> former_members_;  // that have ended
  std::set<JobUid> booted_;                  // own members whose run at boot the store has
  std::set<JobUid> shares_;                  // of whomever
  std::map<JobUid, Duration> absent_;  // shares of nobody alive, and when to ask for their end
  Sameness same_;
  Schedules schedules_;
  Queue wakes_;
  std::vector<JobUid> standing_by_;  // would stand in for their home, after a look at the store

  std::uint64_t sequence_ = 0;
  std::uint64_t answered_ = 0;
  std::optional<Flight> flight_;
  std::optional<Flight> unknown_;
  Duration retry_at_{};
  Duration ends_at_{};  // not before
  std::size_t next_errand_ = 0;
  bool has_swept_ = false;  // since a beat told who is silent
  std::optional<Duration> purge_at_;
  Duration change_at_{};

  std::map<RunId, Holding> running_;
  std::map<RunId, FinishEntry> ends_;  // until the store has them
  std::map<std::string, Offer> offers_;

  Leaving leaving_ = Leaving::no;
  Duration leave_asked_{};
  std::optional<std::map<Incarnation, Beat>> unaware_;  // who had not beaten since it was known
};

}  // namespace cronce
