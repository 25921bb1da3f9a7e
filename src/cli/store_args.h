// The store that a command reads, and the jobs in it as people name them.
//
// A command that only reads never makes a store: one that is not there is an error. Rows are copied
// out before anything is printed, so that nobody waits for a reader's pager.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "cli/command.h"
#include "model/shown_run.h"
#include "node/settings.h"
#include "schedule/schedule.h"
#include "store/store.h"

namespace cronce {

struct ReadStore {
  Places places;
  std::unique_ptr<Rng> rng;  // the store's
  std::unique_ptr<Store> store;
  Time now{};                // store time
  Duration boot{};           // what the reader's clock showed then
  std::vector<JobRow> jobs;  // by name

  /// None for one that was made since.
  const JobRow* find(JobUid uid) const;
};

/// Why this cannot be the address of a store, whatever there is: exit code 78.
std::optional<Refusal> bad_address(const Places& places);

/// --store, CRONCE_STORE, or the default one, which must be there.
Result<Places, Refusal> find_store(const Args& args);

/// --store, CRONCE_STORE, or the default one, with its jobs. What a person should know of it is
/// said on the error stream. Exit codes: 69 not there or away, 77 refused, 78 no store's address.
Result<ReadStore, Refusal> read_store(const Args& args, const Console& console);

/// What a call of the store answered that did not succeed.
Refusal store_failure(const Error& error);

/// The job of that name and, if it runs everywhere, its shares after it; never none.
Result<std::vector<const JobRow*>, Refusal> find_jobs(const ReadStore& read,
                                                      const std::string& name);

/// The times of a job as it is defined now; none if this program cannot compute them.
std::optional<Schedule> schedule_of(const JobRow& job);

/// --from or --to: a time, in that zone if it has no offset, or how long ago (`2h`). A day as the
/// end of something is the whole day.
enum class Edge : std::uint8_t { begin, end };
Result<Time, Refusal> read_moment(std::string_view flag, const std::string& text, Edge edge,
                                  const Zone& zone, Time now);

/// --from and --to, both as read_moment() has them.
struct Window {
  Time from = kMinTime;
  Time to = kMaxTime;
};
Result<Window, Refusal> read_window(const Args& args, const Zone& zone, Time now);

}  // namespace cronce
