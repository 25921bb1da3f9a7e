#include "test/chaos/naive_locks.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include <fmt/format.h>

namespace cronce::chaos {
namespace {

class FileLocks final : public NaiveLocks {
 public:
  explicit FileLocks(std::string store) : store_(std::move(store)) {}

  bool lock(const std::string& job) override {
    const int file =
        open(fmt::format("{}.{}.lock", store_, job).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
      close(file);
      return false;
    }
    held_[job] = file;
    return true;
  }

  void unlock(const std::string& job) override { close(held_.at(job)); }

  void add_to_history(const std::string& line) override {
    const int file = open((store_ + ".history").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    [[maybe_unused]] const auto written = write(file, line.data(), line.size());
    close(file);
  }

  std::string history() override {
    std::ostringstream all;
    all << std::ifstream(store_ + ".history").rdbuf();
    return all.str();
  }

 private:
  std::string store_;
  std::map<std::string, int> held_;
};

/// A row for each job that runs; one that is old is of a node that died.
class RowLocks final : public NaiveLocks {
 public:
  RowLocks(std::string address, std::string node)
      : address_(std::move(address)), node_(std::move(node)) {}
  ~RowLocks() override { PQfinish(connection_); }

  bool lock(const std::string& job) override {
    return !ask("INSERT INTO naive_lock (job, node) VALUES ($1, $2) ON CONFLICT (job) DO UPDATE"
                " SET node = $2, at = now() WHERE naive_lock.at < now() - interval '5 s'"
                " RETURNING 'locked'",
                {job, node_})
                .empty();
  }

  void unlock(const std::string& job) override {
    ask("DELETE FROM naive_lock WHERE job = $1 AND node = $2", {job, node_});
  }

  void add_to_history(const std::string& line) override {
    ask("INSERT INTO naive_history (line) VALUES ($1)", {line});
  }

  std::string history() override { return ask("SELECT line FROM naive_history ORDER BY id", {}); }

 private:
  bool connect() {
    if (connection_ != nullptr && PQstatus(connection_) == CONNECTION_OK) return true;
    PQfinish(connection_);
    connection_ = PQconnectdb((address_ + "&connect_timeout=2").c_str());
    if (PQstatus(connection_) != CONNECTION_OK) return false;
    for (const char* sql :
         {"CREATE TABLE IF NOT EXISTS naive_lock"
          " (job text PRIMARY KEY, node text, at timestamptz DEFAULT now())",
          "CREATE TABLE IF NOT EXISTS naive_history (id serial PRIMARY KEY, line text)"}) {
      PQclear(PQexecParams(connection_, sql, 0, nullptr, nullptr, nullptr, nullptr, 0));
    }
    return true;
  }

  /// The first column, all rows of it; nothing if it fails.
  std::string ask(const char* sql, const std::vector<std::string>& values) {
    if (!connect()) return "";
    std::vector<const char*> texts;
    for (const std::string& value : values) texts.push_back(value.c_str());
    PGresult* result = PQexecParams(connection_, sql, static_cast<int>(texts.size()), nullptr,
                                    texts.data(), nullptr, nullptr, 0);
    std::string all;
    for (int row = 0; row < PQntuples(result); ++row) all += PQgetvalue(result, row, 0);
    PQclear(result);
    return all;
  }

  std::string address_;
  std::string node_;
  PGconn* connection_ = nullptr;
};

}  // namespace

std::unique_ptr<NaiveLocks> make_naive_locks(const std::string& address, const std::string& node) {
  const std::string file = "sqlite:";
  if (address.starts_with(file)) return std::make_unique<FileLocks>(address.substr(file.size()));
  return std::make_unique<RowLocks>(address, node);
}

}  // namespace cronce::chaos
