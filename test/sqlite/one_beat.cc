// Opens the store of that path, writes one beat between two words: what strace looks at.
#include <unistd.h>

#include "store/sqlite/sqlite_store.h"
#include "test/sqlite/client.h"

int main(int, char** argv) {
  using namespace cronce;
  Rng rng(random_seed());
  const Clock& clock = system_clock();
  auto store = SqliteStore::open_file({.path = argv[1]}, clock, rng);
  if (!store) return 1;
  Client client(**store, rng, clock);
  if (!client.beat() || !client.enroll(clock.wall(), {"x"})) return 1;
  if (::write(STDERR_FILENO, "begin\n", 6) != 6) return 1;
  if (!client.beat()) return 1;
  return ::write(STDERR_FILENO, "end\n", 4) == 4 ? 0 : 1;
}
