#include <array>

#include "cli/command.h"
#include "cli/operate_rows.h"

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
constexpr Flag kDialectFlag{"--dialect", "NAME", "how to read the expression (so far only cronce)",
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
    kDialectFlag,
    kJob,
    kJson,
};

constexpr std::array kExplainFlags{kTz,     kFrom,        kGap, kFold, kFile,
                                   kFormat, kDialectFlag, kJob, kJson};

constexpr std::array kCheckFlags{
    kFormat,
    Flag{"--strict", "", "exit 1 for warnings too"},
    Flag{"--notes", "", "print notes too"},
    Flag{"--quiet", "", "leave out when the jobs would run"},
    Flag{"--from", "TIME",
         "the next times after this one (default now; without offset: in the job's zone)"},
    Flag{"--schema", "", "print the JSON schema of the job file, for editors"},
    kJson,
};

constexpr std::array kRunFlags{
    Flag{"--store", "URL",
         "where the nodes agree: sqlite:PATH (default: your own), postgresql://HOST/DB"},
    operate::kNamespace,
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
    Flag{"--dry-run", "", "print what it would do with these files now, and do nothing"},
    Flag{"--store-wait", "DURATION",
         "wait so long for a store that is away (default for ever; at a terminal 0s)"},
    Flag{"--store-moves", "", "the volume of the store was moved: accept that, once"},
    Flag{"--log", "FORMAT", "text or json (default text, for people at a terminal)", "text json"},
    Flag{"--log-level", "LEVEL", "debug, info (default), warning or error",
         "debug info warning error"},
    Flag{"--json", "", "with --dry-run: print JSON"},
};

constexpr std::array kJsonFlag{kJson};

constexpr Flag kStore = operate::kStore;
constexpr Flag kNamespace = operate::kNamespace;
constexpr Flag kSince{"--from", "TIME", "not before: a time, or how long ago, as in 2h"};
constexpr Flag kUntil{"--to", "TIME", "not after"};

constexpr std::array kJobsFlags{
    kStore,
    kNamespace,
    Flag{"--all", "", "retired jobs too"},
    kJson,
};

constexpr std::array kShowFlags{kStore, kNamespace, kJson};

constexpr std::array kLogsFlags{
    kStore,
    kNamespace,
    Flag{"--follow", "", "go on until the run has ended", {}, "-f"},
    Flag{"--attempt", "N", "of this attempt (default the last one that ran)"},
};

constexpr std::array kHistoryFlags{
    kStore,
    kNamespace,
    kSince,
    kUntil,
    Flag{"--state", "STATES", "only these: succeeded, failed, timed_out, lost, skipped, ...",
         "pending held running succeeded failed timed_out cancelled skipped lost"},
    Flag{"--limit", "N", "at most so many (default 100)"},
    Flag{"--attempts", "", "a line for each attempt, not only for a slot's last"},
    Flag{"--ranges", "", "slots that were settled at once as one line"},
    kJson,
};

constexpr std::array kVerifyFlags{
    kStore,
    kNamespace,
    kSince,
    kUntil,
    Flag{"--late", "DURATION",
         "a start later than this is late (default: what the job expects, or its grace)"},
    kJson,
};

constexpr std::array kDoctorFlags{
    kStore,
    kNamespace,
    Flag{"--state", "FOLDER", "the state folder of the nodes here (default CRONCE_STATE)"},
    kJson,
};

constexpr std::array kStoreFlags{
    Flag{"--grant", "ROLE", "and let this role work with them"},
};

constexpr std::array kCommands{
    CommandRow{
        "run", "Run", "[FILE...]", 10'000, "start a node with these job files",
        "Starts a node: it decides the slots of all registered jobs together with the other "
        "nodes of the store, and runs those of its own files (without files: all). Files are "
        "job files, crontabs and folders of them; a change, or SIGHUP, reads them again, "
        "and a broken one keeps the old definitions.\n"
        "SIGTERM and Ctrl-C drain: nothing new is started, and what runs may end. A second one "
        "stops what runs, a third one kills it.\n"
        "--dry-run reads the files and the store, if there is one, says what would become of each "
        "job, and writes nothing; if a file conflicts with what another one defines the exit code "
        "is 1.\n"
        "Exit code: 0 left, 65 a bad job file, 69 the store is away, 70 could not go on, 77 "
        "the store was refused or something is not permitted, 78 what was named is no store.",
        kRunFlags,
        "cronce run /etc/cronce/jobs.yaml\n"
        "cronce run --dry-run /etc/cronce/jobs.yaml\n"
        "cronce run --store sqlite:/srv/cronce.db --node a --drain 5m /etc/cronce.d\n"
        "cronce run --store postgresql://cronce@db/cronce --namespace prod /etc/cronce.d",
        run_run},
    CommandRow{"next", "Understand", "[EXPR | JOB]", 1, "when does it fire",
               "Prints the fire times of a cron expression, of @every, or of the jobs in a file.",
               kNextFlags,
               "cronce next '*/15 9-17 * * MON-FRI' --tz Europe/Berlin\n"
               "cronce next '30 2 * * *' --tz America/New_York --from 2026-03-07T12:00:00Z --json\n"
               "cronce next --file examples/jobs.yaml\n"
               "echo '{\"id\":1,\"expr\":\"@daily\",\"count\":2}' | cronce next --batch",
               run_next},
    CommandRow{
        "explain", "Understand", "[EXPR | JOB]", 1,
        "what does it mean, and what happens when the clocks change",
        "Says in words when a schedule fires, how often, when next, and what becomes of it on each "
        "clock change of the coming two years.",
        kExplainFlags,
        "cronce explain '30 2 * * *' --tz America/New_York\n"
        "cronce explain --file examples/jobs.yaml nightly-billing",
        run_explain},
    CommandRow{
        "check", "Understand", "FILE...", 10'000, "is this job file right",
        "Reads job files, crontabs and folders of them, and reports all that is wrong or doubtful, "
        "with its place. Of a file that is right it says how often each job would run, and its "
        "next five times. `-` is standard input.\n"
        "Exit code: 0 nothing wrong, 1 something found, 66 a file that cannot be read, 65 a file "
        "that cannot be parsed. Of several 65 counts most, then 66, then 1.",
        kCheckFlags,
        "cronce check examples/jobs.yaml\n"
        "cronce check --strict /etc/cron.d\n"
        "cronce check --format crontab - < examples/crontab",
        run_check},
    CommandRow{
        "jobs", "See", "[JOB]", 1, "what is defined, when next, last result",
        "Lists the jobs of the store: schedule, next slot, and what became of the newest one.",
        kJobsFlags,
        "cronce jobs\n"
        "cronce jobs --json",
        run_jobs},
    CommandRow{"show", "See", "JOB", 1, "everything about one job",
               "Prints a job's definition, its plan, what runs and waits now, and its last slots.",
               kShowFlags,
               "cronce show heartbeat\n"
               "cronce show heartbeat --json",
               run_show},
    CommandRow{
        "nodes", "See", "", 0, "who is alive, load, clocks, zone data",
        "Lists the nodes that have not been ended. CLOCK is how far a node's wall clock is from "
        "the store's time; BEAT how long ago it was heard of.",
        kShowFlags, "cronce nodes", run_nodes},
    CommandRow{
        "history", "See", "[JOB]", 1, "what became of every slot, newest first",
        "Prints the ledger: one line for each slot, with the state of its last attempt. Slots that "
        "were settled at once, after an outage for instance, are listed one by one as far as the "
        "schedule is still the one of that time.\n"
        "A time without an offset is in the job's zone; without a job, in UTC.",
        kHistoryFlags,
        "cronce history\n"
        "cronce history --state failed,timed_out,lost --from 24h\n"
        "cronce history --limit 10 --json",
        run_history},
    CommandRow{
        "why", "See", "JOB SLOT", 2, "the whole story of one slot",
        "Says what became of a slot and by which rule: its attempts, who claimed it, when by which "
        "clock, and what was in its way. Of a slot without a record it says why there is none.\n"
        "SLOT is a time, in the job's zone unless it has an offset; or last, next, or the id of a "
        "request.",
        kShowFlags,
        "cronce why heartbeat last\n"
        "cronce why nightly-billing '2026-03-29 02:30'\n"
        "cronce why heartbeat next --json",
        run_why},
    CommandRow{
        "verify", "See", "[JOB...]", 10'000, "was every slot settled, and none twice",
        "Computes every slot that the definitions of the time say, and compares them with the "
        "ledger: slots that are missing, were started twice, were alive together, were late, or "
        "belong to no schedule. What was purged cannot be compared.\n"
        "Exit code: 0 nothing found, 1 something found.",
        kVerifyFlags,
        "cronce verify\n"
        "cronce verify nightly-billing --from 30d --json",
        run_verify},
    CommandRow{"logs", "See", "JOB [SLOT]", 2, "the output of a run, --follow while it runs",
               "Prints the whole output of a run where its file is on this host, and otherwise the "
               "end of it "
               "that the store keeps. Without a SLOT: the newest run.",
               kLogsFlags,
               "cronce logs heartbeat\n"
               "cronce logs flaky 2026-03-28T22:00:00Z --attempt 1",
               run_logs},
    operate::kTrigger,
    operate::kPause,
    operate::kResume,
    operate::kCancel,
    operate::kBackfill,
    operate::kRelease,
    operate::kRetire,
    operate::kRecede,
    operate::kProgress,
    CommandRow{
        "doctor", "Keep", "", 0, "are the store and this host as they should be",
        "Looks at the store and at this host as a node would find them: disks, permissions, "
        "clocks, zone data, limits, control groups, and jobs that nobody could run. Each finding "
        "says why it matters and what to do. Nothing is changed. Run it as the user of the nodes.\n"
        "Exit code: 0 nothing but notes, 1 a warning or an error, 69 the store is not there or "
        "away, 77 a node would refuse it. The host is looked at in any case.",
        kDoctorFlags,
        "cronce doctor\n"
        "cronce doctor --store sqlite:/srv/cronce.db --json",
        run_doctor},
    CommandRow{
        "backup", "Keep", "FILE", 1, "a consistent copy, while the store is in use",
        "Copies the store into a new file. The copy must be adopted before it can be used: nothing "
        "of it may run twice.",
        kShowFlags, "cronce backup /backup/cronce.db", run_backup},
    CommandRow{
        "adopt", "Keep", "", 0, "take over a copy, or a store that was restored",
        "Begins a new epoch: all that was alive in the store is lost, and no slot up to now runs "
        "again. For a copy, a restored file, or a volume that cannot be told from one; not while "
        "nodes are at work on it.",
        kShowFlags, "cronce adopt --store sqlite:/srv/cronce.db", run_adopt},
    CommandRow{
        "store", "Keep", "sql", 1, "what makes the tables in a PostgreSQL server, for its owner",
        "Prints the SQL that makes schema and tables, or brings them up to date. A node does that "
        "by itself if its role may; where it may not, the owner of the database runs this once, "
        "and again after an update of the program: cronce store sql | psql DATABASE.",
        kStoreFlags,
        "cronce store sql\n"
        "cronce store sql --grant app",
        run_store, "sql"},
    CommandRow{"completion",
               "Program",
               "SHELL",
               1,
               "completions for bash, zsh or fish",
               "Prints a completion script.",
               {},
               "cronce completion bash > /etc/bash_completion.d/cronce",
               run_completion,
               "bash zsh fish"},
    CommandRow{"version", "Program", "", 0, "version, libraries and zone data",
               "Prints the version of this program, of its compiler, of fmt and OpenSSL, "
               "and of the "
               "zone data.",
               kJsonFlag, "cronce version --json", run_version},
};

}  // namespace

std::span<const CommandRow> commands() { return kCommands; }

}  // namespace cronce
