#include "node/notifier.h"

#include <pthread.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "keeper/user.h"
#include "model/shown_run.h"

namespace cronce {
namespace {

constexpr Duration kPatience{30'000};   // with whoever is told
constexpr Duration kOthers{15'000};     // until a notice is looked at that another node tells
constexpr Duration kStoreAway{10'000};  // until a store that did not answer is asked again
constexpr Duration kEndedKept = std::chrono::hours(1);  // longer than anything is tried
constexpr Duration kKept = std::chrono::hours(24 * 8);  // longer than anything is news
constexpr std::uint32_t kLane = 1;                      // the engine's is 0
constexpr int kMostAsks = 3;
constexpr int kAsksInARow = 10;
constexpr std::size_t kAtOnce = 4;  // are told
/// After each failure; then it is given up.
constexpr std::array kPauses{Duration{10'000}, Duration{60'000}, Duration{300'000},
                             Duration{1'800'000}};

/// The address by each way.
std::map<std::string_view, std::string> ways_of(const Notify& notify) {
  std::map<std::string_view, std::string> ways{
      {"webhook", notify.webhook}, {"command", notify.command}, {"mail", notify.mail}};
  std::erase_if(ways, [](const auto& way) { return way.second.empty(); });
  return ways;
}

Time place_of(const RunId& run, Time due) { return run.space == Space::slot ? run.slot : due; }

}  // namespace

Notifier::Notifier(Parts parts)
    : parts_(std::move(parts)),
      user_(own_user().name),
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
    hear_all();
    for (auto& [uid, job] : jobs_) {
      if (orders_.closed()) break;
      if (job.look_at <= parts_.clock.boot()) look(job);
    }
    const bool more = tell_some();
    const Duration next = more ? Duration{0} : next_look();
    const Duration idle = std::max(next - parts_.clock.boot(), Duration{0});
    const bool told_all = turns_.empty() && idle > Duration{0};
    if (told_all && std::exchange(asked_for_all_, false)) parts_.loop.put(AllLookedAt{});
    if (auto order = orders_.take_within(idle)) {
      std::visit([&](auto& one) { hear(std::move(one)); }, *order);
    }
  }
  for (auto& [key, flight] : flights_) end(std::move(flight));
  parts_.loop.put(ThreadEnded{});
}

/// Many orders may have come: each job is looked at once.
void Notifier::hear_all() {
  while (auto order = orders_.take_within(Duration{0})) {
    std::visit([&](auto& one) { hear(std::move(one)); }, *order);
  }
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
  if (!order.wanted) return forget(uid);
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

/// What it has begun and not told is for others: they may still want to tell it.
void Notifier::forget(JobUid uid) {
  const auto job = jobs_.extract(uid);
  if (job.empty()) return;
  for (const auto& [key, one] : job.mapped().tries) {
    if (one.fence && !flights_.contains(key)) (void)once(FailKey{key, *one.fence});
  }
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
    for (const auto& [way, address] : ways_of(*job.row.definition->notify)) {
      const std::string key = notice_key(notice, way);
      keys.insert(key);
      if (is_to_tell(job, key)) turns_.add({job.row.uid, notice, way, address, key});
    }
  }
  std::erase_if(job.told, [&](const std::string& key) { return !keys.contains(key); });
  std::erase_if(job.tries, [&](const auto& one) { return !keys.contains(one.first); });
  job.look_at = boot + std::chrono::hours(1);
  if (const auto late = late_at(job.row, at)) {
    job.look_at = std::min(job.look_at, boot + (*late - at));
  }
  for (const auto& [key, one] : job.tries) {
    if (!turns_.has(key)) job.look_at = std::min(job.look_at, one.next);
  }
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
    try_at(job, key, parts_.clock.boot() + (begun ? kOthers : kStoreAway));
  }
  return std::nullopt;
}

bool Notifier::is_to_tell(const Watched& job, const std::string& key) const {
  const auto tried = job.tries.find(key);
  const bool waits = tried != job.tries.end() && tried->second.next > parts_.clock.boot();
  return !waits && !job.told.contains(key);
}

void Notifier::try_at(Watched& job, const std::string& key, Duration boot) {
  job.tries[key].next = boot;
  job.look_at = std::min(job.look_at, boot);
}

/// Of what was told long ago there may be much to ask: what is new is heard of in between.
bool Notifier::tell_some() {
  for (int asked = 0; flights_.size() < kAtOnce && !orders_.closed(); ++asked) {
    if (asked == kAsksInARow) return true;
    auto telling = turns_.take();
    if (!telling) return false;
    if (!start(*telling)) turns_.done(*telling);
  }
  return false;
}

bool Notifier::start(Telling& telling) {
  const auto known = jobs_.find(telling.job);
  if (known == jobs_.end()) return false;  // nobody wants to hear of it any more
  Watched& job = known->second;
  const auto ways = ways_of(*job.row.definition->notify);
  const auto way = ways.find(telling.way);
  if (way == ways.end() || way->second != telling.address) {
    job.look_at = parts_.clock.boot();  // somebody else does
    return false;
  }
  const auto fence = begin(job, telling.key);
  if (!fence) return false;
  auto told = std::async(std::launch::async,
                         [this, delivery = delivery_of(job, telling), key = telling.key] {
                           const Status status = deliver(delivery, kPatience, closing_.get());
                           orders_.put(Delivered{key});
                           return status;
                         });
  const std::string title = notice_title(telling.notice, facts_of(job));
  flights_.emplace(telling.key, Flight{telling, *fence, title, std::move(told)});
  return true;
}

void Notifier::hear(Delivered&& delivered) {
  end(std::move(flights_.extract(delivered.key).mapped()));
}

/// If the store does not hear that it is told, another node tells it again when this one is gone.
void Notifier::end(Flight flight) {
  const Status told = flight.told.get();
  const std::string& key = flight.telling.key;
  turns_.done(flight.telling);
  const auto known = jobs_.find(flight.telling.job);
  Watched* job = known == jobs_.end() ? nullptr : &known->second;
  const std::size_t failures = job == nullptr ? 0 : job->tries[key].failures;
  const bool given_up = !told && failures == kPauses.size();
  parts_.loop.put(NoticeTold{flight.title, std::string(flight.telling.way),
                             told ? "" : told.error().message, given_up});
  if (told || given_up) {
    (void)once(CompleteKey{key, flight.fence, told ? "told" : "given up", kKept});
    if (job == nullptr) return;
    job->told.insert(key);
    job->tries.erase(key);
  } else if (orders_.closed() || job == nullptr) {
    (void)once(FailKey{key, flight.fence});
  } else {
    try_at(*job, key, parts_.clock.boot() + kPauses[failures]);
    ++job->tries[key].failures;
  }
}

Delivery Notifier::delivery_of(const Watched& job, const Telling& telling) {
  const NoticeFacts facts = facts_of(job);
  const Notice notice = with_output(telling.notice);
  const std::string& to = telling.address;
  const auto& environment = parts_.environment;
  if (telling.way == "webhook") return by_webhook(notice, facts, to, telling.key, environment);
  if (telling.way == "mail") return by_mail(notice, facts, to, environment);
  return by_command(notice, facts, to, environment);
}

NoticeFacts Notifier::facts_of(const Watched& job) const {
  return {job.row.definition->name, shown_name(job.row), parts_.name_space, parts_.node, user_};
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
