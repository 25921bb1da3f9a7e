// What cron makes of the variables of a crontab.
#include <fmt/format.h>

#include "base/quote.h"
#include "jobfile/crontab.h"
#include "schedule/zone.h"

namespace cronce::crontab {
namespace {

constexpr std::size_t kLargestEnvironment = 64 * 1024;

bool has_blanks(std::string_view text) { return skip_word(text, 0) < text.size(); }

void set_zone(Setting* setting, const Piece& value, Remarks* remarks) {
  setting->zone = value.text;
  setting->zone_is_wrong = true;
  if (has_blanks(value.text)) {
    remarks->push_back({Severity::error, value.offset,
                        "CRON_TZ takes one zone, on a line of its own above the jobs it is for"});
  } else if (const auto zone = load_zone(value.text); !value.text.empty() && !zone) {
    remarks->push_back({Severity::error, value.offset, zone.error().message});
  } else {
    setting->zone_is_wrong = false;
  }
}

void set_shell(Setting* setting, const Piece& value, Remarks* remarks) {
  setting->shell = value.text.empty() ? "/bin/sh" : value.text;
  if (setting->shell.starts_with('/')) return;
  remarks->push_back(
      {Severity::error, value.offset,
       fmt::format("SHELL is {}: give the whole path, as in /bin/bash", quote(value.text))});
}

/// Variables that mean more elsewhere than here.
void doubt(std::string_view name, const Piece& value, Remarks* remarks) {
  if (name == "RANDOM_DELAY") {
    remarks->push_back(
        {Severity::warning, value.offset,
         "RANDOM_DELAY only reaches the command: to delay starts use 'jitter' in a YAML "
         "job file"});
  }
  if (name == "TZ" && has_blanks(value.text)) {
    remarks->push_back({Severity::warning, value.offset,
                        "all of this is the value of TZ: a schedule begins on a line of its own"});
  }
}

}  // namespace

void Setting::assign(const Assignment& assignment, Remarks* remarks) {
  const auto& [name, value] = assignment;
  if (name == "CRON_TZ") return set_zone(this, value, remarks);
  if (name == "MAILTO") {
    mail = value.text;
    return;
  }
  if (name == "SHELL") set_shell(this, value, remarks);
  doubt(name, value, remarks);
  const auto [variable, is_new] = env.try_emplace(std::string(name));
  if (is_new) env_bytes += name.size() + 2;
  env_bytes = env_bytes - variable->second.size() + value.text.size();
  variable->second = value.text;
  if (env_bytes <= kLargestEnvironment) return;
  remarks->push_back({Severity::error, value.offset,
                      fmt::format("the variables take {} bytes, at most {} are handed on",
                                  env_bytes, kLargestEnvironment)});
  env.clear();
  env_bytes = 0;
}

std::string Setting::text() const {
  std::string result = fmt::format("{}\n{}", shell, mail);
  for (const auto& [key, content] : env) result += fmt::format("\n{}={}", key, content);
  return result;
}

Remark remark_host_zone(const Setting& setting, std::string_view host_zone, std::size_t offset) {
  const auto zone = load_zone(host_zone);
  if (!zone) {
    return {Severity::error, offset,
            fmt::format("the zone of this host is not known ({}): set one, as in "
                        "CRON_TZ=Europe/Berlin above the jobs",
                        zone.error().message)};
  }
  const auto tz = setting.env.find("TZ");
  if (tz != setting.env.end() && tz->second != host_zone) {
    return {Severity::warning, offset,
            fmt::format("TZ only reaches the commands: the schedule is in the zone of this host, "
                        "{}; CRON_TZ changes that",
                        host_zone)};
  }
  return {Severity::note, offset,
          fmt::format("without CRON_TZ schedules are in the zone of this host, {}", host_zone)};
}

}  // namespace cronce::crontab
