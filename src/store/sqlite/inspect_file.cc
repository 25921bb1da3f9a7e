#include "store/sqlite/inspect_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "store/sqlite/ledger_query.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/witnesses.h"

namespace cronce {
namespace {

using sqlite::DatabaseError;

/// What stops the look, and what is said of it.
struct Stop {
  StoreTrouble trouble;
  std::string message;
};

/// A place in the queue of the store, if there is a queue and we may stand in it. Nobody is waited
/// for but by asking again: a wait in the kernel would have no end.
class Visit {
 public:
  Visit(const std::string& path, Duration patience)
      : handle_(::open((path + "-lock").c_str(), O_RDONLY | O_CLOEXEC)) {
    constexpr Duration kPause{5};
    while (handle_ >= 0 && ::flock(handle_, LOCK_SH | LOCK_NB) != 0) {
      if (patience <= Duration{0}) {
        ::close(handle_);
        throw Stop{StoreTrouble::busy, path + ": somebody holds the store in the middle of a step"};
      }
      std::this_thread::sleep_for(kPause);
      patience -= kPause;
    }
  }
  ~Visit() {
    if (handle_ >= 0) ::close(handle_);
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  int handle_;
};

void look_for_file(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    throw Stop{missing ? StoreTrouble::missing : StoreTrouble::unreadable,
               missing ? fmt::format("no store at {}", path)
                       : fmt::format("{}: {}", path, std::strerror(errno))};
  }
  if (!S_ISREG(found.st_mode)) throw Stop{StoreTrouble::foreign, path + ": this is not a file"};
  if (found.st_size == 0) throw Stop{StoreTrouble::missing, path + ": the file is empty"};
  if (const auto judged = sqlite::judge_folder_of(path); !judged) {
    throw Stop{StoreTrouble::network, judged.error().message};
  }
}

/// SQLite would make files beside a database with a write-ahead log, even for a reader: the first
/// bytes say what it is. Closing them drops locks that this process may have on the file, which
/// nobody needs who stands in the queue.
void look_at_header(const std::string& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  constexpr std::size_t kWritten = 18, kRead = 19;  // 2: with a write-ahead log
  std::array<char, 20> header{};
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    throw Stop{StoreTrouble::unreadable, fmt::format("{}: {}", path, std::strerror(errno))};
  }
  const auto size = ::read(file, header.data(), header.size());
  ::close(file);
  if (size != static_cast<ssize_t>(header.size()) ||
      !std::string_view(header.data(), 20).starts_with(kMagic)) {
    throw Stop{StoreTrouble::foreign, path + ": this is not an SQLite database"};
  }
  if (header[kWritten] == 2 || header[kRead] == 2) {
    throw Stop{StoreTrouble::journal, path + ": the file has a write-ahead log"};
  }
}

class Look {
 public:
  Look(const std::string& path, const Clock& clock, Duration patience, StoreFacts& out)
      : path_(path), clock_(clock), patience_(patience), out_(out) {}

  void begin() {
    look_for_file(path_);
    const Visit visit(path_, patience_);
    look_at_header(path_);
    database_.emplace(path_, nullptr, sqlite::Database::Use::read);
    rows_.emplace(*database_);
    try {
      database_->run("BEGIN");
      read_versions();
      read_meta();
      database_->run("COMMIT");
    } catch (const DatabaseError& failure) {
      throw_stop(failure.error);
    }
  }

  void read_jobs() {
    constexpr std::int64_t kPage = 200;
    for (JobUid last;;) {
      const Visit visit(path_, patience_);
      database_->run("BEGIN");
      const auto page = rows_->jobs_after(last, kPage);
      rows_->jobs(page,
                  [&](embedded::StoredJob&& job) { out_.jobs.push_back(std::move(job.row)); });
      database_->run("COMMIT");
      if (page.empty()) return;
      last = page.back();
    }
  }

 private:
  void read_versions() {
    if (!sqlite::has_schema(*database_)) {
      throw Stop{StoreTrouble::missing, path_ + ": the file is an empty database"};
    }
    out_.schema = sqlite::versions_of(*database_).schema;
  }

  void read_meta() {
    if (out_.schema < out_.our_schema) return;  // its tables have other columns
    const embedded::Meta meta = rows_->meta();  // which refuses what is only for newer programs
    const auto place = sqlite::place_of(path_);
    if (!place) throw Stop{StoreTrouble::unreadable, place.error().message};
    const sqlite::Moved moved = compare(rows_->stored_place(), *place);
    if (moved == sqlite::Moved::copy) {
      out_.trouble = StoreTrouble::copy;
      out_.message = path_ + ": this file is a copy of a store, or was restored";
    } else if (moved == sqlite::Moved::device) {
      out_.trouble = StoreTrouble::device;
      out_.message = path_ + ": the store lies on another device than it did";
    }
    out_.other_machine = moved == sqlite::Moved::machine;
    out_.epoch = meta.epoch;
    out_.closed = meta.closed;
    rows_->living_nodes([&](embedded::NodeRow&& row) { out_.nodes.push_back(*row.node); });
    out_.held = sqlite::LedgerQuery(*database_)
                    .find({.limit = 1'000, .states = {RunState::held}, .output = false});
    read_time(meta);
  }

  void read_time(const embedded::Meta& meta) {
    out_.boot = clock_.boot();
    const Duration own = clock_.wall().time_since_epoch() - out_.boot;
    std::vector<Duration> readings;
    for (const Node& node : out_.nodes) readings.push_back(node.clock_reading);
    const sqlite::Verdict verdict = sqlite::judge(readings, own, meta.accepted);
    out_.now = Time{out_.boot + verdict.reading};
    // One reader is not disputed: the nodes are, if they disagree among themselves.
    const auto agreed = [&](const Node& node) {
      return !sqlite::judge(readings, node.clock_reading, meta.accepted).disputed;
    };
    out_.disputed =
        !out_.nodes.empty() && std::none_of(out_.nodes.begin(), out_.nodes.end(), agreed);
  }

  [[noreturn]] void throw_stop(const Error& error) const {
    // A reader that must write something first: a journal is there that was not finished.
    const bool unfinished =
        (sqlite3_extended_errcode(database_->handle()) & 0xff) == SQLITE_READONLY;
    if (unfinished) {
      throw Stop{StoreTrouble::unfinished, path_ + ": a write was cut off in the middle"};
    }
    if (out_.schema > out_.our_schema && error.code == Code::invalid) {
      throw Stop{StoreTrouble::newer, error.message};
    }
    throw DatabaseError{error};
  }

  const std::string& path_;
  const Clock& clock_;
  Duration patience_;
  StoreFacts& out_;
  std::optional<sqlite::Database> database_;
  std::optional<sqlite::Rows> rows_;
};

StoreTrouble trouble_of(Code code) {
  if (code == Code::unavailable) return StoreTrouble::busy;
  return code == Code::corrupt ? StoreTrouble::damaged : StoreTrouble::foreign;
}

}  // namespace

StoreFacts inspect_sqlite_store(const std::string& path, const Clock& clock, Duration patience) {
  StoreFacts out;
  out.grade = "full";
  out.library = fmt::format("SQLite {}", sqlite3_libversion());
  out.library_is_older = sqlite3_libversion_number() < SQLITE_VERSION_NUMBER;
  out.our_schema = static_cast<std::int64_t>(sqlite::our_schema().steps.size());
  try {
    Look look(path, clock, patience, out);
    look.begin();
    if (out.was_read()) look.read_jobs();
  } catch (const Stop& stop) {
    out.trouble = stop.trouble;
    out.message = stop.message;
  } catch (const DatabaseError& failure) {
    out.trouble = trouble_of(failure.error.code);
    out.message = failure.error.message;
  }
  return out;
}

}  // namespace cronce
