#include "node/notifier.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <utility>

#include "node/deliver.h"

namespace cronce {
namespace {

constexpr Duration kPatience{30'000};     // with whoever is told
constexpr Duration kOthers{15'000};       // until a notice is looked at that another node tells
constexpr Duration kStoreAway{10'000};    // until a store that did not answer is asked again
constexpr Duration kSourcesKept{10'000};  // of all jobs: there may be many
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

}  // namespace

Notifier::Notifier(Parts parts) : parts_(std::move(parts)), thread_([this] { work(); }) {}

Notifier::~Notifier() {
  close();
  thread_.join();
}

void Notifier::work() {
  pthread_setname_np(pthread_self(), "notifier");
  while (!orders_.closed()) {
    const Duration boot = parts_.clock.boot();
    if (auto order = orders_.take_within(std::max(next_look() - boot, Duration{0}))) {
      std::visit([&](auto& one) { hear(std::move(one)); }, *order);
      continue;  // many may have come: each job is looked at once
    }
    for (auto job = jobs_.begin(); job != jobs_.end() && !orders_.closed();) {
      const bool over = job->second.look_at <= parts_.clock.boot() && !look(job->second);
      job = over ? jobs_.erase(job) : std::next(job);
    }
    if (std::exchange(asked_for_all_, false)) parts_.loop.put(AllLookedAt{});
  }
  parts_.loop.put(ThreadEnded{});
}

Duration Notifier::next_look() const {
  if (asked_for_all_) return Duration{0};
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
  }
  const JobUid uid = order.job.uid;
  if (order.job.definition->notify->on.empty()) {
    jobs_.erase(uid);
    return;
  }
  const Duration boot = parts_.clock.boot();
  const auto known = jobs_.find(uid);
  if (known == jobs_.end()) {
    jobs_.emplace(uid, Watched{std::move(order.job), boot, boot, {}, {}});
  } else {
    known->second.row = std::move(order.job);
    known->second.ordered_at = boot;
    known->second.look_at = boot;
  }
}

/// Nobody orders a look at a job that has become another one than this node's files define: what is
/// known of it is old then, and others tell what the new one wants.
Result<bool> Notifier::is_as_known(const Watched& job) {
  if (job.look_at <= job.ordered_at) return true;
  if (job.ordered_at >= sources_read_at_ ||
      parts_.clock.boot() >= sources_read_at_ + kSourcesKept) {
    const Duration asked = parts_.clock.boot();
    const auto rows = parts_.store.jobs();
    if (!rows) return rows.error();
    sources_.clear();
    for (const JobRow& row : *rows) sources_[row.uid] = row.sources;
    sources_read_at_ = asked;
  }
  const auto found = sources_.find(job.row.uid);
  return found != sources_.end() && *found->second == *job.row.sources;
}

bool Notifier::look(Watched& job) {
  const Duration boot = parts_.clock.boot();
  const Time at = now();
  const auto is_known = is_as_known(job);
  if (is_known && !*is_known) return false;
  const auto runs =
      is_known ? parts_.store.runs({.job = job.row.uid, .limit = kRowsForNotices, .output = false})
               : is_known.error();
  if (!runs) {
    job.look_at = boot + kStoreAway;
    return true;
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
  return true;
}

void Notifier::tell(Watched& job, const Notice& notice, std::string_view way,
                    const std::string& key) {
  if (orders_.closed() || job.told.contains(key)) return;
  const auto tried = job.tries.find(key);
  if (tried != job.tries.end() && tried->second.next > parts_.clock.boot()) return;
  Try& mine = job.tries[key];
  const auto begun = once(BeginKey{key, true});
  if (!begun || !begun->fence) {
    const bool done = begun && begun->state == KeyState::done;
    if (done) job.told.insert(key);
    if (done) job.tries.erase(key);
    if (!done) mine.next = parts_.clock.boot() + (begun ? kOthers : kStoreAway);
    return;
  }
  const Status told = deliver_by(way, job, notice, key);
  const bool given_up = !told && mine.failures == kPauses.size();
  const NoticeFacts facts{job.row.definition->name, parts_.name_space, parts_.node};
  parts_.loop.put(NoticeTold{notice_title(notice, facts), std::string(way),
                             told ? "" : told.error().message, given_up});
  // If the store does not hear of it, another node tells it again when this one is gone.
  if (told || given_up) {
    (void)once(CompleteKey{key, *begun->fence, told ? "told" : "given up", kKept});
    job.told.insert(key);
    job.tries.erase(key);
    return;
  }
  (void)once(FailKey{key, *begun->fence});
  mine.next = parts_.clock.boot() + kPauses[mine.failures++];
}

Status Notifier::deliver_by(std::string_view way, const Watched& job, Notice notice,
                            const std::string& key) {
  const Notify& notify = *job.row.definition->notify;
  const NoticeFacts facts{job.row.definition->name, parts_.name_space, parts_.node};
  notice = with_output(std::move(notice));
  const auto& environment = parts_.environment;
  if (way == "webhook") {
    return deliver(by_webhook(notice, facts, notify.webhook, key, environment), kPatience);
  }
  if (way == "mail") return deliver(by_mail(notice, facts, notify.mail, environment), kPatience);
  return deliver(by_command(notice, facts, notify.command, environment), kPatience);
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

/// A write whose answer was lost is settled before anything is asked again.
Result<OnceAnswer> Notifier::once(const OnceAsk& ask) {
  Error error;
  for (int i = 0; i < kMostAsks; ++i) {
    const WriteId id = next_write();
    const auto written = parts_.store.once(id, ask);
    if (written) {
      answered_ = id.sequence;
      return written->answer;
    }
    error = written.error();
    if (error.code == Code::invalid) break;
    const WriteId settles = next_write();
    const auto settled = parts_.store.decide(settles, {});
    if (!settled) break;
    answered_ = settles.sequence;
    if (settled->before.sequence != id.sequence) continue;
    return std::get<OnceAnswer>(settled->before.outcome);
  }
  return error;
}

}  // namespace cronce
