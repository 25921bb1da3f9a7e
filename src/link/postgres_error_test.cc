#include "link/postgres_error.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

TEST(PostgresErrors, tell_what_may_pass_from_what_a_person_must_mend) {
  for (const char* state : {"08006", "08P01", "25006", "40001", "40P01", "53100", "53300", "55P03",
                            "57014", "57P01", "57P03", "58030", "XX000"}) {
    EXPECT_EQ(statement_error(state, "x", true).error.code, Code::unavailable) << state;
  }
  for (const char* state : {"22012", "28000", "28P01", "3D000", "42501", "42601", "42P01"}) {
    EXPECT_EQ(statement_error(state, "x", true).error.code, Code::invalid) << state;
  }
  EXPECT_EQ(statement_error("XX001", "x", true).error.code, Code::corrupt);
}

TEST(PostgresErrors, are_one_line_with_what_to_do) {
  const PostgresError full = statement_error("53100", "could not extend file \"x\"\nmore ", false);
  EXPECT_EQ(full.error.message, "could not extend file \"x\": the disk of the server is full");
  EXPECT_EQ(full.state, "53100");
  EXPECT_FALSE(full.answered);
  EXPECT_EQ(statement_error("57P03", "the database system is starting up", true).error.message,
            "the database system is starting up");
  const Error standby =
      statement_error("0A000", "cannot set transaction read-write mode during recovery", true)
          .error;
  EXPECT_EQ(standby.code, Code::unavailable);
  EXPECT_EQ(standby.message,
            "cannot set transaction read-write mode during recovery: a standby, or set to "
            "read-only: name the primary, or several hosts and target_session_attrs=read-write");
}

TEST(PostgresErrors, have_the_state_of_a_refused_connection) {
  const PostgresError error = connect_error(
      "connection to server at \"h\", port 1 failed: FATAL:  57P03: the database system is "
      "starting "
      "up\nLOCATION:  ProcessStartupPacket, postmaster.c:2347\n");
  EXPECT_EQ(error.state, "57P03");
  EXPECT_EQ(error.error.code, Code::unavailable);
  EXPECT_EQ(error.error.message,
            "connection to server at \"h\", port 1 failed: the database system is starting up");
}

TEST(PostgresErrors, prefer_the_host_that_answered) {
  const PostgresError error = connect_error(
      "connection to server at \"a\", port 1 failed: Connection refused\n"
      "\tIs the server running on that host and accepting TCP/IP connections?\n"
      "connection to server at \"b\", port 1 failed: FATAL:  28P01: no entry\n");
  EXPECT_EQ(error.state, "28P01");
  EXPECT_EQ(error.error.code, Code::invalid);
}

TEST(PostgresErrors, take_a_line_without_a_state_as_it_is) {
  for (const char* line : {"", "x", "x:  ", "x:  28P01", "x:  28p01: y", "x:  28P01:y"}) {
    EXPECT_EQ(connect_error(line).state, "") << line;
    EXPECT_FALSE(connect_error(line).error.message.empty());
  }
}

}  // namespace
}  // namespace cronce
