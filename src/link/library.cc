#include "link/library.h"

namespace cronce {

Result<void*> load_library(const std::string& name, std::initializer_list<const char*> files,
                           const std::string& package) {
  for (const char* file : files) {
    if (void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  const char* why = dlerror();
  return Error{Code::unavailable,
               name + " cannot be loaded: " + (why != nullptr ? why : "nobody says why") +
                   ": install the package " + package};
}

}  // namespace cronce
