// What of many rows is sent once.
#include "store/postgres/values.h"

#include <gtest/gtest.h>

namespace cronce::postgres {
namespace {

/// The column after one that differs in every row.
template <class T>
Value sent(const std::vector<T>& values, bool* is_array) {
  Columns rows;
  std::int64_t row = 0;
  for (const T& value : values) rows.add(row++, value);
  *is_array = rows.is_array(1);
  std::vector<Value> columns;
  rows.take_after(columns);
  return columns.at(1);
}

template <class T>
void expect_once(const std::vector<T>& values, const Value& once) {
  bool is_array = true;
  EXPECT_EQ(sent(values, &is_array), once);
  EXPECT_FALSE(is_array);
}

template <class T>
void expect_each(const std::vector<T>& values, const std::string& array) {
  bool is_array = false;
  EXPECT_EQ(sent(values, &is_array), array);
  EXPECT_TRUE(is_array);
}

TEST(Columns, send_once_what_is_the_same) {
  using Number = std::optional<std::int64_t>;
  using Text = std::optional<std::string>;
  expect_once<std::int64_t>({7, 7, 7}, "7");
  expect_once<std::string>({"", ""}, "");
  expect_once<Number>({std::nullopt, std::nullopt}, std::nullopt);
  expect_once<Number>({0, 0}, "0");
  expect_once<Text>({std::nullopt, std::nullopt}, std::nullopt);
  expect_once<RunState>({RunState::lost, RunState::lost}, "lost");
  expect_once<Bytes>({{"a"}, {"a"}}, "\\x61");
  expect_once<Incarnation>({{{1, 2}}, {{1, 2}}}, "00000000000000010000000000000002");
}

TEST(Columns, send_each_once_one_differs) {
  using Number = std::optional<std::int64_t>;
  using Text = std::optional<std::string>;
  expect_each<std::int64_t>({7, 7, 8}, R"({"7","7",8})");
  expect_each<JobUid>({{1}, {2}}, R"({"1",2})");
  expect_each<Time>({Time{Duration{1}}, Time{Duration{2}}}, R"({"1",2})");
  expect_each<bool>({false, true}, R"({"f",t})");
  expect_each<Number>({std::nullopt, 0}, "{NULL,0}");
  expect_each<Number>({0, std::nullopt, 0}, R"({"0",NULL,0})");
  expect_each<Text>({std::nullopt, ""}, "{NULL,\"\"}");
  expect_each<Text>({"", std::nullopt}, "{\"\",NULL}");
  expect_each<Text>({"t", "f"}, "{\"t\",\"f\"}");
  expect_each<RunState>({RunState::lost, RunState::held}, "{\"lost\",\"held\"}");
  expect_each<Bytes>({{""}, {"a"}}, "{\"\\\\x\",\"\\\\x61\"}");
  expect_each<Incarnation>(
      {{{1, 2}}, {{1, 3}}},
      R"({"00000000000000010000000000000002",00000000000000010000000000000003})");
}

}  // namespace
}  // namespace cronce::postgres
