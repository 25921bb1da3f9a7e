#include "keeper/message.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

Start full_start() {
  Start start;
  start.key = {{{1, 2}}, "prod", {{7}, Space::manual, Time{Duration{-5}}, "r-1", {3}}, {99}};
  start.incarnation = {{3, 4}};
  start.label = "billing@manual/r-1#3";
  start.argv = {"./bill", "", "--all"};
  start.input = std::string("a\0b", 3);
  start.is_call = true;
  start.environment = {"A=1", "B="};
  start.cwd = "/srv";
  start.user = User{"billing", 1000, 100, {100, 27}, "/home/billing", "/bin/sh"};
  start.umask = 022;
  start.nice = -3;
  start.limits.nofile = 64;
  start.limits.core_bytes = 0;
  start.timeout = Duration{7'200'000};
  start.kill_after = Duration{1};
  start.on_lease_loss = OnLeaseLoss::carry_on;
  start.keep_bytes = 3;
  start.log_path = "/var/log/x";
  start.refusal = "no";
  return start;
}

FinishEntry full_end() {
  FinishEntry end;
  end.run = full_start().key.run;
  end.fence = {5};
  end.incarnation = {{8, 9}};
  end.state = RunState::timed_out;
  end.reason = Reason::late;
  end.started_at = Time{Duration{1}};
  end.finished_at = Time{Duration{2}};
  end.exit_code = -1;
  end.output_tail = std::string("\0\xff", 2);
  end.progress = "40";
  return end;
}

const std::vector<Order>& orders() {
  static const std::vector<Order> all{Start{},
                                      full_start(),
                                      Stop{full_start().key.run, Reason::replaced},
                                      TrustOrder{Duration{-1}, {{1, 1}}, Time{Duration{9}}},
                                      KillAllOrder{},
                                      EndStoredOrder{full_start().key},
                                      Leave{}};
  return all;
}

TEST(Message, is_read_as_it_was_written) {
  for (const Order& order : orders()) EXPECT_EQ(decode_order(encode(order)).value(), order);
  const std::vector<Report> reports{Started{full_start().key.run, 77, Time{Duration{3}}},
                                    Ended{full_end()}, Progress{{}, "40"}, Remark{"x"}};
  for (const Report& report : reports) EXPECT_EQ(decode_report(encode(report)).value(), report);
}

TEST(Message, that_is_cut_off_or_too_long_is_no_message) {
  for (const Order& order : orders()) {
    const std::string bytes = encode(order);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(decode_order(std::string_view(bytes).substr(0, size)));
    }
    EXPECT_FALSE(decode_order(bytes + '\0'));
  }
}

TEST(Message, with_a_value_out_of_its_list_is_no_message) {
  const std::string bytes = encode(Order{Stop{{}, Reason::late}});
  std::string beyond = bytes;
  beyond[beyond.size() - 8] = static_cast<char>(Words<Reason>::kList.size());
  EXPECT_FALSE(decode_order(beyond));
  std::string unknown = bytes;
  unknown[0] = static_cast<char>(std::variant_size_v<Order>);
  EXPECT_FALSE(decode_order(unknown));
}

TEST(Message, cannot_make_its_reader_ask_for_all_memory) {
  std::string bytes = encode(Order{Start{}});
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::string changed = bytes;
    for (std::size_t i = 0; i < 8; ++i) changed[at + i] = static_cast<char>(i == 7 ? 0x7f : 0xff);
    EXPECT_NO_FATAL_FAILURE({ [[maybe_unused]] const bool read = decode_order(changed).ok(); });
  }
}

}  // namespace
}  // namespace cronce
