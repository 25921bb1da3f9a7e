// The thread that may wait: for the store's answers to writes, for the disk, and for whoever knows
// the users of this machine.
#pragma once

#include <string>
#include <thread>
#include <variant>

#include "keeper/settings.h"
#include "node/inbox.h"
#include "node/mark_file.h"
#include "node/news.h"
#include "store/store.h"

namespace cronce {

/// Read the spool, and end what dead keepers left.
struct LookAtDisk {
  StoreId store;
  std::string name_space;
};

struct FindUser {
  StartRun order;
};

struct ReadJobs {
  JobFileSettings settings;
};

/// Keep the newest logs of this job.
struct TrimLogs {
  std::string folder;
  std::size_t keep = 0;
};

using WorkOrder = std::variant<SendWrite, KeepMark, LookAtDisk, FindUser, ReadJobs, TrimLogs>;

class StoreWorker {
 public:
  /// All of these outlive it.
  StoreWorker(Store& store, const KeeperSettings& keeper, const MarkFile& mark, Inbox<News>& loop);
  ~StoreWorker();
  StoreWorker(const StoreWorker&) = delete;
  StoreWorker& operator=(const StoreWorker&) = delete;

  void send(WorkOrder order) { orders_.put(std::move(order)); }
  /// A write that was given up and not sent yet must not be sent any more.
  void forget(std::uint64_t sequence);
  void close() { orders_.close(); }

 private:
  void work();
  void do_it(const SendWrite& order);
  void do_it(const KeepMark& order);
  void do_it(const LookAtDisk& order);
  void do_it(const FindUser& order);
  void do_it(const ReadJobs& order);
  static void do_it(const TrimLogs& order);

  Store& store_;
  const KeeperSettings& keeper_;
  const MarkFile& mark_;
  Inbox<News>& loop_;
  Orders<WorkOrder> orders_;
  std::thread thread_;  // the last one: it uses the others
};

/// One write, by the call of the store that it asks for.
Result<WriteAnswered> write_to(Store& store, const SendWrite& order);

}  // namespace cronce
