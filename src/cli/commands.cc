#include <array>

#include "cli/command.h"

namespace cronce {
namespace {

constexpr Flag kJson{"--json", "", "print JSON"};
constexpr Flag kTz{"--tz", "ZONE", "evaluate in this zone (default UTC)"};
constexpr Flag kFrom{"--from", "TIME",
                     "start after this time (default now; without offset: in the schedule's zone)"};
constexpr Flag kGap{"--gap", "RULE",
                    "civil times that a clock change skips: jump (default) or skip", "jump skip"};
constexpr Flag kFold{"--fold", "RULE",
                     "civil times that a clock change repeats: first (default), second or both",
                     "first second both"};
constexpr Flag kDialect{"--dialect", "NAME", "how to read the expression (so far only cronce)",
                        "cronce"};
constexpr Flag kJob{"--job", "NAME", "the job's name, which seeds ~ and H in a later version"};
constexpr Flag kFile{"--file", "FILE", "read jobs from a job file, a crontab or a folder instead"};
constexpr Flag kFormat{"--format", "NAME", "yaml, crontab or crontab-system (default: by the name)",
                       "yaml crontab crontab-system"};

constexpr std::array kNextFlags{
    kTz,
    kFrom,
    Flag{"--count", "N",
         "how many times (default 5; with --file 10 in all; --json: N for each job)"},
    kGap,
    kFold,
    kFile,
    kFormat,
    Flag{"--batch", "", "answer JSON lines {id,expr,tz,from,count,dst} from standard input"},
    kDialect,
    kJob,
    kJson,
};

constexpr std::array kExplainFlags{kTz, kFrom, kGap, kFold, kFile, kFormat, kDialect, kJob, kJson};

constexpr std::array kCheckFlags{
    kFormat,
    Flag{"--strict", "", "exit 1 for warnings too"},
    Flag{"--notes", "", "print notes too"},
    Flag{"--schema", "", "print the JSON schema of the job file, for editors"},
    kJson,
};

constexpr std::array kJsonFlag{kJson};

constexpr std::array kCommands{
    CommandRow{"next", "Understand a schedule", "[EXPR | JOB]", 1, "when does it fire",
               "Prints the fire times of a cron expression, of @every, or of the jobs in a file.",
               kNextFlags,
               "cronce next '*/15 9-17 * * MON-FRI' --tz Europe/Berlin\n"
               "cronce next '30 2 * * *' --tz America/New_York --from 2026-03-07T12:00:00Z --json\n"
               "cronce next --file examples/jobs.yaml\n"
               "echo '{\"id\":1,\"expr\":\"@daily\",\"count\":2}' | cronce next --batch",
               run_next},
    CommandRow{
        "explain", "Understand a schedule", "[EXPR | JOB]", 1,
        "what does it mean, and what happens when the clocks change",
        "Says in words when a schedule fires, how often, when next, and what becomes of it on each "
        "clock change of the coming two years.",
        kExplainFlags,
        "cronce explain '30 2 * * *' --tz America/New_York\n"
        "cronce explain --file examples/jobs.yaml nightly-billing",
        run_explain},
    CommandRow{
        "check", "Understand a schedule", "FILE...", 10'000, "is this job file right",
        "Reads job files, crontabs and folders of them, and reports all that is wrong or doubtful, "
        "with its place. `-` is standard input.\n"
        "Exit code: 0 nothing wrong, 1 something found, 66 a file that cannot be read, 65 a file "
        "that cannot be parsed. Of several 65 counts most, then 66, then 1.",
        kCheckFlags,
        "cronce check examples/jobs.yaml\n"
        "cronce check --strict /etc/cron.d\n"
        "cronce check --format crontab - < examples/crontab",
        run_check},
    CommandRow{"completion",
               "This program",
               "SHELL",
               1,
               "completions for bash, zsh or fish",
               "Prints a completion script.",
               {},
               "cronce completion bash > /etc/bash_completion.d/cronce",
               run_completion,
               "bash zsh fish"},
    CommandRow{"version", "This program", "", 0, "version, libraries and zone data",
               "Prints the version of this program, of its compiler, of fmt and OpenSSL, "
               "and of the "
               "zone data.",
               kJsonFlag, "cronce version --json", run_version},
};

}  // namespace

std::span<const CommandRow> commands() { return kCommands; }

}  // namespace cronce
