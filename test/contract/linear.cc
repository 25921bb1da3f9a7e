#include "test/contract/linear.h"

#include <algorithm>
#include <limits>
#include <set>

namespace cronce::contract {
namespace {

/// The search of Wing and Gong, with the states that led nowhere remembered.
class Search {
 public:
  explicit Search(const std::vector<Call>& history) : size_(history.size()) {
    for (const Call& call : history) {
      if (lines_.size() <= call.client) lines_.resize(call.client + 1);
      lines_[call.client].push_back(&call);
    }
    at_.resize(lines_.size());
  }

  bool from(const Reference& reference, std::size_t done) {
    if (done == size_) return true;
    if (!seen_.insert(place() + reference.digest()).second) return false;
    const std::uint64_t limit = earliest_return();
    std::string stuck;
    for (std::size_t client = 0; client < lines_.size(); ++client) {
      const Call* call = next(client);
      if (call == nullptr || call->invoked > limit) continue;
      stuck += (stuck.empty() ? "" : " | ") + describe_call(*call);
      Reference after = reference;
      if (!after.explains(*call)) continue;
      ++at_[client];
      if (from(after, done + 1)) return true;
      --at_[client];
    }
    if (done >= verdict.longest) verdict = {false, done, stuck};
    return false;
  }

  Verdict verdict;

 private:
  const Call* next(std::size_t client) const {
    return at_[client] < lines_[client].size() ? lines_[client][at_[client]] : nullptr;
  }

  /// What was answered before another was asked comes before it.
  std::uint64_t earliest_return() const {
    std::uint64_t earliest = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t client = 0; client < lines_.size(); ++client) {
      if (const Call* call = next(client)) earliest = std::min(earliest, call->returned);
    }
    return earliest;
  }

  std::string place() const {
    std::string text;
    for (const std::size_t index : at_) text += std::to_string(index) + ",";
    return text;
  }

  std::size_t size_;
  std::vector<std::vector<const Call*>> lines_;
  std::vector<std::size_t> at_;
  std::set<std::string> seen_;
};

}  // namespace

Verdict explain(const Reference& beginning, const std::vector<Call>& history) {
  Search search(history);
  if (search.from(beginning, 0)) return {true, history.size(), ""};
  return search.verdict;
}

}  // namespace cronce::contract
