#include "keeper/prepare.h"

#include <utility>

#include "keeper/call.h"

namespace cronce {
namespace {

void prepare_program(const Job& job, Start& start) {
  if (const auto* command = std::get_if<ArgvCommand>(&job.command)) start.argv = command->argv;
  if (const auto* command = std::get_if<ShellCommand>(&job.command)) {
    start.argv = {command->shell, "-c", command->line};
    start.input = command->input;
  }
  start.cwd = *job.cwd;
  start.umask = job.umask;
  start.nice = job.nice;
  start.limits = *job.limits;
}

void prepare_call(const Claim& claim, const Job& job, const HttpCall& call, Start& start) {
  // The label is for whoever reads the list of processes.
  start.argv = {std::string(kOwnProgram), std::string(kCallCommand), start.label};
  start.input = print(call_order(claim, job.name, call));
  start.is_call = true;
}

}  // namespace

OnLeaseLoss lease_loss_of(const Job& job) {
  if (job.on_lease_loss) return *job.on_lease_loss;
  const bool harmless = job.overlap == Overlap::allow && job.on_lost == OnLost::skip;
  return harmless ? OnLeaseLoss::carry_on : OnLeaseLoss::kill;
}

Start prepare(const Claim& claim, const Job& job, const Circumstances& circumstances,
              const Result<User>& user) {
  Start start;
  start.key = {circumstances.store, circumstances.facts.name_space, claim.run, claim.fence};
  start.incarnation = claim.incarnation;
  start.label = run_label(job.name, claim.run);
  const auto* call = std::get_if<Shared<HttpCall>>(&job.command);
  call != nullptr ? prepare_call(claim, job, **call, start) : prepare_program(job, start);
  start.timeout = job.timeout;
  start.kill_after = job.kill_after;
  start.on_lease_loss = lease_loss_of(job);
  start.keep_bytes = job.output_keep_bytes;
  start.log_path = circumstances.log_path;
  if (!user) {
    start.refusal = user.error().message;
    return start;
  }
  start.environment =
      child_environment(claim, job, circumstances.facts, *user, circumstances.node_environment);
  if (!job.user->empty()) start.user = *user;
  // cron starts a command in the home of its user.
  if (job.env_base == EnvBase::cron && job.cwd->empty()) start.cwd = user->home;
  return start;
}

}  // namespace cronce
