#include "base/digest.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

// FIPS 180-4 examples, and the empty message of the NIST test vectors.
TEST(Digest, is_sha_256) {
  EXPECT_EQ(sha256("").hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc").hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex(),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')).hex(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, begins_with_its_prefix) {
  EXPECT_EQ(sha256("abc").prefix(), 0xba7816bf8f01cfeaU);
  EXPECT_EQ(sha256("abc").hex(12), "ba7816bf8f01");
  EXPECT_EQ(sha256("abc").hex(3), "ba7");
  EXPECT_EQ(sha256("abc").hex(0), "");
}

TEST(DigestDeathTest, has_no_more_than_64_digits) {
  EXPECT_DEATH(sha256("abc").hex(65), "does not hold");
}

}  // namespace
}  // namespace cronce
