// What `query` asks of the ledger: rows by job, time and state, newest first.
//
// Whatever is asked, no more rows are read than lie between the newest and the last one answered:
// the rows of one job lie together in the order of their slots, and an index has those of all jobs
// in the order of their times.
#pragma once

#include <vector>

#include "store/sqlite/database.h"
#include "store/store.h"

namespace cronce::sqlite {

class LedgerQuery {
 public:
  explicit LedgerQuery(const Database& database);

  std::vector<Run> find(const RunFilter& filter);

 private:
  Statement slots_of_job_, others_of_job_, all_, ranges_of_job_, ranges_;
};

}  // namespace cronce::sqlite
