// A person's word to a store: asked once, whatever becomes of the answer.
//
// Each object is a process that nobody else is, with one lane of its own. A write whose answer is
// lost is not sent again before the lane has settled it: the same words twice would be two pauses,
// or two attempts. What needs a schedule is computed here, from the row as it is, and computed
// again when the store's clock has gone past it meanwhile. A person goes by the time that the nodes
// go by: what a store's clock shows while they doubt it would settle what is not due for years.
//
// One thread; the store, and what it is told with, outlive the object.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "store/store.h"

namespace cronce {

/// The latest time that a person's word may be of: the greatest course of the nodes that doubt the
/// store's clock; none without such a node. By the person's clock it is told who has been silent
/// for longer than its lease: its course has stopped.
std::optional<Time> latest_for_people(const std::vector<Node>& nodes, Time wall);

class Steering {
 public:
  /// Nothing is judged by a later time than `latest`. `wake` is called after a granted write: nodes
  /// that hear of it look at once.
  Steering(Store& store, Rng& rng, std::optional<Time> latest, std::function<void()> wake);

  /// Done, or refused, by the store. An error means that the store does not answer; if it is
  /// `conflict`, nobody knows whether it has been done.
  Result<ControlAnswer> ask(const ControlAsk& ask);

  Result<ControlAnswer> resume(JobUid job, const By& by);
  Result<ControlAnswer> retire(JobUid job, const By& by);
  Result<ControlAnswer> recede(JobUid job, const By& by);

 private:
  struct Job;
  /// Asks what `make` computes, again and again as long as its time is over when it arrives.
  Result<ControlAnswer> ask_ahead(JobUid job, const std::function<ControlAsk(const Job&)>& make);
  Result<Job> look(JobUid job);
  Result<Time> newest_record(const JobRow& row);
  /// What became of that write; none if it was not applied, and so never will be.
  Result<std::optional<ControlAnswer>> settle(std::uint64_t sequence);
  WriteId next();

  Store& store_;
  std::optional<Time> latest_;
  std::function<void()> wake_;
  Incarnation self_;
  std::uint64_t sequence_ = 0;
  std::uint64_t answered_ = 0;
};

}  // namespace cronce
