#include "store/open_store.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

std::string refusal(const std::string& address) {
  Rng rng(1);
  const auto store = open_store(address, {}, system_clock(), rng);
  return store ? "opened" : store.error().message;
}

TEST(OpenStore, knows_the_kinds_of_stores_by_their_addresses) {
  EXPECT_EQ(refusal("memory:"), "opened");
  EXPECT_EQ(refusal("memory:x"), "memory: nothing can follow the colon");
  EXPECT_EQ(refusal("sqlite:"), "sqlite: the path of a file must follow the colon");
  EXPECT_EQ(refusal("redis://a"),
            "'redis://a' is no store; there are: sqlite:PATH, "
            "postgresql://USER@HOST/DATABASE, memory:");
  EXPECT_EQ(refusal("sqlite"),
            "'sqlite' is no store; there are: sqlite:PATH, "
            "postgresql://USER@HOST/DATABASE, memory:");
}

TEST(OpenStore, of_a_server_wants_a_url) {
  EXPECT_EQ(refusal("postgres:db"),
            "postgres: // must follow the colon, as in postgres://USER@HOST/DATABASE");
  EXPECT_TRUE(check_address("postgresql://db", "prod").ok());
  EXPECT_TRUE(check_address("postgres://a@h1,h2:5433/app?target_session_attrs=read-write").ok());
  EXPECT_TRUE(is_server("postgres://db"));
  EXPECT_FALSE(is_server("sqlite:a"));
}

TEST(OpenStore, makes_nothing_if_it_should_not) {
  Rng rng(1);
  const auto store = open_store("sqlite:/no/such/file", {.make = false}, system_clock(), rng);
  EXPECT_EQ(store.error().code, Code::not_found);
}

TEST(CheckAddress, knows_who_has_namespaces) {
  EXPECT_TRUE(check_address("sqlite:a", "default").ok());
  EXPECT_EQ(check_address("sqlite:a", "prod").error().message,
            "--namespace: a store of the kind sqlite: is one namespace: leave 'prod' out (also in "
            "CRONCE_NAMESPACE), and name another store instead");
  EXPECT_EQ(check_address("postgres://db", "a/b").error().code, Code::invalid);
}

TEST(ShownAddress, hides_passwords) {
  EXPECT_EQ(shown_address("sqlite:/a:b@c"), "sqlite:/a:b@c");
  EXPECT_EQ(shown_address("postgresql://anna@db:5432/app"), "postgresql://anna@db:5432/app");
  EXPECT_EQ(shown_address("postgresql://db:5432/app?user=a"), "postgresql://db:5432/app?user=a");
  EXPECT_EQ(shown_address("postgresql://anna:x@db:5432/app"), "postgresql://anna:***@db:5432/app");
  EXPECT_EQ(shown_address("postgresql://anna:p@ss/w@db/app?a=b@c"),
            "postgresql://anna:***@db/app?a=b@c");
  EXPECT_EQ(shown_address("postgres://db/app?user=a&password=x&sslpassword=y&port=1"),
            "postgres://db/app?user=a&password=***&sslpassword=***&port=1");
  EXPECT_EQ(refusal("postgre://anna:secret@db"),
            "'postgre://anna:***@db' is no store; there are: sqlite:PATH, "
            "postgresql://USER@HOST/DATABASE, memory:");
}

TEST(AdoptStore, needs_a_file) {
  Rng rng(1);
  EXPECT_EQ(adopt_store("memory:", {}, system_clock(), rng).error().code, Code::invalid);
  EXPECT_EQ(adopt_store("sqlite:/no/such/file", {}, system_clock(), rng).error().code,
            Code::not_found);
}

TEST(BackupStore, needs_a_file) {
  Rng rng(1);
  EXPECT_EQ(backup_store("memory:", "/tmp/x", system_clock(), rng).error().code, Code::invalid);
  EXPECT_EQ(backup_store("sqlite:/no/such/file", "/tmp/x", system_clock(), rng).error().code,
            Code::not_found);
}

}  // namespace
}  // namespace cronce
