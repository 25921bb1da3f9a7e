#include "test/scenario/judge.h"

#include <algorithm>

#include <fmt/format.h>

namespace cronce::scenario {
namespace {

std::string name_of(const Start& start) {
  return fmt::format("{}@{} #{} on {}", start.job, start.slot, start.attempt, start.node);
}

}  // namespace

void Judge::defined(const std::string& job, const Promise& promise) {
  const auto [known, is_new] = promises_.try_emplace(first_name(job), promise);
  if (is_new) return;
  Promise& weakest = known->second;
  weakest.overlaps = weakest.overlaps || promise.overlaps;
  weakest.retries = weakest.retries || promise.retries;
  weakest.reruns = weakest.reruns || promise.reruns;
  if (promise.group.empty()) weakest.group.clear();
  weakest.most = std::max(weakest.most, promise.most);
}

void Judge::renamed(const std::string& old_name, const std::string& new_name) {
  first_names_.try_emplace(new_name, first_name(old_name));
}

std::string Judge::first_name(const std::string& job) const {
  const auto known = first_names_.find(job);
  return known == first_names_.end() ? job : known->second;
}

const Promise& Judge::promise_of(const std::string& job) {
  const auto known = promises_.find(job);
  return known != promises_.end() ? known->second : promises_[job.substr(0, job.rfind('/'))];
}

void Judge::asked_again(const std::string& job, const std::string& slot) {
  asked_.insert({first_name(job), slot});
}

std::size_t Judge::started(const Start& told, std::int64_t store_time) {
  Start start = told;
  start.job = first_name(told.job);
  if (store_time < start.due) object(fmt::format("{} started before its time", name_of(start)));
  look_at_slot(start);
  look_at_fences(start);
  look_at_living(start);
  children_.push_back({start});
  return children_.size() - 1;
}

void Judge::ended(std::size_t child, bool succeeded) {
  children_[child].alive = false;
  children_[child].succeeded = succeeded;
}

void Judge::goes_on(std::size_t child) {
  look_at_living(children_[child].start);
  children_[child].alive = true;
}

/// An attempt starts once; a slot again only if the job or a person wants that. After a success
/// only those may who cannot know of it.
void Judge::look_at_slot(const Start& start) {
  const Promise& promise = promise_of(start.job);
  const bool asked = asked_.contains({start.job, start.slot}) || promise.reruns;
  for (const Child& child : children_) {
    if (child.start.job != start.job || child.start.slot != start.slot) continue;
    if (child.start.attempt == start.attempt) {
      object(fmt::format("{} started although {} had", name_of(start), name_of(child.start)));
    } else if (!asked && (!promise.retries || child.succeeded)) {
      object(fmt::format("{} started although the slot has {}: {}", name_of(start),
                         child.succeeded ? "succeeded" : "run", name_of(child.start)));
    }
  }
}

/// Where runs may overlap, receivers compare the fences of one slot only.
void Judge::look_at_fences(const Start& start) {
  for (const Child& child : children_) {
    if (child.start.job != start.job || child.start.fence < start.fence) continue;
    if (promise_of(start.job).overlaps && child.start.slot != start.slot) continue;
    return object(fmt::format("{} started with a fence that is not greater than that of {}",
                              name_of(start), name_of(child.start)));
  }
}

void Judge::look_at_living(const Start& start) {
  const Promise& promise = promise_of(start.job);
  std::int64_t in_group = 1;
  for (const Child& child : children_) {
    if (!child.alive) continue;
    if (child.start.job == start.job && !promise.overlaps)
      object(fmt::format("{} lives beside {}", name_of(start), name_of(child.start)));
    const std::string& group = promise_of(child.start.job).group;
    if (!group.empty() && group == promise.group) ++in_group;
  }
  if (!promise.group.empty() && in_group > promise.most)
    object(fmt::format("{} is run {} of group {}, and {} are allowed", name_of(start), in_group,
                       promise.group, promise.most));
}

}  // namespace cronce::scenario
