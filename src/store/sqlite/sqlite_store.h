// A store in one file of this host.
//
// Several processes share it: steps of all of them queue on a lock file beside it, and each is one
// transaction that is on the disk when the call returns. Safe from every thread; who comes first is
// served first, so one store is enough for a process, for its beats as for its work. Not to be
// carried across a fork: each call looks whether it is still in the process that opened it.
//
// A file that was copied or put elsewhere is refused (docs/sqlite.md). What goes wrong with the
// file is an error of the call, and nothing of the step is kept.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/rng.h"
#include "store/embedded/embedded_store.h"

namespace cronce {

struct SqliteSettings {
  std::string path;
  bool store_moves = false;   // the volume was moved to another device or host: accept that, once
  bool adopt = false;         // accept a copy; only for adopt_sqlite_store()
  const char* vfs = nullptr;  // a registered file layer of SQLite; none: the system's
};

class SqliteStore final : public embedded::EmbeddedStore {
 public:
  /// By the living nodes' clocks, of which `clock` is this process's; it outlives the store.
  static Result<std::unique_ptr<SqliteStore>> open_file(const SqliteSettings& settings,
                                                        const Clock& clock, Rng& rng);
  /// By whatever clock.
  static Result<std::unique_ptr<SqliteStore>> open_file(const SqliteSettings& settings,
                                                        std::unique_ptr<embedded::StoreClock> clock,
                                                        Rng& rng);
  ~SqliteStore() override;

  Result<Opened> open() override;
  Result<std::vector<Run>> runs(const RunFilter& filter) override;

  /// A copy of the file as it is now, which must be adopted before it can be used. `path` must not
  /// exist.
  Status backup(const std::string& path);

 private:
  friend class MirrorCheck;  // of the tests
  struct File;

  SqliteStore(std::unique_ptr<File> file, std::unique_ptr<embedded::StoreClock> clock,
              std::string remark);

  Status step(const Incarnation& asker, const Body& body) override;
  Status look(const Body& body) override;
  enum class Kind : std::uint8_t { read, write };
  Status in_transaction(Kind kind, const std::function<bool()>& body);

  std::unique_ptr<embedded::StoreClock> clock_;
  std::string remark_;
  const pid_t owner_;
  std::unique_ptr<File> file_;
};

/// Takes over a copy, or a file that was restored: a new epoch begins here, and nothing of the past
/// runs.
Result<Opened> adopt_sqlite_store(SqliteSettings settings, const Clock& clock, Rng& rng);

/// Copies a store that this process does not use otherwise.
Status backup_sqlite_store(const SqliteSettings& settings, const std::string& path,
                           const Clock& clock, Rng& rng);

}  // namespace cronce
