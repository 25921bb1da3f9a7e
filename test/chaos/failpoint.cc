#include "test/chaos/failpoint.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>

namespace cronce::chaos {
namespace {

struct Death {
  std::string moment;
  int visit = 0;
  std::string file;
};

Death read_death() {
  const char* variable = std::getenv("CHAOS_FAILPOINT");
  if (variable == nullptr) return {};
  const std::string text = variable;
  const std::size_t visit = text.find(':');
  const std::size_t file = text.find(':', visit + 1);
  return {text.substr(0, visit), std::atoi(text.c_str() + visit + 1), text.substr(file + 1)};
}

}  // namespace

void Failpoint::come_to(const std::string& moment) {
  static const Death death = read_death();
  static std::atomic<int> visits = 0;
  if (moment != death.moment || ++visits < death.visit) return;
  const int file = open(death.file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  close(file);
  kill(getpid(), SIGKILL);
}

}  // namespace cronce::chaos
