#include <algorithm>

#include <fmt/format.h>

#include "cli/command.h"

namespace cronce {
namespace {

std::string flag_names(const CommandRow& command) {
  std::string names;
  for (const Flag& flag : command.flags) names += std::string(flag.name) + " ";
  return names + "--help";
}

std::string command_names() {
  std::string names;
  for (const CommandRow& command : commands()) names += std::string(command.name) + " ";
  return names + "help";
}

/// The flags that have a few values, each once: a flag means the same in all commands.
std::vector<Flag> flags_with_choices() {
  std::vector<Flag> found;
  for (const CommandRow& command : commands()) {
    for (const Flag& flag : command.flags) {
      const bool known = std::any_of(found.begin(), found.end(),
                                     [&](const Flag& other) { return other.name == flag.name; });
      if (!flag.choices.empty() && !known) found.push_back(flag);
    }
  }
  return found;
}

/// In single quotes, which all three shells close and open again around an escaped one.
std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// `    --gap) ACTION ;;` for each flag with values; `{}` in `action` are the values.
std::string value_cases(std::string_view action) {
  std::string cases;
  for (const Flag& flag : flags_with_choices()) {
    const std::string values(flag.choices);
    cases += fmt::format("    {}) {} ;;\n", flag.name, fmt::format(fmt::runtime(action), values));
  }
  return cases;
}

std::string bash() {
  std::string cases;
  for (const CommandRow& command : commands()) {
    cases += fmt::format("    {}) flags=\"{}\" words=\"{}\" ;;\n", command.name,
                         flag_names(command), command.choices);
  }
  cases += fmt::format("    help) words=\"{}\" ;;\n", command_names());
  return fmt::format(R"(_cronce() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} last=${{COMP_WORDS[COMP_CWORD-1]}} flags="" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  case $last in
{}  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$word"))
       else COMPREPLY=($(compgen -f -- "$word")); fi ;;
  esac
}}
complete -o filenames -F _cronce cronce
)",
                     command_names(), cases, value_cases("words=\"{}\""));
}

std::string zsh() {
  std::string rows;
  std::string cases;
  for (const CommandRow& command : commands()) {
    rows +=
        fmt::format("    {}\n", single_quoted(fmt::format("{}:{}", command.name, command.summary)));
    const std::string words(command.choices);
    const std::string values = words.empty() ? "" : "compadd -- " + words + "; ";
    const std::string_view files = words.empty() && command.max_words > 0 ? "; _files" : "";
    cases += fmt::format("    {}) {}compadd -- {}{} ;;\n", command.name, values,
                         flag_names(command), files);
  }
  cases += fmt::format("    help) compadd -- {} ;;\n", command_names());
  return fmt::format(R"(#compdef cronce
_cronce() {{
  local -a rows=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command rows
    return
  fi
  case $words[CURRENT-1] in
{}  esac
  case $words[2] in
{}  esac
}}
# As a file in $fpath it is run in place of the function for the first time.
if [ "$funcstack[1]" = _cronce ]; then _cronce; else compdef _cronce cronce; fi
)",
                     rows, value_cases("compadd -- {}; return"), cases);
}

/// `complete` for what may follow a command; `rest` says what.
std::string fish_line(std::string_view command, std::string_view rest) {
  return fmt::format("complete -c cronce -n '__fish_seen_subcommand_from {}' {}\n", command, rest);
}

std::string fish_flag(std::string_view command, const Flag& flag) {
  std::string value = flag.value.empty() ? "" : " -r";
  if (!flag.choices.empty()) value = " -x -a " + single_quoted(flag.choices);
  return fish_line(
      command, fmt::format("-l {}{} -d {}", flag.name.substr(2), value, single_quoted(flag.help)));
}

std::string fish() {
  std::string out = "complete -c cronce -n __fish_use_subcommand -f\n";
  for (const CommandRow& command : commands()) {
    out += fmt::format("complete -c cronce -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       single_quoted(command.summary));
    if (!command.choices.empty()) {
      out += fish_line(command.name, "-f -a " + single_quoted(command.choices));
    }
    for (const Flag& flag : command.flags) out += fish_flag(command.name, flag);
  }
  return out + fish_line("help", "-f -a " + single_quoted(command_names()));
}

}  // namespace

int run_completion(const Args& args, const Console& console) {
  const std::string shell = args.words.empty() ? "" : args.words.front();
  if (shell == "bash") {
    put(console.out, bash());
  } else if (shell == "zsh") {
    put(console.out, zsh());
  } else if (shell == "fish") {
    put(console.out, fish());
  } else {
    return fail(console, kExitUsage, "completion: name a shell: bash, zsh or fish");
  }
  return kExitDone;
}

}  // namespace cronce
