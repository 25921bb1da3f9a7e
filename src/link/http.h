// One HTTP request: sent at most once, on a connection of its own.
//
// Nothing is sent again by itself: no redirect is followed, no connection is used twice, and what
// libcurl would repeat (after a refused HTTP/2 stream, after a refused `Expect`) is not used.
// http and https only, certificates are verified. As of curl, the environment names proxies
// (https_proxy, no_proxy, ...) and certificates (SSL_CERT_FILE, SSL_CERT_DIR). Waits as long as the
// server takes, but not for the connection: whoever needs a limit ends the process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace cronce {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  HttpHeaders headers;
  std::string body;
  Duration connect_timeout{30'000};  // name, connection and TLS
};

struct HttpAnswer {
  std::int64_t status = 0;
  std::string redirect;  // where it points to, if it does
};

/// Whether this host can call at all; an error says what to install.
Status can_call_http();

/// Hands on the answer's body as it comes. An error says whether the request was sent at all, and
/// the status if there was one: an answer that is not whole is none.
Result<HttpAnswer> call_http(const HttpRequest& request,
                             const std::function<void(std::string_view)>& body);

}  // namespace cronce
