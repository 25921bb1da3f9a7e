// What the ledger of a job should say, beside what it says: slots that are missing, started twice,
// alive together, late, or of no schedule.
//
// Slots are computed from the definitions that held at their time. Rows come in stretches of time,
// oldest first; what is kept from one to the next are only the runs that began after their stretch
// had ended, and the newest ten thousand requests: their attempts are due apart. It reads no store
// and no clock; what is purged while the rows are read it must be told.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/operation.h"
#include "schedule/schedule.h"

namespace cronce {

struct Discrepancy {
  enum class What : std::uint8_t { missing, duplicate, overlapping, late, unexpected };
  What what = What::missing;
  RunId run;                  // of `missing` attempt 0
  std::optional<RunId> with;  // the attempt before; the run that was alive
  Duration by{};              // how late; how long both were alive
  bool operator==(const Discrepancy&) const = default;
};
std::string_view word(Discrepancy::What what);

struct VerifySettings {
  Time now{};
  std::optional<Duration>
      late;              // later than this is late; none: what the job expects, or its grace
  Duration clocks{100};  // so far two nodes' clocks may be apart: no overlap is seen in less
  bool away = false;     // the node whose share this is: nobody else decides its slots
};

/// How much was looked at.
struct Verified {
  std::int64_t slots = 0;    // that the definitions say
  std::int64_t settled = 0;  // of them without a run of their own, by ranges
  std::int64_t runs = 0;     // that were started
  /// Due, and neither missing nor recorded: from it on the slots wait for a node that is away. It
  /// comes back, or they are settled at once when it has been gone for a day.
  std::optional<Time> waiting;
};

class Verifier {
 public:
  using Found = std::function<void(const Discrepancy&)>;
  /// The floor of the job at this moment. It is asked for before anything is called missing: the
  /// rows may have been purged after `job` was read.
  using Floor = std::function<Time()>;

  Verifier(const JobRow& job, const JobPast& past, const VerifySettings& settings, Found found,
           Floor floor);

  /// Before this nothing is known: what was recorded is purged, or the job was not there.
  Time begin() const;
  /// The last instant of a stretch that begins after `after`, ends at `through` at the latest, and
  /// has at most so many slots.
  Time stretch(Time after, Time through, std::int64_t most) const;
  /// Every row and range of the slots, and every run with a due time, later than `after` and not
  /// later than `through`; in any order. What is later than the plan's cursor is not settled, and
  /// not missing.
  void look(Time after, Time through, std::vector<Run> rows);
  /// No more rows come.
  void end();
  /// Whether the next slot should have been decided long ago: it is missing too, although no later
  /// one is settled.
  void look_at_next();

  const Verified& verified() const { return verified_; }
  /// Slots of a definition whose schedule this program cannot compute are not looked for.
  bool is_complete() const { return complete_; }

 private:
  /// Its slots are later than `since` and not later than `until`.
  struct Period {
    Time since{};
    Time until{};
    Shared<Job> job;
    std::optional<Schedule> schedule;  // none: nothing to compare with
  };
  struct Alive {
    Time until{};
    RunId run;
  };

  void add(Time since, Time until, const Shared<Job>& job);
  const Job& job_at(Time slot) const;
  class Walk;
  void compare(Time after, Time through, Walk& rows);
  void compare(Time slot, Walk& rows);
  bool was_purged(Time slot);
  void look_at_attempts(std::span<const Run> attempts);
  const Run* known_attempt(const RunId& request) const;
  void remember(const Run& started);
  void look_at_times(const Run& run);
  void look_at_delay(const Run& run, Time start);
  void sweep(Time through);
  void tell(Discrepancy::What what, const RunId& run, std::optional<RunId> with = {},
            Duration by = {});

  const JobRow& row_;
  VerifySettings settings_;
  Found found_;
  Floor ask_floor_;
  Time floor_{};           // as far as it is known
  bool is_fresh_ = false;  // it is not older than the rows that are looked at
  std::vector<Period> periods_;
  std::map<RunId, Time> released_;     // those that were held until then
  std::map<RunId, Run> requests_;      // the last attempt that was started, by attempt 0
  std::deque<RunId> remembered_;       // the same, oldest first
  std::multimap<Time, Alive> starts_;  // by start, not compared yet
  std::optional<Alive> alive_;         // of those compared the one that lived longest
  Verified verified_;
  bool complete_ = true;
};

}  // namespace cronce
