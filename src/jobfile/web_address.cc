#include "jobfile/web_address.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/quote.h"

namespace cronce {
namespace {

bool is_web_address(std::string_view text) {
  const std::size_t scheme = text.starts_with("https://") ? 8 : text.starts_with("http://") ? 7 : 0;
  if (scheme == 0 || text.size() == scheme) return false;
  const char first = text[scheme];
  if (first == '/' || first == ':' || first == '?' || first == '#') return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c != '\x7f'; });
}

}  // namespace

bool read_web_address(YamlReader& in, const YamlNode& node, std::string* out) {
  std::string text;
  if (!in.text(node, &text)) return false;
  if (!is_web_address(text)) {
    in.error(node,
             fmt::format("{} is not a web address: write it like https://host/path, without blanks "
                         "and with other letters encoded as %XX",
                         quote(text)));
    return false;
  }
  *out = std::move(text);
  return true;
}

}  // namespace cronce
