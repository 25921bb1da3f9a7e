// A claim and its job as an order that the keeper can carry out without asking anybody.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "keeper/environment.h"
#include "keeper/message.h"

namespace cronce {

/// Where the run is to happen.
struct Circumstances {
  StoreId store;
  RunFacts facts;
  std::vector<std::string> node_environment;
  std::string log_path;  // empty: only the end of its output is kept
};

/// `user` is the one that the job names, or the node's own; if there is none of that name the order
/// says so, and the run ends as `failed: spawn`. An http action becomes a command of ours (call.h);
/// folder, umask, nice and limits are for programs of the job and not for this one.
Start prepare(const Claim& claim, const Job& job, const Circumstances& circumstances,
              const Result<User>& user);

/// The default fits the other two: where runs may overlap and a lost one is not repeated, nothing
/// is gained by killing it.
OnLeaseLoss lease_loss_of(const Job& job);

}  // namespace cronce
