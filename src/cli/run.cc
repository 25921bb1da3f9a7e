#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#include "base/host.h"
#include "base/text.h"
#include "cli/dry_run.h"
#include "cli/store_args.h"
#include "node/node.h"

namespace cronce {
namespace {

/// Flag before environment: CRONCE_NODE for --node.
std::optional<std::string> given(const Args& args, const std::string& flag, const char* variable) {
  if (auto value = args.get(flag)) return value;
  const char* value = std::getenv(variable);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

/// Reads the command line into settings; the first mistake counts.
class Reader {
 public:
  explicit Reader(const Args& args) : args_(args) {}

  Result<NodeSettings, Refusal> read() {
    out_.places = find_places(
        {args_.get("--store"), args_.get("--state"), args_.get("--namespace")}, ::getenv);
    refusal_ = bad_address(out_.places);
    out_.version = std::string(program_version());
    out_.files.paths = args_.words;
    out_.files.source = args_.get("--source");
    read_identity();
    read_role();
    read_times();
    read_log();
    out_.watch = !args_.has("--no-watch");
    out_.once_until_idle = args_.has("--once-until-idle");
    out_.store_moves = args_.has("--store-moves");
    if (refusal_) return *refusal_;
    return std::move(out_);
  }

 private:
  void refuse(const std::string& flag, const std::string& why) {
    if (!refusal_) refusal_ = Refusal{kExitUsage, fmt::format("run: {}: {}", flag, why)};
  }

  void read_identity() {
    out_.node = given(args_, "--node", "CRONCE_NODE").value_or(host_name());
    if (!parse_namespace(out_.node)) {
      refuse("--node",
             fmt::format("'{}' is no name: use letters, digits, '.', '_' and '-'", out_.node));
    }
    if (const auto text = given(args_, "--labels", "CRONCE_LABELS")) {
      const auto labels = parse_labels(*text);
      if (labels)
        out_.labels = *labels;
      else
        refuse("--labels", labels.error().message);
    }
    if (const auto generation = number("--generation")) {
      out_.files.generation = Generation{static_cast<std::uint64_t>(*generation)};
    }
  }

  void read_role() {
    if (const auto role = args_.get("--role")) {
      out_.schedules = out_.works = false;
      for (const std::string& one : split(*role, ',')) {
        if (one == "scheduler")
          out_.schedules = true;
        else if (one == "worker")
          out_.works = true;
        else
          refuse("--role", fmt::format("'{}' is no role: use scheduler, worker or both", one));
      }
    }
    if (const auto most = number("--max-running")) out_.max_running = *most;
  }

  void read_times() {
    Duration lease = out_.lease.lease;
    read_duration("--lease", lease);
    const auto settings = lease_settings(lease);
    if (settings)
      out_.lease = *settings;
    else
      refuse("--lease", settings.error().message);
    read_duration("--standby", out_.standby);
    read_duration("--skew-budget", out_.skew_budget);
    read_duration("--drain", out_.drain);
    // Whoever waits at a terminal wants to know now.
    if (isatty(STDERR_FILENO) == 1) out_.store_wait = Duration{0};
    if (args_.has("--store-wait")) {
      out_.store_wait = Duration{0};
      read_duration("--store-wait", *out_.store_wait);
    }
  }

  void read_log() {
    const auto format = given(args_, "--log", "CRONCE_LOG");
    const bool looked_at = isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
    if (!format && looked_at) out_.log_format = LogFormat::terminal;
    if (format == "json")
      out_.log_format = LogFormat::json;
    else if (format && format != "text")
      refuse("--log", "use text or json");
    const auto name = given(args_, "--log-level", "CRONCE_LOG_LEVEL");
    if (!name) return;
    const auto level = parse_log_level(*name);
    if (!level) return refuse("--log-level", "use debug, info, warning or error");
    out_.log_level = *level;
  }

  std::optional<std::int64_t> number(const std::string& flag) {
    const auto text = args_.get(flag);
    if (!text) return std::nullopt;
    const auto read = read_number(flag, *text);
    if (read) return *read;
    if (!refusal_) refusal_ = Refusal{kExitUsage, "run: " + read.error().message};
    return std::nullopt;
  }

  void read_duration(const std::string& flag, Duration& out) {
    const auto text = args_.get(flag);
    if (!text) return;
    const auto duration = parse_duration(*text);
    if (duration)
      out = *duration;
    else
      refuse(flag, duration.error().message);
  }

  const Args& args_;
  NodeSettings out_;
  std::optional<Refusal> refusal_;
};

int exit_code(NodeEnd::Why why) {
  switch (why) {
    case NodeEnd::Why::left:
      return kExitDone;
    case NodeEnd::Why::bad_files:
      return kExitBadData;
    case NodeEnd::Why::store_away:
      return kExitUnavailable;
    case NodeEnd::Why::store_refused:
    case NodeEnd::Why::no_keeper:
    case NodeEnd::Why::no_name:
      return kExitRefused;
    case NodeEnd::Why::failed:
      return kExitInternal;
  }
  return kExitInternal;
}

}  // namespace

int run_run(const Args& args, const Console& console) {
  auto settings = Reader(args).read();
  if (!settings) return fail(console, settings.error());
  if (args.has("--dry-run")) return dry_run(*settings, args, console);
  if (args.has("--json")) return fail(console, kExitUsage, "run: --json: only with --dry-run");
  const NodeEnd end = run_node(*std::move(settings), console.clock);
  const int code = end.why == NodeEnd::Why::left
                       ? kExitDone
                       : fail(console, exit_code(end.why), "run: " + end.message);
  if (!end.hangs) return code;
  std::fflush(console.out);
  _exit(code);
}

}  // namespace cronce
