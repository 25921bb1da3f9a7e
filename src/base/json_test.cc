#include "base/json.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

json::object object(std::string_view text) { return json::parse(text).value().as_object(); }

TEST(Json, keeps_the_order_of_members) {
  EXPECT_EQ(json::print(object(R"( { "b" : 1 , "a" : [ true , null , "x\ny" ] } )")),
            R"({"b":1,"a":[true,null,"x\ny"]})");
}

TEST(Json, takes_the_last_of_equal_keys) {
  EXPECT_EQ(json::print(object(R"({"a":1,"a":2})")), R"({"a":2})");
}

TEST(Json, is_read_strictly) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {""sv, "{"sv, "{} {}"sv, "[1,]"sv, "{a:1}"sv, "'a'"sv, "01"sv,
                                      "NaN"sv, "// x\n1"sv, "\"\n\""sv, "\"\xff\""sv, "1\0"sv}) {
    const auto value = json::parse(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code, Code::invalid);
    EXPECT_TRUE(value.error().message.starts_with("not JSON: ")) << value.error().message;
  }
}

TEST(Json, is_nested_at_most_32_deep) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(json::parse(nested(32)));
  EXPECT_FALSE(json::parse(nested(33)));
  EXPECT_FALSE(json::parse(std::string(1'000'000, '[')));
}

TEST(Json, finds_members_and_takes_null_for_absent) {
  const auto o = object(R"({"text":"a","number":7,"none":null})");
  EXPECT_NE(json::find(o, "number"), nullptr);
  EXPECT_EQ(json::find(o, "none"), nullptr);
  EXPECT_EQ(json::find(o, "other"), nullptr);
  EXPECT_EQ(json::find_string(o, "text").value(), "a");
  EXPECT_EQ(json::find_string(o, "none").value(), std::nullopt);
  EXPECT_EQ(json::find_int(o, "number").value(), 7);
  EXPECT_EQ(json::find_int(o, "other").value(), std::nullopt);
}

TEST(Json, says_which_member_has_the_wrong_type) {
  const auto o = object(R"({"text":1,"number":"1","real":1.5,"huge":9223372036854775808})");
  EXPECT_EQ(json::find_string(o, "text").error().message, "'text' must be a text");
  EXPECT_EQ(json::find_int(o, "number").error().message, "'number' must be a whole number");
  EXPECT_FALSE(json::find_int(o, "real"));
  EXPECT_FALSE(json::find_int(o, "huge"));
}

}  // namespace
}  // namespace cronce
