#include "engine/members.h"

#include <functional>

#include <gtest/gtest.h>

namespace cronce {
namespace {

using std::chrono::seconds;

constexpr Incarnation kSelf{{1, 0}};
constexpr Incarnation kOther{{2, 0}};

// A beat every 5 s, answers within 3 s: the default.
constexpr LeaseSettings kSettings{};

Node node(const Incarnation& incarnation, std::uint64_t beat) {
  Node node;
  node.name = "n" + std::to_string(incarnation.bits[0]);
  node.incarnation = incarnation;
  node.beat = Beat{beat};
  return node;
}

/// This node's view, told by answers that show its own beat going on and the other's standing.
class Watching {
 public:
  bool answer(Duration arrived, const std::vector<Node>& others) {
    std::vector<Shared<Node>> nodes{node(kSelf, ++beat_)};
    for (const Node& other : others) nodes.emplace_back(other);
    return members.saw(nodes, arrived);
  }

  Members members{kSelf, kSettings};

 private:
  std::uint64_t beat_ = 0;
};

TEST(Members, are_those_of_the_last_answer) {
  Watching w;
  EXPECT_EQ(w.members.self(), nullptr);
  w.answer(seconds(1), {node(kOther, 1)});
  EXPECT_EQ(w.members.self()->name, "n1");
  EXPECT_EQ(w.members.find(kOther)->name, "n2");
  EXPECT_TRUE(w.members.vanished().empty());
  w.answer(seconds(6), {});
  EXPECT_EQ(w.members.find(kOther), nullptr);
  EXPECT_EQ(w.members.vanished(), std::vector{kOther});
  w.answer(seconds(11), {});
  EXPECT_TRUE(w.members.vanished().empty());
}

TEST(Members, are_suspect_after_three_beats_and_swept_after_their_lease) {
  Watching w;
  for (int second = 0; second <= 60; second += 5) {
    SCOPED_TRACE(second);
    w.answer(seconds(1'000 + second), {node(kOther, 9)});
    EXPECT_EQ(w.members.suspect(kOther), second >= 15);
    EXPECT_EQ(w.members.to_sweep().size(), second >= 60 ? 1U : 0U);
  }
  EXPECT_EQ(w.members.to_sweep().front().incarnation, kOther);
  EXPECT_EQ(w.members.to_sweep().front().beat, Beat{9});
}

TEST(Members, are_waited_for_as_long_as_their_own_lease) {
  Watching w;
  Node brief = node(kOther, 9);
  brief.lease = seconds(15);
  for (int second = 0; second <= 15; second += 5) {
    w.answer(seconds(second), {brief});
    EXPECT_EQ(w.members.to_sweep().size(), second >= 15 ? 1U : 0U);
  }
}

TEST(Members, that_beat_again_are_silent_no_more) {
  Watching w;
  for (int second = 0; second <= 55; second += 5) w.answer(seconds(second), {node(kOther, 9)});
  EXPECT_TRUE(w.members.suspect(kOther));
  w.answer(seconds(60), {node(kOther, 10)});
  EXPECT_FALSE(w.members.suspect(kOther));
  EXPECT_TRUE(w.members.to_sweep().empty());
  w.answer(seconds(65), {node(kOther, 9)});  // an answer that was overtaken: counted anew, later
  EXPECT_FALSE(w.members.suspect(kOther));
}

// Silence is what answers showed: an outage of this node's own counts as one beat and one answer.
TEST(Members, are_not_silent_while_nobody_answers_this_node) {
  Watching w;
  w.answer(seconds(0), {node(kOther, 9)});
  w.answer(seconds(3'600), {node(kOther, 9)});
  EXPECT_FALSE(w.members.suspect(kOther));
  EXPECT_TRUE(w.members.to_sweep().empty());
  for (int second = 5; second <= 50; second += 5) {
    w.answer(seconds(3'600 + second), {node(kOther, 9)});
  }
  EXPECT_TRUE(w.members.to_sweep().empty());  // 8 + 50
  w.answer(seconds(3'655), {node(kOther, 9)});
  EXPECT_EQ(w.members.to_sweep().size(), 1U);
}

TEST(Members, never_sweep_themselves) {
  Members members(kSelf, kSettings);
  for (int second = 0; second <= 120; second += 5) members.saw({node(kSelf, 1)}, seconds(second));
  EXPECT_TRUE(members.to_sweep().empty());
}

TEST(Members, that_nobody_knows_are_suspect) {
  Watching w;
  EXPECT_TRUE(w.members.suspect(kOther));
  w.answer(seconds(0), {});
  EXPECT_TRUE(w.members.suspect(kOther));
  EXPECT_FALSE(w.members.suspect(kSelf));
}

TEST(Members, change_by_what_matters_for_who_acts) {
  struct Row {
    const char* what;
    bool matters;
    std::function<void(Node&)> change;
  };
  for (const Row& row : std::vector<Row>{
           {"nothing", false, [](Node&) {}},
           {"beat", false, [](Node& n) { ++n.beat.value; }},
           {"running", false, [](Node& n) { n.running = 7; }},
           {"clock_reading", false, [](Node& n) { n.clock_reading = seconds(1); }},
           {"wall", false, [](Node& n) { n.wall = Time{seconds(1)}; }},
           {"course", false, [](Node& n) { n.course = Time{seconds(1)}; }},
           {"lease", true, [](Node& n) { n.lease = seconds(15); }},
           {"labels", true, [](Node& n) { n.labels["disk"] = "ssd"; }},
           {"schedules", true, [](Node& n) { n.schedules = false; }},
           {"works", true, [](Node& n) { n.works = false; }},
           {"leaving", true, [](Node& n) { n.leaving = true; }},
           {"version", true, [](Node& n) { n.version = "2"; }},
           {"zone_data", true, [](Node& n) { n.zone_data = "2026a"; }},
           {"digests", true, [](Node& n) { n.digests["jobs"] = "d"; }},
           {"incarnation", true, [](Node& n) { n.incarnation.bits[1] = 1; }},
       }) {
    Watching w;
    Node other = node(kOther, 9);
    EXPECT_TRUE(w.answer(seconds(0), {other})) << "the first answer";
    row.change(other);
    EXPECT_EQ(w.answer(seconds(5), {other}), row.matters) << row.what;
    EXPECT_FALSE(w.answer(seconds(6), {other})) << row.what << ", told again";
  }
}

TEST(Members, change_when_a_suspicion_begins_or_ends_or_somebody_goes) {
  Watching w;
  w.answer(seconds(0), {node(kOther, 9)});
  EXPECT_FALSE(w.answer(seconds(5), {node(kOther, 9)}));
  EXPECT_FALSE(w.answer(seconds(10), {node(kOther, 9)}));
  EXPECT_TRUE(w.answer(seconds(15), {node(kOther, 9)}));
  EXPECT_FALSE(w.answer(seconds(20), {node(kOther, 9)}));
  EXPECT_TRUE(w.answer(seconds(25), {node(kOther, 10)}));
  EXPECT_TRUE(w.answer(seconds(30), {}));
  EXPECT_FALSE(w.answer(seconds(35), {}));
}

}  // namespace
}  // namespace cronce
