#include "model/codec.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/json_form.h"

// Each type lists its fields once; writing and reading both walk that list, so what is written can
// be read. A new field is one line, and old texts stay readable because it has a default.

namespace cronce {

template <class V>
void fields(EverySpec& v, const EverySpec& d, V&& visit) {
  visit("interval", v.interval, d.interval);
  visit("anchor", v.anchor, d.anchor);
}
template <class V>
void fields(Between& v, const Between& d, V&& visit) {
  visit("from", v.from, d.from);
  visit("to", v.to, d.to);
  visit("max_runs", v.max_runs, d.max_runs);
}
template <class V>
void fields(DstRule& v, const DstRule& d, V&& visit) {
  visit("gap", v.gap, d.gap);
  visit("fold", v.fold, d.fold);
}
template <class V>
void fields(ScheduleSpec& v, const ScheduleSpec& d, V&& visit) {
  visit("elements", v.elements, d.elements);
  visit("timezone", v.timezone, d.timezone);
  visit("dst", v.dst, d.dst);
  visit("between", v.between, d.between);
}
template <class V>
void fields(ShellCommand& v, const ShellCommand& d, V&& visit) {
  visit("line", v.line, d.line);
  visit("shell", v.shell, d.shell);
  visit("input", v.input, d.input);
}
template <class V>
void fields(HttpCall& v, const HttpCall& d, V&& visit) {
  visit("method", v.method, d.method);
  visit("url", v.url, d.url);
  visit("headers", v.headers, d.headers);
  visit("body", v.body, d.body);
  visit("expect_low", v.expect_low, d.expect_low);
  visit("expect_high", v.expect_high, d.expect_high);
}
template <class V>
void fields(CatchUp& v, const CatchUp& d, V&& visit) {
  visit("mode", v.mode, d.mode);
  visit("window", v.window, d.window);
  visit("cap", v.cap, d.cap);
}
template <class V>
void fields(Retries& v, const Retries& d, V&& visit) {
  visit("max", v.max, d.max);
  visit("backoff", v.backoff, d.backoff);
  visit("factor", v.factor, d.factor);
  visit("limit", v.limit, d.limit);
  visit("jitter_percent", v.jitter_percent, d.jitter_percent);
}
template <class V>
void fields(Limits& v, const Limits& d, V&& visit) {
  visit("nofile", v.nofile, d.nofile);
  visit("cpu_seconds", v.cpu_seconds, d.cpu_seconds);
  visit("memory_bytes", v.memory_bytes, d.memory_bytes);
  visit("processes", v.processes, d.processes);
  visit("core_bytes", v.core_bytes, d.core_bytes);
}
template <class V>
void fields(HistoryLimits& v, const HistoryLimits& d, V&& visit) {
  visit("succeeded", v.succeeded, d.succeeded);
  visit("failed", v.failed, d.failed);
  visit("skipped", v.skipped, d.skipped);
  visit("age", v.age, d.age);
}
template <class V>
void fields(Notify& v, const Notify& d, V&& visit) {
  visit("on", v.on, d.on);
  visit("webhook", v.webhook, d.webhook);
  visit("command", v.command, d.command);
  visit("mail", v.mail, d.mail);
}
template <class V>
void fields(Concurrency& v, const Concurrency& d, V&& visit) {
  visit("group", v.group, d.group);
  visit("max", v.max, d.max);
}
template <class V>
void fields(GuardSpec& v, const GuardSpec& d, V&& visit) {
  visit("kind", v.kind, d.kind);
  visit("settings", v.settings, d.settings);
}

template <class V>
void fields(Job& v, const Job& d, V&& visit) {
  visit("schedule", v.schedule, d.schedule);
  visit("command", v.command, d.command);
  visit("overlap", v.overlap, d.overlap);
  visit("catch_up", v.catch_up, d.catch_up);
  visit("on_lost", v.on_lost, d.on_lost);
  visit("on_lease_loss", v.on_lease_loss, d.on_lease_loss);
  visit("retries", v.retries, d.retries);
  visit("timeout", v.timeout, d.timeout);
  visit("kill_after", v.kill_after, d.kill_after);
  visit("grace", v.grace, d.grace);
  visit("jitter", v.jitter, d.jitter);
  visit("on", v.on, d.on);
  visit("everywhere", v.everywhere, d.everywhere);
  visit("priority", v.priority, d.priority);
  visit("concurrency", v.concurrency, d.concurrency);
  visit("guards", v.guards, d.guards);
  visit("env_base", v.env_base, d.env_base);
  visit("env", v.env, d.env);
  visit("user", v.user, d.user);
  visit("cwd", v.cwd, d.cwd);
  visit("output_keep_bytes", v.output_keep_bytes, d.output_keep_bytes);
  visit("limits", v.limits, d.limits);
  visit("umask", v.umask, d.umask);
  visit("nice", v.nice, d.nice);
  visit("history", v.history, d.history);
  visit("notify", v.notify, d.notify);
  visit("expect_within", v.expect_within, d.expect_within);
  visit("was", v.was, d.was);
  visit("paused", v.paused, d.paused);
}
template <class V>
void fields(RunId& v, const RunId& d, V&& visit) {
  visit("job", v.job, d.job);
  visit("space", v.space, d.space);
  visit("slot", v.slot, d.slot);
  visit("request", v.request, d.request);
  visit("attempt", v.attempt, d.attempt);
}
template <class V>
void fields(Decided& v, const Decided& d, V&& visit) {
  visit("by", v.by, d.by);
  visit("at", v.at, d.at);
  visit("revision", v.revision, d.revision);
}
template <class V>
void fields(Run& v, const Run& d, V&& visit) {
  visit("id", v.id, d.id);
  visit("kind", v.kind, d.kind);
  visit("state", v.state, d.state);
  visit("reason", v.reason, d.reason);
  visit("key", v.key, d.key);
  visit("decided", v.decided, d.decided);
  visit("slot_to", v.slot_to, d.slot_to);
  visit("count", v.count, d.count);
  visit("due", v.due, d.due);
  visit("fence", v.fence, d.fence);
  visit("incarnation", v.incarnation, d.incarnation);
  visit("node", v.node, d.node);
  visit("claimed_at", v.claimed_at, d.claimed_at);
  visit("started_at", v.started_at, d.started_at);
  visit("finished_at", v.finished_at, d.finished_at);
  visit("exit_code", v.exit_code, d.exit_code);
  visit("output_tail", v.output_tail, d.output_tail);
  visit("progress", v.progress, d.progress);
  visit("env", v.env, d.env);
}
template <class V>
void fields(Node& v, const Node& d, V&& visit) {
  visit("name", v.name, d.name);
  visit("incarnation", v.incarnation, d.incarnation);
  visit("beat", v.beat, d.beat);
  visit("lease", v.lease, d.lease);
  visit("labels", v.labels, d.labels);
  visit("schedules", v.schedules, d.schedules);
  visit("works", v.works, d.works);
  visit("leaving", v.leaving, d.leaving);
  visit("running", v.running, d.running);
  visit("max_running", v.max_running, d.max_running);
  visit("version", v.version, d.version);
  visit("zone_data", v.zone_data, d.zone_data);
  visit("clock_reading", v.clock_reading, d.clock_reading);
  visit("wall", v.wall, d.wall);
  visit("course", v.course, d.course);
  visit("digests", v.digests, d.digests);
}

template <class V>
void fields(Claim& v, const Claim& d, V&& visit) {
  visit("run", v.run, d.run);
  visit("incarnation", v.incarnation, d.incarnation);
  visit("fence", v.fence, d.fence);
  visit("key", v.key, d.key);
  visit("due", v.due, d.due);
  visit("claimed_at", v.claimed_at, d.claimed_at);
  visit("previous", v.previous, d.previous);
  visit("env", v.env, d.env);
}
template <class V>
void fields(Plan& v, const Plan& d, V&& visit) {
  visit("turn", v.turn, d.turn);
  visit("cursor", v.cursor, d.cursor);
  visit("next", v.next, d.next);
  visit("label", v.label, d.label);
}
template <class V>
void fields(SlotOutcome& v, const SlotOutcome& d, V&& visit) {
  visit("state", v.state, d.state);
  visit("reason", v.reason, d.reason);
  visit("claim", v.claim, d.claim);
}
template <class V>
void fields(DecideAnswer& v, const DecideAnswer& d, V&& visit) {
  visit("refused", v.refused, d.refused);
  visit("plan", v.plan, d.plan);
  visit("runs", v.runs, d.runs);
  visit("winner", v.winner, d.winner);
}
template <class V>
void fields(DecideAnswers& v, const DecideAnswers& d, V&& visit) {
  visit("entries", v.entries, d.entries);
  visit("lapses", v.lapses, d.lapses);
  visit("changes", v.changes, d.changes);
}
template <class V>
void fields(TakeAnswer& v, const TakeAnswer& d, V&& visit) {
  visit("refused", v.refused, d.refused);
  visit("claim", v.claim, d.claim);
  visit("winner", v.winner, d.winner);
}
template <class V>
void fields(FinishAnswer& v, const FinishAnswer& d, V&& visit) {
  visit("refused", v.refused, d.refused);
  visit("state", v.state, d.state);
}
template <class V>
void fields(SweepAnswer& v, const SweepAnswer& d, V&& visit) {
  visit("ended", v.ended, d.ended);
  visit("lost", v.lost, d.lost);
}
template <class V>
void fields(RegisterAnswer& v, const RegisterAnswer& d, V&& visit) {
  visit("refused", v.refused, d.refused);
  visit("registered", v.registered, d.registered);
  visit("generation", v.generation, d.generation);
  visit("jobs", v.jobs, d.jobs);
  visit("settled", v.settled, d.settled);
}
template <class V>
void fields(ControlAnswer& v, const ControlAnswer& d, V&& visit) {
  visit("refused", v.refused, d.refused);
  visit("run", v.run, d.run);
  visit("claim", v.claim, d.claim);
  visit("settled", v.settled, d.settled);
  visit("unknown", v.unknown, d.unknown);
}
template <class V>
void fields(OnceAnswer& v, const OnceAnswer& d, V&& visit) {
  visit("refused", v.refused, d.refused);
  visit("state", v.state, d.state);
  visit("fence", v.fence, d.fence);
  visit("result", v.result, d.result);
  visit("owner", v.owner, d.owner);
}

void put(std::string& out, const ElementSpec& v) {
  struct Kinds {
    std::string& out;
    void operator()(const CronSpec& e) const { put_tagged(out, "cron", e.text); }
    void operator()(const EverySpec& e) const { put_tagged(out, "every", e); }
    void operator()(const AtSpec& e) const { put_tagged(out, "at", e.time); }
    void operator()(const AfterSpec& e) const { put_tagged(out, "after", e.delay); }
    void operator()(const RebootSpec&) const { put_tagged(out, "reboot", true); }
  };
  std::visit(Kinds{out}, v);
}

bool from_json(const json::value& in, ElementSpec* out) {
  std::string cron;
  WrittenTime at;
  Duration delay{};
  bool reboot = false;
  if (from_tagged<std::string>(in, "cron", &cron)) {
    *out = CronSpec{cron};
  } else if (from_tagged<WrittenTime>(in, "at", &at)) {
    *out = AtSpec{at};
  } else if (from_tagged<Duration>(in, "after", &delay)) {
    *out = AfterSpec{delay};
  } else if (from_tagged<bool>(in, "reboot", &reboot) && reboot) {
    *out = RebootSpec{};
  } else {
    return from_tagged<EverySpec>(in, "every", out);
  }
  return true;
}

void put(std::string& out, const Command& v) {
  struct Kinds {
    std::string& out;
    void operator()(const ArgvCommand& c) const { put_tagged(out, "argv", c.argv); }
    void operator()(const ShellCommand& c) const { put_tagged(out, "shell", c); }
    void operator()(const HttpCall& c) const { put_tagged(out, "http", c); }
  };
  std::visit(Kinds{out}, v);
}

bool from_json(const json::value& in, Command* out) {
  ArgvCommand argv;
  if (from_tagged<std::vector<std::string>>(in, "argv", &argv.argv)) {
    *out = std::move(argv);
    return true;
  }
  return from_tagged<ShellCommand>(in, "shell", out) || from_tagged<HttpCall>(in, "http", out);
}

template <class T>
void put_kind(std::string& out, std::string_view name, const T& answer) {
  put_name(out, name);
  put_after(out, answer, T{});
}

void put_outcome(std::string& out, const Outcome& v) {
  struct Kinds {
    std::string& out;
    void operator()(std::monostate) const {}
    void operator()(const DecideAnswers& a) const { put_kind(out, "decide", a); }
    void operator()(const std::vector<TakeAnswer>& a) const { put_kind(out, "take", a); }
    void operator()(const std::vector<FinishAnswer>& a) const { put_kind(out, "finish", a); }
    void operator()(const std::vector<SweepAnswer>& a) const { put_kind(out, "sweep", a); }
    void operator()(const RegisterAnswer& a) const { put_kind(out, "register", a); }
    void operator()(const ControlAnswer& a) const { put_kind(out, "control", a); }
    void operator()(const OnceAnswer& a) const { put_kind(out, "once", a); }
  };
  std::visit(Kinds{out}, v);
}

template <class T>
bool read_kind(const json::object& in, std::string_view name, Outcome* out) {
  const json::value* member = json::find(in, name);
  T answer{};
  if (member == nullptr || !read_after(*member, &answer)) return false;
  *out = std::move(answer);
  return true;
}

bool read_outcome(const json::object& in, Outcome* out) {
  if (in.size() != 1) return in.empty();
  return read_kind<DecideAnswers>(in, "decide", out) ||
         read_kind<std::vector<TakeAnswer>>(in, "take", out) ||
         read_kind<std::vector<FinishAnswer>>(in, "finish", out) ||
         read_kind<std::vector<SweepAnswer>>(in, "sweep", out) ||
         read_kind<RegisterAnswer>(in, "register", out) ||
         read_kind<ControlAnswer>(in, "control", out) || read_kind<OnceAnswer>(in, "once", out);
}

namespace {

Error corrupt(std::string_view what, std::string_view why) {
  return {Code::corrupt, fmt::format("stored {}: {}", what, why)};
}

/// The object without its version, if the version is one that we know.
Result<json::object> open_stored(std::string_view what, std::string_view text,
                                 int newest = kCodecVersion, int oldest = 1) {
  auto value = json::parse(text);
  if (!value || !value->is_object()) return corrupt(what, "not a JSON object");
  json::object object = std::move(value->get_object());
  const auto version = json::find_int(object, "v");
  if (!version || !*version || **version < 1) return corrupt(what, "no version");
  if (**version < oldest || **version > newest) {
    return corrupt(what, fmt::format("version {} is {} than this program's {}", **version,
                                     **version < oldest ? "older" : "newer", newest));
  }
  object.erase("v");
  return object;
}

std::string begin(int version = kCodecVersion) { return fmt::format("{{\"v\":{}", version); }

template <class T>
std::string encode_fields(const T& value) {
  std::string out = begin();
  put_fields(out, value, T{});
  return out + '}';
}

template <class T>
Result<T> decode(std::string_view what, std::string_view text) {
  auto object = open_stored(what, text);
  if (!object) return object.error();
  T value;
  if (!read_fields(*object, &value)) return corrupt(what, "a member is unknown or out of place");
  return value;
}

}  // namespace

std::string encode(const Job& job) {
  std::string out = begin();
  put_member(out, "name", job.name);
  put_fields(out, job, Job{job.name, {}, {}});
  return out + '}';
}

std::string encode(const Run& run) { return encode_fields(run); }

std::string encode(const Node& node) { return encode_fields(node); }

std::string encode(const Claim& claim) { return encode_fields(claim); }

std::string encode(const Outcome& outcome) {
  std::string out = begin(kOutcomeVersion);
  put_outcome(out, outcome);
  return out + '}';
}

Result<Job> decode_job(std::string_view text) {
  auto object = open_stored("job", text);
  if (!object) return object.error();
  const auto name_text = json::find_string(*object, "name");
  if (!name_text || !*name_text) return corrupt("job", "no name");
  auto name = parse_job_name(**name_text);
  if (!name) return corrupt("job", name.error().message);
  object->erase("name");
  Job job{*std::move(name), {}, {}};
  if (!read_fields(*object, &job)) return corrupt("job", "a member is unknown or out of place");
  return job;
}

Result<Run> decode_run(std::string_view text) { return decode<Run>("run", text); }

Result<Node> decode_node(std::string_view text) { return decode<Node>("node", text); }

Result<Claim> decode_claim(std::string_view text) { return decode<Claim>("claim", text); }

Result<Outcome> decode_outcome(std::string_view text) {
  auto object = open_stored("outcome", text, kOutcomeVersion, kOutcomeVersion);
  if (!object) return object.error();
  Outcome outcome;
  if (!read_outcome(*object, &outcome))
    return corrupt("outcome", "a member is unknown or out of place");
  return outcome;
}

std::string encode_env(const std::map<std::string, std::string>& env) {
  std::string out;
  if (!env.empty()) put(out, env);
  return out;
}

Result<std::map<std::string, std::string>> decode_env(std::string_view text) {
  std::map<std::string, std::string> env;
  if (text.empty()) return env;
  const auto value = json::parse(text);
  if (!value || !from_json(*value, &env)) return corrupt("environment", "not variables");
  return env;
}

Digest digest(const Job& job) { return sha256(encode(job)); }

Digest digest(const JobSet& set) {
  std::vector<std::string> texts;
  for (const Job& job : set.jobs) texts.push_back(encode(job));
  std::sort(texts.begin(), texts.end());
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return sha256(all);
}

}  // namespace cronce
