#include "link/curl.h"

#include <dlfcn.h>

#include <string>

namespace cronce {
namespace {

Result<void*> open_curl() {
  // The second is the same library with another one for TLS.
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  const char* why = dlerror();
  return Error{Code::unavailable, std::string("libcurl cannot be loaded: ") +
                                      (why != nullptr ? why : "nobody says why") +
                                      ": install the package libcurl4"};
}

template <class Function>
bool fill_entry(void* library, const char* name, Function* entry) {
  *entry = reinterpret_cast<Function>(dlsym(library, name));
  return *entry != nullptr;
}

Result<CurlTable> fill_table() {
  const auto library = open_curl();
  if (!library) return library.error();
  CurlTable table;
  const bool whole = fill_entry(*library, "curl_global_init", &table.global_init) &&
                     fill_entry(*library, "curl_easy_init", &table.easy_init) &&
                     fill_entry(*library, "curl_easy_cleanup", &table.easy_cleanup) &&
                     fill_entry(*library, "curl_easy_setopt", &table.easy_setopt) &&
                     fill_entry(*library, "curl_easy_perform", &table.easy_perform) &&
                     fill_entry(*library, "curl_easy_getinfo", &table.easy_getinfo) &&
                     fill_entry(*library, "curl_easy_strerror", &table.easy_strerror) &&
                     fill_entry(*library, "curl_slist_append", &table.slist_append) &&
                     fill_entry(*library, "curl_slist_free_all", &table.slist_free_all);
  if (!whole || table.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return Error{Code::unavailable, "libcurl was loaded, and cannot be used"};
  }
  return table;
}

}  // namespace

Result<const CurlTable*> load_curl() {
  static const Result<CurlTable> loaded = fill_table();
  if (!loaded) return loaded.error();
  return &*loaded;
}

}  // namespace cronce
