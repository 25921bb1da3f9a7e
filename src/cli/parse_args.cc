// The only file with the command-line library: rows in, Args out.
#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/suggest.h"
#include "base/text.h"
#include "cli/command.h"

namespace cronce {
namespace {

struct Slots {
  std::map<std::string, std::string> values;
  std::map<std::string, bool> switches;
  std::vector<std::string> words;
};

void declare(const CommandRow& command, CLI::App& app, Slots& slots) {
  for (const Flag& flag : command.flags) {
    if (flag.many) continue;  // see take_lists()
    const std::string name(flag.name);
    const std::string all = name + (flag.letter.empty() ? "" : "," + std::string(flag.letter));
    if (flag.value.empty()) {
      app.add_flag(all, slots.switches[name]);
    } else {
      // One value, exactly as typed: the library would take `[a,b]` apart.
      app.add_option(all, slots.values[name])->allow_extra_args(false)->expected(1);
    }
  }
  app.allow_extras();
}

Error usage(const CommandRow& command, std::string_view what) {
  return {Code::invalid,
          fmt::format("{}: {}: try 'cronce {} --help'", command.name, what, command.name)};
}

Error unknown_flag(const CommandRow& command, std::string_view word) {
  std::vector<std::string_view> names;
  for (const Flag& flag : command.flags) names.push_back(flag.name);
  const auto nearest = suggest(word.substr(0, word.find('=')), names);
  if (!nearest) return usage(command, fmt::format("unknown flag {}", word));
  return {Code::invalid,
          fmt::format("{}: unknown flag {}: did you mean {}?", command.name, word, *nearest)};
}

/// No flag has a blank in its name, so `-5 * * * *` is an expression, if a wrong one.
bool is_flag(std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  return name.size() > 1 && name.front() == '-' && name.find(' ') == std::string_view::npos;
}

bool gives(std::string_view word, const Flag& flag) {
  return word.substr(0, word.find('=')) == flag.name;
}

Error too_many_words(const CommandRow& command, std::string_view word) {
  const bool quotes = command.words.find("EXPR") != std::string_view::npos;
  return usage(command, fmt::format("'{}' is one word too many{}", word,
                                    quotes ? "; put an expression in quotes" : ""));
}

/// The library's own words about these are for programmers, and it takes `--json=no` for `--json`.
std::optional<Error> wrong_value(const CommandRow& command, std::span<const std::string> words) {
  for (const Flag& flag : command.flags) {
    const auto is_it = [&](const std::string& word) { return gives(word, flag); };
    const auto first = std::find_if(words.begin(), words.end(), is_it);
    if (first == words.end()) continue;
    const bool has_value = first->size() > flag.name.size();
    if (flag.value.empty() && has_value)
      return usage(command, fmt::format("{} takes no value", flag.name));
    if (flag.value.empty()) continue;
    if (!flag.many && std::count_if(words.begin(), words.end(), is_it) > 1) {
      return usage(command, fmt::format("{} is given twice", flag.name));
    }
    const bool ends = has_value ? first->size() == flag.name.size() + 1
                                : first + 1 == words.end() || (first + 1)->starts_with("--");
    if (ends) {
      return usage(command,
                   fmt::format("{} needs a value: {} {}", flag.name, flag.name, flag.value));
    }
  }
  return std::nullopt;
}

Result<Args> collect(const CommandRow& command, const CLI::App& app, const Slots& slots) {
  Args args;
  for (const std::string& word : app.remaining()) {
    if (is_flag(word)) return unknown_flag(command, word);
    args.words.push_back(word);
  }
  for (const Flag& flag : command.flags) {
    if (flag.many) continue;
    const std::string name(flag.name);
    if (app.count(name) == 0) continue;
    const auto value = slots.values.find(name);
    args.flags[name] = value == slots.values.end() ? "" : value->second;
  }
  return args;
}

/// Flags that may be given often, out of the words: the library would take their values apart.
Result<std::map<std::string, std::vector<std::string>>> take_lists(
    const CommandRow& command, std::vector<std::string>& words) {
  std::map<std::string, std::vector<std::string>> lists;
  for (const Flag& flag : command.flags) {
    for (auto word = words.begin(); flag.many && word != words.end();) {
      if (!gives(*word, flag)) {
        ++word;
        continue;
      }
      const bool beside = word->size() == flag.name.size();
      if (beside && word + 1 == words.end()) {
        return usage(command,
                     fmt::format("{} needs a value: {} {}", flag.name, flag.name, flag.value));
      }
      lists[std::string(flag.name)].push_back(beside ? *(word + 1)
                                                     : word->substr(flag.name.size() + 1));
      word = words.erase(word, word + (beside ? 2 : 1));
    }
  }
  return lists;
}

}  // namespace

Result<Args> parse_args(const CommandRow& command, std::span<const std::string> words) {
  // What follows `--` is taken as it is; the library would still look into it.
  const auto end = std::find(words.begin(), words.end(), "--");
  std::vector<std::string> ours(words.begin(), end);
  if (const auto error = wrong_value(command, ours)) return *error;
  auto lists = take_lists(command, ours);
  if (!lists) return lists.error();
  CLI::App app;
  app.set_help_flag();
  Slots slots;
  try {
    declare(command, app, slots);
    std::reverse(ours.begin(), ours.end());  // as the library wants it
    app.parse(std::move(ours));
  } catch (const CLI::ParseError& error) {
    return usage(command, error.what());
  }
  auto args = collect(command, app, slots);
  if (!args) return args;
  args->lists = *std::move(lists);
  if (end != words.end()) args->words.insert(args->words.end(), end + 1, words.end());
  if (args->words.size() > command.max_words) {
    return too_many_words(command, args->words[command.max_words]);
  }
  return args;
}

Result<std::int64_t, Refusal> read_number(std::string_view flag, const std::string& text,
                                          std::int64_t most) {
  const auto number = parse_number(text);
  if (number && *number >= 1 && *number <= most) return *number;
  const std::string range = most == kNoMost ? "1" : fmt::format("1 to {}", most);
  return Refusal{kExitUsage, fmt::format("{}: '{}' is not a number from {}", flag, text, range)};
}

}  // namespace cronce
