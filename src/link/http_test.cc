#include "link/http.h"

#include <gtest/gtest.h>

#include "test/support/http_server.h"

namespace cronce {
namespace {

using test::http_answer;
using test::HttpConnection;
using test::HttpServer;
using test::SeenRequest;

struct Heard {
  Result<HttpAnswer> answer;
  std::string body;
};

Heard call(const HttpRequest& request) {
  std::string body;
  auto answer = call_http(request, [&](std::string_view bytes) { body += bytes; });
  return {std::move(answer), std::move(body)};
}

/// What a server that is content sees of this.
SeenRequest seen(HttpRequest request) {
  HttpServer server(http_answer("204 No Content"));
  request.url = server.url(request.url);
  const auto heard = call(request);
  EXPECT_TRUE(heard.answer) << heard.answer.error().message;
  const auto requests = server.requests();
  EXPECT_EQ(requests.size(), 1U);
  return requests.empty() ? SeenRequest{} : requests.front();
}

/// Why it failed, and how often the server was asked.
std::pair<std::string, std::size_t> failure(const HttpServer::Answer& answer,
                                            const std::string& method = "POST") {
  HttpServer server(answer);
  const auto heard = call({method, server.url(), {}, "pay"});
  EXPECT_FALSE(heard.answer);
  return {heard.answer ? "" : heard.answer.error().message, server.requests().size()};
}

TEST(Http, sends_what_it_is_given) {
  const std::string body("a\0b\r\n\xff", 6);
  const SeenRequest request =
      seen({"POST", "/pay?x=1&y=%20", {{"Content-Type", "text/x"}, {"X-Empty", ""}}, body});
  EXPECT_TRUE(request.has("POST /pay?x=1&y=%20 HTTP/1.1")) << request.head;
  EXPECT_TRUE(request.has("Content-Type: text/x")) << request.head;
  EXPECT_TRUE(request.has("X-Empty:")) << request.head;
  EXPECT_TRUE(request.has("Content-Length: 6")) << request.head;
  EXPECT_EQ(request.body, body);
}

TEST(Http, adds_nothing_that_could_mean_something) {
  const SeenRequest request = seen({"POST", "/", {}, std::string(2 << 20, 'x')});
  EXPECT_EQ(request.head.find("Content-Type"), std::string::npos) << request.head;
  EXPECT_EQ(request.head.find("Expect"), std::string::npos) << request.head;
  EXPECT_EQ(request.body.size(), 2U << 20);
}

TEST(Http, has_a_length_where_the_method_has_a_body) {
  for (const std::string method : {"POST", "PUT", "PATCH"}) {
    const SeenRequest request = seen({method, "/", {}, ""});
    EXPECT_TRUE(request.has(method + " / HTTP/1.1")) << request.head;
    EXPECT_TRUE(request.has("Content-Length: 0")) << request.head;
  }
  for (const std::string method : {"GET", "DELETE", "HEAD"}) {
    const SeenRequest request = seen({method, "/", {}, ""});
    EXPECT_TRUE(request.has(method + " / HTTP/1.1")) << request.head;
    EXPECT_EQ(request.head.find("Content-Length"), std::string::npos) << request.head;
  }
  EXPECT_EQ(seen({"GET", "/", {}, "query"}).body, "query");
}

TEST(Http, hands_on_the_answer) {
  HttpServer server(http_answer("503 Busy", "come back later"));
  const auto heard = call({"GET", server.url()});
  ASSERT_TRUE(heard.answer);
  EXPECT_EQ(heard.answer->status, 503);
  EXPECT_EQ(heard.body, "come back later");
}

TEST(Http, reads_an_answer_without_a_length_to_its_end) {
  HttpServer server("HTTP/1.0 200 OK\r\n\r\nall of it");
  const auto heard = call({"GET", server.url()});
  ASSERT_TRUE(heard.answer);
  EXPECT_EQ(heard.body, "all of it");
}

TEST(Http, of_a_head_is_only_the_status) {
  HttpServer server("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
  const auto heard = call({"HEAD", server.url()});
  ASSERT_TRUE(heard.answer);
  EXPECT_EQ(heard.answer->status, 200);
}

TEST(Http, follows_no_redirect) {
  HttpServer target(http_answer("200 OK"));
  HttpServer server(http_answer("307 Go", "", "Location: " + target.url("/new") + "\r\n"));
  const auto heard = call({"POST", server.url(), {}, "pay"});
  ASSERT_TRUE(heard.answer);
  EXPECT_EQ(heard.answer->status, 307);
  EXPECT_EQ(heard.answer->redirect, target.url("/new"));
  EXPECT_TRUE(target.requests().empty());
}

// ---- sent once
// -----------------------------------------------------------------------------------

TEST(Http, is_not_sent_again_when_no_answer_comes) {
  for (const std::string method : {"GET", "POST"}) {
    const auto [why, times] = failure([](HttpConnection&) {}, method);
    EXPECT_EQ(why, "no answer: Empty reply from server");
    EXPECT_EQ(times, 1U);
  }
}

TEST(Http, is_not_sent_again_when_the_answer_breaks_off) {
  const auto [why, times] = failure(
      [](HttpConnection& to) { to.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"); });
  EXPECT_TRUE(why.starts_with("HTTP 200, but the answer broke off: ")) << why;
  EXPECT_EQ(times, 1U);
}

TEST(Http, is_not_sent_again_when_the_server_asks_for_something_else) {
  for (const std::string status : {"401 Who", "407 Who", "408 Slow", "417 No", "421 Not here"}) {
    HttpServer server(http_answer(status, "",
                                  "WWW-Authenticate: Digest realm=\"x\", nonce=\"y\"\r\n"
                                  "Retry-After: 0\r\n"));
    const std::string url = "http://me:secret@" + server.url().substr(7);
    const auto heard = call({"POST", url, {}, std::string(2 << 20, 'x')});
    ASSERT_TRUE(heard.answer) << heard.answer.error().message;
    EXPECT_EQ(std::to_string(heard.answer->status), status.substr(0, 3));
    EXPECT_EQ(server.requests().size(), 1U) << status;
  }
}

TEST(Http, says_that_nothing_was_sent) {
  const HttpServer server(http_answer("200 OK"));
  const std::string plain = server.url().substr(4);
  for (const std::string& url : {std::string("file:///etc/passwd"), "ftp" + plain, "gopher" + plain,
                                 std::string("http://[::bad/"), std::string("http:// /")}) {
    const auto heard = call({"GET", url});
    ASSERT_FALSE(heard.answer) << url;
    EXPECT_TRUE(heard.answer.error().message.starts_with("not sent: "))
        << heard.answer.error().message;
    EXPECT_EQ(heard.body, "");
  }
}

TEST(Http, to_a_port_where_nobody_listens_is_not_sent) {
  const test::DeafPort port;
  const auto heard = call({"POST", port.url(), {}, "x"});
  ASSERT_FALSE(heard.answer);
  EXPECT_TRUE(heard.answer.error().message.starts_with("not sent: Failed to connect"))
      << heard.answer.error().message;
}

TEST(Http, does_not_wait_for_ever_for_a_connection) {
  // It reads what it takes for a request, and never answers the greeting of TLS.
  HttpServer server([](HttpConnection& to) { to.wait(); });
  HttpRequest request{"POST", "https" + server.url().substr(4), {}, "x"};
  request.connect_timeout = Duration{50};
  const auto heard = call(request);
  ASSERT_FALSE(heard.answer);
  EXPECT_TRUE(heard.answer.error().message.starts_with("not sent: "))
      << heard.answer.error().message;
}

TEST(Http, goes_through_the_proxy_of_the_environment) {
  HttpServer proxy(http_answer("200 OK", "by proxy"));
  setenv("http_proxy", proxy.url().c_str(), 1);
  const auto heard = call({"GET", "http://example.invalid/x"});
  unsetenv("http_proxy");
  ASSERT_TRUE(heard.answer) << heard.answer.error().message;
  EXPECT_EQ(heard.body, "by proxy");
  ASSERT_EQ(proxy.requests().size(), 1U);
  EXPECT_TRUE(proxy.requests()[0].has("GET http://example.invalid/x HTTP/1.1"));
}

}  // namespace
}  // namespace cronce
