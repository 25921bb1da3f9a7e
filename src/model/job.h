// A job as its author defined it: plain values with the defaults of the job file.
//
// Nothing here is checked against a zone, a store or a host; jobfile/ makes Jobs from text and
// checks them, model/codec.h stores them. Two Jobs that are equal behave equally.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/seldom.h"
#include "base/shared.h"
#include "base/time.h"
#include "model/schedule_spec.h"

namespace cronce {

/// What a due slot does while another run of the job is alive.
enum class Overlap : std::uint8_t { skip, queue, replace, allow };

/// Which owed slots run after a time in which none could.
struct CatchUp {
  enum class Mode : std::uint8_t { none, latest, all };
  Mode mode = Mode::latest;
  std::optional<Duration> window;  // how old a slot may be; none: any age
  std::int64_t cap = 100;          // at most so many with `all`
  bool operator==(const CatchUp&) const = default;
};

/// What happens to a slot whose node vanished: it may have run.
enum class OnLost : std::uint8_t { skip, rerun, hold };

/// What a node does to its running commands when it can no longer renew its lease.
enum class OnLeaseLoss : std::uint8_t { kill, carry_on };

struct Retries {
  std::int64_t max = 0;
  Duration backoff{10'000};
  std::int64_t factor = 2;
  Duration limit{300'000};
  std::int64_t jitter_percent = 10;
  bool operator==(const Retries&) const = default;
};

/// A program with its arguments.
struct ArgvCommand {
  std::vector<std::string> argv;
  bool operator==(const ArgvCommand&) const = default;
};

/// A line for `sh -c`, or for the crontab's SHELL; `input` is what cron's `%` feeds to it.
struct ShellCommand {
  std::string line;
  std::string shell = "/bin/sh";
  Shared<std::string> input;
  bool operator==(const ShellCommand&) const = default;
};

struct HttpCall {
  std::string method = "POST";
  std::string url;
  std::map<std::string, std::string> headers;
  std::string body;
  std::int64_t expect_low = 200;  // answers in [low, high] are a success
  std::int64_t expect_high = 299;
  bool operator==(const HttpCall&) const = default;
};

using Command = std::variant<ArgvCommand, ShellCommand, Shared<HttpCall>>;

struct Limits {
  std::optional<std::int64_t> nofile, cpu_seconds, memory_bytes, processes, core_bytes;
  bool operator==(const Limits&) const = default;
};

/// How much of the past is kept, whichever is reached first.
struct HistoryLimits {
  std::int64_t succeeded = 100;
  std::int64_t failed = 100;  // failed, timed_out, lost, cancelled
  std::int64_t skipped = 100;
  Duration age = std::chrono::days{30};
  bool operator==(const HistoryLimits&) const = default;
};

struct Notify {
  std::vector<std::string> on;  // words such as failed, lost, late, duplicate; sorted
  std::string webhook;
  std::string command;
  std::string mail;  // from a crontab's MAILTO
  bool operator==(const Notify&) const = default;
};

/// At most `max` runs of all jobs that name the same group.
struct Concurrency {
  std::string group;
  std::int64_t max = 1;
  bool operator==(const Concurrency&) const = default;
};

/// A foreign lock that is held during a run: its kind and its settings, read by guard/.
struct GuardSpec {
  std::string kind;
  std::map<std::string, std::string> settings;
  bool operator==(const GuardSpec&) const = default;
};

/// Which environment a command starts with.
enum class EnvBase : std::uint8_t {
  node,  // the node's own, less what is ours
  cron,  // HOME, LOGNAME, PATH, SHELL
};

/// A node keeps every job of its store in memory: what most jobs do not say costs little there.
struct Job {
  JobName name;
  ScheduleSpec schedule;
  Command command;

  Overlap overlap = Overlap::skip;
  OnLost on_lost = OnLost::skip;
  std::optional<OnLeaseLoss> on_lease_loss;  // none: the default that fits overlap and on_lost
  bool everywhere = false;
  bool paused = false;
  EnvBase env_base = EnvBase::node;
  CatchUp catch_up;
  Shared<Retries> retries;
  std::optional<Duration> timeout;
  Duration kill_after{10'000};
  Duration grace{60'000};
  Duration jitter{0};
  Shared<std::map<std::string, std::string>> on;  // labels that a node must have
  std::int64_t priority = 0;
  Seldom<Concurrency> concurrency;
  Shared<std::vector<GuardSpec>> guards;

  Shared<std::map<std::string, std::string>> env;
  Shared<std::string> user;
  Shared<std::string> cwd;  // absolute; empty: where the node runs
  std::int64_t output_keep_bytes = 64 * 1024;
  Shared<Limits> limits;
  std::optional<std::int64_t> umask;
  std::int64_t nice = 0;

  Shared<HistoryLimits> history;
  Shared<Notify> notify;
  std::optional<Duration> expect_within;
  Seldom<JobName> was;

  bool operator==(const Job&) const = default;
};

/// How old a slot may be and still start; none: any age.
std::optional<Duration> start_window(const Job& job);

/// Once after each start of a machine, on each of them: such a job has no other times.
bool runs_at_boot(const Job& job);

/// What a file defines, under the name by which the store knows it.
struct JobSet {
  std::string source;
  std::optional<Generation> generation;  // as written; none: the store counts
  std::vector<Shared<Job>> jobs;         // in the order of the file
};

}  // namespace cronce
