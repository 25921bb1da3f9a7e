// What chaos_naive locks with, and where it keeps its history: files beside the store's, or rows of
// a PostgreSQL server.
#pragma once

#include <memory>
#include <string>

namespace cronce::chaos {

class NaiveLocks {
 public:
  NaiveLocks() = default;
  virtual ~NaiveLocks() = default;
  NaiveLocks(const NaiveLocks&) = delete;
  NaiveLocks& operator=(const NaiveLocks&) = delete;

  virtual bool lock(const std::string& job) = 0;
  virtual void unlock(const std::string& job) = 0;
  virtual void add_to_history(const std::string& line) = 0;
  virtual std::string history() = 0;
};

/// By the address, as `--store` has it.
std::unique_ptr<NaiveLocks> make_naive_locks(const std::string& address, const std::string& node);

}  // namespace cronce::chaos
