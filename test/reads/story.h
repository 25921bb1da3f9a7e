// An evening of two nodes, played on a store by a clock that stands still: what the commands that
// read are shown.
//
// It begins on 2026-03-28 at 21:00 UTC and ends on the 29th at 04:07:30, a night in which the
// clocks of Berlin go forward. web-1 decides; web-2 vanishes at 22:20 and comes back; from 23:05 to
// 01:01 nobody decides anything. test/reads/jobs.yaml defines the jobs.
#pragma once

#include <map>
#include <string>

#include "store/store.h"
#include "test/support/manual_clock.h"

namespace cronce {

class Story {
 public:
  /// `text` is the job file's. Store and clock outlive it.
  Story(Store& store, ManualClock& clock, const std::string& text);

  void play();
  /// web-1 brings another job file, and web-2 still has the old one; then what is too old is
  /// purged.
  void deploy(const std::string& text);

 private:
  struct Player {
    Node node;
    std::uint64_t sequence = 0;
  };

  Player& arrive(const std::string& name, std::uint64_t life);
  WriteId write(Player& player);
  void beat(Player& player);
  void enroll(Player& player, const std::string& text);
  void join(Player& player, const std::string& job);
  void go(std::string_view time);
  /// The player settles all that is owed and starts what may run.
  void decide(Player& player);
  void take(Player& player, const std::string& job);
  void start(const std::string& job, Duration after);
  void finish(const std::string& job, RunState state, Reason reason, std::int64_t exit_code,
              const std::string& output);
  void succeed(const std::string& job, Duration took = Duration{1'200});
  void control(Player& player, const ControlAsk& ask);
  std::vector<JobRow> jobs();
  JobRow row(const std::string& job);

  Store& store_;
  ManualClock& clock_;
  std::string text_;
  std::map<std::string, Player> players_;
  std::map<std::string, Claim> claims_;  // by the job's name
  std::map<std::string, Time> started_;
};

}  // namespace cronce
