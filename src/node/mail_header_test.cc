#include "node/mail_header.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

TEST(MailHeader, leaves_ascii_as_it_is) {
  EXPECT_EQ(mail_text("cronce: billing@2026-03-29T01:30:00Z#2 late (failed: exit)"),
            "cronce: billing@2026-03-29T01:30:00Z#2 late (failed: exit)");
  EXPECT_EQ(mail_text(""), "");
}

TEST(MailHeader, encodes_what_is_not_ascii) {
  EXPECT_EQ(mail_text("caf\xC3\xA9 no. 1"), "=?UTF-8?Q?caf=C3=A9_no=2E_1?=");
  EXPECT_EQ(mail_text("\xFF"), "=?UTF-8?Q?=EF=BF=BD?=") << "no UTF-8";
  EXPECT_EQ(mail_text("a =?x?= b"), "=?UTF-8?Q?a_=3D=3Fx=3F=3D_b?=") << "else it would be decoded";
}

TEST(MailHeader, splits_long_words_between_characters) {
  std::string text, first;
  for (int i = 0; i < 8; ++i) text += "\xE2\x82\xAC";
  for (int i = 0; i < 7; ++i) first += "=E2=82=AC";
  EXPECT_EQ(mail_text(text), "=?UTF-8?Q?" + first + "?=\n =?UTF-8?Q?=E2=82=AC?=");
}

TEST(MailHeader, begins_no_other_header) {
  const std::string evil = "r\r\nBcc: eve@example.com\n\nhello\t\x7f\v";
  EXPECT_EQ(mail_line(evil), "r  Bcc: eve@example.com  hello   ");
  EXPECT_EQ(mail_text(evil), "r  Bcc: eve@example.com  hello   ");
  EXPECT_EQ(mail_text("\xC3\xA9\nBcc: eve"), "=?UTF-8?Q?=C3=A9_Bcc=3A_eve?=");
  EXPECT_EQ(mail_name("a\nBcc: eve"), "\"a Bcc: eve\"");
}

TEST(MailHeader, quotes_names) {
  EXPECT_EQ(mail_name("cronce on web-1.example.com"), "\"cronce on web-1.example.com\"");
  EXPECT_EQ(mail_name("a\" <eve@example.com> \\"), "\"a\\\" <eve@example.com> \\\\\"");
  EXPECT_EQ(mail_name("w\xC3\xA4rter"), "=?UTF-8?Q?w=C3=A4rter?=");
}

}  // namespace
}  // namespace cronce
