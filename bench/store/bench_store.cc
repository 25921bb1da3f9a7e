// Usage: bench_store FOLDER
// What the SQLite store costs beyond its disk, on the disk of FOLDER; peers take turns with it, so
// that both see the same machine.
//
// Batches: decided and finished slots per second, 1,000 jobs in a write, beside the same rows
// written by hand without a question asked. Claims: the time of one claim, beside a transaction of
// SQLite itself that writes as many pages, and beside as many syncs of a plain file.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/store/measure.h"
#include "model/codec.h"
#include "store/sqlite/database.h"
#include "store/sqlite/sqlite_store.h"
#include "test/support/client.h"
#include "test/support/manual_clock.h"

namespace cronce {
namespace {

using std::chrono::seconds;

constexpr int kJobs = 1'000;
constexpr int kRounds = 30;
constexpr int kClaims = 500;
constexpr int kSyncs =
    5;  // of a commit: twice the journal, its folder, the file, the journal's end

/// One batch: its answers, as the lane keeps them.
struct Batch {
  std::vector<Claim> claims;
  std::string decided, finished;
};

class Ours {
 public:
  Ours(const std::string& path, int jobs)
      : store_(*SqliteStore::open_file({.path = path}, clock_, rng_)),
        client_(*store_, rng_, clock_) {
    std::vector<std::string> names;
    for (int i = 0; i < jobs; ++i) names.push_back("job" + std::to_string(i));
    if (!client_.beat() || !client_.enroll(clock_.wall(), names)) std::abort();
  }

  Cost decide_and_finish(Batch& batch) {
    clock_.advance(seconds{10});
    const auto jobs = store_->jobs().value();
    const Watch watch;
    const auto decided = client_.decide(jobs, clock_.wall());
    batch.claims = Client::claims_of(decided->answer);
    const auto finished = client_.finish(batch.claims);
    const Cost cost = watch.read();
    if (batch.claims.size() != jobs.size() || !finished) std::abort();
    batch.decided = encode(Outcome{decided->answer});
    batch.finished = encode(Outcome{finished->answer});
    return cost;
  }

  /// One job's slot.
  Cost claim() {
    clock_.advance(seconds{10});
    const auto jobs = store_->jobs().value();
    const Watch watch;
    const auto decided = client_.decide(jobs, clock_.wall());
    const Cost cost = watch.read();
    if (!client_.finish(Client::claims_of(decided->answer))) std::abort();
    return cost;
  }

 private:
  ManualClock clock_{Time{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}}};
  Rng rng_{1};
  std::unique_ptr<SqliteStore> store_;
  Client client_;
};

constexpr const char* kSettings =
    "PRAGMA journal_mode = PERSIST; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384";

/// The same rows in the same tables of a file of its own.
class ByHand {
 public:
  explicit ByHand(const std::string& path)
      : ours_(std::make_unique<Ours>(path, kJobs)), database_(path, nullptr) {
    ours_.reset();
    database_.run(kSettings);
  }

  Cost decide_and_finish(const Batch& batch) {
    const Watch watch;
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
    return watch.read();
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
      "INSERT INTO runs (job, space, slot, request, attempt, kind, state, reason, key, due, fence, "
      "incarnation, node, claimed_at, decided_by, decided_at, revision, deferred, confirmed, "
      "progress, output_tail) VALUES (?1, ?2, ?3, ?4, ?5, 'scheduled', 'running', '', ?6, ?7, ?8, "
      "?9, 'a', ?10, 'a', ?10, 1, 0, 0, '', '')"};
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

/// As many pages as a claim writes: run, its index, job, its index, lane and meta.
class RawTransactions {
 public:
  explicit RawTransactions(const std::string& path) : database_(path, nullptr) {
    database_.run(kSettings);
    for (const char table : std::string("abcdef")) {
      database_.run(fmt::format("CREATE TABLE {0} (x INTEGER PRIMARY KEY, y); "
                                "INSERT INTO {0} VALUES (1, 0)",
                                table)
                        .c_str());
    }
  }

  Cost commit() {
    const Watch watch;
    database_.run(
        "BEGIN IMMEDIATE; UPDATE a SET y = y + 1; UPDATE b SET y = y + 1; UPDATE c SET y = y + 1;"
        "UPDATE d SET y = y + 1; UPDATE e SET y = y + 1; UPDATE f SET y = y + 1; COMMIT");
    return watch.read();
  }

 private:
  sqlite::Database database_;
};

class RawSyncs {
 public:
  explicit RawSyncs(const std::string& path)
      : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
  ~RawSyncs() { ::close(file_); }
  RawSyncs(const RawSyncs&) = delete;
  RawSyncs& operator=(const RawSyncs&) = delete;

  Cost commit() const {
    const std::string page(4096, 'x');
    const Watch watch;
    for (int i = 0; i < kSyncs; ++i) {
      if (::pwrite(file_, page.data(), page.size(), i * 4096) < 0) std::abort();
      if (::fdatasync(file_) != 0) std::abort();
    }
    return watch.read();
  }

 private:
  int file_;
};

void print_batches(const char* what, const Costs& costs) {
  std::printf("  %-24s %7.0f slots/s (%.0f to %.0f); CPU %.1f us a slot\n", what,
              kJobs / part(costs, 0.5, &Cost::wall), kJobs / part(costs, 1, &Cost::wall),
              kJobs / part(costs, 0, &Cost::wall), part(costs, 0.5, &Cost::cpu) / kJobs * 1e6);
}

void bench_batches(const std::string& folder) {
  Ours ours(folder + "/ours", kJobs);
  ByHand by_hand(folder + "/by_hand");
  Costs asked, written;
  for (int i = 0; i < kRounds; ++i) {
    Batch batch;
    asked.push_back(ours.decide_and_finish(batch));
    written.push_back(by_hand.decide_and_finish(batch));
  }
  std::printf("Decided and finished, in batches of %d:\n", kJobs);
  print_batches("the store", asked);
  print_batches("the same rows by hand", written);
  std::printf("  ratio %.2f, by CPU time %.2f\n",
              part(written, 0.5, &Cost::wall) / part(asked, 0.5, &Cost::wall),
              part(written, 0.5, &Cost::cpu) / part(asked, 0.5, &Cost::cpu));
}

void print_claims(const char* what, const Costs& costs) {
  double total = 0;
  for (const Cost& cost : costs) total += cost.wall;
  std::printf("  %-24s %6.0f/s; p50 %.2f ms, p99 %.2f ms; CPU %.3f ms\n", what, kClaims / total,
              part(costs, 0.5, &Cost::wall) * 1e3, part(costs, 0.99, &Cost::wall) * 1e3,
              part(costs, 0.5, &Cost::cpu) * 1e3);
}

void bench_claims(const std::string& folder) {
  Ours ours(folder + "/one", 1);
  RawTransactions transactions(folder + "/raw");
  const RawSyncs syncs(folder + "/plain");
  Costs claimed, committed, synced;
  for (int i = 0; i < kClaims; ++i) {
    claimed.push_back(ours.claim());
    committed.push_back(transactions.commit());
    synced.push_back(syncs.commit());
  }
  std::printf("One claim in a write:\n");
  print_claims("the store", claimed);
  print_claims("a transaction of SQLite", committed);
  print_claims("five syncs of a file", synced);
  std::printf("  ratio to the transaction: p50 %.2f, p99 %.2f\n",
              part(committed, 0.5, &Cost::wall) / part(claimed, 0.5, &Cost::wall),
              part(committed, 0.99, &Cost::wall) / part(claimed, 0.99, &Cost::wall));
}

}  // namespace
}  // namespace cronce

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  cronce::bench_batches(argv[1]);
  cronce::bench_claims(argv[1]);
  return 0;
}
