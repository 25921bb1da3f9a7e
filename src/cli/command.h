// A command is a row: its name, its flags, its help, and the function that does it.
//
// The rows stand in commands.cc; help, completions and the reading of the command line are made
// from them. Commands write to a Console and return an exit code; they read the time from its
// clock.
#pragma once

#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace cronce {

/// Exit codes; others script against them.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFound = 1;
inline constexpr int kExitUsage = 64;
inline constexpr int kExitBadData = 65;
inline constexpr int kExitNotFound = 66;
inline constexpr int kExitUnavailable = 69;
inline constexpr int kExitInternal = 70;
inline constexpr int kExitTryLater = 75;
inline constexpr int kExitRefused = 77;
inline constexpr int kExitConfig = 78;
inline constexpr int kExitTimedOut = 124;

struct Console {
  std::FILE* in;
  std::FILE* out;
  std::FILE* err;
  const Clock& clock;
  bool colour = false;
  std::size_t width = 0;  // of the terminal; 0: it is none
};

/// `name` without a `value` is a switch. `value` is how help shows it: `--tz ZONE`.
struct Flag {
  std::string_view name;
  std::string_view value;
  std::string_view help;
  std::string_view choices = {};  // where there are few: all values, with blanks between them
  std::string_view letter = {};   // its short form: `-f`
  bool many = false;              // may be given more than once
};

/// A command line that was understood.
struct Args {
  std::vector<std::string> words;            // what is not a flag, in order
  std::map<std::string, std::string> flags;  // by the flag's name; a switch has an empty value
  std::map<std::string, std::vector<std::string>> lists;  // of flags that may be given often

  bool has(std::string_view flag) const;
  std::optional<std::string> get(std::string_view flag) const;
  std::vector<std::string> all(std::string_view flag) const;
};

struct CommandRow {
  std::string_view name;
  std::string_view purpose;  // the heading under which `--help` lists it
  std::string_view words;    // what is not a flag, as help shows it: `EXPR`
  std::size_t max_words;
  std::string_view summary;
  std::string_view text;  // a paragraph for the command's own help
  std::span<const Flag> flags;
  std::string_view examples;  // one command a line
  int (*run)(const Args& args, const Console& console);
  std::string_view choices = {};  // as in Flag, for the words
};

/// All commands, in the order of `--help`.
std::span<const CommandRow> commands();

/// Reads the words after a command's name by its row; an error is for the user.
Result<Args> parse_args(const CommandRow& command, std::span<const std::string> words);

std::string overview_help();
std::string command_help(const CommandRow& command);

/// Why a command will not do what it was asked, and the exit code that goes with it.
struct Refusal {
  int exit_code = kExitUsage;
  std::string message;
};

/// A flag's value that is a number from 1 to `most`.
inline constexpr std::int64_t kNoMost = std::numeric_limits<std::int64_t>::max();
Result<std::int64_t, Refusal> read_number(std::string_view flag, const std::string& text,
                                          std::int64_t most = kNoMost);

/// Writes the text as it is, if it can be written. Nobody is told here: an output that got lost is
/// found at the end (main.cc), and for a lost error stream there is no one left to tell.
void put(std::FILE* stream, std::string_view text);

/// `cronce: what happened: why: what to do` on the console's error stream; returns the exit code.
int fail(const Console& console, int exit_code, std::string_view message);
int fail(const Console& console, const Refusal& refusal);

/// The whole program.
int run_cli(std::span<const std::string> words, const Console& console);

/// `0.1.0`
std::string_view program_version();

int run_run(const Args& args, const Console& console);
int run_next(const Args& args, const Console& console);
int run_explain(const Args& args, const Console& console);
int run_check(const Args& args, const Console& console);
int run_jobs(const Args& args, const Console& console);
int run_show(const Args& args, const Console& console);
int run_nodes(const Args& args, const Console& console);
int run_history(const Args& args, const Console& console);
int run_why(const Args& args, const Console& console);
int run_logs(const Args& args, const Console& console);
int run_verify(const Args& args, const Console& console);
int run_doctor(const Args& args, const Console& console);
int run_trigger(const Args& args, const Console& console);
int run_pause(const Args& args, const Console& console);
int run_resume(const Args& args, const Console& console);
int run_cancel(const Args& args, const Console& console);
int run_release(const Args& args, const Console& console);
int run_backfill(const Args& args, const Console& console);
int run_retire(const Args& args, const Console& console);
int run_recede(const Args& args, const Console& console);
int run_progress(const Args& args, const Console& console);
int run_adopt(const Args& args, const Console& console);
int run_backup(const Args& args, const Console& console);
int run_store(const Args& args, const Console& console);
int run_completion(const Args& args, const Console& console);
int run_version(const Args& args, const Console& console);

/// Not for people, and so no row: a keeper starts it (call.cc).
int run_call(const Console& console);

}  // namespace cronce
