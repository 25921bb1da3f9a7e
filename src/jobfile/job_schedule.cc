#include "jobfile/job_schedule.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/quote.h"
#include "base/suggest.h"
#include "jobfile/schedule_remarks.h"
#include "schedule/schedule.h"
#include "schedule/schedule_text.h"

namespace cronce {
namespace {

constexpr std::size_t kMostElements = 1'000;
constexpr DurationRange kIntervals{std::chrono::seconds{1}, std::chrono::days{36'525}};

constexpr IntegerRange kMostRuns{1, 1'000'000'000};

constexpr auto kElementKeys = std::to_array<KeyRow<ElementMap>>({
    {"cron",
     {.json = R"({"type":"string"})"},
     "five or six cron fields, or a macro such as @daily",
     [](YamlReader&, const YamlNode& v, ElementMap& out) { out.cron = &v; }},
    {"every", kDurationSchema, "the distance between two slots",
     [](YamlReader&, const YamlNode& v, ElementMap& out) { out.every = &v; }},
    {"anchor", kTimeSchema,
     "a time on which the intervals are aligned; default 1970-01-01T00:00:00Z",
     [](YamlReader&, const YamlNode& v, ElementMap& out) { out.anchor = &v; }},
    {"at", kTimeSchema, "once, at this time",
     [](YamlReader&, const YamlNode& v, ElementMap& out) { out.at = &v; }},
    {"after", kDurationSchema, "that long after the previous run has ended",
     [](YamlReader&, const YamlNode& v, ElementMap& out) { out.after = &v; }},
});

constexpr auto kDstKeys = std::to_array<KeyRow<DstRule>>({
    {"gap",
     {.words = Words<Gap>::kList},
     "a civil time that a clock change removes",
     [](YamlReader& in, const YamlNode& v, DstRule& out) { in.word(v, &out.gap); }},
    {"fold",
     {.words = Words<Fold>::kList},
     "a civil time that a clock change repeats",
     [](YamlReader& in, const YamlNode& v, DstRule& out) { in.word(v, &out.fold); }},
});

constexpr auto kBetweenKeys = std::to_array<KeyRow<Between>>({
    {"from", kTimeSchema, "the first moment at which a slot may lie",
     [](YamlReader& in, const YamlNode& v, Between& out) { in.time(v, &out.from); }},
    {"to", kTimeSchema, "the last moment at which a slot may lie; a date means its whole day",
     [](YamlReader& in, const YamlNode& v, Between& out) { in.time(v, &out.to); }},
    {"max_runs",
     {.number = kMostRuns},
     "so many runs, then no more",
     [](YamlReader& in, const YamlNode& v, Between& out) {
       std::int64_t most = 0;
       if (in.integer(v, kMostRuns, &most)) out.max_runs = most;
     }},
});

constexpr auto kDstPresets = std::to_array<std::string_view>({"cronie", "quartz", "kubernetes"});

void add_element(JobDraft& draft, ElementSpec element, const YamlNode& node) {
  draft.job.schedule.elements.push_back(std::move(element));
  draft.elements.push_back(&node);
}

void note_prefix(YamlReader& in, const YamlNode& node, const std::string& zone, JobDraft& draft) {
  if (draft.prefix_zone && *draft.prefix_zone != zone) {
    in.error(node, fmt::format("the zone {} differs from {} at {}:{}: a job has one zone",
                               quote(zone), quote(*draft.prefix_zone), draft.prefix_node->line,
                               draft.prefix_node->column));
    return;
  }
  draft.prefix_zone = zone;
  draft.prefix_node = &node;
}

bool check_kind(YamlReader& in, const YamlNode& node, const ElementSpec& element, bool cron_only) {
  if (std::holds_alternative<RebootSpec>(element)) {
    in.error(node,
             "@reboot is for crontabs only: in a job file use everywhere: true with a schedule");
    return false;
  }
  if (const auto* every = std::get_if<EverySpec>(&element); every != nullptr && cron_only) {
    in.error(node,
             fmt::format("@every is no cron expression: write every: {}", print(every->interval)));
    return false;
  }
  return true;
}

/// `0 2 * * *`, `@daily`, `@every 15m`, each perhaps after TZ=.
void read_text_element(YamlReader& in, const YamlNode& node, bool cron_only, JobDraft& draft) {
  if (node.kind != YamlNode::Kind::text || node.is_null()) {
    return in.wrong_kind(node, "a cron expression such as \"0 2 * * *\"");
  }
  const auto parsed = parse_schedule_text(node.text);
  if (!parsed) return in.error(node, parsed.error().offset, parsed.error().message);
  if (!check_kind(in, node, parsed->element, cron_only)) return;
  if (parsed->timezone) note_prefix(in, node, *parsed->timezone, draft);
  add_element(draft, parsed->element, node);
}

void read_every(YamlReader& in, const ElementMap& map, JobDraft& draft) {
  EverySpec spec;
  std::optional<WrittenTime> anchor;
  const bool has_interval = in.duration(*map.every, kIntervals, &spec.interval);
  const bool has_anchor = map.anchor == nullptr || in.time(*map.anchor, &anchor);
  if (anchor) spec.anchor = *anchor;
  if (has_interval && has_anchor) add_element(draft, spec, *map.every);
}

void read_at(YamlReader& in, const YamlNode& node, JobDraft& draft) {
  std::optional<WrittenTime> time;
  if (in.time(node, &time)) add_element(draft, AtSpec{*time}, node);
}

void read_after(YamlReader& in, const YamlNode& node, JobDraft& draft) {
  AfterSpec spec;
  if (in.duration(node, kIntervals, &spec.delay)) add_element(draft, spec, node);
}

void read_map_element(YamlReader& in, const YamlNode& node, JobDraft& draft) {
  ElementMap map;
  if (!in.map<ElementMap>(node, kElementKeys, map)) return;
  const std::array<const YamlNode*, 4> kinds{map.cron, map.every, map.at, map.after};
  const auto written =
      kinds.size() - static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), nullptr));
  if (written != 1) {
    return in.error(node,
                    fmt::format("expected exactly one of cron, every, at and after, found {}; "
                                "write several as a list",
                                written));
  }
  if (map.anchor != nullptr && map.every == nullptr) {
    return in.error(*map.anchor, "anchor belongs to every: leave it out");
  }
  if (map.cron != nullptr) return read_text_element(in, *map.cron, true, draft);
  if (map.every != nullptr) return read_every(in, map, draft);
  if (map.at != nullptr) return read_at(in, *map.at, draft);
  read_after(in, *map.after, draft);
}

void read_element(YamlReader& in, const YamlNode& node, JobDraft& draft) {
  if (node.kind == YamlNode::Kind::map) return read_map_element(in, node, draft);
  if (node.kind == YamlNode::Kind::list) {
    return in.wrong_kind(node, "a cron expression or a map such as {every: 15m}");
  }
  read_text_element(in, node, false, draft);
}

/// The job's own value of a key, or else that of the defaults.
const YamlNode* find_either(std::string_view key, const YamlNode& job, const YamlNode* defaults) {
  if (const YamlNode* own = find_value(job, key)) return own;
  return defaults == nullptr ? nullptr : find_value(*defaults, key);
}

/// A prefix is nearer to the schedule than `defaults`, but must not contradict the job itself.
void apply_prefix(YamlReader& in, JobDraft& draft, const YamlNode& job) {
  if (!draft.prefix_zone) return;
  const YamlNode* own = find_value(job, "timezone");
  if (own != nullptr && draft.job.schedule.timezone != *draft.prefix_zone) {
    in.error(*own,
             fmt::format("timezone: {} differs from {} in the schedule at {}:{}: keep one of them",
                         quote(draft.job.schedule.timezone), quote(*draft.prefix_zone),
                         draft.prefix_node->line, draft.prefix_node->column));
  }
  draft.job.schedule.timezone = *draft.prefix_zone;
}

void report(YamlReader& in, const ScheduleError& error, const JobDraft& draft, const YamlNode& job,
            const YamlNode* defaults) {
  const YamlNode* between = find_either("between", job, defaults);
  if (error.part == ScheduleError::Part::between && between != nullptr) {
    return in.error(*between, "between: " + error.message);
  }
  const YamlNode* at = find_value(job, "schedule");
  if (error.part == ScheduleError::Part::timezone && draft.prefix_node != nullptr) {
    const std::size_t zone = draft.prefix_node->text.find(*draft.prefix_zone);
    return in.error(*draft.prefix_node, zone, "schedule: " + error.message);
  }
  if (error.part == ScheduleError::Part::element && error.element < draft.elements.size()) {
    at = draft.elements[error.element];
  }
  in.error(at != nullptr ? *at : job, "schedule: " + error.message);
}

/// Whether clock changes can matter to an element.
bool asks_dst_rule(const ElementSpec& element) {
  if (std::holds_alternative<AtSpec>(element)) return true;
  const auto* cron = std::get_if<CronSpec>(&element);
  return cron != nullptr && !CronExpr::parse(cron->text).value().wildcard_hour();
}

/// A rule in the defaults is for whom it may concern, one in the job itself is for this job.
void doubt_dst(YamlReader& in, const ScheduleSpec& spec, const YamlNode& job) {
  const YamlNode* dst = find_value(job, "dst");
  if (dst == nullptr || std::any_of(spec.elements.begin(), spec.elements.end(), asks_dst_rule)) {
    return;
  }
  in.warning(*dst,
             "dst has no effect: a schedule that runs at all hours or at intervals follows "
             "elapsed time when the clocks change");
}

/// Slots that become due at the same time are one run and many that were missed.
void doubt_jitter(YamlReader& in, const Job& draft, const Schedule& schedule, const YamlNode& job,
                  const YamlNode* defaults) {
  const YamlNode* jitter = find_either("jitter", job, defaults);
  if (jitter == nullptr || draft.jitter == Duration{0}) return;
  const auto distance = find_nearer_than(draft.jitter, schedule);
  if (!distance) return;
  in.warning(*jitter, fmt::format("jitter: {} is longer than the {} between two slots, so that "
                                  "several can be due at once: make it shorter",
                                  print(draft.jitter), print(*distance)));
}

}  // namespace

KeyTable<ElementMap> element_keys() { return kElementKeys; }
KeyTable<DstRule> dst_keys() { return kDstKeys; }
KeyTable<Between> between_keys() { return kBetweenKeys; }

void read_schedule(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  if (value.kind != YamlNode::Kind::list) return read_element(in, value, draft);
  if (value.count == 0) return in.error(value, "the list is empty: give it at least one schedule");
  if (value.count > kMostElements) {
    return in.error(value,
                    fmt::format("{} entries are too many: at most {}", value.count, kMostElements));
  }
  for (const YamlNode* child = value.first; child != nullptr; child = child->next) {
    const YamlNode* after = find_value(*child, "after");
    if (after != nullptr && value.count > 1) {
      in.error(*after, "after cannot be part of a list: make it a job of its own");
    } else {
      read_element(in, *child, draft);
    }
  }
}

void read_timezone(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  std::string zone;
  if (!in.text(value, &zone)) return;
  const auto found = load_zone(zone.substr(0, 100));
  if (!found) return in.error(value, found.error().message);
  draft.job.schedule.timezone = std::move(zone);
}

void read_dst(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  if (value.kind == YamlNode::Kind::map) {
    DstRule rule;
    if (in.map<DstRule>(value, kDstKeys, rule)) draft.job.schedule.dst = rule;
    return;
  }
  const bool preset =
      value.kind == YamlNode::Kind::text &&
      std::find(kDstPresets.begin(), kDstPresets.end(), value.text) != kDstPresets.end();
  if (!preset) return in.wrong_kind(value, "a map such as {gap: jump, fold: first}");
  in.error(value,
           fmt::format("the preset {} is not supported yet: write a map such as {{gap: jump, "
                       "fold: first}}",
                       value.text));
}

void read_between(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  Between between;
  if (!in.map<Between>(value, kBetweenKeys, between)) return;
  if (value.count == 0) return in.error(value, "the map is empty: use from, to or max_runs");
  draft.job.schedule.between = between;
}

void read_calendar(YamlReader& in, const YamlNode& value, JobDraft&) {
  in.error(value, "calendars are not supported yet: leave the key out");
}

void check_schedule(YamlReader& in, JobDraft& draft, const YamlNode& job,
                    const YamlNode* defaults) {
  const std::size_t before = in.errors();
  apply_prefix(in, draft, job);
  if (in.errors() != before) return;
  const auto schedule = Schedule::build(draft.job.schedule);
  if (!schedule) return report(in, schedule.error(), draft, job, defaults);
  doubt_dst(in, draft.job.schedule, job);
  doubt_jitter(in, draft.job, *schedule, job, defaults);
  for (std::size_t i = 0; i < draft.elements.size(); ++i) {
    for (const CronRemark& remark :
         schedule_remarks(draft.job.schedule.elements[i], schedule->zone())) {
      const std::string message = "schedule: " + remark.text;
      remark.warning ? in.warning(*draft.elements[i], message)
                     : in.note(*draft.elements[i], message);
    }
  }
}

}  // namespace cronce
