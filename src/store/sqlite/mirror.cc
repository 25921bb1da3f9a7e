#include "store/sqlite/mirror.h"

#include <algorithm>
#include <utility>

namespace cronce::sqlite {
namespace {

constexpr std::uint64_t kHere = 1;  // the tables only ask whether the store lies where it did
constexpr std::uint64_t kElsewhere = 0;

RunId slot_of(RunId id) {
  id.attempt = Attempt{0};
  return id;
}

}  // namespace

// ---- the beginning of a step --------------------------------------------------------------------

/// What a restore in place has undone lies behind the position, or the epoch was closed by whoever
/// noticed it: then nothing that is known here counts.
void Mirror::refresh(const Place& actual) {
  actual_ = actual;
  read_ = rows_.meta();
  const bool goes_on = known_ && !read_.closed && !tables_.closed && read_.id == tables_.id &&
                       read_.epoch == tables_.epoch && read_.position >= tables_.position;
  if (!goes_on) {
    forget();
    load(Rows::kEver);
  } else if (read_.position > tables_.position) {
    load(static_cast<std::int64_t>(tables_.position));
  }
  take(read_);
  known_ = true;
}

void Mirror::take(const Meta& meta) {
  tables_.id = meta.id;
  tables_.server = kHere;
  tables_.opened_on = compare(meta.place, actual_) <= Moved::machine ? kHere : kElsewhere;
  tables_.epoch = meta.epoch;
  tables_.greatest = meta.greatest;
  tables_.closed = meta.closed;
  tables_.position = meta.position;
  tables_.remembered = meta.remembered;
  tables_.clock_word = meta.clock_word;
  tables_.accepted = meta.accepted;
  tables_.changes = meta.changes;
  tables_.last_uid = meta.last_uid;
  tables_.last_key_fence = meta.last_key_fence;
}

/// An epoch that was opened here makes this the place.
Meta Mirror::meta() const {
  return {tables_.id,         tables_.opened_on == tables_.server ? actual_ : read_.place,
          tables_.epoch,      tables_.greatest,
          tables_.closed,     tables_.position,
          tables_.remembered, tables_.clock_word,
          tables_.accepted,   tables_.changes,
          tables_.last_uid,   tables_.last_key_fence};
}

void Mirror::load(std::int64_t since) {
  rows_.nodes(since, [&](embedded::NodeRow&& row) {
    const Incarnation incarnation = row.node->incarnation;
    tables_.nodes.insert_or_assign(incarnation, std::move(row));
  });
  rows_.sources(since, [&](std::string&& source, embedded::SourceRow&& row) {
    tables_.sources[std::move(source)] = std::move(row);
  });
  std::vector<JobUid> loaded;
  rows_.jobs(since, [&](StoredJob&& found) {
    loaded.push_back(found.row.uid);
    load_job(std::move(found));
  });
  const auto add = [&](StoredRun&& found) { add_open(std::move(found)); };
  if (since == Rows::kEver) return rows_.open_runs(add);
  for (const JobUid job : loaded) rows_.open_runs(job, add);
}

void Mirror::load_job(StoredJob&& found) {
  const JobUid uid = found.row.uid;
  const std::string name = found.row.definition->name.text();
  if (const JobRow* known = tables_.find_job(uid)) {
    unload_runs(uid);
    const auto old = tables_.names.find(known->definition->name.text());
    if (old != tables_.names.end() && old->second == uid) tables_.names.erase(old);
  }
  if (found.row.whole) {
    tables_.members[*found.row.whole][found.row.member] = uid;
  } else {
    tables_.names[name] = uid;
  }
  tables_.changed_at[uid] = found.changes;
  tables_.unpurged.insert(uid);
  tables_.jobs.insert_or_assign(uid, std::move(found.row));
}

void Mirror::unload_runs(JobUid job) {
  const auto bounds = embedded::bounds_of(job);
  const auto first = tables_.runs.lower_bound(bounds.first);
  const auto beyond = tables_.runs.lower_bound(bounds.beyond);
  for (auto row = first; row != beyond; ++row) {
    if (row->second.state != RunState::running) continue;
    const auto held = tables_.held.find(*row->second.incarnation);
    const std::string group = held->second.at(row->first);
    if (const auto members = tables_.groups.find(group); members != tables_.groups.end()) {
      members->second.erase(row->first);
    }
    held->second.erase(row->first);
    if (held->second.empty()) tables_.held.erase(held);
    tables_.stops.erase(row->first);
    tables_.confirmed.erase(row->first);
  }
  tables_.runs.erase(first, beyond);
}

/// As the steps of the tables would have left it.
void Mirror::add_open(StoredRun&& found) {
  const Run& run = found.run;
  JobRow& job = *tables_.find_job(run.id.job);
  if (run.state == RunState::pending) {
    const PendingRun row{run.id, run.kind, run.due, found.deferred};
    const auto later = [](const PendingRun& a, const PendingRun& b) { return a.id < b.id; };
    job.pending.insert(std::upper_bound(job.pending.begin(), job.pending.end(), row, later), row);
  } else if (run.state == RunState::running) {
    const LiveRun row{run.id, *run.incarnation, *run.fence};
    const auto later = [](const LiveRun& a, const LiveRun& b) { return a.fence < b.fence; };
    job.live.insert(std::upper_bound(job.live.begin(), job.live.end(), row, later), row);
    tables_.held[*run.incarnation][run.id] = found.group.value_or("");
    if (found.group) tables_.groups[*found.group].insert(run.id);
    if (found.stop) tables_.stops[run.id] = *found.stop;
    if (found.confirmed) tables_.confirmed.insert(run.id);
  }
  const RunId id = run.id;
  tables_.runs.insert_or_assign(id, std::move(found.run));
}

// ---- what a step asks for -----------------------------------------------------------------------

/// What this step has changed or removed is known better here than in the file.
void Mirror::visit(StoredRun&& found) {
  const RunId id = found.run.id;
  if (changed.runs.contains(id)) return;
  if (tables_.runs.emplace(id, std::move(found.run)).second) visiting_.push_back(id);
}

void Mirror::visit_range(JobUid job, Time from, const embedded::RangeRow& row) {
  if (!changed.ranges.contains({job, from})) tables_.ranges.emplace(std::pair{job, from}, row);
}

void Mirror::visit_key(std::string&& key, embedded::KeyRow&& row) {
  if (changed.keys.contains(key)) return;
  const bool ended = row.state == KeyState::done || row.state == KeyState::failed;
  if (ended) tables_.key_ends.insert({row.expires, key});
  if (row.state == KeyState::running) tables_.held_keys[row.incarnation].insert(key);
  tables_.keys.emplace(std::move(key), std::move(row));
}

/// The outcome is read only if another process has written the lane.
void Mirror::fetch_lane(const embedded::LaneId& lane) {
  const auto known = tables_.lanes.find(lane);
  const auto sequence = rows_.sequence(lane);
  if (!sequence) {
    if (known != tables_.lanes.end()) tables_.lanes.erase(known);
  } else if (known == tables_.lanes.end() || known->second.sequence != *sequence) {
    tables_.lanes[lane] = rows_.lane(lane);
  }
}

void Mirror::fetch_attempts(const RunId& any_attempt) {
  if (fetched_jobs_.contains(any_attempt.job)) return;
  if (!fetched_.insert(slot_of(any_attempt)).second) return;
  rows_.attempts(any_attempt, [&](StoredRun&& found) { visit(std::move(found)); });
}

void Mirror::fetch_slots(JobUid job, Time from, Time to) {
  if (fetched_jobs_.contains(job)) return;
  rows_.slots(job, from, to, [&](StoredRun&& found) { visit(std::move(found)); });
}

void Mirror::fetch_range(JobUid job, Time slot) {
  if (fetched_jobs_.contains(job)) return;
  rows_.range_before(job, slot, [&](JobUid uid, Time from, const embedded::RangeRow& row) {
    visit_range(uid, from, row);
  });
}

void Mirror::fetch_newest(JobUid job) {
  if (fetched_jobs_.contains(job)) return;
  if (const auto slot = rows_.newest_slot(job)) {
    fetch_attempts({job, Space::slot, *slot, "", Attempt{0}});
  }
  fetch_range(job, kMaxTime);
}

void Mirror::fetch_history(JobUid job) {
  if (!fetched_jobs_.insert(job).second) return;
  rows_.history(job, [&](StoredRun&& found) { visit(std::move(found)); });
  rows_.ranges(job, [&](JobUid uid, Time from, const embedded::RangeRow& row) {
    visit_range(uid, from, row);
  });
}

void Mirror::fetch_key(const std::string& key) {
  rows_.key(key, [&](std::string&& name, embedded::KeyRow&& row) {
    visit_key(std::move(name), std::move(row));
  });
}

void Mirror::fetch_keys_of(const Incarnation& owner) {
  rows_.keys_of(owner, [&](std::string&& name, embedded::KeyRow&& row) {
    visit_key(std::move(name), std::move(row));
  });
}

void Mirror::fetch_ended_keys(Time now) {
  rows_.ended_keys(now, [&](std::string&& name, embedded::KeyRow&& row) {
    visit_key(std::move(name), std::move(row));
  });
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

void Mirror::write_jobs() {
  for (const JobUid uid : changed.definitions) {
    changed.jobs.insert(uid);
    rows_.write_definition(tables_.jobs.at(uid));
  }
  for (const JobUid uid : changed.jobs) {
    rows_.write(tables_.jobs.at(uid), tables_.changed_at[uid], tables_.position);
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
  for (const embedded::LaneId& lane : changed.lanes) rows_.write(lane, tables_.lanes.at(lane));
}

bool Mirror::write() {
  const Meta now = meta();
  if (now == read_) return false;  // every change of a row moves the position
  write_runs();
  write_jobs();
  write_rest();
  rows_.update(now);
  return true;
}

void Mirror::settle() {
  const auto drop = [&](const RunId& id) {
    const auto row = tables_.runs.find(id);
    if (row != tables_.runs.end() && is_ended(row->second.state)) tables_.runs.erase(row);
  };
  for (const auto& [id, is_new] : changed.runs) drop(id);
  for (const RunId& id : visiting_) drop(id);
  tables_.ranges.clear();
  tables_.keys.clear();
  tables_.held_keys.clear();
  tables_.key_ends.clear();
  changed = {};
  fetched_.clear();
  fetched_jobs_.clear();
  visiting_.clear();
}

void Mirror::forget() {
  tables_ = {};
  tables_.behind = this;
  known_ = false;
  settle();
}

}  // namespace cronce::sqlite
