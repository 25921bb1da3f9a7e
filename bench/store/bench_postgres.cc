// Usage: bench_postgres [BATCH]
// What the PostgreSQL store costs beyond its server, which syncs its disk and runs on this machine;
// peers take turns with it, so that both see the same machine.
//
// Decided and finished slots per second, BATCH jobs (1,000) in a write, by one node and by three at
// once, which share these jobs or have as many each; beside the same rows written by hand without a
// question asked, also in two round trips; and beside a lock that is taken and given back for each
// slot, as lock libraries do. And how long it takes until all claims of a batch are known.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "bench/store/measure.h"
#include "model/codec.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/shapes.h"
#include "store/postgres/values.h"
#include "test/postgres/mirror_check.h"
#include "test/support/client.h"
#include "test/support/manual_clock.h"
#include "test/support/postgres_server.h"

namespace cronce {
namespace {

using std::chrono::seconds;

constexpr int kRounds = 30;

/// One batch: its answers, as the lane keeps them.
struct Batch {
  std::vector<Claim> claims;
  Cost until_claimed;
  std::string decided, finished;
};

class Ours {
 public:
  Ours(const PostgresStoreSettings& settings, int jobs, std::uint64_t seed)
      : rng_(seed),
        store_(
            *PostgresStore::connect(settings, std::make_unique<embedded::OwnClock>(clock_), rng_)),
        client_(*store_, rng_, clock_) {
    std::vector<std::string> names;
    for (int i = 0; i < jobs; ++i) names.push_back(fmt::format("n{}-job{}", seed, i));
    const std::string source = fmt::format("source{}", seed);
    if (!client_.beat() || !client_.enroll(clock_.wall(), names, source)) std::abort();
    for (JobRow& job : store_->jobs().value()) {
      if (job.sources->contains(source)) jobs_.push_back(std::move(job));
    }
  }

  /// The answers bring the plans: nothing is asked between the two writes and the next round.
  Cost decide_and_finish(Batch& batch) {
    clock_.advance(seconds{10});
    const Watch watch;
    const auto decided = client_.decide(jobs_, clock_.wall());
    if (!decided) std::abort();
    batch.until_claimed = watch.read();
    batch.claims = Client::claims_of(decided->answer);
    const auto finished = client_.finish(batch.claims);
    const Cost cost = watch.read();
    if (batch.claims.size() != jobs_.size() || !finished) std::abort();
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      jobs_[i].plan = decided->answer.entries[i].plan;
    }
    batch.decided = encode(Outcome{decided->answer});
    batch.finished = encode(Outcome{finished->answer});
    return cost;
  }

  std::uint64_t round_trips() const { return PostgresMirrorCheck::round_trips(*store_); }

 private:
  ManualClock clock_{kStart};
  Rng rng_;
  std::unique_ptr<PostgresStore> store_;
  Client client_;
  std::vector<JobRow> jobs_;
};

std::unique_ptr<PostgresConnection> connect(const PostgresStoreSettings& settings) {
  auto connection = PostgresConnection::connect(settings.server);
  if (!connection) std::abort();
  return *std::move(connection);
}

/// The same rows in the same tables of a namespace of its own.
class ByHand {
 public:
  ByHand(const PostgresStoreSettings& settings, int jobs)
      : ours_(std::make_unique<Ours>(settings, jobs, 1)), connection_(connect(settings)) {
    ours_.reset();
    const std::vector<PostgresStatement> which{
        {"SELECT ns FROM cronce.stores WHERE namespace = $1", {settings.name_space}}};
    ns_ = (*connection_->run(which)).front().text(0, 0);
    const std::vector<PostgresStatement> theirs{
        {"SELECT uid FROM cronce.jobs WHERE ns = $1::integer ORDER BY uid", {ns_}}};
    const auto rows = *connection_->run(theirs);
    for (std::size_t i = 0; i < rows.front().size(); ++i)
      uids_.emplace_back(rows.front().text(i, 0));
  }

  Cost decide_and_finish(const Batch& batch) {
    const Watch watch;
    ++position_;
    postgres::Columns runs, jobs;
    for (std::size_t i = 0; i < batch.claims.size(); ++i) {
      const Claim& claim = batch.claims[i];
      runs.add(uids_[i], claim.run.space, claim.run.slot, claim.run.request, claim.run.attempt,
               RunKind::scheduled, RunState::running, Reason::none, claim.key, claim.due,
               claim.fence, claim.incarnation, std::string("a"), claim.claimed_at,
               std::optional<Time>{}, std::optional<Time>{}, std::optional<std::int64_t>{},
               std::optional<std::string>{}, std::optional<std::string>{}, false, false,
               std::string("a"), claim.claimed_at, std::int64_t{1}, std::string{},
               postgres::Bytes{}, postgres::Bytes{});
      jobs.add(uids_[i], claim.run.slot);
    }
    std::vector<postgres::Value> values{ns_};
    std::string insert = postgres::kRuns.insert(runs, values);
    write({{std::move(insert), std::move(values)}, with({ns_, position()}, kMove, jobs)},
          batch.decided);
    ++position_;
    postgres::Columns ends;
    for (std::size_t i = 0; i < batch.claims.size(); ++i) {
      ends.add(uids_[i], batch.claims[i].run.slot);
    }
    postgres::Columns touched = ends;
    write({with({ns_}, kEnd, ends), with({ns_, position()}, kTouch, touched)}, batch.finished);
    return watch.read();
  }

 private:
  std::string position() const { return std::to_string(position_); }

  void write(std::vector<PostgresStatement> statements, const std::string& outcome) {
    statements.insert(statements.begin(), {kByKey, {}});
    statements.push_back({kLane, {ns_, position(), outcome}});
    statements.push_back({kStore, {ns_, position()}});
    statements.push_back({kWrite, {ns_, position(), postgres::array_of(uids_)}});
    if (!connection_->run(statements)) std::abort();
  }

  /// The rows take the place of {} in the statement.
  static PostgresStatement with(std::vector<postgres::Value> values, const char* sql,
                                postgres::Columns& rows) {
    constexpr std::array kSlots{postgres::Column{"job", "bigint"},
                                postgres::Column{"slot", "bigint"}};
    std::string whole = fmt::format(fmt::runtime(sql), postgres::given_rows(kSlots, rows, values));
    return {std::move(whole), std::move(values)};
  }

  /// Otherwise the server reads all rows there are to find a thousand.
  static constexpr const char* kByKey =
      "SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', "
      "true), set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', "
      "true)";
  static constexpr const char* kMove =
      "UPDATE cronce.jobs AS t SET turn = turn + 1, cursor = v.slot, next = v.slot + 10000, "
      "fence_count = fence_count + 1, runs_started = runs_started + 1, changes = changes + 1, "
      "open = '{{\"(0,1789000000000,\\\"\\\",1)\"}}', changed = $2::bigint FROM {} WHERE t.ns = "
      "v.ns AND t.uid = v.job";
  static constexpr const char* kEnd =
      "UPDATE cronce.runs AS t SET state = 'succeeded' FROM (SELECT *, "
      "0::smallint AS space, '' AS request, 1::bigint AS attempt FROM {} OFFSET 0) AS v WHERE t.ns "
      "= v.ns AND t.job = v.job AND t.space = v.space AND t.slot = v.slot AND t.request = "
      "v.request AND t.attempt = v.attempt";
  static constexpr const char* kTouch =
      "UPDATE cronce.jobs AS t SET changes = changes + 1, succeeded = v.slot, open = '{{}}', "
      "changed = "
      "$2::bigint "
      "FROM {} WHERE t.ns = v.ns AND t.uid = v.job";
  static constexpr const char* kLane =
      "INSERT INTO cronce.lanes VALUES ($1::integer, '00000000000000000000000000000001', 0, "
      "$2::bigint, 1, $2::bigint, $3) ON CONFLICT (ns, incarnation, lane) DO UPDATE SET "
      "sequence = excluded.sequence, outcome_of = excluded.outcome_of, outcome = excluded.outcome";
  static constexpr const char* kStore =
      "UPDATE cronce.stores SET position = $2::bigint, changes = changes + 1000 WHERE ns = "
      "$1::integer";

  static constexpr const char* kWrite =
      "INSERT INTO cronce.writes VALUES ($1::integer, $2::bigint, 'a', $3::bigint[])";

  std::unique_ptr<Ours> ours_;  // makes the namespace and its jobs
  std::unique_ptr<PostgresConnection> connection_;
  std::string ns_;
  std::vector<std::string> uids_;
  std::int64_t position_ = 1'000'000;
};

/// A row for each job, locked for the time of the slot and then given back.
class LockPerJob {
 public:
  explicit LockPerJob(const PostgresStoreSettings& settings) : connection_(connect(settings)) {
    const std::vector<PostgresStatement> table{
        {"CREATE TABLE IF NOT EXISTS public.lock (name text PRIMARY KEY, until timestamptz NOT "
         "NULL, at timestamptz NOT NULL, who text NOT NULL)",
         {}}};
    if (!connection_->run(table)) std::abort();
  }

  Cost take_and_release(int jobs) {
    const Watch watch;
    for (int i = 0; i < jobs; ++i) {
      const std::string name = fmt::format("job{}", i);
      const std::vector<PostgresStatement> take{
          {"INSERT INTO public.lock VALUES ($1, now() + interval '1 minute', now(), 'a') ON "
           "CONFLICT (name) DO UPDATE SET until = excluded.until, at = excluded.at WHERE "
           "lock.until <= now()",
           {name}}};
      const std::vector<PostgresStatement> release{
          {"UPDATE public.lock SET until = now() WHERE name = $1", {name}}};
      if (!connection_->run(take) || !connection_->run(release)) std::abort();
    }
    return watch.read();
  }

 private:
  std::unique_ptr<PostgresConnection> connection_;
};

void print(const char* what, int slots, const Costs& costs) {
  std::printf("  %-34s %7.0f slots/s (%.0f to %.0f); our CPU %.1f us a slot\n", what,
              slots / part(costs, 0.5, &Cost::wall), slots / part(costs, 1, &Cost::wall),
              slots / part(costs, 0, &Cost::wall), part(costs, 0.5, &Cost::cpu) / slots * 1e6);
}

/// All rounds of all three, from the first to the last.
struct OfThree {
  double slots_per_second, round_trips_a_batch;
};
OfThree run_three(const PostgresStoreSettings& settings, int each) {
  std::vector<std::unique_ptr<Ours>> nodes;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    nodes.push_back(std::make_unique<Ours>(settings, each, i));
  }
  std::uint64_t before = 0;
  for (const auto& node : nodes) before += node->round_trips();
  const Watch watch;
  std::vector<std::thread> threads;
  for (auto& node : nodes) {
    threads.emplace_back([&node] {
      Batch batch;
      for (int i = 0; i < kRounds; ++i) node->decide_and_finish(batch);
    });
  }
  for (auto& thread : threads) thread.join();
  const double rounds = 3.0 * kRounds, slots = rounds * each, wall = watch.read().wall;
  std::uint64_t trips = 0;
  for (const auto& node : nodes) trips += node->round_trips();
  return {slots / wall, static_cast<double>(trips - before) / rounds};
}

/// The middle of five.
void print_three(const char* what, const test::PostgresServer& server, int each, double of_one) {
  std::vector<OfThree> three;
  for (int i = 0; i < 5; ++i) {
    three.push_back(run_three({{server.conninfo()}, fmt::format("{}-{}", each, i)}, each));
  }
  std::sort(three.begin(), three.end(), [](const OfThree& a, const OfThree& b) {
    return a.slots_per_second < b.slots_per_second;
  });
  std::printf(
      "  %-34s %7.0f slots/s in all (%.0f to %.0f), %.2f of one node; %.2f round trips a batch\n",
      what, three[2].slots_per_second, three[0].slots_per_second, three[4].slots_per_second,
      three[2].slots_per_second / of_one, three[2].round_trips_a_batch);
}

void bench(int jobs) {
  const test::PostgresServer server({.fsync = true});
  const auto settings = [&](const char* name) {
    return PostgresStoreSettings{{server.conninfo()}, name};
  };
  Ours ours(settings("one"), jobs, 1);
  ByHand by_hand(settings("by-hand"), jobs);
  LockPerJob lock(settings("one"));
  Costs asked, claimed, written, locked;
  Batch batch;
  ours.decide_and_finish(batch);
  const std::uint64_t before = ours.round_trips();
  for (int i = 0; i < kRounds; ++i) {
    asked.push_back(ours.decide_and_finish(batch));
    claimed.push_back(batch.until_claimed);
    written.push_back(by_hand.decide_and_finish(batch));
    if (i % 10 == 0) locked.push_back(lock.take_and_release(100));
  }
  const auto trips = static_cast<double>(ours.round_trips() - before);
  std::printf("Decided and finished, in batches of %d; %.0f round trips a batch:\n", jobs,
              trips / kRounds);
  print("the store, one node", jobs, asked);
  print("the same rows by hand", jobs, written);
  print("a lock taken and given back", 100, locked);
  std::printf("  ratio to the rows by hand %.2f, to the lock %.0f\n",
              part(written, 0.5, &Cost::wall) / part(asked, 0.5, &Cost::wall),
              jobs / part(asked, 0.5, &Cost::wall) / (100 / part(locked, 0.5, &Cost::wall)));
  std::printf("  all %d claimed after %.0f ms (%.0f to %.0f)\n", jobs,
              1e3 * part(claimed, 0.5, &Cost::wall), 1e3 * part(claimed, 0, &Cost::wall),
              1e3 * part(claimed, 1, &Cost::wall));
  const double of_one = jobs / part(asked, 0.5, &Cost::wall);
  print_three("three nodes, a third of them each", server, jobs / 3, of_one);
  print_three("three nodes, as many each", server, jobs, of_one);
}

}  // namespace
}  // namespace cronce

int main(int argc, char** argv) {
  cronce::bench(argc > 1 ? std::atoi(argv[1]) : 1'000);
  return 0;
}
