// What stores that judge in this process have in common: every operation is one step on tables.
//
// Where the tables are, and what makes a step atomic and lasting, is what such a store adds.
#pragma once

#include <functional>

#include "store/embedded/store_clock.h"
#include "store/embedded/tables.h"
#include "store/store.h"

namespace cronce::embedded {

class EmbeddedStore : public Store {
 public:
  Result<Opened> open() override;
  Result<BeatAnswer> beat(const BeatAsk& ask) override;
  Result<Written<RegisterAnswer>> enroll(const WriteId& id, const RegisterAsk& ask) override;
  Result<Written<DecideAnswers>> decide(const WriteId& id, const DecideAsk& ask) override;
  Result<Written<std::vector<TakeAnswer>>> take(const WriteId& id,
                                                std::span<const RunId> runs) override;
  Result<Written<std::vector<FinishAnswer>>> finish(const WriteId& id,
                                                    std::span<const FinishEntry> ends) override;
  Result<Written<std::vector<SweepAnswer>>> sweep(const WriteId& id,
                                                  std::span<const SweepEntry> nodes) override;
  Result<Written<ControlAnswer>> control(const WriteId& id, const ControlAsk& ask) override;
  Result<Written<OnceAnswer>> once(const WriteId& id, const OnceAsk& ask) override;
  Result<std::vector<JobRow>> jobs() override;
  Result<std::vector<Node>> nodes() override;
  Result<JobPast> past(JobUid job) override;

 protected:
  using Body = std::function<void(Tables& tables, const Moment& moment)>;

  /// One atomic step. An error means that its outcome is unknown.
  virtual Status step(const Incarnation& asker, const Body& body) = 0;
  /// The same for a body that looks at nothing but jobs, the asker and its lane, and may be run
  /// again: a store may judge by what it knows, and compare that with what is stored.
  virtual Status step_on_jobs(const Incarnation& asker, const Body& body) {
    return step(asker, body);
  }
  /// The same for a body that changes nothing.
  virtual Status look(const Body& body) = 0;

 private:
  using Taken = Status (EmbeddedStore::*)(const Incarnation& asker, const Body& body);
  template <class T, class Apply>
  Result<Written<T>> write(const WriteId& id, Mover by, Apply apply,
                           Taken taken = &EmbeddedStore::step);
};

}  // namespace cronce::embedded
