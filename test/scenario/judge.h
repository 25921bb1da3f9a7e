// The judge: sees every child start and end, and nothing else.
//
// It knows what the files say about each job, by their own text, and no line of the engine or of a
// store. Its times are in milliseconds since the scenario began. What it objects to is said in
// words, once.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cronce::scenario {

/// What a file promises about a job, as far as the judge can see it. A job with several
/// definitions is held to the weakest.
struct Promise {
  bool overlaps = false;  // overlap: allow
  bool retries = false;   // may start again after a failure
  bool reruns = false;    // may start again when nobody knows what became of it
  std::string group;
  std::int64_t most = 0;  // of the group at a time
};

struct Start {
  std::string job;       // a share of a job that runs everywhere is `job/node`
  std::string slot;      // `+10s`, or the request
  std::int64_t due = 0;  // the slot's instant; for a request any time is right
  std::uint64_t attempt = 1;
  std::uint64_t fence = 0;
  std::string node;
};

class Judge {
 public:
  void defined(const std::string& job, const Promise& promise);
  void renamed(const std::string& old_name, const std::string& new_name);
  /// A person wants that slot to run again, whatever became of it.
  void asked_again(const std::string& job, const std::string& slot);

  /// Returns the number of the child. `store_time` is what the store's clock shows.
  std::size_t started(const Start& start, std::int64_t store_time);
  void ended(std::size_t child, bool succeeded);
  /// Its machine was suspended with it: it does nothing until it goes on.
  void stands_still(std::size_t child) { children_[child].alive = false; }
  void goes_on(std::size_t child);

  /// All that was ever wrong.
  const std::vector<std::string>& objections() const { return objections_; }
  std::size_t starts() const { return children_.size(); }

 private:
  struct Child {
    Start start;
    bool alive = true;
    bool succeeded = false;
  };

  std::string first_name(const std::string& job) const;
  const Promise& promise_of(const std::string& job);
  void look_at_slot(const Start& start);
  void look_at_fences(const Start& start);
  void look_at_living(const Start& start);
  void object(std::string words) { objections_.push_back(std::move(words)); }

  std::map<std::string, Promise> promises_;
  std::map<std::string, std::string> first_names_;
  std::set<std::pair<std::string, std::string>> asked_;
  std::vector<Child> children_;
  std::vector<std::string> objections_;
};

}  // namespace cronce::scenario
