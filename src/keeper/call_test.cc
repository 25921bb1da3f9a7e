#include "keeper/call.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "test/support/times.h"

namespace cronce {
namespace {

Claim a_call_claim() {
  Claim claim;
  claim.run = {{7}, Space::slot, utc("2026-03-29T01:30:00Z"), "", {2}};
  claim.fence = {5};
  claim.key = "prod/billing@2026-03-29T01:30:00Z";
  return claim;
}

CallOrder an_order(const std::string& body = "a") {
  const HttpCall call{"PUT", "https://x/?a=b", {{"X", "y"}, {"Accept", ""}}, body, 200, 204};
  return call_order(a_call_claim(), parse_job_name("billing").value(), call);
}

TEST(Call, tells_the_server_what_a_command_finds_in_its_environment) {
  const CallOrder order = an_order();
  EXPECT_EQ(order.method, "PUT");
  EXPECT_EQ(order.url, "https://x/?a=b");
  EXPECT_EQ(order.body, "a");
  EXPECT_EQ(order.expect_low, 200);
  EXPECT_EQ(order.expect_high, 204);
  const std::vector<std::pair<std::string, std::string>> headers{
      {"Accept", ""},
      {"X", "y"},
      {"Idempotency-Key", "prod/billing@2026-03-29T01:30:00Z"},
      {"Cronce-Job", "billing"},
      {"Cronce-Slot", "2026-03-29T01:30:00Z"},
      {"Cronce-Attempt", "2"},
      {"Cronce-Fence", "5"}};
  EXPECT_EQ(order.headers, headers);
}

TEST(Call, of_a_run_without_a_slot_says_when_it_was_due) {
  Claim claim = a_call_claim();
  claim.run.space = Space::manual;
  claim.run.request = "r-17";
  claim.due = utc("2026-03-29T08:00:00Z");
  const auto order = call_order(claim, parse_job_name("billing").value(), HttpCall{});
  EXPECT_EQ(order.headers[2].second, "2026-03-29T08:00:00Z");
}

TEST(Call, is_read_as_it_was_printed) {
  for (const std::string& body :
       {std::string(), std::string("a\0b", 3), std::string("\"\\\r\n\t\x7f {}"),
        std::string("\xc3\xa4\xf0\x9f\x98\x80"), std::string(1 << 20, 'x')}) {
    const CallOrder order = an_order(body);
    const std::string text = print(order);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(parse_call_order(text).value(), order);
  }
}

TEST(Call, that_is_cut_off_is_none) {
  const std::string text = print(an_order());
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(parse_call_order(std::string_view(text).substr(0, size)));
  }
  EXPECT_FALSE(parse_call_order(text + "x"));
}

TEST(Call, that_is_wrong_is_none) {
  const std::string right =
      R"({"method":"GET","url":"http://x/","headers":[["A","b"]],"body":"","expect":[200,299]})";
  ASSERT_TRUE(parse_call_order(right));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = right;
    text.replace(text.find(from), from.size(), to);
    return parse_call_order(text);
  };
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {R"("GET")", "1"},
      {R"("GET")", R"("")"},
      {R"("GET")", R"("GET /x HTTP/1.1\r\nA:")"},
      {R"("GET")", "null"},
      {R"("http://x/")", R"("http://x/ HTTP/1.1\r\n")"},
      {R"("http://x/")", "[]"},
      {R"("url")", R"("uri")"},
      {R"("body":"",)", ""},
      {R"("body":"")", R"("body":{})"},
      {R"("body":"")", R"("body":"","more":1)"},
      {R"([["A","b"]])", "{}"},
      {R"([["A","b"]])", "null"},
      {R"([["A","b"]])", R"(["A: b"])"},
      {R"(["A","b"])", R"(["A"])"},
      {R"(["A","b"])", R"(["A","b","c"])"},
      {R"(["A","b"])", R"(["A",1])"},
      {R"(["A","b"])", R"(["","b"])"},
      {R"(["A","b"])", R"(["A:","b"])"},
      {R"(["A","b"])", R"(["A ","b"])"},
      {R"(["A","b"])", R"(["A;","b"])"},
      {R"(["A","b"])", R"(["A","b\r\nC: d"])"},
      {R"(["A","b"])", R"(["A\n","b"])"},
      {R"(["A","b"])", R"(["A","b\u0000c"])"},
      {"[200,299]", "[299,200]"},
      {"[200,299]", "[99,200]"},
      {"[200,299]", "[200,600]"},
      {"[200,299]", "[200]"},
      {"[200,299]", "[200.5,299]"},
      {"[200,299]", R"(["200","299"])"},
      {"[200,299]", "[200,18446744073709551615]"},
      {"[200,299]", "200"}};
  for (const auto& [from, to] : mistakes) EXPECT_FALSE(with(from, to)) << to;
}

// What is wrong may be a password in the wrong place.
TEST(Call, that_is_wrong_is_not_repeated) {
  const auto wrong = parse_call_order(R"({"method":"secret"})");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message.find("secret"), std::string::npos);
}

TEST(Call, with_any_byte_changed_is_read_or_not_and_never_smuggles_a_line) {
  const std::string right = print(an_order());
  Rng rng(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = right;
    for (std::uint64_t changes = rng.below(3) + 1; changes > 0; --changes) {
      text[rng.below(text.size())] = static_cast<char>(rng.below(256));
    }
    const auto order = parse_call_order(text);
    if (!order) continue;
    EXPECT_EQ(order->url.find_first_of("\r\n "), std::string::npos);
    for (const auto& [name, value] : order->headers) {
      EXPECT_EQ((name + value).find_first_of(std::string_view("\r\n\0", 3)), std::string::npos);
    }
    EXPECT_EQ(parse_call_order(print(*order)).value(), *order);
  }
}

}  // namespace
}  // namespace cronce
