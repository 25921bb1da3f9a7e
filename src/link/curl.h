// libcurl as a table of its functions, loaded on first use.
//
// With all that it needs it takes twice as long to load as our program itself, and most starts of
// that call nobody. Its headers are needed to build, itself only where a call is made. For src/link
// only.
#pragma once

#include <curl/curl.h>

#include "base/result.h"

namespace cronce {

struct CurlTable {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
};

/// The table, from every thread; it stays for the life of the process. An error says what to
/// install.
Result<const CurlTable*> load_curl();

}  // namespace cronce
