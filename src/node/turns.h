// Who is told next: each receiver one notice at a time, and the receivers in turns.
//
// So a receiver that takes long to answer holds up what it is to be told itself, and nothing else.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/notice.h"

namespace cronce {

/// A notice on its way to one receiver.
struct Telling {
  JobUid job;
  Notice notice;
  std::string_view way;  // `webhook`
  std::string address;
  std::string key;
};

class Turns {
 public:
  /// Nothing happens if it is there already.
  void add(Telling telling);
  /// Of the receiver that was not told anything for longest; none while all are busy. It is there,
  /// and its receiver busy, until done().
  std::optional<Telling> take();
  void done(const Telling& telling);
  bool has(const std::string& key) const { return keys_.contains(key); }
  bool empty() const { return keys_.empty(); }

 private:
  struct Receiver {
    std::deque<Telling> waiting;
    bool busy = false;
    std::uint64_t turn = 0;  // its last
  };
  using Address = std::pair<std::string_view, std::string>;
  static Address address_of(const Telling& telling) { return {telling.way, telling.address}; }

  std::map<Address, Receiver> receivers_;
  std::set<std::string> keys_;
  std::uint64_t turns_ = 0;
};

}  // namespace cronce
