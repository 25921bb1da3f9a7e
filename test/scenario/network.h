// The network between the nodes and the store, driven by hand.
//
// What is sent arrives at once, unless it is told to hold the next message of a node: then it waits
// until somebody delivers or drops it. A node that is cut off reaches nobody.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "test/scenario/stage.h"

namespace cronce::scenario {

/// What can be held: a `beat`, any `write`, its `answer`, or a write by its first word, such as
/// `decide` or `take`.
struct Message {
  std::string kind;
  std::string words;  // what it is, for the trace
};

class Network {
 public:
  using Arrive = std::function<void()>;

  explicit Network(Stage& stage) : stage_(stage) {}

  void send(const std::string& node, const Message& message, Arrive arrive);

  /// The next message of that kind.
  void hold(const std::string& node, const std::string& kind) { holds_.insert({node, kind}); }
  void cut(const std::string& node) { cut_.insert(node); }
  void heal(const std::string& node) { cut_.erase(node); }
  bool reaches(const std::string& node) const { return !cut_.contains(node); }

  // Of the messages of a node that are held, the oldest; false if there is none.
  bool deliver(const std::string& node);
  bool repeat(const std::string& node);  // delivers it, and holds a copy
  bool drop(const std::string& node);

 private:
  Stage& stage_;
  std::multiset<std::pair<std::string, std::string>> holds_;  // node, kind
  std::set<std::string> cut_;
  std::map<std::string, std::deque<Arrive>> held_;
};

}  // namespace cronce::scenario
