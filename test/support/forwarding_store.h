// A store that hands every call on: the base of wrappers that change a few.
#pragma once

#include "store/store.h"

namespace cronce {

class ForwardingStore : public Store {
 public:
  /// The wrapped store must outlive this one.
  explicit ForwardingStore(Store& inner) : inner_(inner) {}

  Result<Opened> open() override { return inner_.open(); }
  Result<BeatAnswer> beat(const BeatAsk& ask) override { return inner_.beat(ask); }
  Result<Written<RegisterAnswer>> enroll(const WriteId& id, const RegisterAsk& ask) override {
    return inner_.enroll(id, ask);
  }
  Result<Written<DecideAnswers>> decide(const WriteId& id, const DecideAsk& ask) override {
    return inner_.decide(id, ask);
  }
  Result<Written<std::vector<TakeAnswer>>> take(const WriteId& id,
                                                std::span<const RunId> runs) override {
    return inner_.take(id, runs);
  }
  Result<Written<std::vector<FinishAnswer>>> finish(const WriteId& id,
                                                    std::span<const FinishEntry> ends) override {
    return inner_.finish(id, ends);
  }
  Result<Written<std::vector<SweepAnswer>>> sweep(const WriteId& id,
                                                  std::span<const SweepEntry> nodes) override {
    return inner_.sweep(id, nodes);
  }
  Result<Written<ControlAnswer>> control(const WriteId& id, const ControlAsk& ask) override {
    return inner_.control(id, ask);
  }
  Result<Written<OnceAnswer>> once(const WriteId& id, const OnceAsk& ask) override {
    return inner_.once(id, ask);
  }
  Result<std::vector<JobRow>> jobs() override { return inner_.jobs(); }
  Result<std::vector<Run>> runs(const RunFilter& filter) override { return inner_.runs(filter); }
  Result<std::vector<Node>> nodes() override { return inner_.nodes(); }
  Result<JobPast> past(JobUid job) override { return inner_.past(job); }

 protected:
  Store& inner_;
};

}  // namespace cronce
