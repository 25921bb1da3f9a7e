#include "node/chores.h"

#include <pthread.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "keeper/leftovers.h"
#include "keeper/spool.h"

namespace cronce {
namespace {

/// What does not die is looked at again by the next look.
constexpr Duration kBrief{300};

}  // namespace

Chores::Chores(const KeeperSettings& keeper, MarkFile& mark, const BootFile& boot, JobWatch& watch,
               Inbox<News>& loop)
    : keeper_(keeper), mark_(mark), boot_(boot), watch_(watch), loop_(loop), thread_([this] {
        work();
      }) {}

Chores::~Chores() {
  close();
  thread_.join();
}

void Chores::work() {
  pthread_setname_np(pthread_self(), "chores");
  while (const auto chore = orders_.take()) {
    std::visit([&](const auto& one) { do_it(one); }, *chore);
  }
  loop_.put(ThreadEnded{});
}

/// A mark that cannot be kept is worth a line, and no more: it is for the day on which the store
/// forgets.
void Chores::do_it(const KeepMark& order) {
  const Status kept = mark_.keep(order.mark, order.claims);
  if (!kept) loop_.put(DiskSeen{{}, {kept.error().message}, {}});
}

/// Without it the next process asks again, and the store says that it is done.
void Chores::do_it(const KeepBoot&) {
  const Status kept = boot_.keep();
  if (!kept) loop_.put(DiskSeen{{}, {kept.error().message}, {}});
}

void Chores::do_it(const LookAtDisk& order) {
  DiskSeen seen;
  Cleared cleared = clear_leftovers(keeper_.lock_folder(), kBrief);
  seen.troubles = std::move(cleared.troubles);
  seen.gone = std::move(cleared.gone);
  auto kept = Spool(keeper_.spool_folder()).read_all(order.store, order.name_space);
  if (kept) {
    seen.ends = std::move(kept->ends);
    for (const std::string& name : kept->unreadable) {
      seen.troubles.push_back(fmt::format("the spool has a file that cannot be read: {}", name));
    }
  } else {
    seen.troubles.push_back(kept.error().message);
  }
  loop_.put(std::move(seen));
}

void Chores::do_it(const FindUser& order) {
  loop_.put(UserFound{order.order, find_user(order.order.job->user)});
}

void Chores::do_it(const ReadJobs& order) {
  watch_.arm();
  loop_.put(JobsRead{load_jobs(order.settings)});
}

/// The names begin with the slot, so the oldest come first; PATH.1 goes with its PATH.
void Chores::do_it(const TrimLogs& order) {
  std::error_code failed;
  std::vector<std::filesystem::path> logs;
  for (std::filesystem::directory_iterator at(order.folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->path().extension() == ".log") logs.push_back(at->path());
  }
  if (logs.size() <= order.keep) return;
  std::sort(logs.begin(), logs.end());
  logs.resize(logs.size() - order.keep);
  for (const auto& log : logs) {
    std::filesystem::remove(log, failed);
    std::filesystem::remove(log.string() + ".1", failed);
  }
}

}  // namespace cronce
