// What a command says: the end of its output, and its progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cronce {

/// The last bytes of a stream, at most `keep` of them.
class Tail {
 public:
  explicit Tail(std::size_t keep) : keep_(keep) {}

  void append(std::string_view bytes);

  /// `[70000 bytes left out]` and a line break come first when something was; and the rest does
  /// not begin within a character.
  std::string text() const;

 private:
  std::size_t keep_;
  std::string kept_;  // up to twice as much, so that little is moved
  std::uint64_t total_ = 0;
};

/// Lines such as `progress 40 copying`, of which the newest counts.
class ProgressLines {
 public:
  /// True when there is something new.
  bool append(std::string_view bytes);
  /// `40 copying`
  const std::string& newest() const { return newest_; }

 private:
  bool take(std::string_view line);

  std::string line_;
  bool too_long_ = false;
  std::string newest_;
};

}  // namespace cronce
