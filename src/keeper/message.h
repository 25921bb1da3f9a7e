// The words between a node and its keeper.
//
// Orders go to the keeper, reports come back. All of it is resolved: the keeper looks up no user,
// reads no environment and knows no job. What cannot be read is an error and never a crash: the
// other side may have died in the middle of a word.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "keeper/user.h"
#include "keeper/wire.h"
#include "model/operation.h"

namespace cronce {

/// Which end of a run this is, among all that were ever kept on this machine.
struct EndKey {
  StoreId store;
  std::string name_space;
  RunId run;
  Fence fence;
  auto operator<=>(const EndKey&) const = default;
};

// ---- orders ------------------------------------------------------------------------------------

/// Start a command under a claim.
struct Start {
  EndKey key;
  Incarnation incarnation;
  std::string label;  // `billing@2026-03-29T01:30:00Z#1`

  std::vector<std::string> argv;
  std::string input;     // what the command reads; empty: nothing
  bool is_call = false;  // an http action, by a program of ours: its exit code is nobody's
  std::vector<std::string> environment;
  std::string cwd;  // empty: where the keeper was started
  std::optional<User> user;
  std::optional<std::int64_t> umask;
  std::int64_t nice = 0;  // added to the keeper's own
  Limits limits;

  std::optional<Duration> timeout;
  Duration kill_after{10'000};
  OnLeaseLoss on_lease_loss = OnLeaseLoss::kill;
  std::int64_t keep_bytes = 64 * 1024;
  std::string log_path;  // all of the output goes there as well; empty: nowhere
  std::string refusal;   // known beforehand: why it cannot start
  bool operator==(const Start&) const = default;
};

/// TERM, and KILL when its kill_after is over. It ends as `cancelled`.
struct Stop {
  RunId run;
  Reason reason = Reason::by_operator;
  bool operator==(const Stop&) const = default;
};

/// Every command must be told to end at this time and be gone soon after, whatever becomes of the
/// node. A later order moves it; an earlier time changes nothing.
struct TrustOrder {
  Duration steady{};  // on the clock of the keeper's settings
  Incarnation incarnation;
  Time zero{};  // the cluster time when that clock was zero
  bool operator==(const TrustOrder&) const = default;
};

/// The incarnation was ended: KILL at once, without TERM.
struct KillAllOrder {
  bool operator==(const KillAllOrder&) const = default;
};

/// The store has this end: it need not be kept any longer.
struct EndStoredOrder {
  EndKey key;
  bool operator==(const EndStoredOrder&) const = default;
};

/// Start nothing more, and leave when nothing runs.
struct Leave {
  bool operator==(const Leave&) const = default;
};

using Order = std::variant<Start, Stop, TrustOrder, KillAllOrder, EndStoredOrder, Leave>;

// ---- reports -----------------------------------------------------------------------------------

struct Started {
  RunId run;
  std::int64_t pid = 0;
  Time at{};
  bool operator==(const Started&) const = default;
};

/// Exactly once for every Start.
struct Ended {
  FinishEntry end;
  bool operator==(const Ended&) const = default;
};

struct Progress {
  RunId run;
  std::string text;
  bool operator==(const Progress&) const = default;
};

/// A sentence for the node's log.
struct Remark {
  std::string text;
  bool operator==(const Remark&) const = default;
};

using Report = std::variant<Started, Ended, Progress, Remark>;

// ---- bytes -------------------------------------------------------------------------------------

std::string encode(const Order& order);
std::string encode(const Report& report);
Result<Order> decode_order(std::string_view bytes);
Result<Report> decode_report(std::string_view bytes);

auto members(Of<RunId> auto& v) { return std::tie(v.job, v.space, v.slot, v.request, v.attempt); }
auto members(Of<EndKey> auto& v) { return std::tie(v.store, v.name_space, v.run, v.fence); }
auto members(Of<User> auto& v) { return std::tie(v.name, v.uid, v.gid, v.groups, v.home, v.shell); }
auto members(Of<Limits> auto& v) {
  return std::tie(v.nofile, v.cpu_seconds, v.memory_bytes, v.processes, v.core_bytes);
}
auto members(Of<Start> auto& v) {
  return std::tie(v.key, v.incarnation, v.label, v.argv, v.input, v.is_call, v.environment, v.cwd,
                  v.user, v.umask, v.nice, v.limits, v.timeout, v.kill_after, v.on_lease_loss,
                  v.keep_bytes, v.log_path, v.refusal);
}
auto members(Of<FinishEntry> auto& v) {
  return std::tie(v.run, v.fence, v.incarnation, v.state, v.reason, v.started_at, v.finished_at,
                  v.exit_code, v.output_tail, v.progress);
}

}  // namespace cronce
