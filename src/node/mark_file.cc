#include "node/mark_file.h"

#include <filesystem>
#include <tuple>

#include <fmt/format.h>

#include "base/json.h"
#include "keeper/folder.h"

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

bool is_farther(const Mark& a, const Mark& b) {
  return std::tie(a.epoch, a.position) > std::tie(b.epoch, b.position);
}

}  // namespace

MarkFile::MarkFile(const std::string& state, const StoreId& store, const std::string& node)
    : store_(store),
      folder_(fmt::format("{}/marks/{}", state, print(store))),
      path_(fmt::format("{}/{}", folder_, node)) {}

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

Status MarkFile::keep(const Mark& mark) const {
  if (const Status made = make_folder(folder_); !made) return made;
  return write_durably(path_, as_text(mark));
}

}  // namespace cronce
