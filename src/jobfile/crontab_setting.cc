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
  env[std::string(name)] = value.text;
  std::size_t size = 0;
  for (const auto& [key, content] : env) size += key.size() + content.size() + 2;
  if (size <= kLargestEnvironment) return;
  remarks->push_back({Severity::error, value.offset,
                      fmt::format("the variables take {} bytes, at most {} are handed on", size,
                                  kLargestEnvironment)});
  env.clear();
}

std::string Setting::text() const {
  std::string result = fmt::format("{}\n{}", shell, mail);
  for (const auto& [key, content] : env) result += fmt::format("\n{}={}", key, content);
  return result;
}

}  // namespace cronce::crontab
