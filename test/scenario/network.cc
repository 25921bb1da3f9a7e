#include "test/scenario/network.h"

#include <utility>

#include <fmt/format.h>

namespace cronce::scenario {

void Stage::say(std::string_view who, const std::string& what) {
  if (quiet) return;
  lines.push_back(
      in_elapsed(fmt::format("{:<8} {:<3} {}", print_elapsed(now()), who, what), begin));
}

void Network::send(const std::string& node, const Message& message, Arrive arrive) {
  if (!reaches(node)) return;
  const bool is_write = message.kind != "beat" && message.kind != "answer";
  auto held = holds_.find({node, message.kind});
  if (held == holds_.end() && is_write) held = holds_.find({node, "write"});
  if (held == holds_.end()) return stage_.agenda.after(Duration{0}, std::move(arrive));
  holds_.erase(held);
  held_[node].push_back(std::move(arrive));
  stage_.say(node, message.words + ": held");
}

bool Network::deliver(const std::string& node) {
  if (held_[node].empty()) return false;
  stage_.agenda.after(Duration{0}, held_[node].front());
  return drop(node);
}

bool Network::repeat(const std::string& node) {
  if (held_[node].empty()) return false;
  stage_.agenda.after(Duration{0}, held_[node].front());
  return true;
}

bool Network::drop(const std::string& node) {
  if (held_[node].empty()) return false;
  held_[node].pop_front();
  return true;
}

}  // namespace cronce::scenario
