// Commands of a person: to the store, its clock, and its rows.
#include <array>

#include <fmt/format.h>

#include "client/ahead.h"
#include "model/describe.h"
#include "model/words.h"
#include "schedule/schedule.h"
#include "test/scenario/command_rows.h"

namespace cronce::scenario {
namespace {

using Body = const std::string&;

/// A row that is surely there; otherwise the command is wrong, and the row is nobody's.
JobRow job_named(World& world, Args& args, const std::string& name) {
  auto row = world.door.job(name);
  if (!row) args.wrong("the store has no job " + name);
  return row ? *row : JobRow{JobUid{}, Job{*parse_job_name("nobody"), {}, {}}};
}

/// `billing@+10s`
struct SlotName {
  std::string job;
  std::string what;  // after the @
  Time slot{};
};
SlotName read_slot(World& world, Args& args) {
  const std::string text = args.word("a slot such as billing@+10s");
  const std::size_t at = std::min(text.find('@'), text.size());
  SlotName name{text.substr(0, at), at < text.size() ? text.substr(at + 1) : ""};
  if (name.what.starts_with("manual/")) return name;
  const auto slot = parse_elapsed(name.what);
  if (!slot) args.wrong(slot.error().message);
  if (slot) name.slot = world.stage.begin + *slot;
  return name;
}

/// `billing@+10s #2`, `billing@manual/r1`
struct RunName {
  std::string job;
  RunId id;
};
RunName read_run(World& world, Args& args) {
  const SlotName slot = read_slot(world, args);
  RunName name{slot.job, {job_named(world, args, slot.job).uid, Space::slot, slot.slot}};
  if (slot.what.starts_with("manual/")) {
    name.id.space = Space::manual;
    name.id.request = slot.what.substr(slot.what.find('/') + 1);
  }
  for (std::uint64_t attempt = 2; attempt < 10; ++attempt) {
    if (args.take(fmt::format("#{}", attempt))) name.id.attempt = Attempt{attempt};
  }
  return name;
}

std::string words_of(const World& world, const RunName& name) {
  return world.door.words().run(name.id);
}

void pause(World& world, Args& args, Body) {
  const std::string name = args.word("a job");
  PauseJob ask{job_named(world, args, name).uid, {}};
  if (args.take("until")) ask.pause.until = world.stage.begin + args.elapsed();
  world.door.control(ask, "pause " + name);
}

/// As a person's program computes it.
Ahead ahead_of(const JobRow& row, Time base) {
  return look_ahead(row, Schedule::build(row.definition->schedule).value(), base);
}

void resume(World& world, Args& args, Body) {
  const std::string name = args.word("a job");
  const JobRow row = job_named(world, args, name);
  if (!args.mistake().empty()) return;
  const Ahead ahead = ahead_of(row, std::max(world.stage.clock.wall(), row.plan.cursor));
  world.door.control(ResumeJob{row.uid, ahead.base, ahead.next, ahead.owed, {}}, "resume " + name);
}

void recede(World& world, Args& args, Body) {
  const std::string name = args.word("a job");
  const JobRow row = job_named(world, args, name);
  if (!args.mistake().empty()) return;
  const Ahead ahead = ahead_of(row, world.stage.clock.wall());
  world.door.control(RecedeJob{row.uid, ahead.base, ahead.next}, "recede " + name);
}

void retire(World& world, Args& args, Body) {
  const std::string name = args.word("a job");
  const JobRow row = job_named(world, args, name);
  if (!args.mistake().empty()) return;
  const Ahead ahead = ahead_of(row, world.stage.clock.wall());
  world.door.control(RetireJob{row.uid, ahead.owed, ahead.next}, "retire " + name);
}

void trigger(World& world, Args& args, Body) {
  const std::string name = args.word("a job");
  const std::string request = args.word("a request id");
  world.door.control(TriggerJob{job_named(world, args, name).uid, request},
                     fmt::format("trigger {}@manual/{}", name, request));
}

void cancel(World& world, Args& args, Body) {
  const RunName run = read_run(world, args);
  world.door.control(CancelRun{run.id}, "cancel " + words_of(world, run));
}

void release(World& world, Args& args, Body) {
  const RunName run = read_run(world, args);
  world.stage.judge.asked_again(run.job, print_elapsed(world.stage.since_begin(run.id.slot)));
  world.door.control(ReleaseRun{run.id}, "release " + words_of(world, run));
}

void backfill(World& world, Args& args, Body) {
  const RunName run = read_run(world, args);
  const bool again = args.take("again");
  const std::string slot = print_elapsed(world.stage.since_begin(run.id.slot));
  if (again) world.stage.judge.asked_again(run.job, slot);
  world.door.control(BackfillSlot{run.id.job, run.id.slot, again},
                     fmt::format("backfill {}@{}{}", run.job, slot, again ? " again" : ""));
}

void exec(World& world, Args& args, Body) {
  const SlotName name = read_slot(world, args);
  if (!args.take("by")) return args.wrong("exec billing@+10s by NAME [for 5s]");
  const std::string who = args.word("a name");
  const Duration lasts = args.take("for") ? args.length() : Duration{1'000};
  world.execs.push_back(
      std::make_unique<ExecProcess>(world.stage, world.door, who, Incarnation::random(world.rng)));
  world.execs.back()->run(name.job, name.slot, lasts);
}

void store(World& world, Args& args, Body) {
  if (!args.take("clock")) return args.wrong("store clock +1h");
  world.stage.clock.step(args.elapsed());
}

void accept(World& world, Args& args, Body) {
  if (!args.take("clock")) return args.wrong("accept clock");
  world.door.control(AcceptClock{}, "accept the store's clock");
}

void adopt(World& world, Args&, Body) { world.door.control(Adopt{}, "adopt the store"); }

void copy(World& world, Args& args, Body) {
  world.images.insert_or_assign(args.word("a name"), world.memory.image());
}

template <bool Elsewhere>
void put_back(World& world, Args& args, Body) {
  const std::string name = args.word("the name of a copy");
  const auto image = world.images.find(name);
  if (image == world.images.end()) return args.wrong("there is no copy " + name);
  world.memory.put_back(image->second, Elsewhere);
}

void purge(World& world, Args&, Body) { world.door.purge(); }

void rows(World& world, Args& args, Body) {
  const JobRow row = job_named(world, args, args.word("a job"));
  for (const Run& run : world.door.runs(row.uid)) {
    const bool plain = run.kind == RunKind::scheduled;
    world.stage.note(describe(run) + (plain ? "" : fmt::format(" ({})", word(run.kind))));
  }
}

/// Receivers compare keys: attempts of one slot must not differ in theirs.
void keys(World& world, Args& args, Body) {
  const JobRow row = job_named(world, args, args.word("a job"));
  for (const Run& run : world.door.runs(row.uid))
    world.stage.note(fmt::format("{} key {}", describe(run.id), run.key));
}

void plan(World& world, Args& args, Body) {
  const JobRow row = job_named(world, args, args.word("a job"));
  std::string text = describe(row.plan);
  for (const LiveRun& live : row.live)
    text += fmt::format(", live {} on {}", describe(live.id),
                        world.door.words().node(live.incarnation));
  for (const PendingRun& pending : row.pending)
    text += fmt::format(", {} {}", pending.deferred ? "deferred" : "pending", describe(pending.id));
  if (row.paused()) text += ", paused";
  if (row.retired()) text += ", retired";
  world.stage.note(text);
}

void nodes(World& world, Args&, Body) {
  for (const Node& node : world.door.nodes()) {
    std::string text = fmt::format("{}, {} running", node.name, node.running);
    for (const auto& [source, digest] : node.digests) text += ", offers " + source;
    world.stage.note(text + (node.leaving ? ", leaving" : ""));
  }
}

void jobs(World& world, Args&, Body) {
  for (const JobRow& row : world.door.jobs()) {
    world.stage.note(fmt::format("{}: {} -> {}{}", name_of(row), describe(row.definition->schedule),
                                 describe(row.definition->command),
                                 row.retired()  ? ", retired"
                                 : row.paused() ? ", paused"
                                                : ""));
  }
}

constexpr auto kConsoleRows = std::to_array<CommandRow>({
    {"pause", pause},
    {"resume", resume},
    {"trigger", trigger},
    {"cancel", cancel},
    {"release", release},
    {"backfill", backfill},
    {"retire", retire},
    {"recede", recede},
    {"exec", exec},
    {"store", store},
    {"accept", accept},
    {"adopt", adopt},
    {"copy", copy},
    {"restore", put_back<false>},
    {"fail-over", put_back<true>},
    {"purge", purge},
    {"rows", rows},
    {"keys", keys},
    {"plan", plan},
    {"nodes", nodes},
    {"jobs", jobs},
});

}  // namespace

std::span<const CommandRow> console_commands() { return kConsoleRows; }

}  // namespace cronce::scenario
