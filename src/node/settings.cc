#include "node/settings.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "keeper/folder.h"
#include "model/words.h"

namespace cronce {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kSqlite = "sqlite:";

std::string value_of(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? "" : value;
}

/// Where programs keep what outlives them.
std::string base_folder(const Environment& environment) {
  if (geteuid() == 0) return "/var/lib";
  if (const std::string named = value_of(environment, "XDG_STATE_HOME"); named.starts_with('/')) {
    return named;
  }
  return value_of(environment, "HOME") + "/.local/state";
}

/// Flag before environment.
std::optional<std::string> given(const std::optional<std::string>& flag,
                                 const Environment& environment, const char* name) {
  if (flag) return flag;
  const std::string value = value_of(environment, name);
  return value.empty() ? std::nullopt : std::optional(value);
}

/// Requests are what a caller made them.
std::string as_file_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '_';
    name += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return name;
}

Duration to_half_seconds(Duration duration) {
  const Duration half = milliseconds{500};
  return duration < seconds{1} ? duration : duration / half * half;
}

}  // namespace

std::optional<std::string> Places::store_path() const {
  if (!store.starts_with(kSqlite)) return std::nullopt;
  return store.substr(kSqlite.size());
}

std::string Places::log_folder() const {
  const auto path = store_path();
  return path ? *path + "-logs" : state + "/logs";
}

std::string default_store_address(const Environment& environment) {
  return fmt::format("{}{}/cronce/cronce.db", kSqlite, base_folder(environment));
}

Places find_places(const NamedPlaces& flags, const Environment& environment) {
  Places places;
  const auto named = given(flags.store, environment, "CRONCE_STORE");
  places.named = named.has_value();
  places.store = named ? *named : default_store_address(environment);
  if (const auto path = places.store_path(); path && !path->empty()) {
    places.store = std::string(kSqlite) + absolute_path(*path);
  }
  // Not in the folder of the default store: whoever puts that back must not put back the marks.
  places.state = absolute_path(given(flags.state, environment, "CRONCE_STATE")
                                   .value_or(base_folder(environment) + "/cronce-node"));
  places.name_space =
      given(flags.name_space, environment, "CRONCE_NAMESPACE").value_or(kDefaultNamespace);
  return places;
}

Status make_store_folder(const Places& places) {
  const auto path = places.store_path();
  if (places.named || !path) return Done{};
  return make_folder(std::filesystem::path(*path).parent_path().string());
}

std::string run_log_path(const Places& places, const RunId& run) {
  const std::string id = run.space == Space::slot
                             ? print(run.slot)
                             : fmt::format("{}-{}", word(run.space), as_file_name(run.request));
  return fmt::format("{}/{}/{}.{}.log", places.log_folder(), run.job.value, id, run.attempt.value);
}

/// The table of the protocol, and between its rows what keeps the inequality.
Result<LeaseSettings> lease_settings(Duration lease) {
  LeaseSettings settings;
  settings.lease = lease;
  settings.stop = std::clamp<Duration>(lease / 5, milliseconds{500}, seconds{3});
  const Duration third = to_half_seconds(trust_of(settings) / 3);
  settings.beat = std::min<Duration>(third, seconds{5});
  settings.answer_timeout =
      std::min<Duration>(third, lease <= seconds{15} ? seconds{2} : seconds{3});
  if (lease < seconds{2}) return Error{Code::invalid, "a lease of less than 2s is too short"};
  if (const Status possible = check_lease(settings); !possible) return possible.error();
  return settings;
}

Duration lease_stop(const LeaseSettings& lease) {
  return lease.stop - std::min<Duration>(lease.stop / 2, seconds{1});
}

Result<std::map<std::string, std::string>> parse_labels(const std::string& text) {
  std::map<std::string, std::string> labels;
  for (const std::string& label : split(text, ',')) {
    const std::size_t equals = label.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return Error{Code::invalid, fmt::format("'{}' is no label: write NAME=VALUE", label)};
    }
    labels[label.substr(0, equals)] = label.substr(equals + 1);
  }
  return labels;
}

}  // namespace cronce
