#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/command.h"

namespace {

/// Of the terminal that is written to; 0 if it is none, or does not say.
std::size_t terminal_width() {
  winsize size{};
  const bool known = isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return known ? size.ws_col : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool colour = isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const cronce::Console console{stdin,  stdout,          stderr, cronce::system_clock(),
                                colour, terminal_width()};
  const int exit_code = cronce::run_cli(words, console);
  // Output that did not arrive must not look like success.
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  const std::string why = errno == 0 ? "" : std::string(": ") + std::strerror(errno);
  return cronce::fail(console, cronce::kExitInternal, "cannot write the output" + why);
}
