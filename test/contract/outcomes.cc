// The pairs of operations whose order matters: a row each.
#include "test/contract/outcomes.h"

#include <span>

namespace cronce::contract {
namespace {

struct OrderMatters {
  const char* first;
  const char* second;
  const char* first_first;   // facts that are true only in this order
  const char* second_first;  // and only in this one
};

/// Whether 30 is live or not.
constexpr OrderMatters kAlways[] = {
    {"decide", "other_schedule", "digest 3, next 56", "digest 1, next 60"},
    {"sweep", "begin_key", "key running of b", "key lost of c"},
    {"join", "retire", "next none, retired", "digest 1, next 60"},
    {"other_command", "retire", "next none, retired", "digest 2, next 60"},
    {"other_schedule", "drop", "next none, retired", "digest 3, next 56"},
    {"other_schedule", "retire", "next none, retired", "digest 3, next 56"},
    {"drop", "trigger", "", "q#1 skipped: retired"},
    {"drop", "cancel", "40#1 skipped: retired", "40#1 cancelled: operator"},
    {"drop", "release", "10#2 held", "10#2 skipped: retired"},
    {"drop", "backfill", "", "20#2 skipped: retired"},
    {"pause", "resume", "50-50#1 skipped: paused (1), cursor 50, next 60",
     "cursor 40, next 50, paused"},
    {"trigger", "retire", "q#1 skipped: retired", ""},
    {"cancel", "retire", "40#1 cancelled: operator", "40#1 skipped: retired"},
    {"release", "retire", "10#2 skipped: retired", "10#2 held"},
    {"backfill", "retire", "20#2 skipped: retired", ""},
    {"resume_by_timer", "pause_again", "p 10-40#1 skipped: paused (4), p cursor 40, p next 50",
     "p cursor 0, p next 10"},
    {"share", "trigger_everywhere", "w/a q#1 pending", ""},
    {"share", "retire_everywhere", "w/a cursor 50, w/a next none, w/a retired", ""},
    {"decide", "adopt", "50#1 lost: regressed, cursor 50, next 60", "cursor 40, next 50"},
    {"sweep", "boot", "", "v/c x#1 pending"},
    {"sweep", "end_share", "v/c digest 1", "v/c retired"},
    {"lapse", "cancel", "40#1 skipped: expired", "40#1 cancelled: operator"},
    {"lapse", "retire", "40#1 skipped: expired", "40#1 skipped: retired"},
    {"lapse", "adopt", "40#1 skipped: expired", "40#1 lost: regressed"},
    {"other_command", "adopt", "digest 2", "digest 1"},
    {"drop", "adopt",
     "40#1 skipped: retired, 50#1 skipped: retired, cursor 50, next none, r#1 skipped: retired, "
     "retired",
     "40#1 lost: regressed, cursor 40, digest 1, next 50, r#1 lost: regressed"},
    {"trigger", "adopt", "q#1 lost: regressed", "q#1 pending"},
    {"cancel", "adopt", "40#1 cancelled: operator", "40#1 lost: regressed"},
    {"release", "adopt", "10#2 lost: regressed", "10#2 held"},
    {"backfill", "adopt", "20#2 lost: regressed", ""},
    {"retire", "adopt", "40#1 skipped: retired, 50-50#1 skipped: retired (1), r#1 skipped: retired",
     "40#1 lost: regressed, 50-50#1 skipped: store_regressed (1), r#1 lost: regressed"},
    {"resume_by_timer", "adopt", "p 10-40#1 skipped: paused (4), p cursor 40, p next 50",
     "p cursor 0, p next 10, p paused"},
    {"share", "adopt", "w/a cursor 50, w/a digest 1, w/a next 60", ""},
    {"boot", "end_share", "v/c x#1 skipped: node_absent", ""},
    {"boot", "adopt", "v/c x#1 lost: regressed", ""},
    {"end_share", "adopt", "v/c retired", "v/c digest 1"},
    {"begin_key", "fail_key", "key absent", "key running of a"},
    {"complete_key", "fail_key", "key done of c", "key absent"},
};

/// While 30 is live.
constexpr OrderMatters kBusy[] = {
    {"decide", "exec", "50#1 pending", "50#1 skipped: overlap"},
    {"decide", "other_command", "50#1 pending, cursor 50, next 60", "cursor 40, next 50"},
    {"decide", "pause", "50#1 pending, cursor 50, next 60", "cursor 40, next 50"},
    {"decide", "retire", "50#1 skipped: retired", "50-50#1 skipped: retired (1)"},
    {"take", "finish", "40#1 pending", "40#1 running"},
    {"take", "sweep", "40#1 pending", "40#1 running"},
    {"take_manual", "finish", "r#1 pending", "r#1 running"},
    {"take_manual", "sweep", "r#1 pending", "r#1 running"},
    {"exec", "finish", "50#1 skipped: overlap", "50#1 running"},
    {"exec", "sweep", "50#1 skipped: overlap", "50#1 running"},
    {"exec", "drop", "50#1 skipped: overlap", "50#1 skipped: retired"},
    {"exec", "pause", "50#1 skipped: overlap", ""},
    {"exec", "retire", "50#1 skipped: overlap", "50-50#1 skipped: retired (1)"},
    {"finish", "sweep", "", "30#1 succeeded: late, 30#2 held"},  // it is purged, or late
    {"finish", "purge", "", "30#1 succeeded"},
    {"finish", "finish_failed", "30#1 succeeded", "30#1 failed: exit, 30#2 pending"},
    {"finish", "finish_returned", "30#1 succeeded", "30#1 returned, 30#2 pending"},
    {"take", "finish_failed", "40#1 pending", "40#1 running"},
    {"take", "finish_returned", "40#1 pending", "40#1 running"},
    {"take_manual", "finish_failed", "r#1 pending", "r#1 running"},
    {"take_manual", "finish_returned", "r#1 pending", "r#1 running"},
    {"exec", "finish_failed", "50#1 skipped: overlap", "50#1 running"},
    {"exec", "finish_returned", "50#1 skipped: overlap", "50#1 running"},
    {"finish_failed", "finish_returned", "30#1 failed: exit", "30#1 returned"},
    {"finish_failed", "sweep", "30#1 failed: exit, 30#2 pending", "30#1 failed: late, 30#2 held"},
    {"finish_failed", "drop", "30#2 skipped: retired", ""},
    {"finish_failed", "stop", "30#2 pending", ""},
    {"finish_failed", "retire", "30#2 skipped: retired", ""},
    {"finish_failed", "adopt", "30#1 failed: exit, 30#2 lost: regressed", "30#1 failed: late"},
    {"finish_returned", "sweep", "30#1 returned, 30#2 pending", "30#1 lost: node, 30#2 held"},
    {"finish_returned", "stop", "30#1 returned, 30#2 pending", "30#1 cancelled: operator"},
    {"finish_returned", "adopt", "30#1 returned, 30#2 lost: regressed", "30#1 lost: regressed"},
    {"sweep", "drop", "30#2 held", ""},
    {"sweep", "retire", "30#2 held", ""},
    {"sweep", "stop", "30#2 held", ""},
    {"other_command", "drop", "40#1 pending, cursor 40, next 50, r#1 pending",
     "40#1 skipped: retired, 50#1 skipped: retired, cursor 50, next 60, r#1 skipped: retired"},
    {"drop", "pause",
     "40#1 skipped: retired, 50#1 skipped: retired, cursor 50, next none, r#1 skipped: retired, "
     "retired",
     "40#1 pending, cursor 40, digest 1, next 50, r#1 pending"},
    {"drop", "retire", "50#1 skipped: retired", "50-50#1 skipped: retired (1)"},
    {"exec", "adopt", "50#1 skipped: overlap", ""},
    {"finish", "adopt", "30#1 succeeded", "30#1 succeeded: late"},
    {"sweep", "beat", "30#1 lost: node, 30#2 held, key lost of c",
     "30#1 running, c lives, key running of c"},
    {"sweep", "adopt", "30#1 lost: node, 30#2 held", "30#1 lost: regressed"},
    {"lapse", "drop", "40#1 skipped: expired", "40#1 skipped: retired"},
};

/// When 30 has ended.
constexpr OrderMatters kIdle[] = {
    {"decide", "other_command", "50#1 pending, cursor 50, next 60", "cursor 40, next 50"},
    {"decide", "pause", "50#1 pending, cursor 50, next 60", "cursor 40, next 50"},
    {"decide", "retire", "50#1 skipped: retired", "50-50#1 skipped: retired (1)"},
    {"decide", "exec", "50#1 pending", "50#1 running"},
    {"decide", "cancel", "50#1 pending", "50#1 running"},
    {"take", "take_manual", "40#1 running, r#1 pending", "40#1 pending, r#1 running"},
    {"take", "exec", "40#1 running, 50#1 skipped: overlap", "40#1 pending, 50#1 running"},
    {"take", "drop", "40#1 running", "40#1 skipped: retired"},
    {"take", "pause", "40#1 running", "40#1 pending"},
    {"take", "cancel", "40#1 running", "40#1 cancelled: operator"},
    {"take", "retire", "40#1 running", "40#1 skipped: retired"},
    {"take_manual", "exec", "50#1 skipped: overlap, r#1 running", "50#1 running, r#1 pending"},
    {"take_manual", "drop", "r#1 running", "r#1 skipped: retired"},
    {"take_manual", "retire", "r#1 running", "r#1 skipped: retired"},
    {"exec", "pause", "50#1 running", ""},
    {"exec", "retire", "50#1 running", "50-50#1 skipped: retired (1)"},
    {"exec", "drop", "50#1 running", "50#1 skipped: retired"},
    {"other_command", "drop", "40#1 pending, cursor 40, next 50, r#1 pending",
     "40#1 skipped: retired, 50#1 skipped: retired, cursor 50, next 60, r#1 skipped: retired"},
    {"drop", "pause",
     "40#1 skipped: retired, 50#1 skipped: retired, cursor 50, next none, r#1 skipped: retired, "
     "retired",
     "40#1 pending, cursor 40, digest 1, next 50, r#1 pending"},
    {"drop", "retire", "50#1 skipped: retired", "50-50#1 skipped: retired (1)"},
    {"drop", "cancel", "40#1 skipped: retired, 50#1 skipped: retired",
     "40#1 cancelled: operator, 50#1 running"},
    {"decide", "lapse", "50#1 pending", "50#1 running"},
    {"take", "lapse", "40#1 running", "40#1 skipped: expired"},
    {"exec", "adopt", "50#1 lost: regressed", ""},
    {"sweep", "beat", "key lost of c", "c lives, key running of c"},
    {"lapse", "drop", "40#1 skipped: expired, 50#1 running",
     "40#1 skipped: retired, 50#1 skipped: retired"},
};

/// Five seconds earlier.
constexpr OrderMatters kQuiet[] = {
    {"take", "take_manual", "40#1 running, r#1 pending", "40#1 pending, r#1 running"},
    {"take", "drop", "40#1 running", "40#1 skipped: retired"},
    {"take", "pause", "40#1 running", "40#1 pending"},
    {"take", "cancel", "40#1 running", "40#1 cancelled: operator"},
    {"take", "retire", "40#1 running", "40#1 skipped: retired"},
    {"take_manual", "drop", "r#1 running", "r#1 skipped: retired"},
    {"take_manual", "retire", "r#1 running", "r#1 skipped: retired"},
    {"sweep", "begin_key", "key running of b", "key lost of c"},
    {"join", "retire", "cursor 40, next none, retired", "cursor 45, digest 1, next 50"},
    {"other_command", "other_schedule", "digest 3, next 49", "digest 2, next 50"},
    {"other_command", "drop", "cursor 40, next none, retired", "cursor 45, digest 2, next 50"},
    {"other_command", "retire", "cursor 40, next none, retired", "cursor 45, digest 2, next 50"},
    {"other_command", "repoint", "next 50", "next 63"},
    {"other_schedule", "drop", "next none, retired", "digest 3, next 49"},
    {"other_schedule", "retire", "next none, retired", "digest 3, next 49"},
    {"drop", "trigger", "", "q#1 skipped: retired"},
    {"drop", "cancel", "40#1 skipped: retired", "40#1 cancelled: operator"},
    {"drop", "release", "10#2 held", "10#2 skipped: retired"},
    {"drop", "backfill", "", "20#2 skipped: retired"},
    {"pause", "resume", "cursor 45", "cursor 40, paused"},
    {"pause", "repoint", "next 50", "next 63"},
    {"trigger", "retire", "q#1 skipped: retired", ""},
    {"cancel", "retire", "40#1 cancelled: operator", "40#1 skipped: retired"},
    {"release", "retire", "10#2 skipped: retired", "10#2 held"},
    {"backfill", "retire", "20#2 skipped: retired", ""},
    {"resume_by_timer", "pause_again", "p 10-40#1 skipped: paused (4), p cursor 40, p next 50",
     "p cursor 0, p next 10"},
    {"share", "trigger_everywhere", "w/a q#1 pending", ""},
    {"share", "retire_everywhere", "w/a cursor 45, w/a next none, w/a retired", ""},
    {"sweep", "beat", "key lost of c", "c lives, key running of c"},
    {"sweep", "boot", "", "v/c x#1 pending"},
    {"sweep", "end_share", "v/c digest 1", "v/c retired"},
    {"other_command", "adopt", "digest 2", "digest 1"},
    {"other_schedule", "adopt", "cursor 45, digest 3, next 49", "cursor 40, digest 1, next 50"},
    {"drop", "adopt", "40#1 skipped: retired, next none, r#1 skipped: retired, retired",
     "40#1 lost: regressed, digest 1, next 50, r#1 lost: regressed"},
    {"trigger", "adopt", "q#1 lost: regressed", "q#1 pending"},
    {"cancel", "adopt", "40#1 cancelled: operator", "40#1 lost: regressed"},
    {"release", "adopt", "10#2 lost: regressed", "10#2 held"},
    {"backfill", "adopt", "20#2 lost: regressed", ""},
    {"retire", "adopt", "40#1 skipped: retired, r#1 skipped: retired",
     "40#1 lost: regressed, r#1 lost: regressed"},
    {"repoint", "adopt", "next 63", "next 50"},
    {"resume_by_timer", "adopt", "p 10-40#1 skipped: paused (4), p cursor 40, p next 50",
     "p cursor 0, p next 10, p paused"},
    {"share", "adopt", "w/a cursor 45, w/a digest 1, w/a next 50", ""},
    {"boot", "end_share", "v/c x#1 skipped: node_absent", ""},
    {"boot", "adopt", "v/c x#1 lost: regressed", ""},
    {"end_share", "adopt", "v/c retired", "v/c digest 1"},
    {"begin_key", "fail_key", "key absent", "key running of a"},
    {"complete_key", "fail_key", "key done of c", "key absent"},
};

/// After the store has forgotten: all is refused until the epoch opens.
constexpr OrderMatters kClosed[] = {
    {"sweep", "open", "30#1 succeeded, c lives, key running of c", "key lost of c"},
    {"sweep", "adopt", "30#1 succeeded", ""},
    {"purge", "open", "30#1 succeeded", ""},
    {"purge", "adopt", "30#1 succeeded", ""},
    {"other_command", "open", "digest 1", "digest 2"},
    {"pause", "open", "", "paused"},
    {"trigger", "open", "", "q#1 pending"},
    {"retire", "open", "cursor 40, digest 1, next 50",
     "50-50#1 skipped: store_regressed (1), cursor 50, next none, retired"},
    {"share", "open", "", "w/a cursor 50, w/a digest 1, w/a next 60"},
    {"retire_everywhere", "open", "w digest 1", "w retired"},
    {"complete_key", "open", "key running of c", "key done of c"},
    {"remember", "open", "40#1 running", "40#1 lost: regressed"},
    {"pause", "adopt", "", "paused"},
    {"trigger", "adopt", "", "q#1 pending"},
    {"retire", "adopt", "cursor 40, digest 1, next 50",
     "50-50#1 skipped: store_regressed (1), cursor 50, next none, retired"},
    {"boot", "open", "", "v/c x#1 pending"},
    {"retire_everywhere", "adopt", "w digest 1", "w retired"},
    {"complete_key", "adopt", "key lost of c", "key done of c"},
    {"fail_key", "adopt", "key lost of c", "key absent"},
    {"fail_key", "open", "key running of c", "key absent"},
    {"adopt", "open", "epoch 2", "epoch 3"},
};

Outcomes outcomes_of(std::span<const OrderMatters> table) {
  Outcomes outcomes;
  for (const OrderMatters& row : table) {
    outcomes[{row.first, row.second}] = {row.first_first, row.second_first};
  }
  return outcomes;
}

}  // namespace

Outcomes expected_in(Situation situation) {
  Outcomes outcomes;
  switch (situation) {
    case Situation::busy:
      outcomes = outcomes_of(kBusy);
      break;
    case Situation::idle:
      outcomes = outcomes_of(kIdle);
      break;
    case Situation::quiet:
      return outcomes_of(kQuiet);
    case Situation::closed:
      return outcomes_of(kClosed);
  }
  outcomes.merge(outcomes_of(kAlways));
  return outcomes;
}

}  // namespace cronce::contract
