// The parts of a crontab as text: lines, assignments, job lines, names. For this folder only;
// everybody else calls read_crontab() of jobfile/jobfile.h.
//
// Reads what Vixie cron and cronie read, and names what only other crons read (fcron, BSD). All
// views point into the line that was passed in; offsets are bytes from its start. Nothing here
// knows a zone, a job or another line, except Namer, which must know them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobfile/diagnostic.h"
#include "model/schedule_spec.h"

namespace cronce::crontab {

/// What there is to say about a line, and where in it.
struct Remark {
  Severity severity = Severity::error;
  std::size_t offset = 0;
  std::string message;
};
using Remarks = std::vector<Remark>;

/// Some text of a line, and where it begins.
struct Piece {
  std::size_t offset = 0;
  std::string_view text;
};

/// Where the next word begins, at or after `at`; the line's end if there is none.
std::size_t skip_blanks(std::string_view line, std::size_t at);
/// Where the word at `at` ends.
std::size_t skip_word(std::string_view line, std::size_t at);
/// The line from `at`, without the blanks on either side.
Piece trimmed(std::string_view line, std::size_t at);
/// The words with single blanks between them.
std::string single_blanks(std::string_view text);
/// From 1, in characters.
std::size_t column(std::string_view line, std::size_t offset);

/// The first thing in a line that is no text: a control character other than the tab, or bytes that
/// are not UTF-8.
std::optional<Remark> foreign_character(std::string_view line);

/// Where a whole file shows that it is no text: a NUL, or the first of many control characters.
std::optional<std::size_t> find_binary(std::string_view text);

enum class LineKind : std::uint8_t { blank, comment, assignment, job };
LineKind kind(std::string_view line);

/// `NAME = "value"`, blanks and quotes taken off.
struct Assignment {
  std::string_view name;
  Piece value;
};
std::optional<Assignment> read_assignment(std::string_view line, Remarks* remarks);

/// What the variables so far say about the lines to come.
struct Setting {
  std::map<std::string, std::string> env;  // SHELL too: commands look at it
  std::string shell = "/bin/sh";
  std::string mail;
  std::string zone;  // from CRON_TZ; empty: the host's
  bool zone_is_wrong = false;
  std::size_t env_bytes = 0;

  void assign(const Assignment& assignment, Remarks* remarks);

  /// Equal for settings under which equal lines do the same; CRON_TZ is left out.
  std::string text() const;
};

/// What to say, once, about lines without CRON_TZ: in which zone of this host they are. An error
/// when it is not known.
Remark remark_host_zone(const Setting& setting, std::string_view host_zone, std::size_t offset);

struct JobLine {
  Piece schedule;  // five fields, a macro, or `@every 15m`; blanks as written
  Piece user;      // system form only
  Piece command;   // with its `%`; never empty
};
std::optional<JobLine> read_job_line(std::string_view line, bool system_form, Remarks* remarks);

/// A command as cron hands it to the shell, and what it feeds to it.
struct CommandText {
  std::string line;
  std::string input;
};

/// The first `%` without a backslash ends the command; further ones are line breaks of the input,
/// which ends with one: `mail bob%Hi%there` gives `mail bob` and "Hi\nthere\n". `\%` is a percent
/// sign.
CommandText split_input(std::string_view command);

/// The name in `# cronce: name=billing`.
std::optional<Piece> read_name_comment(std::string_view line, Remarks* remarks);

/// The times at which a schedule runs: equal for `@daily`, `@DAILY` and `0 0 * * *`.
std::string meaning(const ElementSpec& element);

/// What a job's name is made from.
struct NameSource {
  std::string_view user;
  std::string_view command;
  std::string_view schedule;  // single blanks
  std::string_view rest;      // all else in which two jobs can differ
  std::string_view meaning;   // of the schedule; no part of the name
};

/// An earlier line that does the same.
struct Twin {
  std::size_t line = 0;
  bool same_schedule = false;  // written with the same words
};
std::string describe(const Twin& twin);

/// Names for the jobs of one file: unique, letters compared without case.
///
/// A derived name is the program and six digits of a hash of user and command: `backup-3fa9c1`.
/// Lines can move and schedules can change, and the job keeps its name and with it its history.
/// Limits:
/// - A changed command or user is a new job; only a name comment prevents that.
/// - Of several lines with the same command the first has the short name and the others end
///   with a hash of their schedule as well: `backup-3fa9c1-07be44`. When such lines change
///   places, or the first is removed, the names pass from one to another.
/// - Different commands of one program share all six digits once in 16 million pairs; the
///   later line is then named like a second schedule.
class Namer {
 public:
  /// The first line that means the same, if it is not this one.
  std::optional<Twin> twin(const NameSource& source, std::size_t line);

  /// Keeps a name for the job of a line; when another line has it, that line's number.
  std::optional<std::size_t> take(std::string_view name, std::size_t line);

  /// A name that nobody has yet, kept for the job of that line.
  std::string derive(const NameSource& source, std::size_t line);

 private:
  struct First {
    std::size_t line;
    std::string schedule;
  };

  std::map<std::string, std::size_t> lines_;  // by name in lower case
  std::map<std::string, First> firsts_;       // by the hash of what a line means
};

}  // namespace cronce::crontab
