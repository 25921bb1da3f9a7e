// One node tells a notice because its key is one, and nobody else's.
#include <set>

#include <gtest/gtest.h>

#include "engine/notice_test.h"

namespace cronce {
namespace {

using std::chrono::milliseconds;

TEST(NoticeKey, is_another_one_for_every_part) {
  const Notice failed{"failed", ran(RunState::failed)};
  const auto other = [&](const std::function<void(Notice&)>& change) {
    Notice notice = failed;
    change(notice);
    return notice_key(notice, "command");
  };
  const std::vector<std::string> keys{
      notice_key(failed, "command"),
      notice_key(failed, "webhook"),
      other([](Notice& n) { n.event = "lost"; }),
      other([](Notice& n) { n.event = "late"; }),
      other([](Notice& n) { n.run.id.job = JobUid{8}; }),
      other([](Notice& n) { n.run.id.space = Space::manual; }),
      other([](Notice& n) { n.run.id.slot += milliseconds(1); }),
      other([](Notice& n) { n.run.id.request = "r"; }),
      other([](Notice& n) { n.run.id.attempt = Attempt{2}; }),
  };
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), keys.size());
}

TEST(NoticeKey, is_the_same_whatever_else_the_run_says) {
  const LedgerRow changed = but(ran(RunState::failed), [](LedgerRow& r) {
    r.output_tail = "more";
    r.node = "b";
    r.finished_at = kNow;
  });
  EXPECT_EQ(notice_key({"failed", ran(RunState::failed)}, "command"),
            notice_key({"failed", changed}, "command"));
}

TEST(NoticeKey, of_lateness_is_one_for_a_slot) {
  const std::string key = notice_key({"late", ran(RunState::pending)}, "mail");
  EXPECT_EQ(notice_key({"late", ran(RunState::pending, Reason::none, 2)}, "mail"), key);
  EXPECT_EQ(notice_key({"late", ran(RunState::skipped, Reason::missed)}, "mail"), key);
}

TEST(NoticeKey, keeps_apart_requests_that_look_like_more_parts) {
  const auto of_request = [](const std::string& request, std::uint64_t attempt) {
    LedgerRow run;
    run.id = {JobUid{7}, Space::manual, {}, request, Attempt{attempt}};
    return notice_key({"failed", run}, "command");
  };
  EXPECT_NE(of_request("a/1", 2), of_request("a", 1));
  EXPECT_NE(of_request("a/1", 1), of_request("a", 1));
  EXPECT_NE(of_request("", 1), of_request("/1", 1));
}

}  // namespace
}  // namespace cronce
