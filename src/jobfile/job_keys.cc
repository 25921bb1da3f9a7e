#include "jobfile/job_keys.h"

#include <array>

#include "jobfile/job_command.h"
#include "jobfile/job_policy.h"
#include "jobfile/job_schedule.h"

namespace cronce {
namespace {

using Row = KeyRow<JobDraft>;

constexpr DurationRange kRunTimes{Duration{1}, std::chrono::days{365}};
constexpr DurationRange kWaits{Duration{0}, std::chrono::days{30}};

constexpr std::string_view kText = R"({"type":"string"})";
constexpr std::string_view kTruth = R"({"type":"boolean"})";
constexpr std::string_view kDuration = R"({"$ref":"#/$defs/duration"})";
constexpr std::string_view kTexts = R"({"$ref":"#/$defs/texts"})";

/// The first rows are what makes a job this job: they are no defaults.
constexpr std::size_t kOwnKeys = 4;

constexpr auto kJobKeys = std::to_array<Row>({
    {"schedule", R"({"$ref":"#/$defs/schedule"})", "when the job runs", read_schedule},
    {"run", R"({"$ref":"#/$defs/run"})", "a program with arguments, or a line for sh", read_run},
    {"http", R"({"$ref":"#/$defs/http"})", "an HTTP call instead of a program", read_http},
    {"was", kText, "the name that the job had before", read_was},

    {"timezone", kText, "the zone in which the schedule is read; default UTC", read_timezone},
    {"dst", R"({"$ref":"#/$defs/dst"})", "what happens when clocks change", read_dst},
    {"calendar", R"({"not":{}})", "not supported yet", read_calendar},
    {"between", R"({"$ref":"#/$defs/between"})", "no slots outside", read_between},
    {"jitter", kDuration, "start up to that much later; the slot keeps its time",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) {
       in.duration(v, {Duration{0}, std::chrono::days{1}}, &d.job.jitter);
     }},

    {"overlap", R"({"enum":["skip","queue","replace","allow"]})",
     "what a due slot does while a run is alive; default skip", read_overlap},
    {"catch_up", R"({"anyOf":[{"enum":["none","latest","all"]},{"$ref":"#/$defs/catch_up"}]})",
     "which owed slots run after a time in which none could; default latest", read_catch_up},
    {"grace", kDuration, "decided within it counts as on time; default 60s",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) { in.duration(v, kWaits, &d.job.grace); }},
    {"on_lost", R"({"enum":["skip","rerun","hold"]})",
     "what happens to a slot whose node vanished; default skip", read_on_lost},
    {"on_lease_loss", R"({"enum":["kill","continue"]})",
     "what a node that lost its lease does with a run", read_on_lease_loss},
    {"retries", R"({"anyOf":[{"type":"integer","minimum":0},{"$ref":"#/$defs/retries"}]})",
     "more attempts after a failure; default 0", read_retries},
    {"timeout", kDuration, "a run that takes longer is stopped",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) {
       in.duration(v, kRunTimes, &d.job.timeout);
     }},
    {"kill_after", kDuration, "from TERM to KILL; default 10s",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) {
       in.duration(v, kWaits, &d.job.kill_after);
     }},
    {"expect", R"({"$ref":"#/$defs/expect"})", "alert when late", read_expect},

    {"on", kTexts, "labels of the nodes that may run it", read_on},
    {"everywhere", kTruth, "once per node instead of once; default false",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) { in.boolean(v, &d.job.everywhere); }},
    {"priority", R"({"type":"integer","minimum":-1000,"maximum":1000})",
     "of waiting runs the highest starts first; default 0",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) {
       in.integer(v, {-1'000, 1'000}, &d.job.priority);
     }},
    {"concurrency", R"({"anyOf":[{"type":"integer","minimum":1},{"$ref":"#/$defs/concurrency"}]})",
     "so many runs of a group at a time", read_concurrency},
    {"guards", R"({"type":"array","items":{"$ref":"#/$defs/guard"}})",
     "foreign locks held during a run", read_guards},

    {"env", kTexts, "added to the node's environment; joins that of defaults", read_env},
    {"user", kText, "who runs it; default the node's user", read_user},
    {"cwd", kText, "the working folder, as seen from the job file; default the node's", read_cwd},
    {"output", R"({"$ref":"#/$defs/output"})", "how much output is kept", read_output},
    {"limits", R"({"$ref":"#/$defs/limits"})", "limits of the process", read_limits},
    {"umask", R"({"anyOf":[{"type":"string","pattern":"^0?[0-7]{3}$"},{"type":"integer"}]})",
     "three octal digits such as \"022\"", read_umask},
    {"nice", R"({"type":"integer","minimum":-20,"maximum":19})", "from -20 to 19; default 0",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) { in.integer(v, {-20, 19}, &d.job.nice); }},

    {"history", R"({"$ref":"#/$defs/history"})", "how much of the past is kept", read_history},
    {"notify", R"({"$ref":"#/$defs/notify"})", "who hears of what", read_notify},
    {"paused", kTruth, "no slot runs; default false",
     [](YamlReader& in, const YamlNode& v, JobDraft& d) { in.boolean(v, &d.job.paused); }},
});

}  // namespace

KeyTable<JobDraft> job_keys() { return kJobKeys; }

KeyTable<JobDraft> default_keys() { return job_keys().subspan(kOwnKeys); }

}  // namespace cronce
