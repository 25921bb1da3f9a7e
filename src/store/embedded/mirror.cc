#include "store/embedded/mirror.h"

#include <algorithm>
#include <utility>

#include "model/pending_order.h"
#include "store/embedded/trail.h"

namespace cronce::embedded {
namespace {

constexpr std::uint64_t kHere = 1;  // the tables only ask whether the store lies where it did
constexpr std::uint64_t kElsewhere = 0;

}  // namespace

// ---- the beginning of a step --------------------------------------------------------------------

/// The write that is known last must be one of those that led to what is stored now. After a
/// restore in place it is not, whatever was written since, nor when too many others came after it;
/// and while the epoch is closed nothing is relied on: then all is read anew.
void Mirror::refresh() {
  const std::string known = last_word(read_.trail);
  read_ = rows_.meta();
  const bool goes_on = known_ && !read_.closed && !tables_.closed && read_.id == tables_.id &&
                       read_.epoch == tables_.epoch && leads_from(known, read_.trail);
  if (!goes_on) {
    forget();
    load_all();
  } else {
    if (read_.position > tables_.position) load_since(position());
    load_stale();
    load_unread();
  }
  take(read_);
  known_ = true;
}

void Mirror::take(const Meta& meta) {
  tables_.id = meta.id;
  tables_.server = kHere;
  tables_.opened_on = tables_.closed_on = meta.is_here ? kHere : kElsewhere;
  tables_.epoch = meta.epoch;
  tables_.greatest = meta.greatest;
  tables_.closed = meta.closed;
  tables_.position = meta.position;
  tables_.remembered = meta.remembered;
  tables_.clock_word = meta.clock_word;
  tables_.clock_word_at = meta.clock_word_at;
  tables_.accepted = meta.accepted;
  tables_.changes = meta.changes;
  tables_.last_uid = meta.last_uid;
  tables_.last_key_fence = meta.last_key_fence;
}

/// An epoch that was closed or opened here makes this the place.
Meta Mirror::meta() const {
  const bool is_here = (tables_.closed ? tables_.closed_on : tables_.opened_on) == tables_.server;
  return {tables_.id,         is_here,
          tables_.epoch,      tables_.greatest,
          tables_.closed,     tables_.position,
          read_.trail,        tables_.remembered,
          tables_.clock_word, tables_.clock_word_at,
          tables_.accepted,   tables_.changes,
          tables_.last_uid,   tables_.last_key_fence};
}

void Mirror::load_all() {
  rows_.living_nodes([&](NodeRow&& row) {
    const Incarnation incarnation = row.node->incarnation;
    tables_.nodes.insert_or_assign(incarnation, std::move(row));
  });
  load_sources(Rows::kEver);
  rows_.live_runs([&](StoredRun&& found) { add_live(found); });
}

/// Jobs that others have written are read anew when they are asked for.
void Mirror::load_since(std::int64_t position) {
  rows_.nodes_since(position, [&](NodeRow&& row) {
    const Incarnation incarnation = row.node->incarnation;
    tables_.nodes.erase(incarnation);
    if (!row.ended) tables_.nodes.emplace(incarnation, std::move(row));
  });
  load_sources(position);
  for (const JobUid job : rows_.jobs_since(position)) {
    drop_live(job);
    drop_job(job);
    unread_.insert(job);
  }
}

void Mirror::load_unread() {
  if (unread_.empty()) return;
  rows_.live_runs(unread_, [&](StoredRun&& found) { add_live(found); });
  unread_.clear();
}

void Mirror::load_stale() {
  const std::set<JobUid> stale = std::exchange(stale_, {});
  if (stale.empty()) return;
  unread_.insert(stale.begin(), stale.end());
  rows_.jobs({stale.begin(), stale.end()}, [&](StoredJob&& found) { add_job(std::move(found)); });
}

void Mirror::load_sources(std::int64_t since) {
  rows_.sources(since, [&](std::string&& source, SourceRow&& row) {
    tables_.sources[std::move(source)] = std::move(row);
  });
}

void Mirror::add_live(const StoredRun& found) {
  const Run& run = found.run;
  tables_.held[*run.incarnation][run.id] = found.group.value_or("");
  if (found.group) tables_.groups[*found.group].insert(run.id);
  if (found.stop) tables_.stops[run.id] = *found.stop;
  if (found.confirmed) tables_.confirmed.insert(run.id);
}

void Mirror::drop_live(JobUid job) {
  const auto bounds = bounds_of(job);
  for (auto& [incarnation, runs] : tables_.held) {
    auto row = runs.lower_bound(bounds.first);
    while (row != runs.end() && row->first < bounds.beyond) {
      const auto group = tables_.groups.find(row->second);
      if (group != tables_.groups.end()) group->second.erase(row->first);
      tables_.stops.erase(row->first);
      tables_.confirmed.erase(row->first);
      row = runs.erase(row);
    }
  }
  std::erase_if(tables_.held, [](const auto& entry) { return entry.second.empty(); });
}

// ---- jobs ---------------------------------------------------------------------------------------

void add_open(JobRow& job, const StoredRun& found) {
  const Run& run = found.run;
  if (run.state == RunState::pending) {
    const PendingRun row{run.id, run.kind, run.due, found.deferred};
    job.pending.insert(std::upper_bound(job.pending.begin(), job.pending.end(), row, taken_before),
                       row);
  } else if (run.state == RunState::running) {
    const LiveRun row{run.id, *run.incarnation, *run.fence};
    const auto later = [](const LiveRun& a, const LiveRun& b) { return a.fence < b.fence; };
    job.live.insert(std::upper_bound(job.live.begin(), job.live.end(), row, later), row);
  }
}

/// In a step without refresh() it may be newer than what is known here: what is live of it, too.
/// Such a step is undone, but first it is judged.
void Mirror::add_job(StoredJob&& found) {
  const JobUid uid = found.row.uid;
  if (unread_.erase(uid) > 0) drop_live(uid);
  for (const StoredRun& open : found.open) {
    if (open.run.state == RunState::running) add_live(open);
  }
  if (found.row.whole) {
    tables_.members[*found.row.whole][*found.row.member] = uid;
  } else {
    tables_.names[found.row.definition->name.text()] = uid;
  }
  tables_.changed_at[uid] = found.changes;
  JobRow& row = tables_.jobs.insert_or_assign(uid, std::move(found.row)).first->second;
  Kept& kept = kept_[uid];
  kept = {true, found.newest, {}};
  for (StoredRun& open : found.open) {
    add_open(row, open);
    const RunId id = open.run.id;
    if (open.is_only) kept.only.insert(attempt_zero(id));
    tables_.runs.emplace(id, std::move(open.run));
  }
}

void Mirror::drop_job(JobUid uid) {
  if (kept_.erase(uid) == 0) return;
  const JobRow& row = tables_.jobs.at(uid);
  if (row.whole) {
    tables_.members[*row.whole].erase(*row.member);
  } else {
    tables_.names.erase(row.definition->name.text());
  }
  tables_.changed_at.erase(uid);
  tables_.unpurged.erase(uid);  // some_jobs() comes to it
  const auto bounds = bounds_of(uid);
  tables_.runs.erase(tables_.runs.lower_bound(bounds.first),
                     tables_.runs.lower_bound(bounds.beyond));
  tables_.jobs.erase(uid);
}

/// Who was not asked for since the last time has to go; if that does not help, everybody.
void Mirror::make_room() {
  if (kept_.size() <= kMostJobs) return;
  std::vector<JobUid> leaving;
  for (auto& [uid, kept] : kept_) {
    if (!std::exchange(kept.used, false)) leaving.push_back(uid);
  }
  if (kept_.size() - leaving.size() > kMostJobs / 2) {
    leaving.clear();
    for (const auto& [uid, kept] : kept_) leaving.push_back(uid);
  }
  for (const JobUid uid : leaving) drop_job(uid);
}

// ---- the end of a step --------------------------------------------------------------------------

StoredRun Mirror::stored(const Run& run) const {
  StoredRun row{run};
  if (run.state == RunState::running) {
    row.confirmed = tables_.confirmed.contains(run.id);
    const std::string& group = tables_.held.at(*run.incarnation).at(run.id);
    if (!group.empty()) row.group = group;
    const auto stop = tables_.stops.find(run.id);
    if (stop != tables_.stops.end()) row.stop = stop->second;
  } else if (run.state == RunState::pending) {
    const auto& pending = tables_.jobs.at(run.id.job).pending;
    row.deferred = std::any_of(pending.begin(), pending.end(), [&](const PendingRun& waiting) {
      return waiting.id == run.id && waiting.deferred;
    });
  }
  return row;
}

void Mirror::write_runs() {
  for (const auto& [id, is_new] : changed.runs) {
    fetch_job(id.job);
    changed.jobs.insert(id.job);
    const auto row = tables_.runs.find(id);
    if (row == tables_.runs.end()) {
      rows_.remove(id);
    } else if (is_new) {
      rows_.insert(stored(row->second));
    } else {
      rows_.update(stored(row->second));
    }
  }
}

/// All of them are known of a job that is held or was made in this step.
std::vector<RunId> Mirror::open_runs(JobUid job) const {
  const auto bounds = bounds_of(job);
  std::vector<RunId> open;
  for (auto row = tables_.runs.lower_bound(bounds.first);
       row != tables_.runs.end() && row->first < bounds.beyond; ++row) {
    if (!is_ended(row->second.state)) open.push_back(row->first);
  }
  return open;
}

void Mirror::write_jobs() {
  for (const JobUid uid : changed.definitions) {
    changed.jobs.insert(uid);
    rows_.write_definition(tables_.jobs.at(uid));
  }
  for (const JobUid uid : changed.jobs) {
    rows_.write(tables_.jobs.at(uid), open_runs(uid), tables_.changed_at[uid], tables_.position);
  }
}

void Mirror::write_rest() {
  for (const auto& [job, from] : changed.ranges) {
    const auto row = tables_.ranges.find({job, from});
    if (row == tables_.ranges.end()) {
      rows_.remove_range(job, from);
    } else {
      rows_.write(job, from, row->second);
    }
  }
  for (const std::string& key : changed.keys) {
    const auto row = tables_.keys.find(key);
    if (row == tables_.keys.end()) {
      rows_.remove_key(key);
    } else {
      rows_.write(key, row->second);
    }
  }
  for (const Incarnation& node : changed.nodes) {
    rows_.write(tables_.nodes.at(node), tables_.position);
  }
  for (const std::string& source : changed.sources) {
    rows_.write(source, tables_.sources.at(source), tables_.position);
  }
  for (const LaneId& lane : changed.lanes) rows_.write(lane, tables_.lanes.at(lane));
  for (const auto& [job, before] : changed.past_before) rows_.remove_past(job, before);
  for (const auto& [job, past] : tables_.pasts) rows_.add(job, past);
}

bool Mirror::write() {
  Meta now = meta();
  if (now == read_) return false;  // every change of a row moves the position
  write_runs();
  write_jobs();
  write_rest();
  now.trail = extend_trail(std::move(now.trail), now.position);
  rows_.update(now);
  written_ = std::move(now);
  return true;
}

/// An attempt that is made while another one is there follows one that has ended.
void Mirror::note_attempt(const RunId& id, bool is_new) {
  const auto kept = kept_.find(id.job);
  if (kept == kept_.end()) return;
  if (is_new && id.space == Space::slot) {
    kept->second.newest = std::max(kept->second.newest, std::optional(id.slot));
  }
  const auto row = tables_.runs.find(id);
  const bool is_open = row != tables_.runs.end() && !is_ended(row->second.state);
  if (!is_open) {
    kept->second.only.erase(attempt_zero(id));
  } else if (is_new && id.attempt == Attempt{1}) {
    kept->second.only.insert(attempt_zero(id));
  }
}

void Mirror::settle() {
  if (written_) read_ = *std::exchange(written_, std::nullopt);
  const auto drop = [&](const RunId& id) {
    const auto row = tables_.runs.find(id);
    if (row == tables_.runs.end()) return;
    if (is_ended(row->second.state) || !kept_.contains(id.job)) tables_.runs.erase(row);
  };
  for (const JobUid uid : changed.jobs) kept_[uid].used = true;  // new ones too
  for (const auto& [id, is_new] : changed.runs) {
    note_attempt(id, is_new);
    drop(id);
  }
  for (const RunId& id : visiting_) drop(id);
  const auto drop_node = [&](const Incarnation& incarnation) {
    const auto row = tables_.nodes.find(incarnation);
    if (row != tables_.nodes.end() && row->second.ended) tables_.nodes.erase(row);
  };
  for (const Incarnation& incarnation : changed.nodes) drop_node(incarnation);
  for (const Incarnation& incarnation : visiting_nodes_) drop_node(incarnation);
  tables_.pasts.clear();
  tables_.ranges.clear();
  tables_.keys.clear();
  tables_.held_keys.clear();
  tables_.key_ends.clear();
  tables_.by_change.clear();
  if (std::exchange(asked_news_, false)) {
    news_ = {tables_.changes, static_cast<std::int64_t>(tables_.position)};
  }
  changed = {};
  fetched_.clear();
  asked_jobs_.clear();
  fetched_jobs_.clear();
  fetched_names_.clear();
  visiting_.clear();
  visiting_nodes_.clear();
  was_large_ = std::exchange(is_large_, false) || kept_.size() > kMostJobs;
  make_room();
}

/// Nodes, sources and what there is one of are not told apart: then all is read anew.
void Mirror::undo() {
  if (!changed.nodes.empty() || !changed.sources.empty() || tables_.closed != read_.closed) {
    return forget();
  }
  std::set<JobUid> jobs = asked_jobs_;  // one may have been changed and not noted yet
  jobs.insert(changed.jobs.begin(), changed.jobs.end());
  for (const auto& [id, is_new] : changed.runs) jobs.insert(id.job);
  for (const JobUid uid : jobs) {
    drop_live(uid);
    if (tables_.jobs.contains(uid)) kept_.try_emplace(uid);  // it may have been made in this step
    drop_job(uid);
  }
  for (const LaneId& lane : changed.lanes) tables_.lanes.erase(lane);
  stale_.insert(jobs.begin(), jobs.end());
  changed = {};
  written_.reset();
  take(read_);
  settle();
}

/// Jobs with their rows are, and the asker's lane. How full a group is cannot be, nor what is not
/// known: then nobody else may have written.
std::optional<Compared> Mirror::compared() const {
  const bool others = !changed.nodes.empty() || !changed.sources.empty() ||
                      !changed.definitions.empty() || !changed.keys.empty() ||
                      !changed.past_before.empty() || !tables_.pasts.empty();
  Meta same = meta();
  same.position = read_.position;
  same.changes = read_.changes;
  if (others || same != read_) return std::nullopt;
  Compared found{read_, {asked_jobs_.begin(), asked_jobs_.end()}};
  for (const JobUid uid : asked_jobs_) {
    const auto row = tables_.jobs.find(uid);
    if (row == tables_.jobs.end() || row->second.definition->concurrency) found.alone = true;
  }
  if (found.alone && !unread_.empty()) return std::nullopt;
  return found;
}

void Mirror::catch_up(const Meta& before) {
  const std::uint64_t position = before.position - read_.position;
  const std::uint64_t changes = before.changes - read_.changes;
  if (position == 0) return;
  for (const JobUid uid : changed.jobs) {
    std::uint64_t& at = tables_.changed_at[uid];
    if (at > read_.changes) at += changes;
  }
  written_->position += position;
  written_->changes += changes;
  load_since(static_cast<std::int64_t>(read_.position));
  tables_.position += position;
  tables_.changes += changes;
}

void Mirror::forget() {
  tables_ = {};
  tables_.behind = this;
  known_ = asked_news_ = false;
  changed = {};
  kept_.clear();
  stale_.clear();
  unread_.clear();
  written_.reset();
  news_ = {};
  settle();
}

}  // namespace cronce::embedded
