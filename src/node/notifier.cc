#include "node/notifier.h"

#include <pthread.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "keeper/user.h"
#include "model/shown_run.h"
#include "node/deliver.h"

namespace cronce {
namespace {

constexpr Duration kPatience{30'000};   // with whoever is told
constexpr Duration kOthers{15'000};     // until a notice is looked at that another node tells
constexpr Duration kStoreAway{10'000};  // until a store that did not answer is asked again
constexpr Duration kEndedKept = std::chrono::hours(1);  // longer than anything is tried
constexpr Duration kKept = std::chrono::hours(24 * 8);  // longer than anything is news
constexpr std::uint32_t kLane = 1;                      // the engine's is 0
constexpr int kMostAsks = 3;
/// After each failure; then it is given up.
constexpr std::array kPauses{Duration{10'000}, Duration{60'000}, Duration{300'000},
                             Duration{1'800'000}};

std::vector<std::string_view> ways_of(const Notify& notify) {
  std::vector<std::string_view> ways;
  if (!notify.webhook.empty()) ways.emplace_back("webhook");
  if (!notify.command.empty()) ways.emplace_back("command");
  if (!notify.mail.empty()) ways.emplace_back("mail");
  return ways;
}

Time place_of(const RunId& run, Time due) { return run.space == Space::slot ? run.slot : due; }

}  // namespace

Notifier::Notifier(Parts parts)
    : parts_(std::move(parts)),
      closing_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this] { work(); }) {}

Notifier::~Notifier() {
  close();
  thread_.join();
}

void Notifier::close() {
  orders_.close();
  eventfd_write(closing_.get(), 1);
}

void Notifier::work() {
  pthread_setname_np(pthread_self(), "notifier");
  while (!orders_.closed()) {
    // Many orders may have come: each job is looked at once.
    while (auto order = orders_.take_within(Duration{0})) {
      std::visit([&](auto& one) { hear(std::move(one)); }, *order);
    }
    for (auto& [uid, job] : jobs_) {
      if (orders_.closed()) break;
      if (job.look_at <= parts_.clock.boot()) look(job);
    }
    if (std::exchange(asked_for_all_, false)) parts_.loop.put(AllLookedAt{});
    const Duration idle = std::max(next_look() - parts_.clock.boot(), Duration{0});
    if (auto order = orders_.take_within(idle)) {
      std::visit([&](auto& one) { hear(std::move(one)); }, *order);
    }
  }
  parts_.loop.put(ThreadEnded{});
}

Duration Notifier::next_look() const {
  Duration next = parts_.clock.boot() + std::chrono::hours(1);
  for (const auto& [uid, job] : jobs_) next = std::min(next, job.look_at);
  return next;
}

void Notifier::hear(LookAtAll&&) {
  asked_for_all_ = true;
  for (auto& [uid, job] : jobs_) job.look_at = std::min(job.look_at, parts_.clock.boot());
}

void Notifier::hear(NoticeOrder&& order) {
  cluster_ = order.cluster;
  boot_ = order.boot;
  if (last_.incarnation != order.incarnation) {
    last_ = {order.incarnation, kLane, 0};
    answered_ = 0;
    unknown_.reset();
    granted_.clear();
    for (auto& [uid, job] : jobs_) job.tries.clear();  // the keys of the former one are lost
  }
  const JobUid uid = order.job.uid;
  if (!order.wanted) {
    jobs_.erase(uid);
    return;
  }
  const Duration boot = parts_.clock.boot();
  const auto known = jobs_.find(uid);
  if (known == jobs_.end()) {
    const auto made = jobs_.emplace(uid, Watched{std::move(order.job), boot, {}, {}, {}, {}}).first;
    return learn_open(made->second, boot);
  }
  known->second.row = std::move(order.job);
  known->second.look_at = boot;
  learn_open(known->second, boot);
}

/// What is no longer open has ended: an old slot may have, far behind the newest rows.
void Notifier::learn_open(Watched& job, Duration boot) {
  std::map<RunId, Time> open;
  for (const PendingRun& run : job.row.pending) open[run.id] = place_of(run.id, run.due);
  for (const LiveRun& run : job.row.live) {
    const auto known = job.open.find(run.id);
    if (run.id.space == Space::slot) open[run.id] = run.id.slot;
    if (run.id.space != Space::slot && known != job.open.end()) open.insert(*known);
  }
  for (const auto& [id, at] : job.open) {
    if (!open.contains(id)) job.ended.try_emplace(id, Ended{at, boot});
  }
  job.open = std::move(open);
  std::erase_if(job.ended, [&](const auto& one) { return boot - one.second.boot > kEndedKept; });
}

Result<std::vector<Run>> Notifier::read_runs(Watched& job) {
  auto runs = parts_.store.runs({.job = job.row.uid, .limit = kRowsForNotices, .output = false});
  if (!runs) return runs;
  std::set<RunId> found;
  for (const Run& run : *runs) found.insert(run.id);
  for (const auto& [id, ended] : job.ended) {
    if (found.contains(id)) continue;
    const auto more =
        parts_.store.runs({.job = job.row.uid, .from = ended.at, .to = ended.at, .output = false});
    if (!more) return more;
    for (const Run& run : *more) {
      if (found.insert(run.id).second) runs->push_back(run);
    }
  }
  return runs;
}

void Notifier::look(Watched& job) {
  const Duration boot = parts_.clock.boot();
  const Time at = now();
  const auto runs = read_runs(job);
  if (!runs) {
    job.look_at = boot + kStoreAway;
    return;
  }
  std::set<std::string> keys;
  for (const Notice& notice : notices_of(job.row, *runs, at)) {
    for (const std::string_view way : ways_of(*job.row.definition->notify)) {
      const std::string key = notice_key(notice, way);
      keys.insert(key);
      tell(job, notice, way, key);
    }
  }
  std::erase_if(job.told, [&](const std::string& key) { return !keys.contains(key); });
  std::erase_if(job.tries, [&](const auto& one) { return !keys.contains(one.first); });
  job.look_at = boot + std::chrono::hours(1);
  if (const auto late = late_at(job.row, at)) {
    job.look_at = std::min(job.look_at, boot + (*late - at));
  }
  for (const auto& [key, one] : job.tries) job.look_at = std::min(job.look_at, one.next);
}

std::optional<Fence> Notifier::begin(Watched& job, const std::string& key) {
  Try& mine = job.tries[key];
  if (mine.fence) return mine.fence;
  const auto begun = once(BeginKey{key, true});
  const auto earlier = granted_.find(key);  // asked before, and the answer was lost
  if (begun && begun->fence) mine.fence = begun->fence;
  if (!mine.fence && earlier != granted_.end()) mine.fence = earlier->second;
  granted_.erase(key);
  if (mine.fence) return mine.fence;
  if (begun && begun->state == KeyState::done) {
    job.told.insert(key);
    job.tries.erase(key);
  } else {
    mine.next = parts_.clock.boot() + (begun ? kOthers : kStoreAway);
  }
  return std::nullopt;
}

void Notifier::tell(Watched& job, const Notice& notice, std::string_view way,
                    const std::string& key) {
  if (orders_.closed() || job.told.contains(key)) return;
  const auto tried = job.tries.find(key);
  if (tried != job.tries.end() && tried->second.next > parts_.clock.boot()) return;
  const auto fence = begin(job, key);
  if (!fence) return;
  Try& mine = job.tries.at(key);
  const Status told = deliver_by(way, job, notice, key);
  const bool given_up = !told && mine.failures == kPauses.size();
  const NoticeFacts facts{job.row.definition->name, shown_name(job.row), parts_.name_space,
                          parts_.node, own_user().name};
  parts_.loop.put(NoticeTold{notice_title(notice, facts), std::string(way),
                             told ? "" : told.error().message, given_up});
  // If the store does not hear of it, another node tells it again when this one is gone.
  if (told || given_up) {
    (void)once(CompleteKey{key, *fence, told ? "told" : "given up", kKept});
    job.told.insert(key);
    job.tries.erase(key);
  } else if (orders_.closed()) {
    (void)once(FailKey{key, *fence});
  } else {
    mine.next = parts_.clock.boot() + kPauses[mine.failures++];
  }
}

Status Notifier::deliver_by(std::string_view way, const Watched& job, Notice notice,
                            const std::string& key) {
  const Notify& notify = *job.row.definition->notify;
  const NoticeFacts facts{job.row.definition->name, shown_name(job.row), parts_.name_space,
                          parts_.node, own_user().name};
  notice = with_output(std::move(notice));
  const auto& environment = parts_.environment;
  const Delivery delivery =
      way == "webhook" ? by_webhook(notice, facts, notify.webhook, key, environment)
      : way == "mail"  ? by_mail(notice, facts, notify.mail, environment)
                       : by_command(notice, facts, notify.command, environment);
  return deliver(delivery, kPatience, closing_.get());
}

/// The tails of output are long: only what is told is read with it.
Notice Notifier::with_output(Notice notice) {
  const RunId& id = notice.run.id;
  const Time at = id.space == Space::slot ? id.slot : notice.run.due;
  const auto runs = parts_.store.runs({.job = id.job, .from = at, .to = at});
  if (!runs) return notice;
  for (const Run& run : *runs) {
    if (run.id == id && !run.slot_to) notice.run.output_tail = run.output_tail;
  }
  return notice;
}

WriteId Notifier::next_write() {
  ++last_.sequence;
  last_.answered = answered_;
  return last_;
}

/// What became of that write; none if it was not applied, and so never will be.
Result<std::optional<OnceAnswer>> Notifier::settle(std::uint64_t sequence) {
  const WriteId id = next_write();
  const auto settled = parts_.store.decide(id, {});
  if (!settled) return settled.error();
  answered_ = id.sequence;
  if (settled->before.sequence != sequence) return std::optional<OnceAnswer>{};
  return std::optional(std::get<OnceAnswer>(settled->before.outcome));
}

/// A key that was begun without our knowing it would stay ours, and untold, as long as we live.
bool Notifier::settle_begun() {
  if (!unknown_) return true;
  const auto settled = settle(unknown_->sequence);
  if (!settled) return false;
  if (*settled && (*settled)->fence) granted_[unknown_->key] = *(*settled)->fence;
  unknown_.reset();
  return true;
}

/// A write whose answer was lost is settled before anything is asked again.
Result<OnceAnswer> Notifier::once(const OnceAsk& ask) {
  Error error{Code::unavailable, "the store does not answer"};
  for (int i = 0; i < kMostAsks && settle_begun(); ++i) {
    const WriteId id = next_write();
    const auto written = parts_.store.once(id, ask);
    if (written) {
      answered_ = id.sequence;
      return written->answer;
    }
    error = written.error();
    if (error.code == Code::invalid) break;
    const auto settled = settle(id.sequence);
    const auto* begin = std::get_if<BeginKey>(&ask);
    if (!settled && begin != nullptr) unknown_ = Begun{id.sequence, begin->key};
    if (!settled) break;
    if (*settled) return **settled;
  }
  return error;
}

}  // namespace cronce
