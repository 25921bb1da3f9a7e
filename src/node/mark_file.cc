#include "node/mark_file.h"

#include <filesystem>
#include <sstream>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "keeper/folder.h"
#include "model/codec.h"

namespace cronce {
namespace {

std::string as_text(const Mark& mark) {
  json::object object;
  object["epoch"] = mark.epoch.value;
  object["position"] = mark.position;
  object["time"] = mark.time.time_since_epoch().count();
  return json::print(object) + "\n";
}

std::optional<std::int64_t> number(const json::object& object, std::string_view key) {
  const auto found = json::find_int(object, key);
  return found ? *found : std::nullopt;
}

std::optional<Mark> from_text(const StoreId& store, const std::string& text) {
  const auto value = json::parse(text);
  if (!value || !value->is_object()) return std::nullopt;
  const json::object& object = value->get_object();
  const auto epoch = number(object, "epoch");
  const auto position = number(object, "position");
  const auto time = number(object, "time");
  if (!epoch || !position || !time) return std::nullopt;
  return Mark{store, Epoch{static_cast<std::uint64_t>(*epoch)},
              static_cast<std::uint64_t>(*position), Time{Duration{*time}}};
}

constexpr const char* kNow = "/now";    // the file that grows
constexpr const char* kLast = "/last";  // the one before
constexpr Duration kHour = std::chrono::hours{1};

std::vector<Claim> claims_in(const std::string& path) {
  std::vector<Claim> claims;
  const auto text = read_file(path);
  std::istringstream lines(text ? *text : "");
  for (std::string line; std::getline(lines, line);) {
    if (auto claim = decode_claim(line)) claims.push_back(*std::move(claim));
  }
  return claims;
}

bool is_farther(const Mark& a, const Mark& b) {
  return std::tie(a.epoch, a.position) > std::tie(b.epoch, b.position);
}

}  // namespace

MarkFile::MarkFile(const std::string& state, const StoreId& store, const std::string& node)
    : store_(store),
      folder_(fmt::format("{}/marks/{}", state, print(store))),
      path_(fmt::format("{}/{}", folder_, node)),
      claims_folder_(fmt::format("{}/claims/{}/{}", state, print(store), node)) {}

std::optional<Mark> MarkFile::read() const {
  std::optional<Mark> farthest;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder_, failed), end; !failed && at != end;
       at.increment(failed)) {
    const auto text = read_file(at->path().string());
    const auto mark = text ? from_text(store_, *text) : std::nullopt;
    if (mark && (!farthest || is_farther(*mark, *farthest))) farthest = mark;
  }
  return farthest;
}

std::vector<Claim> MarkFile::read_claims() const {
  std::vector<Claim> claims = claims_in(claims_folder_ + kLast);
  for (Claim& claim : claims_in(claims_folder_ + kNow)) claims.push_back(std::move(claim));
  return claims;
}

/// Claims first: no mark is ahead of them.
Status MarkFile::keep(const Mark& mark, const std::vector<Claim>& claims) {
  if (const Status kept = keep(claims); !kept) return kept;
  if (const Status made = make_folder(folder_); !made) return made;
  return write_durably(path_, as_text(mark));
}

/// A crash may have left half a line: a process begins its own.
Status MarkFile::keep(const std::vector<Claim>& claims) {
  if (claims.empty()) return Done{};
  if (const Status made = make_folder(claims_folder_); !made) return made;
  std::string lines;
  if (!std::exchange(has_begun_, true)) {
    const auto before = claims_in(claims_folder_ + kNow);
    if (!before.empty()) begun_ = before.front().claimed_at;
    lines.push_back('\n');
  }
  const Time newest = claims.back().claimed_at;
  if (begun_ && newest - *begun_ > kHour) {
    std::error_code failed;  // then the file grows on
    std::filesystem::rename(claims_folder_ + kNow, claims_folder_ + kLast, failed);
    if (!failed) begun_.reset();
  }
  if (!begun_) begun_ = newest;
  for (const Claim& claim : claims) lines += encode(claim) + "\n";
  return append_durably(claims_folder_ + kNow, lines);
}

}  // namespace cronce
