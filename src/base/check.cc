#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace cronce {

void check_failed(const char* file, int line, const char* what) {
  std::fprintf(stderr, "cronce: internal error: %s:%d: %s does not hold\n", file, line, what);
  std::abort();
}

}  // namespace cronce
