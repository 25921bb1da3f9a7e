#include "engine/rank.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

namespace cronce {
namespace {

constexpr int kJobs = 10'000;

std::vector<Candidate> nodes(std::size_t count) {
  Rng rng(1);
  std::vector<Candidate> all(count);
  for (Candidate& node : all) node.incarnation = Incarnation::random(rng);
  return all;
}

std::size_t home_of(JobUid job, const std::vector<Candidate>& nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (rank_of(job, nodes[i].incarnation, nodes) == 0) return i;
  }
  return nodes.size();
}

TEST(Rank, gives_each_place_to_one_node_whatever_their_order) {
  std::vector<Candidate> all = nodes(7);
  std::vector<Candidate> backwards(all.rbegin(), all.rend());
  for (std::uint64_t job = 0; job < 100; ++job) {
    std::vector<bool> taken(all.size());
    for (const Candidate& node : all) {
      const std::size_t rank = rank_of(JobUid{job}, node.incarnation, all);
      ASSERT_LT(rank, all.size());
      EXPECT_FALSE(taken[rank]);
      taken[rank] = true;
      EXPECT_EQ(rank_of(JobUid{job}, node.incarnation, backwards), rank);
    }
  }
}

TEST(Rank, spreads_jobs_evenly_over_homes_and_over_those_who_stand_in) {
  const std::vector<Candidate> all = nodes(5);
  std::map<std::size_t, int> by_home;
  std::map<std::size_t, int> by_second;
  for (std::uint64_t job = 1; job <= std::uint64_t{kJobs}; ++job) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t rank = rank_of(JobUid{job}, all[i].incarnation, all);
      if (rank == 0) ++by_home[i];
      if (rank == 1) ++by_second[i];
    }
  }
  for (const auto& counts : {by_home, by_second}) {
    for (const auto& [node, count] : counts) {
      EXPECT_NEAR(count, kJobs / 5.0, 150) << node;  // four deviations of a fair choice
    }
  }
}

TEST(Rank, of_a_lost_node_moves_its_jobs_alone_and_evenly) {
  const std::vector<Candidate> before = nodes(5);
  std::vector<Candidate> after = before;
  after.pop_back();
  std::map<std::size_t, int> heirs;
  for (std::uint64_t job = 1; job <= std::uint64_t{kJobs}; ++job) {
    const std::size_t home = home_of(JobUid{job}, before);
    if (home == before.size() - 1) {
      ++heirs[home_of(JobUid{job}, after)];
    } else {
      ASSERT_EQ(home_of(JobUid{job}, after), home);
    }
  }
  for (const auto& [node, count] : heirs) EXPECT_NEAR(count, kJobs / 20.0, 100) << node;
}

TEST(Rank, puts_those_who_fit_first_and_those_who_know_less_last) {
  std::vector<Candidate> all = nodes(6);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].tier = std::vector{Tier::older, Tier::decides, Tier::fits}[i % 3];
  }
  for (std::uint64_t job = 0; job < 100; ++job) {
    for (const Candidate& node : all) {
      const std::size_t rank = rank_of(JobUid{job}, node.incarnation, all);
      EXPECT_EQ(rank / 2, static_cast<std::size_t>(node.tier));
    }
  }
}

TEST(Rank, of_a_stranger_is_behind_everybody) {
  const std::vector<Candidate> all = nodes(3);
  EXPECT_EQ(rank_of(JobUid{1}, Incarnation{}, all), 3U);
  EXPECT_EQ(rank_of(JobUid{1}, Incarnation{}, {}), 0U);
}

TEST(Standby, grows_with_the_rank_up_to_ten) {
  const Duration standby{300};
  struct Row {
    std::size_t rank;
    Duration delay;
  };
  for (const Row& row :
       {Row{0, Duration{0}}, Row{1, Duration{300}}, Row{2, Duration{600}}, Row{10, Duration{3'000}},
        Row{11, Duration{3'000}}, Row{1'000'000, Duration{3'000}}}) {
    EXPECT_EQ(standby_delay(row.rank, standby), row.delay) << row.rank;
  }
}

}  // namespace
}  // namespace cronce
