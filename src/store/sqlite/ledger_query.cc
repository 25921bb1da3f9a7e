#include "store/sqlite/ledger_query.h"

#include <algorithm>
#include <array>

#include "model/codec.h"
#include "store/embedded/tables.h"

namespace cronce::sqlite {
namespace {

#define TIME "CASE space WHEN 0 THEN slot ELSE due END"
#define SELECT_RUNS                                                                           \
  "SELECT job, space, slot, request, attempt, kind, state, reason, key, due, fence, "         \
  "incarnation, node, claimed_at, started_at, finished_at, exit_code, progress, decided_by, " \
  "decided_at, revision, env, CASE ?7 WHEN 0 "                                                \
  "THEN '' ELSE output_tail END FROM runs AS run "
#define SELECT_RANGES \
  "SELECT job, first, last, count, reason, decided_by, decided_at, revision FROM ranges "

// ?1 job, ?2 from, ?3 to, ?4 limit, ?5 states, ?6 last attempts only, ?7 with output
#define WANTED                                                                                 \
  "AND (?5 = '' OR instr(?5, ' ' || state || ' ') > 0) AND (?6 = 0 OR NOT EXISTS (SELECT 1 "   \
  "FROM runs AS later WHERE later.job = run.job AND later.space = run.space AND later.slot = " \
  "run.slot AND later.request = run.request AND later.attempt > run.attempt)) "

#define OF_ALL_JOBS(index, states)                                                   \
  SELECT_RUNS "INDEXED BY " index " WHERE " states TIME " BETWEEN ?2 AND ?3 " WANTED \
              "ORDER BY " TIME " DESC LIMIT ?4"

/// The most rows that are copied at once.
constexpr std::size_t kPage = 1'000;

constexpr std::array kTroubles{RunState::failed, RunState::timed_out, RunState::cancelled,
                               RunState::lost};
constexpr std::array kOpen{RunState::pending, RunState::held, RunState::running};

template <class List>
bool are_among(const std::vector<RunState>& states, const List& list) {
  return !states.empty() && std::all_of(states.begin(), states.end(), [&](RunState state) {
    return std::find(list.begin(), list.end(), state) != list.end();
  });
}

/// ` failed lost `
std::string words_of(const std::vector<RunState>& states) {
  std::string text;
  for (const RunState state : states)
    text += (text.empty() ? " " : "") + std::string(word(state)) + " ";
  return text;
}

bool wants(const RunFilter& filter, RunState state) {
  const auto& states = filter.states;
  return states.empty() || std::find(states.begin(), states.end(), state) != states.end();
}

void collect(Statement& query, const RunFilter& filter, std::vector<Run>& found) {
  const std::string states = words_of(filter.states);  // must live as long as the reading
  query.with(filter.job.value_or(JobUid{}), filter.from, filter.to,
             static_cast<std::int64_t>(filter.limit), states, filter.last_attempts, filter.output);
  while (query.row()) {
    Run& run = found.emplace_back();
    query.into(run.id.job, run.id.space, run.id.slot, run.id.request, run.id.attempt, run.kind,
               run.state, run.reason, run.key, run.due, run.fence, run.incarnation, run.node,
               run.claimed_at, run.started_at, run.finished_at, run.exit_code, run.progress,
               run.decided.by, run.decided.at, run.decided.revision);
    run.env = decoded(decode_env(query.next<std::string>()));
    query.into(run.output_tail);
  }
}

void collect_ranges(Statement& query, const RunFilter& filter, std::vector<Run>& found) {
  query.with(filter.job.value_or(JobUid{}), filter.from, filter.to,
             static_cast<std::int64_t>(filter.limit));
  while (query.row()) {
    const auto job = query.next<JobUid>();
    const auto from = query.next<Time>();
    embedded::RangeRow row;
    query.into(row.to, row.count, row.reason, row.decided.by, row.decided.at, row.decided.revision);
    found.push_back(embedded::row_of(job, from, row));
  }
}

}  // namespace

LedgerQuery::LedgerQuery(const Database& db)
    : slots_of_job_(db,
                    SELECT_RUNS "WHERE job = ?1 AND space = 0 AND slot BETWEEN ?2 AND ?3 " WANTED
                                "ORDER BY slot DESC, request DESC, attempt DESC LIMIT ?4"),
      others_of_job_(db,
                     SELECT_RUNS "WHERE job = ?1 AND space > 0 AND due BETWEEN ?2 AND ?3 " WANTED
                                 "ORDER BY due DESC LIMIT ?4"),
      all_(db, OF_ALL_JOBS("runs_by_time", "")),
      troubles_(db, OF_ALL_JOBS("runs_troubles",
                                "state IN ('failed', 'timed_out', 'cancelled', 'lost') AND ")),
      open_(db, OF_ALL_JOBS("runs_open", "state IN ('pending', 'held', 'running') AND ")),
      ranges_of_job_(db, SELECT_RANGES
                     "WHERE job = ?1 AND last >= ?2 AND first <= ?3 ORDER BY last DESC LIMIT ?4"),
      ranges_(db, SELECT_RANGES "WHERE last >= ?2 AND first <= ?3 ORDER BY last DESC LIMIT ?4") {}

/// By the smallest index that holds all of them.
Statement& LedgerQuery::of_all_jobs(const std::vector<RunState>& states) {
  if (are_among(states, kTroubles)) return troubles_;
  return are_among(states, kOpen) ? open_ : all_;
}

std::vector<Run> LedgerQuery::find(const RunFilter& filter) {
  std::vector<Run> found;
  if (filter.job) {
    collect(slots_of_job_, filter, found);
    collect(others_of_job_, filter, found);
  } else {
    collect(of_all_jobs(filter.states), filter, found);
  }
  if (wants(filter, RunState::skipped)) {
    collect_ranges(filter.job ? ranges_of_job_ : ranges_, filter, found);
  }
  std::sort(found.begin(), found.end(), embedded::is_newer);
  if (found.size() > filter.limit) found.resize(filter.limit);
  return found;
}

LedgerPages::LedgerPages(const RunFilter& filter) : wanted_(filter.limit), next_(filter) {
  next_.limit = std::min(wanted_, kPage);
}

void LedgerPages::add(std::vector<Run>&& page) {
  const std::size_t before = found_.size();
  const bool last = page.size() < next_.limit;
  for (Run& run : page) {
    if (wanted_ <= kPage || seen_.insert({run.id, run.slot_to}).second) {
      found_.push_back(std::move(run));
    }
  }
  complete_ = last || found_.size() >= wanted_;
  if (complete_) return;
  if (found_.size() == before) next_.limit *= 2;  // so many at one moment
  next_.to = std::min(next_.to, embedded::ledger_time(found_.back()));
}

std::vector<Run> LedgerPages::take() {
  if (found_.size() > wanted_) found_.resize(wanted_);
  return std::move(found_);
}

}  // namespace cronce::sqlite
