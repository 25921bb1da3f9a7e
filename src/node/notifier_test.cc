#include "node/notifier.h"

#include <poll.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "store/memory/memory_store.h"
#include "test/support/forwarding_store.h"
#include "test/support/scratch.h"
#include "test/support/times.h"

namespace cronce {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const Time kStart = utc("2026-01-01T12:00:00Z");

/// Another thread looks at it.
class SharedClock : public Clock {
 public:
  Time wall() const override { return kStart + boot(); }
  Duration boot() const override { return Duration{boot_}; }
  void advance(Duration by) { boot_ += by.count(); }

 private:
  std::atomic<std::int64_t> boot_ = 3'600'000;
};

/// Runs are what the test says; keys are real.
class LedgerStore : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Result<std::vector<cronce::Run>> runs(const RunFilter& filter) override {
    if (is_away) return Error{Code::unavailable, "away"};
    asked_for_ |= bit_of(*filter.job);
    ++reads;
    auto found = filter.from == kMinTime ? ledger : behind_the_newest;
    for (cronce::Run& run : found) run.id.job = *filter.job;
    return found;
  }
  Result<Written<DecideAnswers>> decide(const WriteId& id, const DecideAsk& ask) override {
    if (settles_nothing) return Error{Code::unavailable, "away"};
    return inner_.decide(id, ask);
  }
  Result<Written<OnceAnswer>> once(const WriteId& id, const OnceAsk& ask) override {
    if (before_once) before_once(ask);
    auto written = inner_.once(id, ask);
    if (answers_to_lose == 0) return written;
    --answers_to_lose;
    return Error{Code::unavailable, "the answer is lost"};
  }

  bool was_asked_for(JobUid job) const { return (asked_for_ & bit_of(job)) != 0; }

  std::vector<cronce::Run> ledger;
  std::vector<cronce::Run> behind_the_newest;  // found only by who asks for their slot
  bool is_away = false;
  bool settles_nothing = false;
  int answers_to_lose = 0;
  std::atomic<int> reads = 0;
  std::function<void(const OnceAsk&)> before_once;

 private:
  static std::uint64_t bit_of(JobUid job) { return std::uint64_t{1} << job.value; }

  std::atomic<std::uint64_t> asked_for_ = 0;
};

class NotifierTest : public testing::Test {
 public:
  NotifierTest() { EXPECT_TRUE(memory.open().ok()); }

  /// A node's.
  struct Teller {
    Incarnation incarnation;
    Inbox<News> inbox;
    std::unique_ptr<Notifier> notifier;
  };

  std::unique_ptr<Teller> make(std::uint64_t number) {
    auto teller = std::make_unique<Teller>();
    teller->incarnation = {{number, number}};
    BeatAsk ask;
    ask.node.name = "n" + std::to_string(number);
    ask.node.incarnation = teller->incarnation;
    ask.node.beat = Beat{1};
    const auto answer = memory.beat(ask);
    EXPECT_TRUE(answer && answer->refused == Refused::none);
    teller->notifier = std::make_unique<Notifier>(
        Notifier::Parts{store, clock, teller->inbox, "prod", ask.node.name, {"PATH=/bin"}});
    return teller;
  }

  /// It looks at once; nothing may be changed before the next look() has come back.
  void order(Teller& to, bool wanted = true) {
    to.notifier->send(NoticeOrder{row, wanted, clock.wall(), clock.boot(), to.incarnation});
  }

  /// Has it look at all, and says what it told: `failed: exit; could not: exit code 1`
  std::string look(Teller& at) {
    at.notifier->send(LookAtAll{});
    std::string text;
    for (;;) {
      pollfd one{at.inbox.fd(), POLLIN, 0};
      if (poll(&one, 1, 60'000) != 1) return "no end";
      for (const News& news : at.inbox.take_all()) {
        if (std::holds_alternative<AllLookedAt>(news)) return text.empty() ? "nothing" : text;
        const auto& told = std::get<NoticeTold>(news);
        text += (text.empty() ? "" : "; ") + told.title.substr(told.title.find(' ') + 1);
        if (!told.trouble.empty()) text += ", " + told.trouble;
        if (told.given_up) text += ", given up";
      }
    }
  }

  /// What it tells next, with its job: `billing: failed: exit`
  static std::string next_told(Teller& by) {
    pollfd one{by.inbox.fd(), POLLIN, 0};
    if (poll(&one, 1, 20'000) != 1) return "nothing in time";
    const auto news = by.inbox.take_all();
    const auto& told = std::get<NoticeTold>(news.front());
    return told.title.substr(0, told.title.find('@')) +
           (told.trouble.empty() ? "" : ", " + told.trouble);
  }

  /// The orders after this are of that job.
  void job_is(std::uint64_t uid, const std::string& name, const std::string& command) {
    row.uid = JobUid{uid};
    Job job = *row.definition;
    job.name = parse_job_name(name).value();
    row.definition = job;
    tell_by(command);
  }

  void tell_by(const std::string& command) {
    Job job = *row.definition;
    job.notify.edit().command = command;
    row.definition = job;
  }

  /// A minute ago.
  void fails() {
    cronce::Run run;
    run.id = {JobUid{7}, Space::slot, clock.wall() - minutes(1), "", Attempt{1}};
    run.state = RunState::failed;
    run.reason = Reason::exit;
    run.due = run.id.slot;
    run.claimed_at = run.id.slot;
    run.finished_at = run.id.slot;
    store.ledger.insert(store.ledger.begin(), run);
  }

  SharedClock clock;
  Rng rng{1};
  MemoryStore memory{clock, rng};
  LedgerStore store{memory};
  JobRow row{JobUid{7}, Job{.name = parse_job_name("billing").value(),
                            .notify = Notify{.on = {"failed", "late"}, .command = "true"}}};
};

TEST_F(NotifierTest, tells_each_notice_once_whoever_sees_it) {
  const auto a = make(1);
  const auto b = make(2);
  order(*a);
  EXPECT_EQ(look(*a), "nothing");
  order(*b);
  EXPECT_EQ(look(*b), "nothing");
  fails();
  EXPECT_EQ(look(*a), "failed: exit");
  EXPECT_EQ(look(*a), "nothing");
  EXPECT_EQ(look(*b), "nothing");
  clock.advance(minutes(1));
  fails();
  EXPECT_EQ(look(*b), "failed: exit");
  EXPECT_EQ(look(*a), "nothing");
}

TEST_F(NotifierTest, tries_again_after_longer_and_longer_pauses_and_gives_up) {
  const auto a = make(1);
  const auto b = make(2);
  tell_by("exit 1");
  fails();
  order(*a);
  EXPECT_EQ(look(*a), "failed: exit, exit code 1");
  for (const Duration pause :
       {Duration{seconds(10)}, Duration{seconds(60)}, Duration{minutes(5)}}) {
    clock.advance(pause - Duration{1});
    EXPECT_EQ(look(*a), "nothing") << print(pause);
    clock.advance(Duration{1});
    EXPECT_EQ(look(*a), "failed: exit, exit code 1") << print(pause);
    order(*b);
    EXPECT_EQ(look(*b), "nothing") << "the one who began goes on";
  }
  clock.advance(minutes(30));
  EXPECT_EQ(look(*a), "failed: exit, exit code 1, given up");
  clock.advance(hours(2));
  EXPECT_EQ(look(*a), "nothing");
  order(*b);
  EXPECT_EQ(look(*b), "nothing") << "it is given up for all";
}

TEST_F(NotifierTest, tells_what_a_node_that_is_gone_was_telling) {
  const auto a = make(1);
  const auto b = make(2);
  fails();
  const std::string key = notice_key({"failed", store.ledger.front()}, "command");
  ASSERT_TRUE(memory.once({a->incarnation, 0, 1}, BeginKey{key, true})->answer.fence);
  order(*b);
  EXPECT_EQ(look(*b), "nothing");
  const SweepEntry gone{a->incarnation, Beat{1}};
  ASSERT_TRUE(memory.sweep({b->incarnation, 0, 1}, std::vector{gone})->answer.front().ended);
  EXPECT_EQ(look(*b), "nothing") << "not all the time";
  clock.advance(seconds(15));
  EXPECT_EQ(look(*b), "failed: exit");
}

TEST_F(NotifierTest, tells_once_although_answers_are_lost) {
  const auto a = make(1);
  const auto b = make(2);
  fails();
  store.answers_to_lose = 1;
  order(*a);
  EXPECT_EQ(look(*a), "failed: exit") << "it has begun, and finds that out";
  order(*b);
  EXPECT_EQ(look(*b), "nothing");
  clock.advance(hours(1));
  EXPECT_EQ(look(*b), "nothing") << "the other has said that it is done";
}

// Otherwise nobody would tell it as long as this node lives.
TEST_F(NotifierTest, finds_out_later_that_it_has_begun) {
  const auto a = make(1);
  fails();
  store.answers_to_lose = 1;
  store.settles_nothing = true;
  order(*a);
  EXPECT_EQ(look(*a), "nothing");
  store.settles_nothing = false;
  EXPECT_EQ(look(*a), "nothing") << "not all the time";
  clock.advance(seconds(10));
  EXPECT_EQ(look(*a), "failed: exit");
}

TEST_F(NotifierTest, tells_what_ends_however_many_newer_rows_there_are) {
  const auto a = make(1);
  const RunId old{JobUid{7}, Space::slot, clock.wall() - hours(3), "", Attempt{1}};
  row.live = {{old, a->incarnation, Fence{1}}};
  order(*a);
  EXPECT_EQ(look(*a), "nothing");
  fails();
  std::swap(store.ledger, store.behind_the_newest);
  store.behind_the_newest[0].id = old;
  row.live.clear();
  order(*a);
  EXPECT_EQ(look(*a), "failed: exit");
}

TEST_F(NotifierTest, asks_a_store_that_was_away_again) {
  const auto a = make(1);
  fails();
  store.is_away = true;
  order(*a);
  EXPECT_EQ(look(*a), "nothing");
  store.is_away = false;
  EXPECT_EQ(look(*a), "failed: exit");
}

TEST_F(NotifierTest, is_not_held_up_by_a_receiver_that_hangs) {
  auto a = make(1);
  fails();
  job_is(7, "stuck", "sleep 600");
  order(*a);
  job_is(8, "other", "true");
  order(*a);
  EXPECT_EQ(next_told(*a), "other");
  a->notifier->close();
  EXPECT_EQ(next_told(*a), "stuck, the node leaves");
  const auto b = make(2);
  job_is(7, "stuck", "true");
  order(*b);
  EXPECT_EQ(look(*b), "failed: exit") << "it was given back";
}

TEST_F(NotifierTest, hears_what_is_new_while_it_asks_for_what_is_old) {
  constexpr int kOld = 100;
  for (int i = 0; i < kOld; ++i) {
    clock.advance(minutes(1));
    fails();
  }
  const auto a = make(1);
  order(*a);
  ASSERT_NE(look(*a), "nothing");
  std::atomic<int> asked_of_old = 0;
  const auto b = make(2);
  store.before_once = [&](const OnceAsk& ask) {
    const auto* begin = std::get_if<BeginKey>(&ask);
    if (begin == nullptr || !begin->key.starts_with("cronce/notify/7/")) return;
    if (++asked_of_old != 5) return;
    job_is(8, "other", "sleep 600");
    order(*b);
  };
  order(*b);
  while (!store.was_asked_for(JobUid{8})) std::this_thread::yield();
  EXPECT_LT(asked_of_old, kOld);
}

TEST_F(NotifierTest, waits_in_peace_for_a_receiver_that_hangs) {
  const auto a = make(1);
  fails();
  job_is(7, "stuck", "sleep 600");
  order(*a);
  for (std::uint64_t uid = 8; uid < 11; ++uid) {
    job_is(uid, "other", "sleep 0.1; exit " + std::to_string(uid));
    order(*a);
    EXPECT_EQ(next_told(*a), "other, exit code " + std::to_string(uid));
    job_is(7, "stuck", "sleep 600");
    order(*a);
  }
  EXPECT_LT(store.reads, 30);
}

TEST_F(NotifierTest, tells_each_receiver_one_at_a_time) {
  const Scratch folder;
  const auto a = make(1);
  fails();
  const std::string alone = "mkdir " + folder.file("busy") + " && rmdir " + folder.file("busy");
  for (std::uint64_t uid = 7; uid < 27; ++uid) {
    job_is(uid, "billing", alone);
    order(*a);
  }
  std::string all = "failed: exit";
  for (int i = 1; i < 20; ++i) all += "; failed: exit";
  EXPECT_EQ(look(*a), all);
}

TEST_F(NotifierTest, has_told_all_when_the_slowest_has_been_told) {
  const auto a = make(1);
  fails();
  job_is(7, "slow", "sleep 0.2");
  order(*a);
  job_is(8, "other", "true");
  order(*a);
  EXPECT_EQ(look(*a), "failed: exit; failed: exit");
}

TEST_F(NotifierTest, leaves_to_others_what_it_may_no_longer_tell) {
  const auto a = make(1);
  const auto b = make(2);
  fails();
  tell_by("exit 1");
  order(*a);
  EXPECT_EQ(look(*a), "failed: exit, exit code 1");
  order(*a, false);
  EXPECT_EQ(look(*a), "nothing");
  tell_by("true");
  order(*b);
  EXPECT_EQ(look(*b), "failed: exit");
}

TEST_F(NotifierTest, tells_whom_the_definition_names_when_it_comes_to_that) {
  const Scratch folder;
  const auto a = make(1);
  fails();
  const std::string first = "until test -e " + folder.file("go") + "; do sleep 0.01; done";
  job_is(7, "first", first);
  order(*a);
  job_is(8, "second", first);  // the same receiver, which is busy
  order(*a);
  while (!store.was_asked_for(JobUid{8})) std::this_thread::yield();
  job_is(8, "second", "touch " + folder.file("told"));
  order(*a);
  std::ofstream(folder.file("go")) << "";
  EXPECT_EQ(look(*a), "failed: exit; failed: exit");
  EXPECT_TRUE(std::filesystem::exists(folder.file("told")));
}

TEST_F(NotifierTest, forgets_a_job_that_nobody_wants_to_hear_of) {
  const auto a = make(1);
  order(*a);
  EXPECT_EQ(look(*a), "nothing");
  order(*a, false);
  EXPECT_EQ(look(*a), "nothing");
  fails();
  EXPECT_EQ(look(*a), "nothing");
}

}  // namespace
}  // namespace cronce
