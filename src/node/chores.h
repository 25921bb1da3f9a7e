// The thread for what may take its time: the disk of this machine, and whoever knows its users.
//
// No claim waits for any of it: a disk that is slow to sync, or a name service that does not
// answer, delays nothing but what is done here.
#pragma once

#include <string>
#include <thread>
#include <variant>

#include "keeper/settings.h"
#include "node/boot_file.h"
#include "node/inbox.h"
#include "node/job_watch.h"
#include "node/mark_file.h"
#include "node/news.h"

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

using Chore = std::variant<KeepMark, KeepBoot, LookAtDisk, FindUser, ReadJobs, TrimLogs>;

class Chores {
 public:
  /// All of these outlive it.
  Chores(const KeeperSettings& keeper, MarkFile& mark, const BootFile& boot, JobWatch& watch,
         Inbox<News>& loop);
  ~Chores();
  Chores(const Chores&) = delete;
  Chores& operator=(const Chores&) = delete;

  void send(Chore chore) { orders_.put(std::move(chore)); }
  /// The thread ends after what it is at, and tells the loop.
  void close() { orders_.close(); }

 private:
  void work();
  void do_it(const KeepMark& order);
  void do_it(const KeepBoot& order);
  void do_it(const LookAtDisk& order);
  void do_it(const FindUser& order);
  void do_it(const ReadJobs& order);
  static void do_it(const TrimLogs& order);

  const KeeperSettings& keeper_;
  MarkFile& mark_;
  const BootFile& boot_;
  JobWatch& watch_;
  Inbox<News>& loop_;
  Orders<Chore> orders_;
  std::thread thread_;  // the last one: it uses the others
};

}  // namespace cronce
