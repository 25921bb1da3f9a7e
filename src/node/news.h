// What the other threads tell the loop.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "engine/action.h"
#include "engine/event.h"
#include "keeper/user.h"
#include "node/job_files.h"

namespace cronce {

/// What came of a beat; the times are those of the boot clock around the call.
struct BeatReply {
  Beat beat;
  Incarnation incarnation;
  Duration asked{};
  Duration arrived{};
  Result<BeatAnswer> answer;
};

struct WriteReply {
  std::uint64_t sequence = 0;
  Result<WriteAnswered> answer;
};

/// What former nodes of this machine have left.
struct DiskSeen {
  std::vector<FinishEntry> ends;      // from the spool
  std::vector<std::string> troubles;  // sentences
  std::vector<Incarnation> gone;      // nothing of these runs here any more
};

/// What came of ending incarnations: how many runs were lost with each that was not ended before.
struct GoneSwept {
  std::vector<Incarnation> gone;
  Result<std::vector<std::int64_t>> lost;
};

struct UserFound {
  StartRun order;
  Result<User> user;
};

struct JobsRead {
  LoadedJobs jobs;
};

/// What came of telling somebody.
struct NoticeTold {
  std::string title;
  std::string way;
  std::string trouble;  // why it was not
  bool given_up = false;
};

/// All that was worth telling has been told, or tried.
struct AllLookedAt {};

/// Of a thread that has ended.
struct ThreadEnded {};

using News = std::variant<BeatReply, WriteReply, DiskSeen, GoneSwept, UserFound, JobsRead,
                          NoticeTold, AllLookedAt, ThreadEnded>;

}  // namespace cronce
