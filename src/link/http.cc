#include "link/http.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "base/ascii.h"
#include "link/curl.h"

namespace cronce {
namespace {

using BodySink = std::function<void(std::string_view)>;

constexpr long kKeepAliveAfterSeconds = 60;
constexpr long kKeepAliveEverySeconds = 15;

std::size_t hand_on(char* bytes, std::size_t, std::size_t size, void* sink) {
  (*static_cast<const BodySink*>(sink))({bytes, size});
  return size;
}

bool has_header(const HttpHeaders& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(),
                     [&](const auto& header) { return same_letters(header.first, name); });
}

/// The form in which libcurl wants a header: `A: b`, and `A;` for an empty one.
std::string header_line(const std::pair<std::string, std::string>& header) {
  const auto& [name, value] = header;
  return value.empty() ? name + ";" : fmt::format("{}: {}", name, value);
}

/// One call, and what libcurl needs for it.
class HttpExchange {
 public:
  HttpExchange(const CurlTable& curl, const HttpRequest& request, const BodySink& body)
      : curl_(curl), request_(request), handle_(curl.easy_init(), curl.easy_cleanup) {
    CHECK(handle_ != nullptr);
    set(CURLOPT_ERRORBUFFER, reason_.data());
    set(CURLOPT_WRITEFUNCTION, &hand_on);
    set(CURLOPT_WRITEDATA, &body);
    set_request();
    set_headers();
    set_connection();
    set_certificates();
  }
  ~HttpExchange() { curl_.slist_free_all(headers_); }
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  Result<HttpAnswer> perform() {
    if (!refused_.empty()) return Error{Code::unavailable, "not sent: " + refused_};
    const CURLcode ended = curl_.easy_perform(handle_.get());
    const long status = number(CURLINFO_RESPONSE_CODE);
    if (ended != CURLE_OK) return failure(ended, status);
    const char* redirect = nullptr;
    curl_.easy_getinfo(handle_.get(), CURLINFO_REDIRECT_URL, &redirect);
    return HttpAnswer{status, redirect != nullptr ? redirect : ""};
  }

 private:
  template <class T>
  void set(CURLoption option, T value) {
    const CURLcode done = curl_.easy_setopt(handle_.get(), option, value);
    if (done == CURLE_OK || !refused_.empty()) return;
    refused_ = fmt::format("libcurl does not take its option {}: {}", static_cast<int>(option),
                           curl_.easy_strerror(done));
  }
  void set(CURLoption option, const std::string& text) { set(option, text.c_str()); }

  /// These always say how long their body is, also that it is empty.
  bool sends_body() const {
    const std::string& method = request_.method;
    return !request_.body.empty() || method == "POST" || method == "PUT" || method == "PATCH";
  }

  void set_request() {
    set(CURLOPT_URL, request_.url);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    if (request_.method == "HEAD") return set(CURLOPT_NOBODY, 1L);
    if (sends_body()) {
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
      set(CURLOPT_POSTFIELDS, request_.body.data());
    }
    set(CURLOPT_CUSTOMREQUEST, request_.method);
  }

  void set_headers() {
    for (const auto& header : request_.headers) add_header(header_line(header));
    // libcurl would say that any body is a form, and wait for a word before it sends a large one;
    // a server that refuses to give that word would get the request twice.
    if (!has_header(request_.headers, "content-type")) add_header("Content-Type:");
    add_header("Expect:");
    set(CURLOPT_HTTPHEADER, headers_);
  }

  void add_header(const std::string& line) {
    headers_ = curl_.slist_append(headers_, line.c_str());
    CHECK(headers_ != nullptr);
  }

  void set_connection() {
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_FRESH_CONNECT, 1L);
    set(CURLOPT_FORBID_REUSE, 1L);
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request_.connect_timeout.count()));
    // A server that vanished is found out.
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_TCP_KEEPIDLE, kKeepAliveAfterSeconds);
    set(CURLOPT_TCP_KEEPINTVL, kKeepAliveEverySeconds);
  }

  /// As the command curl does it; the library alone does not look.
  void set_certificates() {
    const auto set_path = [&](CURLoption option, const char* variable) {
      const char* path = std::getenv(variable);
      if (path != nullptr && *path != '\0') set(option, path);
    };
    set_path(CURLOPT_CAINFO, "SSL_CERT_FILE");
    set_path(CURLOPT_CAPATH, "SSL_CERT_DIR");
  }

  long number(CURLINFO what) const {
    long value = 0;
    curl_.easy_getinfo(handle_.get(), what, &value);
    return value;
  }

  Error failure(CURLcode code, long status) const {
    const std::string why = reason_[0] != '\0' ? reason_.data() : curl_.easy_strerror(code);
    if (status != 0) {
      return {Code::unavailable, fmt::format("HTTP {}, but the answer broke off: {}", status, why)};
    }
    const bool sent = number(CURLINFO_REQUEST_SIZE) != 0;
    return {Code::unavailable, fmt::format("{}: {}", sent ? "no answer" : "not sent", why)};
  }

  const CurlTable& curl_;
  const HttpRequest& request_;
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle_;
  curl_slist* headers_ = nullptr;
  std::string refused_;  // by a libcurl that is too old, or was built without something
  std::array<char, CURL_ERROR_SIZE> reason_{};
};

}  // namespace

Status can_call_http() {
  const auto curl = load_curl();
  if (!curl) return curl.error();
  return Done{};
}

Result<HttpAnswer> call_http(const HttpRequest& request, const BodySink& body) {
  const auto curl = load_curl();
  if (!curl) return Error{curl.error().code, "not sent: " + curl.error().message};
  return HttpExchange(**curl, request, body).perform();
}

}  // namespace cronce
