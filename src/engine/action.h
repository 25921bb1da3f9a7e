// What to do: everything that the engine orders. Nothing returns into it but events.
#pragma once

#include <variant>
#include <vector>

#include "model/operation.h"
#include "model/plan.h"

namespace cronce {

struct SendBeat {
  BeatAsk ask;
};

using WriteAsk = std::variant<DecideAsk, std::vector<RunId>, std::vector<FinishEntry>,
                              std::vector<SweepEntry>, RegisterAsk, Remember, OpenEpoch>;
struct SendWrite {
  WriteId id;
  WriteAsk ask;
};

/// Cannot be made without a claim.
struct StartRun {
  Claim claim;
  Shared<Job> job;
};

struct StopRun {
  RunId run;
  Reason reason = Reason::none;
};

/// Every child must be gone by then, on the boot clock, whatever becomes of this process.
struct TrustUntil {
  Duration boot{};
};

/// The store has this end: the keeper's spool need not keep it.
struct EndStored {
  RunId run;
  Fence fence;
};

/// What the store may not forget, with the claims since the last one. To be kept on this machine's
/// disk, outside the store.
struct KeepMark {
  Mark mark;
  std::vector<Claim> claims = {};
};

/// Every job that runs at boot has its run: no later process asks for this boot again.
struct KeepBoot {
  std::string boot;
};

/// Something of a job has changed of which somebody wants to be told, or does no more: then this
/// node's files say something else of it, or nothing.
struct LookForNotices {
  JobRow job;
  bool wanted = true;
};

/// This incarnation was ended: no child may live on, without grace.
struct KillAll {};

/// Drained: nothing runs, and the store knows.
struct Left {};

using Action = std::variant<SendBeat, SendWrite, StartRun, StopRun, TrustUntil, EndStored, KeepMark,
                            KeepBoot, LookForNotices, KillAll, Left>;

}  // namespace cronce
