// What the commands have in common that change something in a store: whose word it is, which jobs
// are meant, and what a refusal means.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cli/slot_args.h"
#include "cli/store_args.h"
#include "client/steering.h"

namespace cronce {

/// A store, and a lane to it for a person.
struct Steer {
  ReadStore read;
  std::unique_ptr<Steering> steering;
  By by;
};

/// --store as read_store(), --note. Nodes are woken by what is granted.
Result<Steer, Refusal> open_steer(const Args& args, const Console& console);

/// CRONCE_WHO, for programs that act for somebody; otherwise `alice@web-1`, and by sudo `alice as
/// root@web-1`. It is what the machine says, and no proof.
std::string who_asks();

/// The jobs that the words name, or all that are not retired with --all. A word with `*`, `?` or
/// `[` is a pattern of names. A node's share cannot be meant: it follows its job.
Result<std::vector<const JobRow*>, Refusal> choose_jobs(const Args& args, const ReadStore& read,
                                                        std::string_view command);

/// Why the store did not do it; `what` is the job or the run.
Refusal refusal_of(Refused refused, const std::string& what);

/// A call that was not answered. After a `conflict` nobody knows whether it was done.
Refusal unanswered(const Error& error, const std::string& what);

}  // namespace cronce
