#include "keeper/channel.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace cronce {
namespace {

struct Pair {
  Pair() : Pair(make_socket_pair()) {}
  Channel left;
  Channel right;

 private:
  explicit Pair(Result<DescriptorPair> ends)
      : left(std::move((*ends)[0])), right(std::move((*ends)[1])) {}
};

std::vector<std::string> all(Channel& channel) {
  std::vector<std::string> messages;
  while (auto message = channel.next()) messages.push_back(*message);
  return messages;
}

TEST(Channel, carries_whole_messages_in_order) {
  Pair pair;
  const std::vector<std::string> sent{"", "one", std::string("\0\0", 2), std::string(1'000, 'x')};
  for (const std::string& message : sent) pair.left.send(message);
  EXPECT_TRUE(pair.left.flush());
  EXPECT_TRUE(pair.right.fill());
  EXPECT_EQ(all(pair.right), sent);
}

TEST(Channel, waits_for_nobody) {
  Pair pair;
  const std::string much(3 << 20, 'x');
  pair.left.send(much);
  EXPECT_FALSE(pair.left.flush());
  EXPECT_GT(pair.left.backlog(), 0U);
  std::vector<std::string> got;
  while (got.empty()) {
    pair.left.flush();
    ASSERT_TRUE(pair.right.fill());
    got = all(pair.right);
  }
  EXPECT_EQ(got, std::vector{much});
  EXPECT_EQ(pair.left.backlog(), 0U);
}

TEST(Channel, hands_descriptors_on_with_their_message) {
  Pair pair;
  pair.left.send("before");
  auto pipe = make_pipe();
  std::vector<Descriptor> given;
  given.push_back(std::move((*pipe)[1]));
  pair.left.send("with", std::move(given));
  pair.left.send("after");
  EXPECT_TRUE(pair.left.flush());
  std::size_t messages = 0;
  while (messages < 3 && pair.right.fill()) messages += all(pair.right).size();
  const Descriptor other = pair.right.next_descriptor();
  ASSERT_TRUE(other.open());
  EXPECT_NE(fcntl(other.get(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_EQ(write(other.get(), "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(read((*pipe)[0].get(), &byte, 1), 1);
  EXPECT_FALSE(pair.right.next_descriptor().open());
}

/// In a process without privileges, for which the kernel counts descriptors that are on their way.
bool loses_nothing_to_too_many_descriptors() {
  alarm(20);  // what is lost never comes
  const rlimit few{40, 40};
  if (setrlimit(RLIMIT_NOFILE, &few) != 0 || setuid(65'530) != 0) return false;
  Pair pair;
  const int messages = 8;
  for (int i = 0; i < messages; ++i) {
    std::vector<Descriptor> given;
    for (int k = 0; k < 8; ++k) given.emplace_back(dup(pair.left.fd()));
    pair.left.send("x", std::move(given));
    pair.left.flush();
  }
  if (pair.left.flush()) return false;  // it never was too many: this shows nothing
  int got = 0;
  while (got < messages && pair.right.fill()) {
    while (pair.right.next()) ++got;
    while (pair.right.next_descriptor().open()) {
    }
    pair.left.flush();
  }
  return got == messages;
}

TEST(Channel, sends_later_what_does_not_go_now) {
  const pid_t pid = fork();
  if (pid == 0) _exit(loses_nothing_to_too_many_descriptors() ? 0 : 1);
  int status = 1;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
}

TEST(Channel, keeps_what_a_dead_peer_has_said) {
  auto ends = make_socket_pair();
  Channel right(std::move((*ends)[1]));
  {
    Channel left(std::move((*ends)[0]));
    left.send("last words");
    left.flush();
  }
  right.send("to nobody");
  EXPECT_TRUE(right.flush());
  EXPECT_FALSE(right.closed());
  while (right.fill()) {
  }
  EXPECT_TRUE(right.closed());
  EXPECT_EQ(all(right), std::vector<std::string>{"last words"});
}

TEST(Channel, is_closed_by_half_a_message_and_by_one_that_cannot_be) {
  for (const std::string& bytes :
       {std::string("\5\0\0\0ab", 6), std::string("\xff\xff\xff\xff", 4)}) {
    auto ends = make_socket_pair();
    Channel right(std::move((*ends)[1]));
    ASSERT_EQ(send((*ends)[0].get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
    (*ends)[0].reset();
    right.fill();
    EXPECT_FALSE(right.next());
    right.fill();
    EXPECT_TRUE(right.closed());
  }
}

}  // namespace
}  // namespace cronce
