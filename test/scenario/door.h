// The store's door: what is asked there, and what is answered, becomes a line of the trace.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/event.h"
#include "store/store.h"
#include "test/scenario/stage.h"
#include "test/scenario/words.h"

namespace cronce::scenario {

/// `billing`; `rotate/a` for a node's share of a job that runs everywhere.
std::string name_of(const JobRow& row);

class Door {
 public:
  Door(Stage& stage, Store& store);

  /// `who` asks. Only a refusal is told.
  BeatAnswer beat(const std::string& who, const BeatAsk& ask);
  /// None: a later write of the lane was here first.
  std::optional<WriteAnswered> write(const std::string& who, const WriteId& id,
                                     const WriteAsk& ask);
  /// A person asks; `words` say what.
  ControlAnswer control(const ControlAsk& ask, const std::string& words);
  /// A process asks that is no node of the cluster; what it was answered is its own to tell.
  ControlAnswer control_by(const std::string& who, const WriteId& id, const ControlAsk& ask);
  /// An empty sweep.
  void purge();

  std::vector<JobRow> jobs() { return store_.jobs().value(); }
  std::optional<JobRow> job(const std::string& name);
  std::vector<Run> runs(JobUid job);
  std::vector<Node> nodes() { return store_.nodes().value(); }

  const Words& words() const { return words_; }

  /// Called when the store has news for everybody but the one who brought it.
  std::function<void(const std::string& from)> news = [](const std::string&) {};

 private:
  void tell(const std::string& who, const WriteAsk& ask, const Outcome& outcome);
  WriteId own_id() { return {console_, 0, ++sequence_}; }

  Stage& stage_;
  Store& store_;
  Words words_;
  std::map<Incarnation, std::string> names_;
  std::map<std::string, std::string> last_refusal_;  // of a registration: told once
  Incarnation console_{{1, 1}};
  std::uint64_t sequence_ = 0;
};

}  // namespace cronce::scenario
