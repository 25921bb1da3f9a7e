// What `query` asks of the ledger: rows by job, time and state, newest first.
//
// No more rows are read than lie between the newest and the last one answered: the rows of one job
// lie together in the order of their slots, and indexes have those of all jobs in the order of
// their times: all, those that went wrong, and those that have not ended. So what is seldom is
// found at once among a million rows.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "store/sqlite/database.h"
#include "store/store.h"

namespace cronce::sqlite {

class LedgerQuery {
 public:
  explicit LedgerQuery(const Database& database);

  std::vector<Run> find(const RunFilter& filter);

 private:
  Statement& of_all_jobs(const std::vector<RunState>& states);

  Statement slots_of_job_, others_of_job_, all_, troubles_, open_, ranges_of_job_, ranges_;
};

/// A long answer in pages, so that between them others have their turn.
class LedgerPages {
 public:
  explicit LedgerPages(const RunFilter& filter);

  bool complete() const { return complete_; }
  const RunFilter& next() const { return next_; }
  void add(std::vector<Run>&& page);
  std::vector<Run> take();

 private:
  std::size_t wanted_;
  RunFilter next_;
  std::vector<Run> found_;
  std::set<std::pair<RunId, std::optional<Time>>> seen_;  // pages overlap where times are equal
  bool complete_ = false;
};

}  // namespace cronce::sqlite
