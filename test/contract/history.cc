#include "test/contract/history.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "test/contract/watch.h"
#include "test/contract/world.h"

namespace cronce::contract {
namespace {

constexpr std::size_t kClients = 3;

/// Skip and rerun, queue and hold, allow and skip; each with one retry.
std::vector<Job> three_jobs() {
  std::vector<Job> jobs;
  for (const char* name : {"skip", "queue", "allow"}) {
    jobs.push_back(job_named(name));
    jobs.back().retries = Retries{.max = 1, .backoff = 2s, .jitter_percent = 0};
  }
  jobs[0].on_lost = OnLost::rerun;
  jobs[1].overlap = Overlap::queue;
  jobs[1].on_lost = OnLost::hold;
  jobs[2].overlap = Overlap::allow;
  return jobs;
}

/// A call on its way, with what the network will do to it.
struct Flight {
  Call call;
  WriteId id;
  bool applied = false;
  bool request_lost = false;
  bool answer_lost = false;
  bool refused_as_stale = false;
};

struct Client {
  Incarnation incarnation;
  Beat beat;
  std::uint64_t sequence = 0;
  std::optional<Flight> flight;
  std::vector<JobRow> jobs;  // as read last
  std::vector<Node> nodes;
  std::vector<Claim> claims;  // granted, in the order in which it learned of them
};

template <class T>
const T& pick(const std::vector<T>& from, Rng& rng) {
  return from[rng.below(from.size())];
}

class Recorder {
 public:
  Recorder(const StoreRow& row, std::uint64_t seed, Lie lie)
      : rng_(seed), inner_(row.make(clock_, rng_)), store_(*inner_, lie), clients_(kClients) {}

  History record(std::size_t steps) {
    begin();
    for (std::size_t step = 0; step < steps; ++step) {
      clock_.advance(Duration{rng_.between(0, 1500)});
      go_on(rng_.below(kClients));
      if (rng_.chance(20)) deliver_late();
      watch();
    }
    for (std::size_t client = 0; client < kClients; ++client) {
      while (clients_[client].flight) go_on(client);
    }
    history_.lies = store_.told();
    return std::move(history_);
  }

 private:
  void begin();
  void go_on(std::size_t client);
  void watch();

  // What a client asks.
  void invoke(std::size_t client);
  CallAsk choose(Client& client);
  CallAsk choose_decide(const Client& client);
  CallAsk choose_finish(const Client& client);

  // What the network does.
  void apply(Flight& flight);
  std::optional<CallAnswer> send(const Flight& flight);
  void answer(std::size_t client);
  void settle(std::size_t client);
  void conclude(Client& client, const Call& call);
  void deliver_late();

  ManualClock clock_{kStart};
  Rng rng_;
  std::unique_ptr<Store> inner_;
  LyingStore store_;
  std::vector<Client> clients_;
  std::vector<Flight> given_up_;
  std::uint64_t tick_ = 0;
  Watch watch_;
  History history_;
};

void Recorder::begin() {
  const Incarnation founder = Incarnation::random(rng_);
  Node node;
  node.incarnation = founder;
  node.beat = Beat{1};
  CHECK(inner_->beat({node, {}, 0}).ok());
  RegisterAsk ask{"s", "1", std::nullopt, {}, {}};
  for (const Job& job : three_jobs()) {
    ask.jobs.push_back({job, kStart, kStart + kPeriod, std::nullopt});
  }
  CHECK(inner_->enroll({founder, 0, 1}, ask).ok());
  const SweepEntry leaves{founder, Beat{1}};
  CHECK(inner_->sweep({founder, 0, 2}, std::span(&leaves, 1)).ok());
  const auto jobs = inner_->jobs().value();
  for (const JobRow& row : jobs) history_.beginning.add_job(row);
  for (Client& client : clients_) client.incarnation = Incarnation::random(rng_);
}

void Recorder::watch() {
  for (std::string& wrong : watch_.look(*inner_)) {
    const bool known = std::count(history_.broken.begin(), history_.broken.end(), wrong) > 0;
    if (!known) history_.broken.push_back(std::move(wrong));
  }
}

/// One step of one client: it asks, its request arrives, or its answer does.
void Recorder::go_on(std::size_t index) {
  Client& client = clients_[index];
  if (!client.flight) return invoke(index);
  Flight& flight = *client.flight;
  if (flight.request_lost || (flight.applied && flight.answer_lost)) return settle(index);
  if (!flight.applied) return apply(flight);
  answer(index);
}

// ---- what a client asks -------------------------------------------------------------------------

void Recorder::invoke(std::size_t index) {
  Client& client = clients_[index];
  if (client.jobs.empty() || rng_.chance(60)) {  // otherwise it acts on old news
    client.jobs = *store_.jobs();
    client.nodes = *store_.nodes();
  }
  Flight flight;
  flight.call = {index, client.incarnation, choose(client), {}, {}, ++tick_, 0};
  flight.id = {client.incarnation, 0, ++client.sequence};
  if (!std::holds_alternative<Beat>(flight.call.ask)) {
    flight.request_lost = rng_.chance(5);
    flight.answer_lost = rng_.chance(5);
  }
  client.flight = std::move(flight);
}

CallAsk Recorder::choose(Client& client) {
  if (client.beat == Beat{0} || rng_.chance(15)) return Beat{++client.beat.value};
  if (!client.nodes.empty() && rng_.chance(8)) {
    const Node& node = pick(client.nodes, rng_);
    return SweepEntry{node.incarnation, node.beat};
  }
  if (!client.claims.empty() && rng_.chance(45)) return choose_finish(client);
  const JobRow& job = pick(client.jobs, rng_);
  if (!job.pending.empty() && rng_.chance(60)) return pick(job.pending, rng_).id;
  return choose_decide(client);
}

CallAsk Recorder::choose_decide(const Client& client) {
  const JobRow& job = pick(client.jobs, rng_);
  const Time from = *job.plan.next;
  const auto how = rng_.chance(80) ? SlotToRun::How::run : SlotToRun::How::enqueue;
  DecideEntry entry{job.uid, job.plan.turn, from, from, {}, {{from, from, how}}, {}, {}};
  if (from + 2 * kPeriod < clock_.wall()) {
    entry.through += kPeriod;
    entry.skipped = {{from, from, 1, Reason::missed}};
    entry.runs = {{from + kPeriod, from + kPeriod, how}};
  }
  entry.next = entry.through + kPeriod;
  return entry;
}

/// Mostly of the newest claim and right; sometimes of an old one, or with another's fence.
CallAsk Recorder::choose_finish(const Client& client) {
  const Claim claim = rng_.chance(70) ? client.claims.back() : pick(client.claims, rng_);
  FinishEntry end{claim.run, claim.fence, claim.incarnation};
  end.state = rng_.chance(60)   ? RunState::succeeded
              : rng_.chance(60) ? RunState::failed
                                : RunState::returned;
  if (rng_.chance(5)) --end.fence.value;
  return end;
}

// ---- what the network does ----------------------------------------------------------------------

/// None: the store did not take it.
std::optional<CallAnswer> Recorder::send(const Flight& flight) {
  const CallAsk& ask = flight.call.ask;
  if (const auto* beat = std::get_if<Beat>(&ask)) {
    Node node;
    node.incarnation = flight.call.by;
    node.beat = *beat;
    return store_.beat({node, {}, 0})->refused;
  }
  if (const auto* entry = std::get_if<DecideEntry>(&ask)) {
    const auto written = store_.decide(flight.id, {{*entry}, {}});
    return written ? std::optional<CallAnswer>(written->answer.entries.at(0)) : std::nullopt;
  }
  if (const auto* run = std::get_if<RunId>(&ask)) {
    const auto written = store_.take(flight.id, std::span(run, 1));
    return written ? std::optional<CallAnswer>(written->answer.at(0)) : std::nullopt;
  }
  if (const auto* end = std::get_if<FinishEntry>(&ask)) {
    const auto written = store_.finish(flight.id, std::span(end, 1));
    return written ? std::optional<CallAnswer>(written->answer.at(0)) : std::nullopt;
  }
  const auto written = store_.sweep(flight.id, std::span(&std::get<SweepEntry>(ask), 1));
  return written ? std::optional<CallAnswer>(written->answer.at(0)) : std::nullopt;
}

void Recorder::apply(Flight& flight) {
  flight.applied = true;
  flight.call.store_time = clock_.wall();
  if (const auto answer = send(flight)) {
    flight.call.answer = *answer;
  } else {
    flight.refused_as_stale = true;
  }
}

void Recorder::answer(std::size_t index) {
  Client& client = clients_[index];
  const Flight flight = *std::exchange(client.flight, std::nullopt);
  CHECK(!flight.refused_as_stale);  // a client writes one after the other
  conclude(client, flight.call);
}

/// Only what the lane says counts: neither client nor recorder guesses whether it was applied.
void Recorder::settle(std::size_t index) {
  Client& client = clients_[index];
  Flight flight = *std::exchange(client.flight, std::nullopt);
  ++history_.unknown;
  const auto written = store_.decide({client.incarnation, 0, ++client.sequence}, {});
  if (flight.request_lost) given_up_.push_back(flight);
  if (!written || written->before.sequence != flight.id.sequence) return;
  ++history_.found_applied;
  const Outcome& outcome = written->before.outcome;
  if (const auto* decided = std::get_if<DecideAnswers>(&outcome)) {
    flight.call.answer = decided->entries.at(0);
  } else if (const auto* taken = std::get_if<std::vector<TakeAnswer>>(&outcome)) {
    flight.call.answer = taken->at(0);
  } else if (const auto* finished = std::get_if<std::vector<FinishAnswer>>(&outcome)) {
    flight.call.answer = finished->empty() ? FinishAnswer{} : finished->at(0);
  } else if (const auto* swept = std::get_if<std::vector<SweepAnswer>>(&outcome)) {
    flight.call.answer = swept->at(0);
  }
  conclude(client, flight.call);
}

void Recorder::conclude(Client& client, const Call& call) {
  history_.calls.push_back(call);
  history_.calls.back().returned = ++tick_;
  const auto learn = [&](const std::optional<Claim>& claim) {
    if (!claim) return;
    client.claims.push_back(*claim);
    ++history_.claims;
  };
  if (const auto* decided = std::get_if<DecideAnswer>(&call.answer)) {
    for (const SlotOutcome& outcome : decided->runs) learn(outcome.claim);
  } else if (const auto* taken = std::get_if<TakeAnswer>(&call.answer)) {
    learn(taken->claim);
  }
  const auto* refused = std::get_if<Refused>(&call.answer);
  if (refused == nullptr || *refused != Refused::ended) return;
  client.incarnation = Incarnation::random(rng_);  // a new life; old claims may still be finished
  client.beat = Beat{0};
  client.sequence = 0;
}

/// A request that everybody has given up reaches the store after all.
void Recorder::deliver_late() {
  if (given_up_.empty()) return;
  const std::size_t index = rng_.below(given_up_.size());
  static_cast<void>(send(given_up_[index]));
  given_up_.erase(given_up_.begin() + static_cast<std::ptrdiff_t>(index));
  ++history_.arrived_late;
}

}  // namespace

History record_history(const StoreRow& store, std::uint64_t seed, std::size_t steps, Lie lie) {
  return Recorder(store, seed, lie).record(steps);
}

}  // namespace cronce::contract
