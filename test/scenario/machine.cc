#include "test/scenario/machine.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace cronce::scenario {
namespace {

constexpr Duration kSkewBudget{30'000};

std::string kind_of(const WriteAsk& ask) {
  static constexpr auto kKinds = std::to_array<const char*>(
      {"decide", "take", "report", "sweep", "register", "remember", "open"});
  const auto* decide = std::get_if<DecideAsk>(&ask);
  return decide != nullptr && decide->empty() ? "settle" : kKinds[ask.index()];
}

}  // namespace

Machine::Machine(Stage& stage, Door& door, Network& network, std::string name)
    : clock(stage.now(), stage.begin, 1'000),
      stage_(stage),
      door_(door),
      network_(network),
      name_(std::move(name)),
      cluster_(stage.lease, kSkewBudget) {
  node.name = name_;
}

// ---- what befalls it ---------------------------------------------------------------------------

void Machine::start(Rng rng) {
  if (alive()) return;
  ++life_;
  frozen_ = false;
  cluster_ = ClusterClock(stage_.lease, kSkewBudget);
  engine_ = std::make_unique<Engine>(settings(), rng);
  if (keeper_) former_keepers_.push_back(keeper_);
  keeper_ = std::make_shared<Keeper>(stage_, clock, name_, node.name,
                                     Keeper::Tell{[this, life = life_](const RunId& run) {
                                                    if (life == life_)
                                                      feed(RunStarted{run, now().cluster});
                                                  },
                                                  [this](const FinishEntry& end) {
                                                    spool_[end.run] = end;
                                                    feed(RunEnded{end});
                                                  }});
  for (const auto& [run, end] : std::map(spool_)) feed(RunEnded{end});
  for (const auto& [source, offered] : std::map(offers)) feed(offered);
  feed(Ticked{});
}

EngineSettings Machine::settings() const {
  EngineSettings settings;
  settings.self = node;
  settings.lease = stage_.lease;
  settings.mark = mark_;
  settings.claims = claims_;
  settings.find_zone = [zones = zones](std::string_view name) {
    const auto other = zones.find(std::string(name));
    return load_zone(other == zones.end() ? name : other->second);
  };
  return settings;
}

void Machine::kill() {
  engine_.reset();
  ++life_;
  backlog_.clear();
  unknown_.reset();
  frozen_ = false;
}

void Machine::crash() {
  kill();
  if (keeper_) keeper_->crash();
  for (const auto& keeper : former_keepers_) keeper->crash();
}

void Machine::thaw() {
  frozen_ = false;
  for (const auto& deed : std::exchange(backlog_, {})) deed();
  feed(Ticked{});
}

void Machine::suspend() {
  freeze();
  if (keeper_) keeper_->suspend();
}

void Machine::wake() {
  if (keeper_) keeper_->wake();
  thaw();
}

void Machine::offer(const Offered& what) {
  offers.insert_or_assign(what.set.source, what);
  feed(what);
}

void Machine::hint() {
  if (!alive() || !network_.reaches(name_)) return;
  stage_.agenda.after(Duration{0}, [this, life = life_] {
    if (life == life_) feed(Hinted{});
  });
}

bool Machine::end_child(const std::string& job, RunState state) {
  if (keeper_ && keeper_->end(job, state)) return true;
  for (const auto& keeper : former_keepers_) {
    if (keeper->end(job, state)) return true;
  }
  return false;
}

// ---- the engine --------------------------------------------------------------------------------

Now Machine::now() const {
  const Time wall = clock.wall(stage_.now());
  const auto time = cluster_.at(boot());
  return {time.value_or(wall), boot(), cluster_.doubts_store(), wall, !time};
}

void Machine::feed(const Event& event) {
  if (!alive()) return;
  if (frozen_) {
    backlog_.push_back([this, event] { feed(event); });
    return;
  }
  for (const Action& action : engine_->step(now(), event)) {
    std::visit([&](const auto& one) { perform(one); }, action);
  }
  if (alive()) arm_tick();
}

void Machine::arm_tick() {
  const Duration wake = engine_->next_wakeup(now());
  if (wake == Duration::max()) return;
  stage_.agenda.at(clock.when(wake), [this, tick = ++ticks_, life = life_] {
    if (life == life_ && tick == ticks_) feed(Ticked{});
  });
}

/// An answer reaches the process that asked, once, and only before it gave up.
void Machine::in_process(const std::shared_ptr<Call>& call, const std::function<void()>& deed) {
  if (call->life != life_) return;
  if (frozen_) {
    backlog_.push_back([this, call, deed] { in_process(call, deed); });
  } else if (std::exchange(call->open, false)) {
    deed();
  }
}

void Machine::wait_for_answer(const std::shared_ptr<Call>& call,
                              const std::function<void()>& give_up) {
  stage_.agenda.at(clock.when(boot() + stage_.lease.answer_timeout),
                   [this, call, give_up] { in_process(call, give_up); });
}

void Machine::perform(const SendBeat& action) {
  const auto call = std::make_shared<Call>(Call{life_});
  const Duration asked = boot();
  network_.send(name_, {"beat", "beats"}, [this, call, asked, ask = action.ask] {
    const BeatAnswer answer = door_.beat(name_, ask);
    if (!network_.reaches(name_)) return;
    in_process(call, [this, asked, answer] {
      tell_doubt(asked, answer);
      tell_epoch(answer);
      feed(BeatAnswered{asked, answer});
    });
  });
  wait_for_answer(call, [this] { feed(BeatUnanswered{}); });
}

void Machine::tell_doubt(Duration asked, const BeatAnswer& answer) {
  const bool doubted = cluster_.doubts_store();
  cluster_.saw(asked, boot(), answer);
  if (doubted == cluster_.doubts_store()) return;
  stage_.say(name_, fmt::format("{} the store's clock, which shows {}",
                                doubted ? "believes" : "doubts", print(answer.store_time)));
}

void Machine::tell_epoch(const BeatAnswer& answer) {
  if (std::exchange(sees_closed_, answer.closed) == answer.closed) return;
  stage_.say(name_, fmt::format("finds epoch {} {}", answer.epoch.value,
                                answer.closed ? "closed" : "open"));
}

void Machine::perform(const SendWrite& action) {
  const auto call = std::make_shared<Call>(Call{life_});
  const std::string words = door_.words().ask(action.ask);
  const Message request{kind_of(action.ask), "asks to " + words};
  const Message reply{"answer", "answer to " + words};
  network_.send(name_, request, [this, call, action, reply] {
    const auto answer = door_.write(name_, action.id, action.ask);
    network_.send(name_, reply, [this, call, action, answer, reply] {
      if (!call->open && answer) stage_.say(name_, reply.words + ": too late");
      in_process(call, [this, action, answer] { answered(action, answer); });
    });
  });
  wait_for_answer(call, [this, action, words] {
    if (words != "settle") stage_.say(name_, "has no answer to " + words);
    answered(action, std::nullopt);
  });
}

void Machine::answered(const SendWrite& asked, const std::optional<WriteAnswered>& answer) {
  if (!answer) {
    if (!unknown_) unknown_ = asked;
    return feed(WriteUnanswered{asked.id.sequence});
  }
  tell_settled(asked, *answer);
  feed(*answer);
}

void Machine::tell_settled(const SendWrite& asked, const WriteAnswered& answer) {
  const auto* decide = std::get_if<DecideAsk>(&asked.ask);
  if (!unknown_ || decide == nullptr || !decide->empty()) return;
  const bool applied = answer.before.sequence == unknown_->id.sequence;
  stage_.say(name_, fmt::format("settles {}: it was {}", door_.words().ask(unknown_->ask),
                                applied ? "applied" : "not applied, and never will be"));
  unknown_.reset();
}

void Machine::perform(const EndStored& action) {
  const auto end = spool_.find(action.run);
  if (end != spool_.end() && end->second.fence == action.fence) spool_.erase(end);
}

void Machine::perform(const KillAll&) {
  stage_.say(name_, "was ended: kills its children, and lives on as a new incarnation");
  unknown_.reset();
  keeper_->kill_all();
}

void Machine::perform(const Left&) {
  stage_.say(name_, "has left");
  stage_.agenda.after(Duration{0}, [this, life = life_] {
    if (life == life_) kill();
  });
}

}  // namespace cronce::scenario
