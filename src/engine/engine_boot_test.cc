// Jobs that run at boot: each machine's share gets one run for each start of it.
#include "engine/engine_test.h"

namespace cronce {
namespace {

using std::chrono::seconds;

const JobUid kBootJob{1};
const JobUid kShare{2};

class EngineBootTest : public EngineTest {
 protected:
  EngineBootTest() { start("this boot"); }

  void start(const std::optional<std::string>& boot) {
    restart([&](EngineSettings& settings) { settings.boot = boot; });
  }
  static JobRow whole() {
    JobRow row = with(hourly(kBootJob), [](Job& job) {
      job.schedule.elements = {RebootSpec{}};
      job.everywhere = true;
    });
    row.plan.next.reset();
    return row;
  }
  static JobRow share() {
    JobRow row = whole();
    row.uid = kShare;
    row.whole = kBootJob;
    row.member = "self";
    row.pointed_by = Knowledge{"1.0.0", ""};
    return row;
  }
  const StartAtBoot* asked_to_start() const {
    const auto* ask = asked<DecideAsk>();
    return ask == nullptr || ask->changes.empty() ? nullptr
                                                  : std::get_if<StartAtBoot>(&ask->changes.front());
  }
  /// The time in which all that it wants is asked and granted. Whether the boot was kept.
  bool kept_after(Duration time) {
    const Duration end = now.boot + time;
    bool kept = false;
    while (now.boot < end) {
      pass(Duration{100});
      kept |= !ordered<KeepBoot>().empty();
      if (write) answer(asked<RegisterAsk>() ? Outcome{RegisterAnswer{}} : Outcome{granted()});
      kept |= !ordered<KeepBoot>().empty();
      if (beat) answer_beat();
      kept |= !ordered<KeepBoot>().empty();
    }
    return kept;
  }
};

TEST_F(EngineBootTest, asks_for_a_run_of_its_share_and_starts_it) {
  live({whole(), share()});
  ASSERT_NE(asked_to_start(), nullptr) << written();
  EXPECT_EQ(*asked_to_start(), (StartAtBoot{kShare, "this boot"}));
  answer(granted());
  JobRow row = share();
  const RunId run{kShare, Space::boot, {}, "this boot", Attempt{1}};
  row.pending = {{run, RunKind::scheduled, now.cluster, false}};
  next_answer.changed = {row};
  answer_beat();
  ASSERT_NE(asked<std::vector<RunId>>(), nullptr) << written();
  answer(taken());
  EXPECT_EQ(started(), "billing");
}

TEST_F(EngineBootTest, does_not_wait_for_a_beat_between_its_share_and_the_run) {
  live({whole()});
  ASSERT_NE(asked<DecideAsk>(), nullptr) << written();
  answer(granted());
  next_answer.changed = {share()};
  answer_beat();
  EXPECT_LE(engine->next_wakeup(now), now.boot + Duration{300});
  pass(engine->next_wakeup(now) - now.boot);
  EXPECT_NE(asked_to_start(), nullptr) << written();
}

TEST_F(EngineBootTest, keeps_the_boot_when_every_such_job_has_its_run) {
  live({whole(), share()});
  ASSERT_NE(asked_to_start(), nullptr);
  EXPECT_TRUE(ordered<KeepBoot>().empty());
  answer(refused(Refused::moved));  // a former process asked, and died before it could keep it
  EXPECT_TRUE(kept_after(seconds(1)));
  EXPECT_EQ(written(), "nothing");
}

TEST_F(EngineBootTest, asks_again_if_the_store_could_not_say) {
  live({whole(), share()});
  ASSERT_NE(asked_to_start(), nullptr);
  answer(refused(Refused::closed));
  pass(seconds(1));
  answer_beats();
  pass(seconds(1));
  EXPECT_NE(asked_to_start(), nullptr) << written();
}

TEST_F(EngineBootTest, waits_for_its_share_and_for_its_files) {
  tell(file_of({whole()}));
  live({whole()});
  ASSERT_NE(asked<RegisterAsk>(), nullptr) << written();
  answer(RegisterAnswer{});
  EXPECT_FALSE(kept_after(seconds(2)));
}

TEST_F(EngineBootTest, has_nothing_to_start_where_a_former_process_of_this_boot_did) {
  start(std::nullopt);
  live({whole(), share()});
  EXPECT_FALSE(kept_after(seconds(2)));
  EXPECT_EQ(written(), "nothing");
}

// As cron does: what comes later waits for the next boot.
TEST_F(EngineBootTest, does_not_start_what_comes_after_the_boot_was_kept) {
  live({});
  EXPECT_EQ(ordered<KeepBoot>().size(), 1U);
  learn(whole());
  next_answer.changed = {share()};
  for (int i = 0; i < 20; ++i) {
    if (write) {
      EXPECT_EQ(asked_to_start(), nullptr);
      answer(granted());
    }
    pass(Duration{300});
    answer_beats();
  }
}

}  // namespace
}  // namespace cronce
