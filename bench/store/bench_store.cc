// Usage: bench_store FOLDER
// Decided and finished slots per second on one SQLite store, in batches of 1,000 jobs, beside the
// same rows written by hand without a question asked: what any store on this disk could reach. The
// two take turns, so that both see the same machine.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "model/codec.h"
#include "store/sqlite/database.h"
#include "store/sqlite/sqlite_store.h"
#include "test/sqlite/client.h"

namespace cronce {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr int kJobs = 1'000;
constexpr int kRounds = 30;

class StandingClock final : public Clock {
 public:
  Time wall() const override { return now_; }
  Duration boot() const override { return now_.time_since_epoch(); }
  void advance(Duration by) { now_ += by; }

 private:
  Time now_{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
};

/// One batch: its answers, as the lane keeps them.
struct Batch {
  std::vector<Claim> claims;
  std::string decided, finished;
};

class Ours {
 public:
  explicit Ours(const std::string& path)
      : store_(*SqliteStore::open_file({.path = path}, clock_, rng_)),
        client_(*store_, rng_, clock_) {
    std::vector<std::string> names;
    for (int i = 0; i < kJobs; ++i) names.push_back("job" + std::to_string(i));
    if (!client_.beat() || !client_.enroll(clock_.wall(), names)) std::abort();
  }

  double round(Batch& batch) {
    clock_.advance(seconds{10});
    const auto jobs = store_->jobs().value();
    const auto begin = SteadyClock::now();
    const auto decided = client_.decide(jobs, clock_.wall());
    batch.claims = Client::claims_of(decided->answer);
    const auto finished = client_.finish(batch.claims);
    const std::chrono::duration<double> took = SteadyClock::now() - begin;
    if (batch.claims.size() != kJobs || !finished) std::abort();
    batch.decided = encode(Outcome{decided->answer});
    batch.finished = encode(Outcome{finished->answer});
    return took.count();
  }

 private:
  StandingClock clock_;
  Rng rng_{1};
  std::unique_ptr<SqliteStore> store_;
  Client client_;
};

/// The same rows in the same tables of a file of its own.
class ByHand {
 public:
  explicit ByHand(const std::string& path)
      : ours_(std::make_unique<Ours>(path)), database_(path, nullptr) {
    ours_.reset();
    database_.run(
        "PRAGMA journal_mode = PERSIST; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384");
  }

  double round(const Batch& batch) {
    const auto begin = SteadyClock::now();
    ++position_;
    database_.run("BEGIN IMMEDIATE");
    for (const Claim& claim : batch.claims) {
      insert_
          .with(claim.run.job, claim.run.space, claim.run.slot, claim.run.request,
                claim.run.attempt, claim.key, claim.due, claim.fence, claim.incarnation,
                claim.claimed_at)
          .run();
      move_.with(claim.run.job, position_, claim.run.slot).run();
    }
    end(batch.claims.front().incarnation, batch.decided);
    ++position_;
    database_.run("BEGIN IMMEDIATE");
    for (const Claim& claim : batch.claims) {
      finish_.with(claim.run.job, claim.run.slot).run();
      touch_.with(claim.run.job, position_).run();
    }
    end(batch.claims.front().incarnation, batch.finished);
    const std::chrono::duration<double> took = SteadyClock::now() - begin;
    return took.count();
  }

 private:
  void end(const Incarnation& incarnation, const std::string& outcome) {
    lane_.with(incarnation, position_, outcome).run();
    meta_.with(position_).run();
    database_.run("COMMIT");
  }

  std::unique_ptr<Ours> ours_;  // makes the file and its jobs
  sqlite::Database database_;
  std::int64_t position_ = 1'000'000;
  sqlite::Statement insert_{
      database_,
      "INSERT INTO runs VALUES (?, ?, ?, ?, ?, 'scheduled', 'running', '', ?, "
      "?, ?, ?, 'a', ?, NULL, NULL, NULL, NULL, NULL, 0, 0, '', '')"};
  sqlite::Statement move_{database_,
                          "UPDATE jobs SET turn = turn + 1, cursor = ?3, next = ?3 + 10000, "
                          "fence_count = fence_count + 1, runs_started = runs_started + 1, changes "
                          "= changes + 1, changed = ?2 WHERE uid = ?1"};
  sqlite::Statement finish_{database_,
                            "UPDATE runs SET state = 'succeeded' WHERE job = ? AND space = 0 AND "
                            "slot = ? AND request = '' AND attempt = 1"};
  sqlite::Statement touch_{database_,
                           "UPDATE jobs SET changes = changes + 1, changed = ?2 WHERE uid = ?1"};
  sqlite::Statement lane_{database_, "REPLACE INTO lanes VALUES (?1, 0, ?2, 1, ?2, ?3)"};
  sqlite::Statement meta_{database_, "UPDATE meta SET position = ?1, changes = changes + 1000"};
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void run(const std::string& folder) {
  Ours ours(folder + "/ours");
  ByHand by_hand(folder + "/by_hand");
  std::vector<double> asked, written;
  for (int i = 0; i < kRounds; ++i) {
    Batch batch;
    asked.push_back(ours.round(batch));
    written.push_back(by_hand.round(batch));
  }
  const auto range = [](const std::vector<double>& times) {
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    std::printf("%.0f slots/s (%.0f to %.0f)\n", kJobs / median(times), kJobs / *most,
                kJobs / *least);
  };
  std::printf("decided and finished: ");
  range(asked);
  std::printf("the same rows by hand: ");
  range(written);
  std::printf("ratio %.2f\n", median(written) / median(asked));
}

}  // namespace
}  // namespace cronce

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  cronce::run(argv[1]);
  return 0;
}
