#include "test/support/two_doors.h"

#include <gtest/gtest.h>

namespace cronce {

template <class Call>
auto TwoDoors::write(Call call) {
  auto answer = call(next());
  // Who gets no answer forgets everything.
  const bool is_known = answer.ok() || answer.error().code != Code::unavailable;
  EXPECT_EQ(is_known ? difference(calls_ % 2) : "", "");
  return answer;
}

Result<Opened> TwoDoors::open() { return next().open(); }
Result<BeatAnswer> TwoDoors::beat(const BeatAsk& ask) {
  return write([&](Store& store) { return store.beat(ask); });
}
Result<Written<RegisterAnswer>> TwoDoors::enroll(const WriteId& id, const RegisterAsk& ask) {
  return write([&](Store& store) { return store.enroll(id, ask); });
}
Result<Written<DecideAnswers>> TwoDoors::decide(const WriteId& id, const DecideAsk& ask) {
  return write([&](Store& store) { return store.decide(id, ask); });
}
Result<Written<std::vector<TakeAnswer>>> TwoDoors::take(const WriteId& id,
                                                        std::span<const RunId> runs) {
  return write([&](Store& store) { return store.take(id, runs); });
}
Result<Written<std::vector<FinishAnswer>>> TwoDoors::finish(const WriteId& id,
                                                            std::span<const FinishEntry> ends) {
  return write([&](Store& store) { return store.finish(id, ends); });
}
Result<Written<std::vector<SweepAnswer>>> TwoDoors::sweep(const WriteId& id,
                                                          std::span<const SweepEntry> nodes) {
  return write([&](Store& store) { return store.sweep(id, nodes); });
}
Result<Written<ControlAnswer>> TwoDoors::control(const WriteId& id, const ControlAsk& ask) {
  return write([&](Store& store) { return store.control(id, ask); });
}
Result<Written<OnceAnswer>> TwoDoors::once(const WriteId& id, const OnceAsk& ask) {
  return write([&](Store& store) { return store.once(id, ask); });
}
Result<std::vector<JobRow>> TwoDoors::jobs() { return next().jobs(); }
Result<std::vector<Run>> TwoDoors::runs(const RunFilter& filter) { return next().runs(filter); }
Result<std::vector<Node>> TwoDoors::nodes() { return next().nodes(); }

Result<JobPast> TwoDoors::past(JobUid job) { return next().past(job); }

}  // namespace cronce
