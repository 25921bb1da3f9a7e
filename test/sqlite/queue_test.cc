// Several processes and threads on one file: they queue, and nothing that a process does to the
// file beside lets another one in.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "store/sqlite/database.h"
#include "store/sqlite/sqlite_store.h"
#include "test/support/client.h"
#include "test/support/manual_clock.h"
#include "test/support/scratch.h"

namespace cronce {
namespace {

using namespace std::chrono_literals;

/// Lets a test do something in the middle of a step, once.
class StoppingClock final : public embedded::StoreClock {
 public:
  StoppingClock(const Clock& clock, std::function<void()>& inside)
      : clock_(clock), inside_(inside) {}

  embedded::Moment now(const embedded::Tables& tables, const Incarnation& asker) const override {
    if (const auto inside = std::exchange(inside_, nullptr)) inside();
    return clock_.now(tables, asker);
  }

 private:
  embedded::OwnClock clock_;
  std::function<void()>& inside_;
};

/// Another program with its own descriptors: test/sqlite/store_client.cc.
class OtherProcess {
 public:
  OtherProcess(const std::string& path, const std::string& what, const std::string& more = "") {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(pipe[1], STDOUT_FILENO);
      ::execl(CRONCE_STORE_CLIENT, "store_client", path.c_str(), what.c_str(),
              more.empty() ? nullptr : more.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(pipe[1]);
    output_ = pipe[0];
  }
  ~OtherProcess() {
    if (pid_ > 0) end();
    ::close(output_);
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  /// Its exit status.
  int end() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string output() const {
    std::string text(100, '\0');
    const ssize_t size = ::read(output_, text.data(), text.size());
    return text.substr(0, size < 0 ? 0 : static_cast<std::size_t>(size));
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

/// Returns when somebody waits for a lock of this file, as the kernel tells.
void wait_until_somebody_waits_for(const std::string& path) {
  struct stat found{};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  const std::string inode = ":" + std::to_string(found.st_ino) + " ";
  for (;;) {
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
      if (line.find("->") != std::string::npos && line.find(inode) != std::string::npos) return;
    }
    std::this_thread::yield();
  }
}

class Queue : public ::testing::Test {
 protected:
  std::unique_ptr<SqliteStore> open() {
    return *SqliteStore::open_file({.path = path_},
                                   std::make_unique<StoppingClock>(clock_, inside_), rng_);
  }

  Scratch folder_;
  std::string path_ = folder_.file("store");
  ManualClock clock_{kStart};
  Rng rng_{1};
  std::function<void()> inside_;
};

// ---- other processes ----------------------------------------------------------------------------

TEST_F(Queue, lets_another_process_wait_for_the_end_of_a_step) {
  auto store = open();
  Client client(*store, rng_, clock_);
  ASSERT_TRUE(client.beat());
  std::unique_ptr<OtherProcess> other;
  bool seen_waiting = false;
  inside_ = [&] {
    other = std::make_unique<OtherProcess>(path_, "beat");
    wait_until_somebody_waits_for(path_ + "-lock");
    seen_waiting = true;
  };
  EXPECT_TRUE(client.beat());
  ASSERT_TRUE(seen_waiting);
  EXPECT_EQ(other->end(), 0);
}

/// Closing any descriptor of a file drops all POSIX locks that the process has on it, and with them
/// SQLite's. The queue is another file's, and of another kind.
TEST_F(Queue, holds_though_the_file_was_opened_and_closed_beside) {
  auto store = open();
  Client client(*store, rng_, clock_);
  ASSERT_TRUE(client.beat());
  ASSERT_TRUE(client.enroll(clock_.wall(), {"x"}));
  clock_.advance(10s);
  const auto rows = store->jobs().value();
  const std::string now = std::to_string(clock_.wall().time_since_epoch().count());
  std::unique_ptr<OtherProcess> other;
  inside_ = [&] {
    EXPECT_EQ(OtherProcess(path_, "write").end(), 1);  // locked out
    ::close(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(OtherProcess(path_, "write").end(), 0);  // and in: SQLite's locks are gone
    other = std::make_unique<OtherProcess>(path_, "claim", now);
    wait_until_somebody_waits_for(path_ + "-lock");
  };
  EXPECT_EQ(Client::claims_of(client.decide(rows, clock_.wall())->answer).size(), 1U);
  EXPECT_EQ(other->end(), 0);
  EXPECT_EQ(other->output(), "0\n");
}

/// A look leaves no lock behind, neither the queue's nor SQLite's: whoever pages through what it
/// was told stops nobody.
TEST_F(Queue, is_left_by_readers_before_they_return) {
  auto store = open();
  Client client(*store, rng_, clock_);
  ASSERT_TRUE(client.beat());
  ASSERT_TRUE(client.enroll(clock_.wall(), {"x"}));
  sqlite::Database other(path_, nullptr);
  sqlite3_busy_timeout(other.handle(), 0);
  const auto can_write = [&] {
    try {
      other.run("BEGIN EXCLUSIVE; ROLLBACK");
    } catch (const sqlite::DatabaseError&) {
      return false;
    }
    return true;
  };
  const auto jobs = store->jobs();
  EXPECT_TRUE(can_write());
  const auto runs = store->runs({});
  EXPECT_TRUE(can_write());
  const auto nodes = store->nodes();
  EXPECT_TRUE(can_write());
  EXPECT_TRUE(store->backup(folder_.file("copy")));
  EXPECT_TRUE(can_write());
  // It could be seen if one did.
  sqlite::Database reader(path_, nullptr);
  sqlite::Statement reading(reader, "SELECT uid FROM jobs");
  ASSERT_TRUE(reading.with().row());
  EXPECT_FALSE(can_write());
}

/// Somebody else's tool that holds the file open for reading: said, and nothing of the step kept.
TEST_F(Queue, does_not_wait_for_ever_for_a_stranger) {
  auto store = open();
  Client client(*store, rng_, clock_);
  ASSERT_TRUE(client.beat());
  sqlite::Database stranger(path_, nullptr);
  sqlite::Statement reading(stranger, "SELECT id FROM meta");
  ASSERT_TRUE(reading.with().row());
  const auto refused = client.beat();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unavailable);
  EXPECT_EQ(refused.error().message, path_ + ": another program holds the file");
  reading.reset();
  EXPECT_TRUE(client.beat());
}

/// Four processes want every slot of three jobs: each slot is claimed once.
TEST_F(Queue, gives_each_slot_to_one_of_four_processes) {
  constexpr int kSlots = 10;
  auto store = open();
  Client client(*store, rng_, clock_);
  ASSERT_TRUE(client.beat());
  ASSERT_TRUE(client.enroll(clock_.wall(), {"x", "y", "z"}));
  for (int slot = 0; slot < kSlots; ++slot) {
    clock_.advance(10s);
    const std::string now = std::to_string(clock_.wall().time_since_epoch().count());
    std::array<std::unique_ptr<OtherProcess>, 4> others;
    for (auto& other : others) other = std::make_unique<OtherProcess>(path_, "claim", now);
    int claims = 0;
    for (auto& other : others) {
      EXPECT_EQ(other->end(), 0);
      claims += std::stoi(other->output());
    }
    EXPECT_EQ(claims, slot == 0 ? 3 : 0);  // the first ones never end, so later ones overlap
  }
  const auto runs = store->runs({}).value();
  std::set<std::pair<JobUid, Time>> slots;
  for (const auto& run : runs) EXPECT_TRUE(slots.insert({run.id.job, run.id.slot}).second);
  EXPECT_EQ(slots.size(), 3U * kSlots);
}

// ---- forks --------------------------------------------------------------------------------------

TEST_F(Queue, is_not_carried_across_a_fork) {
  auto store = open();
  Client client(*store, rng_, clock_);
  ASSERT_TRUE(client.beat());
  const pid_t child = ::fork();
  if (child == 0) {
    const auto beat = client.beat();
    const bool refused = !beat && beat.error().code == Code::invalid;
    store.reset();  // must not touch the parent's locks
    ::_exit(refused ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(client.beat());
}

/// What starts a job does so: a child that closes everything and becomes another program.
TEST_F(Queue, survives_children_that_close_everything) {
  constexpr int kForks = 300;
  auto store = open();
  Client client(*store, rng_, clock_);
  for (int i = 0; i < kForks; ++i) {
    pid_t child = -1;
    inside_ = [&] {  // in the middle of a transaction
      child = ::fork();
      if (child != 0) return;
      ::close_range(3, ~0U, 0);
      ::execl("/bin/true", "true", nullptr);
      ::_exit(127);
    };
    ASSERT_TRUE(client.beat());
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(store->nodes().value().at(0).beat, Beat{kForks});
  const sqlite::Database database(path_, nullptr);
  sqlite::Statement check(database, "PRAGMA integrity_check");
  ASSERT_TRUE(check.with().row());
  EXPECT_EQ(check.next<std::string>(), "ok");
  check.reset();
}

TEST_F(Queue, keeps_no_descriptor_that_a_job_would_inherit) {
  auto store = open();
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const auto target = std::filesystem::read_symlink(entry.path(), error);
    if (error || target.string().rfind(path_, 0) != 0) continue;
    ++found;
    const int handle = std::stoi(entry.path().filename());
    EXPECT_NE(::fcntl(handle, F_GETFD) & FD_CLOEXEC, 0) << target;
  }
  EXPECT_GE(found, 2U);  // the file and its queue
}

// ---- threads ------------------------------------------------------------------------------------

/// Returns when that thread of ours sleeps in the kernel, waiting for another one.
void wait_until_waiting(pid_t thread) {
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/syscall";
  for (std::string number; number != std::to_string(SYS_futex);) {
    std::this_thread::yield();
    std::ifstream(path) >> number;
  }
}

/// The work of a node goes on and on; its beat must come next all the same.
TEST_F(Queue, serves_the_thread_that_came_first) {
  auto store = open();
  Client work(*store, rng_, clock_), beats(*store, rng_, clock_);
  ASSERT_TRUE(work.beat());
  std::vector<std::string> order;
  std::thread beating;
  inside_ = [&] {
    std::atomic<pid_t> thread{0};
    beating = std::thread([&] {
      thread = static_cast<pid_t>(::syscall(SYS_gettid));
      EXPECT_TRUE(beats.beat());
    });
    while (thread == 0) std::this_thread::yield();
    wait_until_waiting(thread);
    inside_ = [&] {
      order.emplace_back("beat");
      inside_ = [&] { order.emplace_back("work"); };
    };
  };
  ASSERT_TRUE(work.enroll(clock_.wall(), {"x"}));
  ASSERT_TRUE(work.enroll(clock_.wall(), {"x"}));
  beating.join();
  EXPECT_EQ(store->nodes().value().size(), 2U);
  EXPECT_EQ(order, (std::vector<std::string>{"beat", "work"}));
}

}  // namespace
}  // namespace cronce
