// What the loop hears: answers of the store, ends of runs, files that changed, signals.
#include <malloc.h>

#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "keeper/signals.h"
#include "model/codec.h"
#include "node/loop.h"

namespace cronce {
namespace {

/// So many rows are in memory several times until they are learnt.
constexpr std::size_t kManyRows = 1'000;

bool leaves_work_to_others(const Outcome& outcome) {
  const auto* answers = std::get_if<DecideAnswers>(&outcome);
  if (answers == nullptr) return false;
  for (const DecideAnswer& answer : answers->entries) {
    for (const SlotOutcome& run : answer.runs) {
      if (run.state == RunState::pending) return true;
    }
  }
  return false;
}

}  // namespace

// ---- what the store answers

void Loop::hear(BeatReply&& reply) {
  if (!reply.answer) tell_failure(reply.answer.error(), beat_failure_);
  const bool awaited = hands_.beat && hands_.beat->id == reply.beat;
  if (!awaited || reply.incarnation != engine_.incarnation()) return;
  hands_.beat.reset();
  if (!reply.answer) return store_failed(reply.answer.error(), BeatUnanswered{});
  forget_failure(beat_failure_);
  answered_at_ = reply.arrived;
  cluster_.saw(reply.asked, reply.arrived, *reply.answer);
  const bool granted = reply.answer->refused == Refused::none;
  const bool many = reply.answer->changed.size() >= kManyRows;
  feed(BeatAnswered{reply.asked, *std::move(reply.answer)});
  if (many) malloc_trim(0);
  if (!granted) return;
  if (!std::exchange(is_ready_, true)) {
    parts_.supervisor.say("READY=1");
    log_.info("ready",
              {{"node", settings_.node}, {"store", shown_address(settings_.places.store)}});
  }
  if (leaves() && !std::exchange(told_leaving_, true)) parts_.hint.tell();
  look_at_disk(reply.arrived);
}

void Loop::hear(WriteReply&& reply) {
  if (!reply.answer) tell_failure(reply.answer.error(), write_failure_);
  if (!hands_.write || hands_.write->id != reply.sequence) return;
  hands_.write.reset();
  if (!reply.answer) return store_failed(reply.answer.error(), WriteUnanswered{reply.sequence});
  forget_failure(write_failure_);
  answered_at_ = parts_.clock.boot();
  const bool hint = leaves_work_to_others(reply.answer->outcome);
  const bool has_registered = std::holds_alternative<RegisterAnswer>(reply.answer->outcome);
  feed(*std::move(reply.answer));
  if (has_registered) malloc_trim(0);  // a large file is in memory several times until then
  if (hint) parts_.hint.tell();
}

/// Also of a call that was given up: its reason is the one that a person looks for. Each is told
/// once, until calls of both kinds are answered again: one kind may work while the other fails.
void Loop::tell_failure(const Error& error, std::string& last) {
  last = error.message;
  if (told_failures_.insert(error.message).second) {
    log_.warning("the store failed: " + error.message);
  }
}

void Loop::forget_failure(std::string& last) {
  last.clear();
  if (beat_failure_.empty() && write_failure_.empty()) told_failures_.clear();
}

void Loop::store_failed(const Error& error, const Event& event) {
  feed(event);
  if (error.code != Code::corrupt || leaving_keeper_) return;
  log_.error("this store cannot be used any more: the node ends, and so does what it runs");
  end_ = {NodeEnd::Why::store_refused, "the store cannot be used any more: " + error.message};
  keeper_.kill_all();
  leave_keeper();
}

// ---- what former nodes left

void Loop::look_at_disk(Duration boot) {
  if (boot < disk_at_) return;
  disk_at_ = boot + settings_.lease.beat;
  parts_.hands.chores.send(LookAtDisk{parts_.hands.store, settings_.places.name_space});
}

/// Where all nodes are on this machine, a keeper's lock that is free ends its incarnation, and
/// nobody has to wait for the lease. What fails is tried again after the next look at the disk.
void Loop::end_gone(const std::vector<FinishEntry>& ends) {
  gone_.erase(engine_.incarnation());  // without a keeper, and leaving in order
  const bool on_this_machine = settings_.places.store_path().has_value();
  if (!on_this_machine || gone_.empty() || std::exchange(sweeps_, true)) return;
  parts_.hands.worker.send(make_sweep({gone_.begin(), gone_.end()}, ends));
}

void Loop::hear(const GoneSwept& swept) {
  sweeps_ = false;
  if (!swept.lost) return;
  for (const Incarnation& one : swept.gone) gone_.erase(one);
  log_swept(log_, *swept.lost);
  if (swept.lost->empty()) return;
  parts_.hint.tell();  // what it ran may start again, and what waited for that too
  feed(Hinted{});
}

void Loop::hear(DiskSeen&& seen) {
  for (const std::string& trouble : seen.troubles) {
    if (told_troubles_.insert(trouble).second) log_.warning(trouble);
  }
  gone_.insert(seen.gone.begin(), seen.gone.end());
  end_gone(seen.ends);
  for (FinishEntry& end : seen.ends) {
    if (told_.insert({end.run, end.fence}).second) feed(RunEnded{std::move(end)});
  }
}

void Loop::hear(const NoticeTold& told) {
  if (told.trouble.empty()) {
    log_.info("told", {{"notice", told.title}, {"by", told.way}});
  } else {
    log_.warning(told.given_up ? "could not tell, and gives up" : "could not tell",
                 {{"notice", told.title}, {"by", told.way}, {"why", told.trouble}});
  }
}

void Loop::hear(UserFound&& found) {
  hands_.user_found(found, now());
  for (const Event& arisen : hands_.arisen()) feed(arisen);
}

// ---- the keeper

void Loop::hear_keeper() {
  for (const KeeperEvent& event : keeper_.read()) {
    std::visit([&](const auto& one) { hear(one); }, event);
  }
}

void Loop::hear(const Started& event) {
  story_.started(event.run, event.pid, event.at);
  feed(RunStarted{event.run, event.at});
}

void Loop::hear(const Ended& event) {
  hands_.ended(event.end);
  told_.insert({event.end.run, event.end.fence});
  feed(RunEnded{event.end});
}

void Loop::hear(const Progress& event) {
  story_.progressed(event.run, event.text);
  feed(RunProgressed{event.run, event.text});
}

void Loop::hear(const Remark& event) { log_.warning(event.text); }

void Loop::hear(const KeeperReplaced&) {
  log_.warning("the keeper died, and with it all that it kept; a new one serves");
}

void Loop::hear(const KeeperGone& event) {
  keeper_gone_ = true;
  gone_.insert(event.cleared.begin(), event.cleared.end());
  if (leaving_keeper_) {
    over_ = true;
    return;
  }
  log_.error("no command can be started any more: the node leaves", {{"why", event.reason}});
  end_ = {NodeEnd::Why::failed, "no command can be started any more: " + event.reason};
  begin_to_leave("without a keeper");
}

// ---- files

void Loop::look_at_files(Duration boot) {
  const auto due = parts_.watch.due();
  if (!due || boot < *due || reads_files_) return;
  parts_.watch.done();
  if (settings_.files.paths.empty()) return;
  reads_files_ = true;
  parts_.hands.chores.send(ReadJobs{settings_.files});
}

void Loop::hear(JobsRead&& read) {
  reads_files_ = false;
  log_diagnostics(log_, read.jobs.diagnostics);
  if (!read.jobs.usable) {
    log_.error("the job files are not right: the old definitions stay");
    return;
  }
  if (!take(std::move(read.jobs))) {
    log_.info("the job files were read again: nothing has changed");
  }
}

/// Whether anything has changed. A source whose last file is gone has no jobs any more; if it was
/// numbered, that is its next version.
bool Loop::take(LoadedJobs&& loaded) {
  std::map<std::string, Known> offered;
  bool changed = false;
  for (Offered& offer : loaded.offers) {
    const auto known = offered_.find(offer.set.source);
    const bool same = known != offered_.end() && known->second.digest == offer.digest;
    offered[offer.set.source] = {offer.digest, offer.set.generation};
    changed = changed || !same;
    if (!same) feed(std::move(offer));
  }
  for (auto& [source, known] : offered_) {
    if (offered.contains(source)) continue;
    changed = true;
    if (known.generation) ++known.generation->value;
    const JobSet none{source, known.generation, {}};
    feed(Offered{none, cronce::digest(none).hex()});
  }
  offered_ = std::move(offered);
  return changed;
}

// ---- signals and hints

void Loop::hear_signals() {
  for (const auto& signal : drain_signals(parts_.signals)) {
    if (signal.ssi_signo == SIGHUP) {
      parts_.watch.changed_now(parts_.clock.boot());
      continue;
    }
    switch (++signals_) {
      case 1:
        begin_to_leave("as asked");
        break;
      case 2:
        stop_runs();
        break;
      default:
        log_.warning("killing what runs, and leaving at once");
        keeper_.kill_all();
        leave_keeper();
    }
  }
}

void Loop::hear_hint() {
  if (parts_.hint.fd() >= 0 && parts_.hint.heard()) feed(Hinted{});
}

}  // namespace cronce
