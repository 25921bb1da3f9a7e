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

constexpr std::array kRunFlags{
    Flag{"--store", "URL",
         "where the nodes agree: sqlite:PATH (default: in the state folder of the user)"},
    Flag{"--state", "FOLDER", "what outlives a node on this machine: marks, spool, locks"},
    Flag{"--node", "NAME", "the name of this node (default: that of the host)"},
    Flag{"--labels", "K=V,...", "which jobs with `on` may run here"},
    Flag{"--role", "ROLES", "scheduler decides slots, worker runs them (default both)",
         "scheduler worker scheduler,worker"},
    Flag{"--max-running", "N", "run at most so many commands at once"},
    Flag{"--source", "NAME", "register all files as this one source"},
    Flag{"--generation", "N", "the number of these definitions: higher wins"},
    Flag{"--no-watch", "", "read files again on SIGHUP only, and not when they change"},
    Flag{"--lease", "DURATION", "a node that is silent for so long is dead (default 60s)"},
    Flag{"--standby", "DURATION", "how long the next node waits for the first (default 300ms)"},
    Flag{"--skew-budget", "DURATION", "how far clocks may be apart (default 30s)"},
    Flag{"--drain", "DURATION", "how long commands may go on when the node leaves (default 60s)"},
    Flag{"--once-until-idle", "", "decide and run what is due, then leave"},
    Flag{"--store-wait", "DURATION",
         "wait so long for a store that is away (default: for ever, at a terminal not at all)"},
    Flag{"--store-moves", "", "the volume of the store was moved: accept that, once"},
    Flag{"--log", "FORMAT", "text or json (default text, for people at a terminal)", "text json"},
    Flag{"--log-level", "LEVEL", "debug, info (default), warning or error",
         "debug info warning error"},
};

constexpr std::array kJsonFlag{kJson};

constexpr std::array kCommands{
    CommandRow{
        "run", "Run jobs", "[FILE...]", 10'000, "start a node with these job files",
        "Starts a node: it decides the slots of all registered jobs together with the other "
        "nodes of the store, and runs those of its own files (without files: all). Files are "
        "job files, crontabs and folders of them; a change, or SIGHUP, reads them again, "
        "and a broken one keeps the old definitions.\n"
        "SIGTERM and Ctrl-C drain: nothing new is started, and what runs may end. A second one "
        "stops what runs, a third one kills it.\n"
        "Exit code: 0 left, 65 a bad job file, 69 the store is away, 70 could not go on, 77 "
        "the store was refused or something is not permitted.",
        kRunFlags,
        "cronce run /etc/cronce/jobs.yaml\n"
        "cronce run --store sqlite:/srv/cronce.db --node a --drain 5m /etc/cronce.d",
        run_run},
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
