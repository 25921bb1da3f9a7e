// `trigger`: one run of a job, now.
#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "cli/ledger.h"
#include "cli/request.h"
#include "cli/shown_node.h"
#include "keeper/environment.h"
#include "model/describe.h"

namespace cronce {
namespace {

using Env = std::map<std::string, std::string>;

constexpr std::size_t kLongestRequest = 128;
constexpr std::size_t kRequestDigits = 16;
constexpr int kSignalled = 128;
// What is asked for now is due now, by the store's clock; a minute is more than it can be off.
constexpr Duration kJustNow = std::chrono::minutes{1};

bool is_word_character(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

/// NAME=VALUE, each once, and none that the node would not take.
Result<Env, Refusal> read_env(const Args& args) {
  Env env;
  for (const std::string& text : args.all("--env")) {
    const std::size_t end = std::min(text.find('='), text.size());
    const std::string name = text.substr(0, end);
    const bool valid = !name.empty() && !is_digit(name.front()) &&
                       std::all_of(name.begin(), name.end(), is_word_character);
    if (end == text.size() || !valid) {
      return Refusal{kExitUsage, fmt::format("--env: '{}' is not NAME=VALUE", text)};
    }
    if (name.starts_with("CRONCE_")) {
      return Refusal{kExitUsage, fmt::format("--env: {}: names that begin with CRONCE_ are set by "
                                             "the node",
                                             name)};
    }
    if (loads_code(name)) {
      return Refusal{kExitUsage, fmt::format("--env: {}: the job file alone says which code runs: "
                                             "write it there, as env",
                                             name)};
    }
    if (!env.emplace(name, text.substr(end + 1)).second) {
      return Refusal{kExitUsage, fmt::format("--env: {} is given twice", name)};
    }
  }
  return env;
}

/// `last` and `next` are slots to all other commands.
Result<std::string, Refusal> read_request_id(const Args& args, Rng& rng) {
  const auto given = args.get("--request-id");
  if (!given) return print(Incarnation::random(rng)).substr(0, kRequestDigits);
  const bool plain = std::all_of(given->begin(), given->end(), [](char c) {
    return is_word_character(c) || c == '.' || c == '-' || c == ':';
  });
  if (!plain || given->size() > kLongestRequest || *given == "last" || *given == "next") {
    return Refusal{kExitUsage,
                   fmt::format("--request-id: '{}': write letters, digits and . _ : -, at most {}, "
                               "and not 'last' or 'next'",
                               *given, kLongestRequest)};
  }
  return *given;
}

Refusal not_triggered(Refused refused, const JobRow& job) {
  const std::string name = shown_name(job);
  if (refused == Refused::gone && job.is_whole()) {
    return {kExitTryLater, name + ": it runs on each node, and there is none yet"};
  }
  if (refused == Refused::invalid) {
    return {kExitBadData, name + ": only 'cronce exec' runs it, and no node could"};
  }
  return refusal_of(refused, name);
}

/// What a run that was just asked for has to wait for; empty if nothing.
Result<std::string, Refusal> obstacle(const ReadStore& read, const JobRow& job,
                                      const Console& console) {
  const auto nodes = read_nodes(read);
  if (!nodes) return nodes.error();
  const bool anybody = std::any_of(nodes->begin(), nodes->end(), [&](const Node& node) {
    return may_run(node, job) && !is_silent(node, console);
  });
  if (!anybody) return std::string("it waits: no living node may run it");
  if (job.live.empty() || job.definition->overlap == Overlap::allow) return std::string();
  return fmt::format("it waits for the end of {}", shown_run(job, job.live.front().id));
}

json::object request_json(const RequestedRun& one, const std::string& request, bool again,
                          bool waited) {
  json::object out = ledger_json({one.job, one.run});
  out["request"] = request;
  out["asked_before"] = again;
  if (waited) out["output"] = as_utf8(one.run.output_tail);
  return out;
}

struct Request {
  std::string id;
  bool asked_before = false;
};

/// To a script that waits, standard output is the command's.
void print_request(const RequestedRun& one, const Request& request, const Steer& steer, bool waits,
                   const Console& console) {
  const std::string name = shown_run(*one.job, one.run.id);
  std::string text = fmt::format("{}: asked for, request {}", name, request.id);
  if (request.asked_before) {
    text = fmt::format("{}: was asked for before, {}: nothing was changed; it is {}", name,
                       human_relative(one.run.decided.at.value_or(one.run.due), steer.read.now),
                       describe(one.run.state, one.run.reason));
  }
  const auto waits_for = obstacle(steer.read, *one.job, console);
  if (waits_for && !waits_for->empty() && one.run.state == RunState::pending) {
    text += "; " + *waits_for;
  }
  put(waits ? console.err : console.out, text + "\n");
}

int print_end(const RequestedRun& one, const Console& console) {
  put(console.out, one.run.output_tail);
  if (!one.run.output_tail.empty() && !one.run.output_tail.ends_with('\n')) put(console.out, "\n");
  std::fflush(console.out);
  put(console.err, fmt::format("cronce: {} {}\n", shown_run(*one.job, one.run.id),
                               describe(one.run.state, one.run.reason)));
  return exit_code_of(one.run);
}

int wait_and_print(const Steer& steer, const std::vector<RequestedRun>& runs,
                   const Request& request, const StopSignals& signals, const Args& args,
                   const Console& console) {
  std::fflush(console.err);
  const Waited waited = wait_for_end(steer.read, runs, signals, console);
  int worst = kExitDone;
  for (const RequestedRun& one : waited.runs) {
    int code = kExitDone;
    if (args.has("--json")) {
      put(console.out,
          json::print(request_json(one, request.id, request.asked_before, true)) + "\n");
      code = exit_code_of(one.run);
    } else if (waited.signal == 0) {
      code = print_end(one, console);
    }
    if (worst == kExitDone) worst = code;
  }
  if (waited.signal == 0) return worst;
  return fail(console, kSignalled + waited.signal,
              fmt::format("stopped waiting; the run goes on: 'cronce logs {} {} -f' follows it, "
                          "'cronce cancel {} {}' stops it",
                          args.words.front(), request.id, args.words.front(), request.id));
}

void print_requests(const Steer& steer, const std::vector<RequestedRun>& runs,
                    const Request& request, const Args& args, const Console& console) {
  const bool waits = args.has("--wait");
  for (const RequestedRun& one : runs) {
    if (!args.has("--json")) {
      print_request(one, request, steer, waits, console);
    } else if (!waits) {
      put(console.out,
          json::print(request_json(one, request.id, request.asked_before, false)) + "\n");
    }
  }
}

struct Requested {
  std::vector<RequestedRun> runs;
  bool asked_before = false;
};

/// The same id is one run however often it is asked for: after an answer that was lost, too.
class Asking {
 public:
  Asking(Steer& steer, const std::vector<const JobRow*>& jobs, Patience& patience,
         const StopSignals& signals)
      : steer_(steer), jobs_(jobs), patience_(patience), signals_(signals) {}

  Result<Requested, Refusal> ask(const std::string& id, const Env& env, bool is_own_id) {
    const JobRow& job = *jobs_.front();
    const Time since = is_own_id ? kMinTime : steer_.read.now - kJustNow;
    const auto before = read(id, since);
    if (!before) return before.error();
    const auto answer = send(TriggerJob{job.uid, id, env, steer_.by});
    if (!answer) return answer.error();
    if (answer->refused != Refused::none) return not_triggered(answer->refused, job);
    auto runs = read(id, since);
    if (runs) return Requested{*std::move(runs), !before->empty()};
    return Refusal{kExitTryLater,
                   fmt::format("{}: asked for, request {}; what becomes of it cannot be "
                               "read now: {}",
                               shown_name(job), id, runs.error().message)};
  }

 private:
  bool pause() const { return signals_.wait(kLookAgain) == 0; }

  Result<std::vector<RequestedRun>, Refusal> read(const std::string& id, Time since) {
    return patience_.ask([&] { return read_request(steer_.read, jobs_, id, since); },
                         [&] { return pause(); });
  }

  Result<ControlAnswer, Refusal> send(const TriggerJob& ask) {
    const auto once = [&]() -> Result<ControlAnswer, Refusal> {
      auto answer = steer_.steering->ask(ask);
      if (answer) return *std::move(answer);
      return unanswered(answer.error(),
                        fmt::format("{} (ask again with --request-id {}: it will be one run)",
                                    shown_name(*jobs_.front()), ask.request));
    };
    return patience_.ask(once, [&] { return pause(); });
  }

  Steer& steer_;
  const std::vector<const JobRow*>& jobs_;
  Patience& patience_;
  const StopSignals& signals_;
};

/// Nothing was asked for yet: a signal ends it as it ends any program.
Result<Steer, Refusal> open_patiently(const Args& args, Patience& patience,
                                      const Console& console) {
  const auto places = find_store(args);
  if (!places) return places.error();
  return patience.ask([&] { return open_steer(args, console); },
                      [] {
                        std::this_thread::sleep_for(kLookAgain);
                        return true;
                      });
}

}  // namespace

int run_trigger(const Args& args, const Console& console) {
  if (args.words.empty()) return fail(console, kExitUsage, "no job: try 'cronce trigger JOB'");
  const auto env = read_env(args);
  if (!env) return fail(console, env.error());
  Patience patience(args.has("--wait"), console);
  auto steer = open_patiently(args, patience, console);
  if (!steer) return fail(console, steer.error());
  const auto id = read_request_id(args, *steer->read.rng);
  if (!id) return fail(console, id.error());
  const auto jobs = find_jobs(steer->read, args.words.front());
  if (!jobs) return fail(console, jobs.error());
  // From here on a signal must not end it before it has said what it asked for.
  const StopSignals signals;
  const auto requested =
      Asking(*steer, *jobs, patience, signals).ask(*id, *env, args.has("--request-id"));
  if (!requested) return fail(console, requested.error());
  const Request request{*id, requested->asked_before};
  print_requests(*steer, requested->runs, request, args, console);
  if (!args.has("--wait") || requested->runs.empty()) return kExitDone;
  return wait_and_print(*steer, requested->runs, request, signals, args, console);
}

}  // namespace cronce
