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

/// In single quotes, which all three shells close and open again around an escaped one.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bash() {
  std::string cases;
  for (const CommandRow& command : commands()) {
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command.name, flag_names(command));
  }
  return fmt::format(R"(_cronce() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _cronce cronce
)",
                     command_names(), cases);
}

std::string zsh() {
  std::string rows;
  std::string cases;
  for (const CommandRow& command : commands()) {
    rows += fmt::format("    {}\n", quoted(fmt::format("{}:{}", command.name, command.summary)));
    cases += fmt::format("    {}) compadd -- {} ;;\n", command.name, flag_names(command));
  }
  return fmt::format(R"(#compdef cronce
_cronce() {{
  local -a rows=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command rows
    return
  fi
  case $words[2] in
{}  esac
  _files
}}
# As a file in $fpath it is run in place of the function for the first time.
if [ "$funcstack[1]" = _cronce ]; then _cronce; else compdef _cronce cronce; fi
)",
                     rows, cases);
}

std::string fish() {
  std::string out = "complete -c cronce -n __fish_use_subcommand -f\n";
  for (const CommandRow& command : commands()) {
    out += fmt::format("complete -c cronce -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       quoted(command.summary));
    for (const Flag& flag : command.flags) {
      out += fmt::format("complete -c cronce -n '__fish_seen_subcommand_from {}' -l {}{} -d {}\n",
                         command.name, flag.name.substr(2), flag.value.empty() ? "" : " -r",
                         quoted(flag.help));
    }
  }
  return out;
}

}  // namespace

int run_completion(const Args& args, const Console& console) {
  const std::string shell = args.words.empty() ? "" : args.words.front();
  if (shell == "bash") {
    fmt::print(console.out, "{}", bash());
  } else if (shell == "zsh") {
    fmt::print(console.out, "{}", zsh());
  } else if (shell == "fish") {
    fmt::print(console.out, "{}", fish());
  } else {
    return fail(console, kExitUsage, "completion: name a shell: bash, zsh or fish");
  }
  return kExitDone;
}

}  // namespace cronce
