#include "keeper/output.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace cronce {
namespace {

constexpr std::size_t kLongestLine = 512;

bool is_inner_byte(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

void Tail::append(std::string_view bytes) {
  total_ += bytes.size();
  if (bytes.size() > keep_) bytes.remove_prefix(bytes.size() - keep_);
  if (kept_.size() + bytes.size() > 2 * keep_) {
    kept_.erase(0, kept_.size() - (keep_ - bytes.size()));
  }
  kept_ += bytes;
}

std::string Tail::text() const {
  std::string_view end = kept_;
  if (end.size() > keep_) end.remove_prefix(end.size() - keep_);
  if (end.size() == total_) return kept_;
  for (int i = 0; i < 3 && !end.empty() && is_inner_byte(end.front()); ++i) end.remove_prefix(1);
  return fmt::format("[{} bytes left out]\n{}", total_ - end.size(), end);
}

bool ProgressLines::append(std::string_view bytes) {
  bool news = false;
  for (const char c : bytes) {
    if (c == '\n') {
      news = (!too_long_ && take(line_)) || news;
      line_.clear();
      too_long_ = false;
    } else if (line_.size() < kLongestLine) {
      line_ += c;
    } else {
      too_long_ = true;
    }
  }
  return news;
}

bool ProgressLines::take(std::string_view line) {
  constexpr std::string_view kWord = "progress ";
  if (!line.starts_with(kWord) || line.size() == kWord.size()) return false;
  newest_ = as_utf8(line.substr(kWord.size()));
  return true;
}

}  // namespace cronce
