#include "test/contract/scene.h"

#include <array>

#include "model/describe.h"

namespace cronce::contract {
namespace {

JobUid paused_job(World& w, Actor& a) {
  const JobUid job = w.job(a, job_named("p"));
  a.control(PauseJob{job, {at(40), ""}});
  return job;
}

JobUid job_everywhere(World& w, Actor& a) {
  Job job = job_named("w");
  job.everywhere = true;
  return w.job(a, job);
}

JobUid share_at_boot(World& w, Actor& a, Actor& c) {
  Job job = job_named("v");
  job.everywhere = true;
  job.schedule.elements = {RebootSpec{}};
  const JobUid whole = w.job(a, job);
  c.change(JoinMember{whole, w.now(), std::nullopt});
  return w.member(whole, "c").value();
}

Claim start_30(World& w, Actor& b, Actor& c, JobUid job) {
  w.pass(10s);
  Actor& d = w.node("d");
  d.start(job);
  b.sweep(d);
  w.pass(20s);
  return c.start(job);
}

/// `a` and `b` are newer than whoever computed what is next.
void renew(Actor& node) {
  node.self().version = "2";
  node.beat();
}

std::string seconds(Time time) { return std::to_string((time - kStart) / 1s); }

void add_job(World& w, JobUid job, const std::string& prefix, std::set<std::string>& facts) {
  const std::string ledger = w.ledger(job);
  const std::string rows = ledger.empty() ? "" : ledger + ", ";
  for (std::size_t from = 0, to = 0; (to = rows.find(", ", from)) != std::string::npos;
       from = to + 2) {
    facts.insert(prefix + rows.substr(from, to - from));
  }
  const JobRow row = w.row(job);
  facts.insert(prefix + "cursor " + seconds(row.plan.cursor));
  facts.insert(prefix + "next " + (row.plan.next ? seconds(*row.plan.next) : "none"));
  if (row.paused()) facts.insert(prefix + "paused");
  if (row.retired()) facts.insert(prefix + "retired");
  for (const auto& [source, digest] : *row.sources) {
    facts.insert(std::string(prefix).append("digest ").append(digest));
  }
}

/// Nobody can read a key: somebody asks for it.
std::string key_fact(World& w) {
  constexpr std::array kWords{"absent", "running", "done", "failed", "lost"};
  const auto answer = w.node("z").once(BeginKey{"key"});
  if (answer.refused == Refused::closed) return "closed";
  const std::string state = kWords.at(static_cast<std::size_t>(answer.state));
  return answer.owner == "z" ? "key absent" : "key " + state + " of " + answer.owner;
}

}  // namespace

Job patient_job() {
  Job job = job_named("j");
  job.overlap = Overlap::queue;
  job.on_lost = OnLost::hold;
  job.catch_up.window = job.grace = 9s;
  job.retries = Retries{.max = 1, .backoff = 20s, .jitter_percent = 0};
  job.history.edit().succeeded = 0;
  return job;
}

Scene::Scene(const StoreRow& store, Situation in)
    : situation(in),
      world(store),
      a(world.node("a")),
      b(world.node("b")),
      c(world.node("c")),
      job(world.job(a, patient_job())),
      paused(paused_job(world, a)),
      whole(job_everywhere(world, a)),
      share(share_at_boot(world, a, c)),
      claim(start_30(world, b, c, job)) {
  world.pass(10s);
  b.run(job);
  b.control(TriggerJob{job, "r"});
  if (in != Situation::busy) c.finish(claim, RunState::succeeded);
  world.pass(in == Situation::quiet ? 5s : 10s);
  key = c.once(BeginKey{"key"}).fence.value_or(Fence{});
  for (Actor* node : {&a, &b}) renew(*node);
  c.self().leaving = true;
  c.beat();
  beat = c.last_beat();
  entry = world.owed(job);
  paused_turn = world.row(paused).plan.turn;
  share_turn = world.row(share).plan.turn;
  if (in != Situation::closed) return;
  const PutBack image = world.image();
  c.take(slot_of(job, 40));
  world.put_back(image);
  a.remember();
  b.remember();
}

void Scene::end() {
  if (situation == Situation::closed && !remembered) c.remember();
  world.end();
}

std::set<std::string> Scene::facts() {
  std::set<std::string> facts{key_fact(world)};
  for (const JobRow& row : world.jobs()) {
    const std::string& name = row.definition->name.text();
    const std::string prefix = row.whole ? name + "/" + *row.member + " " : name + " ";
    add_job(world, row.uid, row.uid == job ? "" : prefix, facts);
  }
  for (const Node& node : world.direct().nodes().value()) facts.insert(node.name + " lives");
  for (const StopOrder& stop : c.beat().stops) facts.insert("stop " + describe(stop.run));
  facts.insert("epoch " + std::to_string(world.direct().open()->epoch.value));
  return facts;
}

}  // namespace cronce::contract
