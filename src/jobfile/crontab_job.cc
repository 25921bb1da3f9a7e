// A job line of a crontab, taken apart.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/quote.h"
#include "base/suggest.h"
#include "base/time.h"
#include "jobfile/crontab.h"
#include "schedule/cron_expr.h"

namespace cronce::crontab {
namespace {

constexpr std::string_view kJobForm =
    "a job is five fields and a command, as in '0 2 * * * /usr/bin/backup'";
constexpr std::string_view kSystemJobForm =
    "a job is five fields, a user and a command, as in '0 2 * * * root /usr/bin/backup'";

/// Takes a job line apart from left to right; the first thing missing ends it.
class JobLineReader {
 public:
  JobLineReader(std::string_view line, bool system_form, Remarks* remarks)
      : line_(line), system_form_(system_form), remarks_(remarks), at_(skip_blanks(line, 0)) {}

  std::optional<JobLine> read() {
    take_dash();
    if (is_foreign() || !take_schedule()) return std::nullopt;
    if (system_form_ && !take_user()) return std::nullopt;
    if (!take_command()) return std::nullopt;
    return job_;
  }

 private:
  void say(Severity severity, std::size_t offset, std::string message) {
    remarks_->push_back({severity, offset, std::move(message)});
  }
  bool fail(std::size_t offset, std::string message) {
    say(Severity::syntax, offset, std::move(message));
    return false;
  }
  /// Fails for want of words.
  bool fail_short(std::size_t offset, std::string message) {
    // Web pages put this one between the words, and it looks like a blank.
    const std::size_t blank = line_.find("\u00a0");
    if (blank == std::string_view::npos) return fail(offset, std::move(message));
    return fail(blank, "the character U+00A0 looks like a blank and is none: type it anew");
  }

  std::string_view word() const { return line_.substr(at_, skip_word(line_, at_) - at_); }
  void next() { at_ = skip_blanks(line_, skip_word(line_, at_)); }
  std::string_view form() const { return system_form_ ? kSystemJobForm : kJobForm; }

  void take_dash() {
    if (line_[at_] != '-') return;
    say(Severity::note, at_, "the '-' keeps cron from logging the job; here it changes nothing");
    at_ = skip_blanks(line_, at_ + 1);
  }

  bool is_foreign() {
    const std::string first = ascii_lower(word());
    if (first.empty()) return false;
    if (first.front() == '!' || first.front() == '&' || first.front() == '%') {
      return !fail(at_, fmt::format("'{}' begins an option of fcron, which is not read: {}",
                                    first.front(), form()));
    }
    if (first.size() > 1 && first.front() == '@' && is_digit(first[1])) {
      return !fail(at_, fmt::format("{} is a form of other crons (BSD: seconds after the last end, "
                                    "fcron: minutes of uptime): use @every, as in '@every 15m'",
                                    quote(first)));
    }
    if (first == "@every_minute" || first == "@every_second") {
      return !fail(at_, fmt::format("{} is a macro of BSD's cron: use {}", first,
                                    first == "@every_minute" ? "'* * * * *'" : "'@every 1s'"));
    }
    if (first == "export" || first == "set") {
      return !fail(
          at_, fmt::format("a crontab is not a shell script: write NAME=value without {}", first));
    }
    return false;
  }

  bool take_schedule() {
    const std::size_t begin = at_;
    const bool macro = word().starts_with('@');
    const bool every = ascii_lower(word()) == "@every";
    const std::size_t wanted = every ? 2 : macro ? 1 : 5;
    Piece last;
    for (std::size_t count = 0; count < wanted; ++count) {
      if (at_ == line_.size()) return fail_schedule(begin, count, every);
      last = {at_, word()};
      next();
    }
    job_.schedule = {begin, line_.substr(begin, last.offset + last.text.size() - begin)};
    return macro || check_weekday(last);
  }

  bool fail_schedule(std::size_t begin, std::size_t count, bool every) {
    if (every) {
      return fail_short(line_.size(),
                        "@every needs an interval and a command, as in '@every 15m /usr/bin/sync'");
    }
    if (count == 0) return fail(begin, fmt::format("nothing after '-': {}", form()));
    return fail_short(
        begin, fmt::format("{} {} neither a job nor a variable: {}; a variable is NAME=value",
                           count, count == 1 ? "word is" : "words are", form()));
  }

  /// In `0 2 * * echo hi` a command stands where the weekday belongs.
  bool check_weekday(const Piece& word) {
    const std::size_t four = word.offset - job_.schedule.offset;
    if (!is_command(word.text) ||
        !CronExpr::parse(fmt::format("{}*", job_.schedule.text.substr(0, four)))) {
      return true;
    }
    say(Severity::error, word.offset,
        fmt::format("a field is missing before {}: {}", quote(word.text), form()));
    return false;
  }

  /// Whether a word can hardly be meant as weekdays.
  static bool is_command(std::string_view text) {
    constexpr auto kWeekdays =
        std::to_array<std::string_view>({"sun", "mon", "tue", "wed", "thu", "fri", "sat"});
    if (std::string_view("/.~$[\"'").find(text.front()) != std::string_view::npos) return true;
    const std::string_view name = text.substr(0, text.find_first_of("-,/#("));
    if (!is_letter(text.front()) || name.size() < 2 || suggest(name, kWeekdays)) return false;
    return std::none_of(kWeekdays.begin(), kWeekdays.end(),
                        [&](std::string_view day) { return same_letters(name.substr(0, 3), day); });
  }

  bool take_user() {
    if (at_ == line_.size()) {
      return fail_short(at_, fmt::format("no user and no command after {}: {}",
                                         quote(job_.schedule.text), kSystemJobForm));
    }
    job_.user = {at_, word()};
    next();
    const std::size_t remarks = remarks_->size();
    check_user();
    // What follows is then perhaps no command either, and not worth a remark.
    return remarks_->size() == remarks;
  }

  void check_user() {
    const auto [offset, text] = job_.user;
    if (is_sixth_field(text)) {
      say(Severity::error, offset,
          fmt::format("{} stands where the user is named: a crontab has five fields and none for "
                      "seconds",
                      quote(text)));
    } else if (text.find('/') < text.find(':')) {
      say(Severity::error, offset,
          fmt::format(
              "{} is not a user: this crontab is read in the system form, with a user before "
              "the command",
              quote(text)));
    } else if (text.find(':') != std::string_view::npos) {
      say(Severity::error, offset,
          fmt::format("{}: groups and login classes are BSD's and not read: name the user alone",
                      quote(text)));
    } else if (!is_user_name(text)) {
      say(Severity::error, offset,
          fmt::format("{} is not a user's name: use letters, digits and . _ - @", quote(text)));
    }
  }

  static bool is_user_name(std::string_view text) {
    if (text.front() == '-' || text.size() > 256) return false;
    if (text.size() > 1 && text.back() == '$') text.remove_suffix(1);  // accounts of machines
    return std::all_of(text.begin(), text.end(), [](char c) {
      return is_letter(c) || is_digit(c) ||
             std::string_view("._-@+\\").find(c) != std::string_view::npos;
    });
  }

  /// Whether a word could go on with the schedule of a line with seconds.
  bool is_sixth_field(std::string_view text) const {
    if (job_.schedule.text.starts_with('@') || text.size() > 100) return false;
    return CronExpr::parse(fmt::format("* * * * {}", text)).ok();
  }

  bool take_command() {
    if (at_ == line_.size() || line_[at_] == '%') {
      return fail_short(
          at_, fmt::format("no command after {}: {}",
                           quote(system_form_ ? job_.user.text : job_.schedule.text), form()));
    }
    job_.command = trimmed(line_, at_);
    // "\ " at the end is an argument's blank.
    if (job_.command.text.ends_with('\\') && job_.command.text.size() < line_.size() - at_) {
      job_.command.text = line_.substr(at_, job_.command.text.size() + 1);
    }
    doubt_start();
    doubt_percent();
    if (job_.command.text.ends_with('\\')) {
      say(Severity::note, line_.size() - 1,
          "a crontab does not continue lines: the backslash is part of the command");
    }
    return true;
  }

  void doubt_start() {
    const std::string_view first = word();
    const bool alone = first.size() == job_.command.text.size();
    if (first.front() == '-') {
      say(Severity::error, at_,
          fmt::format("{} is an option of BSD's cron and not read: begin with the program",
                      quote(first)));
    } else if (!system_form_ && is_sixth_field(first)) {
      say(Severity::warning, at_,
          fmt::format("{} is taken as the command: a crontab has five fields and none for seconds",
                      quote(first)));
    } else if (!system_form_ && first == "root" && !alone) {
      say(Severity::warning, at_,
          "'root' is taken as the command: if it is the user, read this file in the system form");
    } else if (ascii_lower(job_.schedule.text).starts_with("@every") && parse_duration(first)) {
      say(Severity::warning, at_,
          fmt::format("{} is taken as the command: write an interval without blanks, as in 1h30m",
                      quote(first)));
    }
  }

  /// `date +%F` is the most common line that cron cuts in two.
  void doubt_percent() {
    const std::string_view text = job_.command.text;
    const std::size_t percent = text.find('%');
    if (percent == std::string_view::npos || percent == 0) return;
    std::string_view before = text.substr(0, percent);
    while (before.ends_with('"') || before.ends_with('\'')) before.remove_suffix(1);
    if (before.ends_with('+') && before.find("date ") != std::string_view::npos) {
      say(Severity::warning, job_.command.offset + percent,
          "the command ends at this '%' and what follows is its input: write \\% for a percent "
          "sign");
    }
  }

  std::string_view line_;
  bool system_form_;
  Remarks* remarks_;
  std::size_t at_;
  JobLine job_;
};

}  // namespace

std::optional<JobLine> read_job_line(std::string_view line, bool system_form, Remarks* remarks) {
  return JobLineReader(line, system_form, remarks).read();
}

}  // namespace cronce::crontab
