#include "node/store_worker.h"

#include <pthread.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "keeper/leftovers.h"
#include "keeper/spool.h"

namespace cronce {
namespace {

/// What does not die is looked at again by the next look; a write that waits here must not wait
/// for long.
constexpr Duration kClearing{300};

template <class T>
Result<WriteAnswered> as_event(std::uint64_t sequence, Result<Written<T>> written) {
  if (!written) return written.error();
  return WriteAnswered{sequence, std::move(written->answer), std::move(written->before),
                       written->store_time};
}

struct Write {
  Store& store;
  const WriteId& id;

  Result<WriteAnswered> operator()(const DecideAsk& ask) const {
    return as_event(id.sequence, store.decide(id, ask));
  }
  Result<WriteAnswered> operator()(const std::vector<RunId>& runs) const {
    return as_event(id.sequence, store.take(id, runs));
  }
  Result<WriteAnswered> operator()(const std::vector<FinishEntry>& ends) const {
    return as_event(id.sequence, store.finish(id, ends));
  }
  Result<WriteAnswered> operator()(const std::vector<SweepEntry>& entries) const {
    return as_event(id.sequence, store.sweep(id, entries));
  }
  Result<WriteAnswered> operator()(const RegisterAsk& ask) const {
    return as_event(id.sequence, store.enroll(id, ask));
  }
  Result<WriteAnswered> operator()(const Remember& ask) const {
    return as_event(id.sequence, store.control(id, ask));
  }
  Result<WriteAnswered> operator()(const OpenEpoch& ask) const {
    return as_event(id.sequence, store.control(id, ask));
  }
};

}  // namespace

Result<WriteAnswered> write_to(Store& store, const SendWrite& order) {
  return std::visit(Write{store, order.id}, order.ask);
}

StoreWorker::StoreWorker(Store& store, const KeeperSettings& keeper, const MarkFile& mark,
                         Inbox<News>& loop)
    : store_(store), keeper_(keeper), mark_(mark), loop_(loop), thread_([this] { work(); }) {}

StoreWorker::~StoreWorker() {
  close();
  thread_.join();
}

void StoreWorker::forget(std::uint64_t sequence) {
  orders_.drop_if([&](const WorkOrder& order) {
    const auto* write = std::get_if<SendWrite>(&order);
    return write != nullptr && write->id.sequence == sequence;
  });
}

void StoreWorker::work() {
  pthread_setname_np(pthread_self(), "store worker");
  while (const auto order = orders_.take()) {
    std::visit([&](const auto& one) { do_it(one); }, *order);
  }
  loop_.put(ThreadEnded{});
}

void StoreWorker::do_it(const SendWrite& order) {
  loop_.put(WriteReply{order.id.sequence, write_to(store_, order)});
}

/// A mark that cannot be kept is worth a line, and no more: it is for the day on which the store
/// forgets.
void StoreWorker::do_it(const KeepMark& order) {
  const Status kept = mark_.keep(order.mark);
  if (!kept) loop_.put(DiskSeen{{}, {kept.error().message}});
}

void StoreWorker::do_it(const LookAtDisk& order) {
  DiskSeen seen;
  seen.troubles = clear_leftovers(keeper_.lock_folder(), kClearing).troubles;
  auto kept = Spool(keeper_.spool_folder()).read_all(order.store, order.name_space);
  if (kept) {
    seen.ends = std::move(kept->ends);
    for (const std::string& name : kept->unreadable) {
      seen.troubles.push_back(fmt::format("the spool has a file that cannot be read: {}", name));
    }
  } else {
    seen.troubles.push_back(kept.error().message);
  }
  if (!seen.ends.empty() || !seen.troubles.empty()) loop_.put(std::move(seen));
}

void StoreWorker::do_it(const FindUser& order) {
  loop_.put(UserFound{order.order, find_user(order.order.job->user)});
}

void StoreWorker::do_it(const ReadJobs& order) { loop_.put(JobsRead{load_jobs(order.settings)}); }

/// The names begin with the slot, so the oldest come first; PATH.1 goes with its PATH.
void StoreWorker::do_it(const TrimLogs& order) {
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
