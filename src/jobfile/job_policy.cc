#include "jobfile/job_policy.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/quote.h"
#include "base/suggest.h"
#include "jobfile/web_address.h"

namespace cronce {
namespace {

constexpr Duration kDay = std::chrono::days{1};
constexpr Duration kSecond = std::chrono::seconds{1};
constexpr IntegerRange kKept{0, 1'000'000};
constexpr IntegerRange kFactors{1, 100};
constexpr IntegerRange kCaps{1, 10'000};

constexpr auto kGuardKinds = std::to_array<std::string_view>(
    {"redis_lock", "redisson", "shedlock", "pg_advisory", "k8s_lease", "flock"});
constexpr auto kNotices = std::to_array<std::string_view>(
    {"succeeded", "failed", "timed_out", "cancelled", "skipped", "lost", "late", "duplicate"});

constexpr auto kCatchUpKeys = std::to_array<KeyRow<CatchUp>>({
    {"mode",
     {.words = Words<CatchUp::Mode>::kList},
     "which owed slots run after a time in which none could",
     [](YamlReader& in, const YamlNode& v, CatchUp& out) { in.word(v, &out.mode); }},
    {"window", kDurationSchema, "how old a slot may be; default any age",
     [](YamlReader& in, const YamlNode& v, CatchUp& out) {
       in.duration(v, {kSecond, 3'653 * kDay}, &out.window);
     }},
    {"cap",
     {.number = kCaps},
     "at most so many slots wait; default 100",
     [](YamlReader& in, const YamlNode& v, CatchUp& out) { in.integer(v, kCaps, &out.cap); }},
});

constexpr auto kRetriesKeys = std::to_array<KeyRow<Retries>>({
    {"max",
     {.number = kRetryCount},
     "so many more attempts after the first",
     [](YamlReader& in, const YamlNode& v, Retries& out) { in.integer(v, kRetryCount, &out.max); }},
    {"backoff", kDurationSchema, "the wait before the first retry; default 10s",
     [](YamlReader& in, const YamlNode& v, Retries& out) {
       in.duration(v, {Duration{0}, 30 * kDay}, &out.backoff);
     }},
    {"factor",
     {.number = kFactors},
     "each wait is so many times the one before; default 2",
     [](YamlReader& in, const YamlNode& v, Retries& out) { in.integer(v, kFactors, &out.factor); }},
    {"limit", kDurationSchema, "no wait is longer; default 5m",
     [](YamlReader& in, const YamlNode& v, Retries& out) {
       in.duration(v, {Duration{0}, 30 * kDay}, &out.limit);
     }},
    {"jitter",
     {.json = R"({"type":"string","pattern":"^0*(100|[0-9]{1,2})%$"})"},
     "each wait varies by so much; default 10%",
     [](YamlReader& in, const YamlNode& v, Retries& out) { in.percent(v, &out.jitter_percent); }},
});

void read_group(YamlReader& in, const YamlNode& value, Concurrency& out) {
  std::string group;
  if (!in.text(value, &group)) return;
  if (!parse_job_name(group)) {
    return in.error(value, fmt::format("{} is not a group: use a letter or digit, then up to 127 "
                                       "letters, digits or . _ / -",
                                       quote(group)));
  }
  out.group = group;
}

constexpr auto kConcurrencyKeys = std::to_array<KeyRow<Concurrency>>({
    {"group", kNameSchema, "jobs that name the same group share it; default the job's own name",
     read_group},
    {"max",
     {.number = kGroupSize},
     "so many runs of the group at a time",
     [](YamlReader& in, const YamlNode& v, Concurrency& out) {
       in.integer(v, kGroupSize, &out.max);
     }},
});

constexpr auto kHistoryKeys = std::to_array<KeyRow<HistoryLimits>>({
    {"succeeded",
     {.number = kKept},
     "so many of these are kept; default 100",
     [](YamlReader& in, const YamlNode& v, HistoryLimits& out) {
       in.integer(v, kKept, &out.succeeded);
     }},
    {"failed",
     {.number = kKept},
     "failed, timed_out, lost and cancelled together; default 100",
     [](YamlReader& in, const YamlNode& v, HistoryLimits& out) {
       in.integer(v, kKept, &out.failed);
     }},
    {"skipped",
     {.number = kKept},
     "so many of these are kept; default 100",
     [](YamlReader& in, const YamlNode& v, HistoryLimits& out) {
       in.integer(v, kKept, &out.skipped);
     }},
    {"age", kDurationSchema, "nothing older is kept; default 30d",
     [](YamlReader& in, const YamlNode& v, HistoryLimits& out) {
       in.duration(v, {60 * kSecond, 3'653 * kDay}, &out.age);
     }},
});

void read_notice(YamlReader& in, const YamlNode& node, Notify& out) {
  std::size_t index = 0;
  if (!in.word(node, kNotices, &index)) return;
  const std::string_view notice = kNotices[index];
  const auto place = std::lower_bound(out.on.begin(), out.on.end(), notice);
  if (place != out.on.end() && *place == notice) {
    return in.error(node, fmt::format("{} stands twice in the list", notice));
  }
  out.on.emplace(place, notice);
}

void read_notices(YamlReader& in, const YamlNode& value, Notify& out) {
  if (value.kind != YamlNode::Kind::list) return read_notice(in, value, out);
  if (value.count > kNotices.size()) {
    return in.error(
        value, fmt::format("{} entries are too many: at most {}", value.count, kNotices.size()));
  }
  for (const YamlNode* child = value.first; child != nullptr; child = child->next) {
    read_notice(in, *child, out);
  }
}

constexpr auto kNotifyKeys = std::to_array<KeyRow<Notify>>({
    {"on", {.json = R"({"$ref":"#/$defs/notices"})"}, "what is worth a notice", read_notices},
    {"webhook", kAddressSchema, "an http or https address that is called with each notice",
     [](YamlReader& in, const YamlNode& v, Notify& out) { read_web_address(in, v, &out.webhook); }},
    {"command", kTextSchema, "a line for sh that is started with each notice",
     [](YamlReader& in, const YamlNode& v, Notify& out) { in.text(v, &out.command); }},
    {"mail", kTextSchema, "an address that gets each notice by mail",
     [](YamlReader& in, const YamlNode& v, Notify& out) { in.text(v, &out.mail); }},
});

constexpr auto kExpectKeys = std::to_array<KeyRow<Job>>({
    {"within", kDurationSchema, "a run that has not started by then is late",
     [](YamlReader& in, const YamlNode& v, Job& out) {
       in.duration(v, {kSecond, 30 * kDay}, &out.expect_within);
     }},
});

void read_guard(YamlReader& in, const YamlNode& node, Job& job) {
  if (!in.expect_map(node, "a map such as {flock: {path: /run/x.lock}}")) return;
  if (node.count != 2) {
    return in.error(node, fmt::format("{} guards in one map: write each as an entry of the list",
                                      node.count / 2));
  }
  const YamlNode& kind = *node.first;
  if (std::find(kGuardKinds.begin(), kGuardKinds.end(), kind.text) == kGuardKinds.end()) {
    return in.unknown_key(kind, kGuardKinds);
  }
  GuardSpec guard{std::string(kind.text), {}};
  if (in.text_map(*kind.next, &guard.settings)) job.guards.edit().push_back(std::move(guard));
}

/// What `--labels key=value,...` can carry.
bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= 128 &&
         text.find_first_of("=, \t\n") == std::string_view::npos;
}

}  // namespace

KeyTable<CatchUp> catch_up_keys() { return kCatchUpKeys; }
KeyTable<Retries> retries_keys() { return kRetriesKeys; }
KeyTable<Concurrency> concurrency_keys() { return kConcurrencyKeys; }
KeyTable<HistoryLimits> history_keys() { return kHistoryKeys; }
KeyTable<Notify> notify_keys() { return kNotifyKeys; }
KeyTable<Job> expect_keys() { return kExpectKeys; }

std::span<const std::string_view> guard_kinds() { return kGuardKinds; }
std::span<const std::string_view> notices() { return kNotices; }

void read_overlap(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  in.word(value, &draft.job.overlap);
}

void read_catch_up(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  CatchUp catch_up;
  if (value.kind != YamlNode::Kind::map) {
    if (in.word(value, &catch_up.mode)) draft.job.catch_up = catch_up;
    return;
  }
  if (!in.map<CatchUp>(value, kCatchUpKeys, catch_up)) return;
  if (catch_up.mode == CatchUp::Mode::none && catch_up.window) {
    in.warning(*find_value(value, "window"),
               "window has no effect with mode: none: use mode: latest, or set grace");
  }
  draft.job.catch_up = catch_up;
}

void read_on_lost(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  in.word(value, &draft.job.on_lost);
}

void read_on_lease_loss(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  OnLeaseLoss rule{};
  if (in.word(value, &rule)) draft.job.on_lease_loss = rule;
}

void read_retries(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  Retries retries;
  if (value.kind != YamlNode::Kind::map) {
    if (in.integer(value, kRetryCount, &retries.max)) draft.job.retries = retries;
    return;
  }
  if (!in.map<Retries>(value, kRetriesKeys, retries)) return;
  if (find_value(value, "max") == nullptr)
    return in.error(value, "max is missing: how many retries?");
  const YamlNode* limit = find_value(value, "limit");
  if (retries.limit < retries.backoff) {
    if (limit != nullptr) {
      return in.error(*limit, fmt::format("the limit {} is shorter than the backoff {}",
                                          print(retries.limit), print(retries.backoff)));
    }
    retries.limit = retries.backoff;
  }
  draft.job.retries = retries;
}

void read_on(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  std::map<std::string, std::string> labels;
  if (!in.text_map(value, &labels)) return;
  for (const auto& [key, text] : labels) {
    if (is_label(key) && is_label(text)) continue;
    return in.error(value, fmt::format("{} is not a label: use 1 to 128 characters without blanks, "
                                       "commas and '='",
                                       quote(fmt::format("{}: {}", key, text))));
  }
  draft.job.on = std::move(labels);
}

void read_concurrency(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  Concurrency concurrency;
  const bool right = value.kind == YamlNode::Kind::map
                         ? in.map<Concurrency>(value, kConcurrencyKeys, concurrency)
                         : in.integer(value, kGroupSize, &concurrency.max);
  if (right) draft.job.concurrency = std::move(concurrency);
}

void read_guards(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  draft.job.guards = {};
  if (!in.expect_list(value, "a list of guards")) return;
  if (value.count > 16) return in.error(value, "too many guards: at most 16");
  for (const YamlNode* child = value.first; child != nullptr; child = child->next) {
    read_guard(in, *child, draft.job);
  }
}

void read_history(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  HistoryLimits limits;
  if (in.map<HistoryLimits>(value, kHistoryKeys, limits)) draft.job.history = limits;
}

void read_notify(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  Notify notify;
  if (!in.map<Notify>(value, kNotifyKeys, notify)) return;
  if (notify.on.empty()) return in.error(value, "on is missing: write on: [failed, lost]");
  if (notify.webhook.empty() && notify.command.empty() && notify.mail.empty()) {
    return in.error(value, "nobody would be told: add webhook, command or mail");
  }
  draft.job.notify = std::move(notify);
}

void read_expect(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  in.map<Job>(value, kExpectKeys, draft.job);
}

void read_was(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  std::string text;
  if (!in.text(value, &text)) return;
  auto name = parse_job_name(text);
  if (!name) return in.error(value, name.error().message);
  draft.job.was = *std::move(name);
}

}  // namespace cronce
