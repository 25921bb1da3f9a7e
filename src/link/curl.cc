#include "link/curl.h"

#include "link/library.h"

namespace cronce {
namespace {

Result<CurlTable> fill_curl() {
  // The second is the same library with another one for TLS.
  const auto library = load_library("libcurl", {"libcurl.so.4", "libcurl-gnutls.so.4"}, "libcurl4");
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
  static const Result<CurlTable> loaded = fill_curl();
  if (!loaded) return loaded.error();
  return &*loaded;
}

}  // namespace cronce
