#include "jobfile/job_keys.h"

#include <array>

#include <fmt/format.h>

#include "base/ids.h"
#include "base/quote.h"
#include "jobfile/job_command.h"
#include "jobfile/job_policy.h"
#include "jobfile/job_schedule.h"

namespace cronce {
namespace {

using JobKeyRow = KeyRow<JobDraft>;

constexpr DurationRange kRunTimes{Duration{1}, std::chrono::days{365}};
constexpr DurationRange kWaits{Duration{0}, std::chrono::days{30}};

constexpr IntegerRange kGenerations{1, 1'000'000'000'000'000'000};
constexpr IntegerRange kPriorities{-1'000, 1'000};
constexpr IntegerRange kNiceLevels{-20, 19};

constexpr bool kOwn = true;

constexpr auto kJobKeys = std::to_array<JobKeyRow>({
    {"schedule",
     {.json = R"({"$ref":"#/$defs/schedule"})"},
     "when the job runs",
     read_schedule,
     kOwn},
    {"run",
     {.json = R"({"$ref":"#/$defs/run"})"},
     "a program with arguments, or a line for sh",
     read_run,
     kOwn},
    {"http",
     {.json = R"({"$ref":"#/$defs/http"})"},
     "an HTTP call instead of a program",
     read_http,
     kOwn},
    {"was", kNameSchema, "the name that the job had before", read_was, kOwn},

    {"timezone",
     {.json = R"({"type":"string"})"},
     "the zone in which the schedule is read; default UTC",
     read_timezone},
    {"dst", {.json = R"({"$ref":"#/$defs/dst"})"}, "what happens when clocks change", read_dst},
    {"calendar", {.json = R"({"not":{}})"}, "not supported yet", read_calendar},
    {"between", {.json = R"({"$ref":"#/$defs/between"})"}, "no slots outside", read_between},
    {"jitter", kDurationSchema, "start up to that much later; the slot keeps its time",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) {
       in.duration(v, {Duration{0}, std::chrono::days{1}}, &d.job.jitter);
     }},

    {"overlap",
     {.words = Words<Overlap>::kList},
     "what a due slot does while a run is alive; default skip",
     read_overlap},
    {"catch_up",
     {.json = R"({"$ref":"#/$defs/catch_up"})", .words = Words<CatchUp::Mode>::kList},
     "which owed slots run after a time in which none could; default latest",
     read_catch_up},
    {"grace", kDurationSchema, "decided within it counts as on time; default 60s",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) { in.duration(v, kWaits, &d.job.grace); }},
    {"on_lost",
     {.words = Words<OnLost>::kList},
     "what happens to a slot whose node vanished; default skip",
     read_on_lost},
    {"on_lease_loss",
     {.words = Words<OnLeaseLoss>::kList},
     "what a node that lost its lease does with a run",
     read_on_lease_loss},
    {"retries",
     {.json = R"({"$ref":"#/$defs/retries"})", .number = kRetryCount},
     "more attempts after a failure; default 0",
     read_retries},
    {"timeout", kDurationSchema, "a run that takes longer is stopped",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) {
       in.duration(v, kRunTimes, &d.job.timeout);
     }},
    {"kill_after", kDurationSchema, "from TERM to KILL; default 10s",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) {
       in.duration(v, kWaits, &d.job.kill_after);
     }},
    {"expect", {.json = R"({"$ref":"#/$defs/expect"})"}, "alert when late", read_expect},

    {"on",
     {.json = R"({"type":"object","propertyNames":{"$ref":"#/$defs/label"},
         "additionalProperties":{"$ref":"#/$defs/label"}})"},
     "labels of the nodes that may run it",
     read_on},
    {"everywhere", kTruthSchema, "once per node instead of once; default false",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) { in.boolean(v, &d.job.everywhere); }},
    {"priority",
     {.number = kPriorities},
     "of waiting runs the highest starts first; default 0",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) {
       in.integer(v, kPriorities, &d.job.priority);
     }},
    {"concurrency",
     {.json = R"({"$ref":"#/$defs/concurrency"})", .number = kGroupSize},
     "so many runs of a group at a time",
     read_concurrency},
    {"guards",
     {.json = R"({"type":"array","maxItems":16,"items":{"$ref":"#/$defs/guard"}})"},
     "foreign locks held during a run",
     read_guards},

    {"env",
     {.json = R"({"$ref":"#/$defs/texts","propertyNames":{"pattern":"^(?!CRONCE_)[^=]+$"}})"},
     "added to the node's environment; joins that of defaults",
     read_env},
    {"user",
     {.json = R"({"$ref":"#/$defs/text","pattern":"^[^-:/ \\t\\n,][^:/ \\t\\n,]{0,63}$"})"},
     "who runs it; default the node's user",
     read_user},
    {"cwd",
     {.json = R"({"$ref":"#/$defs/text","pattern":"^[^~]"})"},
     "the working folder, as seen from the job file; default the node's",
     read_cwd},
    {"output", {.json = R"({"$ref":"#/$defs/output"})"}, "how much output is kept", read_output},
    {"limits", {.json = R"({"$ref":"#/$defs/limits"})"}, "limits of the process", read_limits},
    {"umask",
     {.json = R"({"type":"string","pattern":"^0?[0-7]{3}$"})"},
     "three octal digits such as \"022\"",
     read_umask},
    {"nice",
     {.number = kNiceLevels},
     "from -20 to 19; default 0",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) {
       in.integer(v, kNiceLevels, &d.job.nice);
     }},

    {"history",
     {.json = R"({"$ref":"#/$defs/history"})"},
     "how much of the past is kept",
     read_history},
    {"notify", {.json = R"({"$ref":"#/$defs/notify"})"}, "who hears of what", read_notify},
    {"paused", kTruthSchema, "no slot runs; default false",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) { in.boolean(v, &d.job.paused); }},
});

void read_generation(YamlReader& in, const YamlNode& value, FileKeys& out) {
  std::int64_t generation = 0;
  if (in.integer(value, kGenerations, &generation)) {
    out.generation = static_cast<std::uint64_t>(generation);
  }
}

void read_source(YamlReader& in, const YamlNode& value, FileKeys& out) {
  std::string source;
  if (!in.text(value, &source)) return;
  if (!parse_job_name(source)) {
    return in.error(value, fmt::format("{} is not a source: use a letter or digit, then up to 127 "
                                       "letters, digits or . _ / -",
                                       quote(source)));
  }
  out.source = std::move(source);
}

constexpr auto kFileKeys = std::to_array<KeyRow<FileKeys>>({
    {"generation",
     {.number = kGenerations},
     "the version of the file: the higher one wins",
     read_generation},
    {"source", kNameSchema, "under which name the store knows the file; default its own",
     read_source},
    {"defaults",
     {.json = R"({"$ref":"#/$defs/defaults"})"},
     "what all jobs share unless they say otherwise",
     [](YamlReader&, const YamlNode& value, FileKeys& out) { out.defaults = &value; }},
    {"jobs",
     {.json = R"({"type":"object","propertyNames":{"$ref":"#/$defs/name"},
         "additionalProperties":{"$ref":"#/$defs/job"}})"},
     "each job under its name",
     [](YamlReader&, const YamlNode& value, FileKeys& out) { out.jobs = &value; }},
});

}  // namespace

KeyTable<FileKeys> file_keys() { return kFileKeys; }
KeyTable<JobDraft> job_keys() { return {kJobKeys, true}; }

}  // namespace cronce
