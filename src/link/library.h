// A shared library that is loaded when it is first needed: our program starts without it, and runs
// where it is not installed. For src/link only.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

#include "base/result.h"

namespace cronce {

/// The first of these files that can be loaded; it stays for the life of the process. An error says
/// what to install.
Result<void*> load_library(const std::string& name, std::initializer_list<const char*> files,
                           const std::string& package);

/// False if the library has none of this name.
template <class Function>
bool fill_entry(void* library, const char* name, Function* entry) {
  *entry = reinterpret_cast<Function>(dlsym(library, name));
  return *entry != nullptr;
}

}  // namespace cronce
