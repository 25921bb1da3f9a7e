#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/command.h"

int main(int argc, char** argv) {
  const bool colour = isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const cronce::Console console{stdin, stdout, stderr, cronce::system_clock(), colour};
  const int exit_code = cronce::run_cli(words, console);
  // Output that did not arrive must not look like success.
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  const std::string why = errno == 0 ? "" : std::string(": ") + std::strerror(errno);
  return cronce::fail(console, cronce::kExitInternal, "cannot write the output" + why);
}
