#include "keeper/call.h"

#include <gtest/gtest.h>

#include "cli/command.h"
#include "test/support/http_server.h"

namespace cronce {
namespace {

using test::http_answer;
using test::HttpServer;

struct Printed {
  int exit_code = 0;
  std::string out;
  std::string err;
};

std::string text_of(std::FILE* file) {
  EXPECT_EQ(std::fseek(file, 0, SEEK_SET), 0);
  std::string text;
  for (int c = 0; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

Printed call(const std::string& input) {
  const Console console{std::tmpfile(), std::tmpfile(), std::tmpfile(), system_clock()};
  put(console.in, input);
  EXPECT_EQ(std::fseek(console.in, 0, SEEK_SET), 0);
  Printed printed;
  printed.exit_code = run_cli(std::vector<std::string>{"call", "job@slot#1"}, console);
  std::fclose(console.in);
  printed.out = text_of(console.out);
  printed.err = text_of(console.err);
  return printed;
}

Printed call(const CallOrder& order) { return call(print(order)); }

TEST(CallCommand, prints_the_answer_and_its_status) {
  HttpServer server(http_answer("200 OK", "done\n"));
  const Printed printed = call({"POST", server.url(), {{"A", "b"}}, "pay", 200, 299});
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_EQ(printed.out, "done\ncronce: HTTP 200\n");
  EXPECT_EQ(printed.err, "");
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_TRUE(requests[0].has("A: b"));
  EXPECT_TRUE(requests[0].has("User-Agent: cronce/" + std::string(program_version())));
  EXPECT_EQ(requests[0].body, "pay");
}

TEST(CallCommand, begins_a_line_for_the_status) {
  HttpServer server(http_answer("200 OK", "{}"));
  EXPECT_EQ(call({"GET", server.url(), {}, "", 200, 200}).out, "{}\ncronce: HTTP 200\n");
}

TEST(CallCommand, lets_a_job_say_who_it_is) {
  HttpServer server(http_answer("204 Nothing"));
  EXPECT_EQ(call({"GET", server.url(), {{"user-agent", "me"}}, "", 204, 204}).exit_code, 0);
  ASSERT_EQ(server.requests().size(), 1U);
  EXPECT_TRUE(server.requests()[0].has("user-agent: me"));
  EXPECT_EQ(server.requests()[0].head.find("cronce/"), std::string::npos);
}

TEST(CallCommand, fails_by_a_status_out_of_the_range) {
  HttpServer server(http_answer("404 What", "no such thing\n"));
  const auto of = [&](std::int64_t low, std::int64_t high) {
    return call({"GET", server.url(), {}, "", low, high});
  };
  EXPECT_EQ(of(200, 299).exit_code, 1);
  EXPECT_EQ(of(200, 299).out, "no such thing\ncronce: HTTP 404, expected 200-299\n");
  EXPECT_EQ(of(403, 403).out, "no such thing\ncronce: HTTP 404, expected 403\n");
  EXPECT_EQ(of(405, 599).exit_code, 1);
  EXPECT_EQ(of(200, 404).exit_code, 0);
  EXPECT_EQ(of(404, 404).exit_code, 0);
}

TEST(CallCommand, says_where_a_redirect_points_to) {
  HttpServer server(http_answer("302 Go", "", "Location: /new\r\n"));
  EXPECT_EQ(call({"POST", server.url("/old"), {}, "", 200, 299}).out,
            "cronce: HTTP 302, expected 200-299: it points to " + server.url("/new") +
                ", and redirects are not followed\n");
  EXPECT_EQ(server.requests().size(), 1U);
  EXPECT_EQ(call({"POST", server.url("/old"), {}, "", 200, 302}).out, "cronce: HTTP 302\n");
}

TEST(CallCommand, shows_no_password_where_a_redirect_keeps_it) {
  HttpServer server(http_answer("302 Go", "", "Location: /new\r\n"));
  std::string url = server.url("/old");
  url.insert(url.find("://") + 3, "me:s3cr3t@");
  const std::string out = call({"POST", url, {}, "", 200, 299}).out;
  EXPECT_EQ(out.find("s3cr3t"), std::string::npos) << out;
  EXPECT_NE(out.find("it points to http://***@"), std::string::npos) << out;
}

TEST(CallCommand, says_that_no_answer_came) {
  HttpServer server("");
  const Printed printed = call({"POST", server.url(), {}, "", 200, 299});
  EXPECT_EQ(printed.exit_code, 1);
  EXPECT_EQ(printed.out, "cronce: no answer: Empty reply from server\n");
}

TEST(CallCommand, sends_nothing_when_it_cannot_read_what) {
  for (const std::string input : {"", "x", "{}"}) {
    const Printed printed = call(input);
    EXPECT_EQ(printed.exit_code, kExitBadData);
    EXPECT_EQ(printed.out, "");
    EXPECT_EQ(printed.err, "cronce: what to call cannot be read: no order of a keeper\n");
  }
}

TEST(CallCommand, is_in_no_help_and_no_completion) {
  EXPECT_EQ(overview_help().find("\n  call "), std::string::npos);
  for (const CommandRow& command : commands()) EXPECT_NE(command.name, kCallCommand);
}

}  // namespace
}  // namespace cronce
