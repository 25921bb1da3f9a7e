#include "engine/due.h"

#include <functional>

#include <gtest/gtest.h>

#include "test/support/schedules.h"

namespace cronce {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

KnownJob job(const ScheduleSpec& spec, std::optional<Time> next) {
  Job definition{.name = parse_job_name("billing").value(), .schedule = spec};
  JobRow row{JobUid{7}, definition};
  row.sources.edit()["jobs"] = "d1";
  row.plan = {Turn{3}, next ? *next - Duration{1} : Time{}, next, {}};
  return {row, schedule(spec)};
}

KnownJob job(std::string_view cron_text, std::string_view next, DstRule rule = {},
             std::string_view timezone = "UTC") {
  return job(ScheduleSpec{.elements = {CronSpec{std::string(cron_text)}},
                          .timezone = std::string(timezone),
                          .dst = rule},
             utc(next));
}

void change(KnownJob& job, const std::function<void(Job&)>& how) {
  Job definition = *job.row.definition;
  how(definition);
  job.row.definition = definition;
}

std::string clock(Time time) { return print(time).substr(11, 8); }

/// `missed 08:00:00-11:00:00 x4, enqueue 12:00:00, run 13:00:00; next 14:00:00`
std::string text_of(const std::optional<DecideEntry>& entry) {
  if (!entry) return "nothing";
  std::string text;
  for (const SkippedRange& range : entry->skipped) {
    text += range.reason == Reason::missed         ? "missed "
            : range.reason == Reason::paused       ? "paused "
            : range.reason == Reason::civil_repeat ? "repeated "
                                                   : "? ";
    text += clock(range.from) + "-" + clock(range.to) + " x" + std::to_string(range.count) + ", ";
  }
  for (const SlotToRun& run : entry->runs) {
    text += run.how == SlotToRun::How::run       ? "run "
            : run.how == SlotToRun::How::enqueue ? "enqueue "
                                                 : "defer ";
    text += clock(run.slot) + ", ";
  }
  return text + "next " + (entry->next ? clock(*entry->next) : "none");
}

std::string owed_at(const KnownJob& job, std::string_view now,
                    SlotToRun::How how = SlotToRun::How::run) {
  return text_of(owed(job, utc(now), how));
}

TEST(Owed, is_nothing_before_the_slot_and_the_slot_from_then_on) {
  const KnownJob hourly = job("0 * * * *", "2026-01-01T12:00:00Z");
  EXPECT_EQ(owed_at(hourly, "2026-01-01T11:59:59.999Z"), "nothing");
  EXPECT_EQ(owed_at(hourly, "2026-01-01T12:00:00Z"), "run 12:00:00, next 13:00:00");
  EXPECT_EQ(owed_at(hourly, "2026-01-01T12:59:59.999Z"), "run 12:00:00, next 13:00:00");
}

TEST(Owed, names_the_plan_that_it_is_about) {
  const DecideEntry entry = *owed(job("0 * * * *", "2026-01-01T10:00:00Z"),
                                  utc("2026-01-01T12:30:00Z"), SlotToRun::How::run);
  EXPECT_EQ(entry.job, JobUid{7});
  EXPECT_EQ(entry.turn, Turn{3});
  EXPECT_EQ(print(entry.from), "2026-01-01T10:00:00Z");
  EXPECT_EQ(print(entry.through), "2026-01-01T12:00:00Z");
}

TEST(Owed, is_asked_for_as_the_caller_says) {
  const KnownJob hourly = job("0 * * * *", "2026-01-01T12:00:00Z");
  const char* now = "2026-01-01T12:00:01Z";
  EXPECT_EQ(owed_at(hourly, now, SlotToRun::How::enqueue), "enqueue 12:00:00, next 13:00:00");
  EXPECT_EQ(owed_at(hourly, now, SlotToRun::How::defer), "defer 12:00:00, next 13:00:00");
}

TEST(Owed, is_nothing_without_a_next_slot) {
  KnownJob over = job("0 * * * *", "2026-01-01T12:00:00Z");
  over.row.plan.next.reset();
  EXPECT_EQ(owed_at(over, "2026-01-02T00:00:00Z"), "nothing");
  EXPECT_EQ(next_due(over), std::nullopt);
}

TEST(Owed, of_many_slots_follows_catch_up) {
  struct Row {
    CatchUp policy;
    std::string_view now;
    std::string_view owed;
  };
  using Mode = CatchUp::Mode;
  const auto none = std::optional<Duration>{};
  for (const Row& row : {
           // The newest runs, the others are one range.
           Row{{Mode::latest, none, 100},
               "12:30:00",
               "missed 08:00:00-11:00:00 x4, run 12:00:00, next 13:00:00"},
           Row{{Mode::latest, none, 100}, "08:30:00", "run 08:00:00, next 09:00:00"},
           // Within the window, to the millisecond.
           Row{{Mode::latest, minutes(30), 100},
               "12:30:00",
               "missed 08:00:00-11:00:00 x4, run 12:00:00, next 13:00:00"},
           Row{{Mode::latest, minutes(30), 100},
               "12:30:00.001",
               "missed 08:00:00-12:00:00 x5, next 13:00:00"},
           // The window is at least the grace of a minute.
           Row{{Mode::latest, seconds(1), 100},
               "12:01:00",
               "missed 08:00:00-11:00:00 x4, run 12:00:00, next 13:00:00"},
           // none: latest with the window `grace`.
           Row{{Mode::none, none, 100},
               "12:01:00",
               "missed 08:00:00-11:00:00 x4, run 12:00:00, next 13:00:00"},
           Row{{Mode::none, none, 100},
               "12:01:00.001",
               "missed 08:00:00-12:00:00 x5, next 13:00:00"},
           Row{{Mode::none, hours(9), 100},
               "12:01:00.001",
               "missed 08:00:00-12:00:00 x5, next 13:00:00"},
           // all: within window and cap, oldest first, whatever overlap says; the newest is for
           // overlap to judge if it is within the grace of a minute.
           Row{{Mode::all, none, 100},
               "10:01:00",
               "enqueue 08:00:00, enqueue 09:00:00, run 10:00:00, next 11:00:00"},
           Row{{Mode::all, none, 100},
               "10:01:00.001",
               "enqueue 08:00:00, enqueue 09:00:00, enqueue 10:00:00, next 11:00:00"},
           Row{{Mode::all, none, 2},
               "10:30:00",
               "missed 08:00:00-08:00:00 x1, enqueue 09:00:00, enqueue 10:00:00, next 11:00:00"},
           Row{{Mode::all, none, 1},
               "10:30:00",
               "missed 08:00:00-09:00:00 x2, enqueue 10:00:00, next 11:00:00"},
           Row{{Mode::all, minutes(90), 100},
               "10:30:00",
               "missed 08:00:00-08:00:00 x1, enqueue 09:00:00, enqueue 10:00:00, next 11:00:00"},
           Row{{Mode::all, minutes(90), 100},
               "10:30:00.001",
               "missed 08:00:00-09:00:00 x2, enqueue 10:00:00, next 11:00:00"},
           Row{{Mode::all, minutes(5), 100},
               "10:30:00",
               "missed 08:00:00-10:00:00 x3, next 11:00:00"},
       }) {
    KnownJob hourly = job("0 * * * *", "2026-01-01T08:00:00Z");
    change(hourly, [&](Job& j) { j.catch_up = row.policy; });
    EXPECT_EQ(owed_at(hourly, "2026-01-01T" + std::string(row.now) + "Z"), row.owed) << row.now;
  }
}

TEST(Owed, while_paused_is_skipped_whatever_its_age) {
  for (const bool by_file : {true, false}) {
    KnownJob paused = job("0 * * * *", "2026-01-01T08:00:00Z");
    if (by_file) change(paused, [](Job& j) { j.paused = true; });
    if (!by_file) paused.row.pause = Pause{};
    EXPECT_EQ(owed_at(paused, "2026-01-01T10:00:00Z"),
              "paused 08:00:00-10:00:00 x3, next 11:00:00");
    EXPECT_EQ(owed_at(paused, "2026-01-01T08:00:00Z"),
              "paused 08:00:00-08:00:00 x1, next 09:00:00");
  }
}

TEST(Owed, begins_with_the_stored_next_even_if_the_schedule_does_not_have_it) {
  const KnownJob moved = job("0 * * * *", "2026-01-01T08:20:00Z");
  EXPECT_EQ(owed_at(moved, "2026-01-01T08:19:59Z"), "nothing");
  EXPECT_EQ(owed_at(moved, "2026-01-01T08:20:00Z"), "run 08:20:00, next 09:00:00");
  EXPECT_EQ(owed_at(moved, "2026-01-01T10:10:00Z"),
            "missed 08:20:00-09:00:00 x2, run 10:00:00, next 11:00:00");
  KnownJob all = moved;
  change(all, [](Job& j) { j.catch_up.mode = CatchUp::Mode::all; });
  EXPECT_EQ(owed_at(all, "2026-01-01T10:10:00Z"),
            "enqueue 08:20:00, enqueue 09:00:00, enqueue 10:00:00, next 11:00:00");
}

// A million slots would take seconds to walk; a range is counted.
TEST(Owed, of_a_million_slots_is_one_range) {
  const Time first = utc("2020-01-01T00:00:00Z");
  const Time now = first + seconds(1'000'000);
  for (const auto mode : {CatchUp::Mode::latest, CatchUp::Mode::all}) {
    KnownJob job = cronce::job(ScheduleSpec{.elements = {EverySpec{seconds(1), {}}}}, first);
    change(job, [&](Job& j) { j.catch_up = {mode, std::nullopt, 10}; });
    for (int again = 0; again < 1'000; ++again) {
      const auto entry = owed(job, now, SlotToRun::How::run);
      const auto runs = static_cast<std::int64_t>(entry->runs.size());
      ASSERT_EQ(runs, mode == CatchUp::Mode::all ? 10 : 1);
      ASSERT_EQ(entry->skipped.size(), 1U);
      ASSERT_EQ(entry->skipped.front().count, 1'000'001 - runs);
    }
  }
}

TEST(Due, comes_after_the_slot_by_its_jitter) {
  KnownJob hourly = job("0 * * * *", "2026-01-01T12:00:00Z");
  EXPECT_EQ(next_due(hourly), utc("2026-01-01T12:00:00Z"));
  change(hourly, [](Job& j) { j.jitter = minutes(10); });
  const Time slot = utc("2026-01-01T12:00:00Z");
  const Time due = slot + jitter("billing", slot, minutes(10));
  ASSERT_GT(due, slot);
  EXPECT_EQ(next_due(hourly), due);
  EXPECT_EQ(owed(hourly, due - Duration{1}, SlotToRun::How::run), std::nullopt);
  const auto entry = owed(hourly, due, SlotToRun::How::run);
  ASSERT_EQ(text_of(entry), "run 12:00:00, next 13:00:00");
  EXPECT_EQ(entry->runs.front().due, due);
}

TEST(Due, of_the_newest_slot_decides_whether_it_is_owed_yet) {
  KnownJob hourly = job("0 * * * *", "2026-01-01T10:00:00Z");
  change(hourly, [](Job& j) { j.jitter = minutes(10); });
  const Time slot = utc("2026-01-01T12:00:00Z");
  const Time due = slot + jitter("billing", slot, minutes(10));
  EXPECT_EQ(text_of(owed(hourly, due - Duration{1}, SlotToRun::How::run)),
            "missed 10:00:00-10:00:00 x1, run 11:00:00, next 12:00:00");
  EXPECT_EQ(text_of(owed(hourly, due, SlotToRun::How::run)),
            "missed 10:00:00-11:00:00 x2, run 12:00:00, next 13:00:00");
}

TEST(Due, is_what_a_window_is_counted_from) {
  KnownJob hourly = job("0 * * * *", "2026-01-01T12:00:00Z");
  change(hourly, [](Job& j) {
    j.jitter = minutes(10);
    j.catch_up.mode = CatchUp::Mode::none;
  });
  const Time latest = *next_due(hourly) + minutes(1);
  EXPECT_EQ(text_of(owed(hourly, latest, SlotToRun::How::run)), "run 12:00:00, next 13:00:00");
  EXPECT_EQ(text_of(owed(hourly, latest + Duration{1}, SlotToRun::How::run)),
            "missed 12:00:00-12:00:00 x1, next 13:00:00");
}

TEST(Label, that_was_settled_is_not_run_again) {
  // In Berlin 02:30 comes twice that night: at 00:30Z and at 01:30Z.
  KnownJob nightly =
      job("30 2 * * *", "2025-10-26T01:30:00Z", {Gap::jump, Fold::second}, "Europe/Berlin");
  const auto now = "2025-10-26T01:30:05Z";
  EXPECT_EQ(owed_at(nightly, now), "run 01:30:00, next 01:30:00");
  EXPECT_EQ(owed(nightly, utc(now), SlotToRun::How::run)->label, civil("2025-10-26T02:30"));
  nightly.row.plan.label = civil("2025-10-26T02:30");
  EXPECT_EQ(owed_at(nightly, now), "repeated 01:30:00-01:30:00 x1, next 01:30:00");
  nightly.row.plan.label = civil("2025-10-26T02:29");
  EXPECT_EQ(owed_at(nightly, now), "run 01:30:00, next 01:30:00");
}

TEST(Label, is_neither_read_nor_written_by_others) {
  for (KnownJob other :
       {job("30 * * * *", "2025-10-26T01:30:00Z", {}, "Europe/Berlin"),
        job("30 2 * * *", "2025-10-26T01:30:00Z", {Gap::jump, Fold::both}, "Europe/Berlin")}) {
    other.row.plan.label = civil("2025-10-26T02:30");
    const auto entry = owed(other, utc("2025-10-26T01:30:05Z"), SlotToRun::How::run);
    EXPECT_EQ(entry->runs.size(), 1U);
    EXPECT_EQ(entry->label, std::nullopt);
  }
}

TEST(FirstSlot, is_the_schedules_or_counted_from_whole_seconds) {
  const Time time = utc("2026-01-01T12:00:00.250Z");
  EXPECT_EQ(show(first_slot(schedule("0 * * * *"), time)), "2026-01-01T13:00:00Z");
  const Schedule after = schedule(ScheduleSpec{.elements = {AfterSpec{minutes(10)}}});
  EXPECT_EQ(show(first_slot(after, time)), "2026-01-01T12:10:01Z");
  EXPECT_EQ(show(first_slot(after, utc("2026-01-01T12:00:00Z"))), "2026-01-01T12:10:00Z");
}

// Only the store knows when the next one is: nothing is said about it.
TEST(Owed, of_after_is_its_one_slot) {
  const KnownJob chained =
      job(ScheduleSpec{.elements = {AfterSpec{minutes(10)}}}, utc("2026-01-01T12:10:00Z"));
  EXPECT_EQ(owed_at(chained, "2026-01-01T12:09:59Z"), "nothing");
  EXPECT_EQ(owed_at(chained, "2026-01-01T15:00:00Z"), "run 12:10:00, next none");
}

}  // namespace
}  // namespace cronce
