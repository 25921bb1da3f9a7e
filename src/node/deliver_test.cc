#include "node/deliver.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>

#include <gtest/gtest.h>

#include "base/json.h"
#include "keeper/call.h"
#include "keeper/descriptor.h"
#include "model/shown_run.h"
#include "test/support/scratch.h"
#include "test/support/times.h"

namespace cronce {
namespace {

constexpr Duration kLong{60'000};
constexpr Duration kShort{200};

NoticeFacts notice_facts() {
  return {parse_job_name("billing").value(), "billing/b", "prod", "a", "daemon"};
}

Notice failed_notice() {
  Run run;
  run.id = {{7}, Space::slot, utc("2026-03-29T01:30:00Z"), "", {2}};
  run.kind = RunKind::retry;
  run.state = RunState::failed;
  run.reason = Reason::exit;
  run.key = "prod/billing@2026-03-29T01:30:00Z";
  run.node = "b";
  run.fence = Fence{17};
  run.due = utc("2026-03-29T01:30:05Z");
  run.claimed_at = utc("2026-03-29T01:30:06Z");
  run.started_at = utc("2026-03-29T01:30:06.5Z");
  run.finished_at = utc("2026-03-29T01:30:07Z");
  run.exit_code = 3;
  run.output_tail = "no \"ink\"\n\xff\n";
  return {"failed", run};
}

/// That nobody has decided.
Notice late_notice() {
  Run run;
  run.id = {{7}, Space::slot, utc("2026-03-29T01:30:00Z"), "", {1}};
  run.due = utc("2026-03-29T01:30:00Z");
  return {"late", run, false};
}

Notice manual_notice(const std::string& request) {
  Notice notice = failed_notice();
  notice.run.id = {{7}, Space::manual, {}, request, {1}};
  return notice;
}

Notice skipped_range() {
  Notice notice = late_notice();
  notice.decided = true;
  notice.run.state = RunState::skipped;
  notice.run.reason = Reason::missed;
  notice.run.slot_to = utc("2026-03-29T02:30:00Z");
  notice.run.count = 3;
  return notice;
}

// ---- what is said

TEST(NoticeText, is_json_with_all_that_the_ledger_says) {
  EXPECT_EQ(
      notice_json(failed_notice(), notice_facts()),
      R"({"event":"failed","namespace":"prod","job":"billing/b",)"
      R"("slot":"2026-03-29T01:30:00Z","attempt":2,"kind":"retry",)"
      R"("state":"failed","reason":"exit","fence":17,"node":"b",)"
      R"("claimed_at":"2026-03-29T01:30:06Z","started_at":"2026-03-29T01:30:06.500Z",)"
      R"("finished_at":"2026-03-29T01:30:07Z","exit_code":3,"lateness_ms":1500,)"
      R"("progress":null,"slot_to":null,"run":"billing@2026-03-29T01:30:00Z#2",)"
      R"("due":"2026-03-29T01:30:05Z","key":"prod/billing@2026-03-29T01:30:00Z","output":"no \"ink\"\n)"
      "\xEF\xBF\xBD"
      R"(\n","told_by":"a"})"
      "\n");
}

TEST(NoticeText, says_null_where_there_is_nothing) {
  EXPECT_EQ(notice_json(late_notice(), notice_facts()),
            R"({"event":"late","namespace":"prod","job":"billing/b",)"
            R"("slot":"2026-03-29T01:30:00Z","attempt":1,)"
            R"("kind":"scheduled","state":null,"reason":null,"fence":null,"node":null,)"
            R"("claimed_at":null,"started_at":null,"finished_at":null,"exit_code":null,)"
            R"("lateness_ms":null,"progress":null,"slot_to":null,)"
            R"("run":"billing@2026-03-29T01:30:00Z#1","due":"2026-03-29T01:30:00Z",)"
            R"("key":"","output":"","told_by":"a"})"
            "\n");
}

TEST(NoticeText, has_the_shape_that_history_has) {
  for (const Notice& notice : {failed_notice(), manual_notice("r-1"), skipped_range()}) {
    const auto text = json::parse(notice_json(notice, notice_facts()));
    for (const auto& [name, value] : run_json("billing/b", notice.run)) {
      EXPECT_EQ(json::print(text->as_object().at(name)), json::print(value)) << name;
    }
  }
}

TEST(NoticeText, has_a_title) {
  const auto title = [](const Notice& notice) { return notice_title(notice, notice_facts()); };
  EXPECT_EQ(title(failed_notice()), "billing@2026-03-29T01:30:00Z#2 failed: exit");
  EXPECT_EQ(title(late_notice()), "billing@2026-03-29T01:30:00Z#1 late (not decided yet)");
  EXPECT_EQ(title(manual_notice("r-1")), "billing@manual/r-1#1 failed: exit");
  Notice timed_out = failed_notice();
  timed_out.run.state = RunState::timed_out;
  timed_out.run.reason = Reason::none;
  EXPECT_EQ(title(timed_out), "billing@2026-03-29T01:30:00Z#2 failed (timed_out)");
}

// ---- how

const std::vector<std::string> kNodeEnvironment{
    "PATH=/bin", "CRONCE_STORE=postgres://secret", "PGPASSWORD=secret", "NOTIFY_SOCKET=/run/x",
    "LANG=C",    "CRONCE_EVENT=of the node"};

TEST(ByCommand, hands_over_the_facts_and_nothing_of_the_node) {
  const Delivery delivery =
      by_command(failed_notice(), notice_facts(), "tell $CRONCE_JOB", kNodeEnvironment);
  EXPECT_EQ(delivery.command, (std::vector<std::string>{"/bin/sh", "-c", "tell $CRONCE_JOB"}));
  EXPECT_EQ(delivery.input, notice_json(failed_notice(), notice_facts()));
  std::vector<std::string> entries = delivery.environment;
  std::sort(entries.begin(), entries.end());
  EXPECT_EQ(entries, (std::vector<std::string>{
                         "CRONCE_EVENT=failed",
                         "CRONCE_EXIT_CODE=3",
                         "CRONCE_JOB=billing",
                         "CRONCE_NAMESPACE=prod",
                         "CRONCE_NODE=a",
                         "CRONCE_REASON=exit",
                         "CRONCE_RUN=billing@2026-03-29T01:30:00Z#2",
                         "CRONCE_SLOT=2026-03-29T01:30:00Z",
                         "CRONCE_STATE=failed",
                         "LANG=C",
                         "PATH=/bin",
                     }));
}

TEST(ByCommand, says_nothing_where_there_is_nothing) {
  const auto of = [](const Notice& notice) {
    return by_command(notice, notice_facts(), "tell", {}).environment;
  };
  const auto has = [](const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  EXPECT_TRUE(has(of(late_notice()), "CRONCE_STATE="));
  EXPECT_TRUE(has(of(late_notice()), "CRONCE_REASON="));
  EXPECT_TRUE(has(of(late_notice()), "CRONCE_EXIT_CODE="));
  EXPECT_TRUE(has(of(manual_notice("r-1")), "CRONCE_SLOT="));
}

TEST(ByWebhook, posts_the_json_under_the_key) {
  const std::string url = "https://me:secret@hooks.example/s3cr3t";
  const Delivery delivery = by_webhook(failed_notice(), notice_facts(), url, "key-1", {});
  EXPECT_EQ(delivery.command, (std::vector<std::string>{"/proc/self/exe", "call"}))
      << "others read it: no address";
  const auto order = parse_call_order(delivery.input);
  ASSERT_TRUE(order.ok()) << order.error().message;
  const CallOrder expected{"POST",
                           url,
                           {{"Content-Type", "application/json"}, {"Idempotency-Key", "key-1"}},
                           notice_json(failed_notice(), notice_facts()),
                           200,
                           299};
  EXPECT_EQ(*order, expected);
}

TEST(ByMail, is_a_mail) {
  const Delivery delivery =
      by_mail(failed_notice(), notice_facts(), "ops@example.com", kNodeEnvironment);
  EXPECT_EQ(delivery.command, (std::vector<std::string>{"/usr/sbin/sendmail", "-i", "-t"}));
  EXPECT_EQ(delivery.environment, (std::vector<std::string>{"LANG=C", "PATH=/bin"}));
  EXPECT_EQ(delivery.input,
            "From: \"cronce on a\" <daemon>\n"
            "To: ops@example.com\n"
            "Subject: cronce: billing@2026-03-29T01:30:00Z#2 failed: exit\n"
            "Auto-Submitted: auto-generated\n"
            "MIME-Version: 1.0\n"
            "Content-Type: text/plain; charset=utf-8\n"
            "Content-Transfer-Encoding: 8bit\n"
            "\n" +
                notice_json(failed_notice(), notice_facts()) + "\nno \"ink\"\n\xEF\xBF\xBD\n\n");
}

TEST(ByMail, takes_no_header_from_outside) {
  NoticeFacts facts = notice_facts();
  facts.node = "a\nBcc: eve@example.com";
  facts.user = "daemon\n";
  const std::string text = by_mail(manual_notice("r\r\nBcc: eve@example.com"), facts,
                                   "ops@example.com\nBcc: eve@example.com\r\n\r\nhello", {})
                               .input;
  EXPECT_TRUE(
      text.starts_with("From: \"cronce on a Bcc: eve@example.com\" <daemon >\n"
                       "To: ops@example.com Bcc: eve@example.com    hello\n"
                       "Subject: cronce: billing@manual/r  Bcc: eve@example.com#1 failed: "
                       "exit\nAuto-Submitted: auto-generated\n"))
      << text;
}

// ---- the process

Status run_shell(const std::string& script, Duration patience = kLong) {
  return deliver({{"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin"}, "the facts\n"}, patience);
}

std::string trouble_of(const Status& status) { return status ? "none" : status.error().message; }

TEST(Deliver, hears_how_it_ended) {
  struct Row {
    const char* script;
    const char* trouble;
  };
  for (const Row& row : {
           Row{"exit 0", "none"},
           Row{"echo all is well; echo really >&2", "none"},
           Row{"exit 3", "exit code 3"},
           Row{"echo one; echo two >&2; exit 3", "exit code 3: two"},
           Row{"printf 'no end of line'; exit 1", "exit code 1: no end of line"},
           Row{"printf 'said\\r\\n\\n'; exit 1", "exit code 1: said"},
           Row{"printf '\\377'; exit 1", "exit code 1: \xEF\xBF\xBD"},
           Row{"echo dying; kill -9 $$", "signal 9: dying"},
           Row{"kill -15 $$", "signal 15"},
       }) {
    EXPECT_EQ(trouble_of(run_shell(row.script)), row.trouble) << row.script;
  }
}

TEST(Deliver, gives_it_what_it_reads_and_its_environment) {
  const Scratch folder;
  const std::string script =
      "test \"$(cat)\" = 'the facts' && test \"$ONLY\" = this && test -z \"$HOME\"";
  EXPECT_EQ(
      trouble_of(deliver(
          {{"/bin/sh", "-c", script}, {"ONLY=this", "PATH=/bin:/usr/bin"}, "the facts\n"}, kLong)),
      "none");
}

TEST(Deliver, hands_over_any_amount_although_nobody_reads_it) {
  const std::string much(4'000'000, 'x');
  EXPECT_EQ(trouble_of(deliver({{"/bin/true"}, {}, much}, kLong)), "none");
  EXPECT_EQ(
      trouble_of(deliver(
          {{"/bin/sh", "-c", "test $(wc -c) = 4000000"}, {"PATH=/usr/bin:/bin"}, much}, kLong)),
      "none");
}

TEST(Deliver, says_that_there_is_no_such_program) {
  EXPECT_EQ(trouble_of(deliver({{"/no/such/program"}, {}, ""}, kLong)),
            "cannot start '/no/such/program': No such file or directory");
}

// The threads of a node block signals, and a node ignores some: what it starts must not.
TEST(Deliver, starts_it_with_the_usual_signals) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto ignored = std::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(trouble_of(run_shell("grep -E 'Sig(Blk|Ign)' /proc/self/status | grep '[1-9a-f]$' && "
                                 "exit 1; kill -13 $$")),
            "signal 13");
  std::signal(SIGPIPE, ignored);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Waits until nobody has the other end any more.
bool is_let_go(const Descriptor& pipe) {
  pollfd one{pipe.get(), POLLIN, 0};
  return poll(&one, 1, 60'000) == 1 && (one.revents & POLLHUP) != 0;
}

TEST(Deliver, kills_what_outlives_its_patience_and_its_children) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);  // all of them inherit it
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  EXPECT_EQ(trouble_of(run_shell("trap '' TERM; sleep 600 & sleep 600; sleep 600", kShort)),
            "it did not end within 200ms and was killed");
  theirs.reset();
  EXPECT_TRUE(is_let_go(ours));
}

TEST(Deliver, breaks_off_when_it_is_told_to) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const Descriptor stop(ends[0]);
  Descriptor other(ends[1]);
  ASSERT_EQ(write(other.get(), "x", 1), 1);
  const Delivery delivery{{"/bin/sh", "-c", "sleep 600"}, {}, ""};
  EXPECT_EQ(trouble_of(deliver(delivery, Duration{600'000}, stop.get())), "the node leaves");
}

TEST(Deliver, kills_the_children_that_are_left_behind) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  EXPECT_EQ(trouble_of(run_shell("sleep 600 & exit 0")), "none") << "it does not wait for them";
  theirs.reset();
  EXPECT_TRUE(is_let_go(ours));
}

TEST(Deliver, keeps_the_end_of_much_output) {
  EXPECT_EQ(trouble_of(run_shell("head -c 10000000 /dev/zero | tr '\\0' x; echo; echo the end; "
                                 "exit 4")),
            "exit code 4: the end");
  EXPECT_EQ(trouble_of(run_shell("head -c 10000000 /dev/zero | tr '\\0' x; exit 4")),
            "exit code 4: " + std::string(300, 'x'));
}

TEST(Deliver, ends_what_never_stops_talking) {
  EXPECT_EQ(trouble_of(run_shell("yes", kShort)), "it did not end within 200ms and was killed");
}

std::int64_t own_cpu_ms() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * 1000 + used.tv_nsec / 1'000'000;
}

TEST(Deliver, waits_in_peace_for_what_has_closed_its_output) {
  const std::int64_t before = own_cpu_ms();
  EXPECT_EQ(trouble_of(run_shell("exec >&- 2>&-; sleep 0.5")), "none");
  EXPECT_LT(own_cpu_ms() - before, 50);
}

}  // namespace
}  // namespace cronce
