// The rows of the commands that steer jobs; commands.cc lists them among the others.
#pragma once

#include <array>

#include "cli/command.h"

namespace cronce::operate {

inline constexpr std::string_view kPurpose = "Operate";

inline constexpr Flag kStore{
    "--store", "URL",
    "sqlite:PATH, postgresql://HOST/DB (default CRONCE_STORE, or the user's own)"};
inline constexpr Flag kNamespace{"--namespace", "NAME",
                                 "which store of a server (default CRONCE_NAMESPACE, or default)"};
inline constexpr Flag kNote{"--note", "TEXT", "why, for 'show' and 'why'"};
inline constexpr Flag kJson{"--json", "", "print JSON"};
inline constexpr Flag kAllJobs{"--all", "", "all jobs"};

inline constexpr std::array kTriggerFlags{
    Flag{"--wait", "", "until it has ended; then its output, and its exit code"},
    Flag{"--request-id", "ID", "the same id twice is one run (default: a new one, printed)"},
    Flag{"--env", "NAME=VALUE", "for this run only; may be given often", {}, {}, true},
    kNote,
    kStore,
    kNamespace,
    kJson,
};
inline constexpr std::array kPauseFlags{
    Flag{"--until", "TIME", "then a node ends it: a time in the job's zone, or for how long: 2h"},
    kAllJobs,
    kNote,
    kStore,
    kNamespace,
    kJson};
inline constexpr std::array kResumeFlags{kAllJobs, kNote, kStore, kNamespace, kJson};
inline constexpr std::array kCancelFlags{
    Flag{"--waiting", "", "without a SLOT: what waits too, not only what runs"}, kNote, kStore,
    kNamespace, kJson};
inline constexpr std::array kReleaseFlags{Flag{"--all", "", "without a SLOT: all that are held"},
                                          kNote, kStore, kNamespace, kJson};
inline constexpr std::array kBackfillFlags{
    Flag{"--from", "TIME", "not before: a time, or how long ago, as in 2h"},
    Flag{"--to", "TIME", "not after (default now)"},
    Flag{"--again", "", "also what ran, or may have: as a new run with a new key"},
    Flag{"--dry-run", "", "list what would run, and ask for nothing"},
    Flag{"--limit", "N", "at most so many (default 100): more is refused, and nothing runs"},
    kNote,
    kStore,
    kNamespace,
    kJson,
};
inline constexpr std::array kPlainFlags{kNote, kStore, kNamespace, kJson};

inline constexpr std::size_t kManyWords = 10'000;

inline constexpr CommandRow kTrigger{
    "trigger",
    kPurpose,
    "JOB",
    1,
    "run a job now, once",
    "Asks for one run, which starts as soon as no other run of the job is in its way, also while "
    "the job is paused. It moves no schedule. A request has an id: sent twice it is still one run, "
    "for seven days at least. A job that runs everywhere gets one on each node.\n"
    "With --wait: exit code of the command, 124 if it timed out, 75 if it did not start, 1 if it "
    "was lost or cancelled. Ctrl-C stops the waiting, not the run.",
    kTriggerFlags,
    "cronce trigger nightly-billing --note 'after the fix'\n"
    "cronce trigger nightly-billing --wait --env MODE=full\n"
    "cronce trigger nightly-billing --request-id deploy-1412",
    run_trigger};

inline constexpr CommandRow kPause{
    "pause",
    kPurpose,
    "JOB...",
    kManyWords,
    "hold a job back; what it would have run is skipped",
    "While a job is paused its slots are skipped, and never caught up. What runs goes on. JOB may "
    "be a pattern of names in quotes. A pause by a person and one by the file are two: either "
    "pauses.",
    kPauseFlags,
    "cronce pause nightly-billing --until 2h --note 'database moves'\n"
    "cronce pause 'nightly-*' heartbeat\n"
    "cronce pause --all --note 'release freeze'",
    run_pause};

inline constexpr CommandRow kResume{
    "resume",
    kPurpose,
    "JOB...",
    kManyWords,
    "let it go on from now",
    "Ends a person's pause. What it covered is settled as skipped and does not run; 'backfill' "
    "names slots that are wanted all the same.",
    kResumeFlags,
    "cronce resume nightly-billing\n"
    "cronce resume --all",
    run_resume};

inline constexpr CommandRow kCancel{
    "cancel",
    kPurpose,
    "JOB [SLOT]",
    2,
    "stop what runs, or what waits",
    "Without a SLOT: every run of the job that is alive. With one: its last attempt, also if it "
    "waits. The command and all its children get TERM, and KILL after the job's kill_after. What "
    "was cancelled is not retried.",
    kCancelFlags,
    "cronce cancel slow-report\n"
    "cronce cancel slow-report 2026-03-29T04:00:00Z --note 'wrong month'",
    run_cancel};

inline constexpr CommandRow kBackfill{
    "backfill",
    kPurpose,
    "JOB [SLOT]",
    2,
    "run slots of the past that were skipped",
    "Asks for slots that are settled and did not run, each as its next attempt with its own key, "
    "oldest first. What ran, or may have, is left out unless --again says so; then it has a new "
    "key. --dry-run shows what would happen.",
    kBackfillFlags,
    "cronce backfill heartbeat 2026-03-28T21:20:00Z\n"
    "cronce backfill import --from '2026-03-28 20:00' --to 2026-03-29 --dry-run\n"
    "cronce backfill flaky --from '2026-03-28 22:00' --note 'after the outage'",
    run_backfill};

inline constexpr CommandRow kRelease{
    "release",
    kPurpose,
    "JOB [SLOT]",
    2,
    "let a held run start (on_lost: hold)",
    "A run is held when the attempt before it was lost: it may have run, and a person decides. "
    "'cancel' is the other answer.",
    kReleaseFlags,
    "cronce release import 2026-03-28T22:15:00Z --note 'it did not run'",
    run_release};

inline constexpr CommandRow kRetire{
    "retire",
    kPurpose,
    "JOB",
    1,
    "end a job whose file is gone",
    "A job is retired when the last file that names it does so no more; this is for one whose file "
    "will not come again, or that only 'cronce exec' knew. While a living node has it in a file it "
    "is refused. History stays; the job comes back, from then on, when a file names it again.",
    kPlainFlags,
    "cronce retire migrate --note 'its host is gone'",
    run_retire};

inline constexpr CommandRow kRecede{
    "recede",
    kPurpose,
    "JOB",
    1,
    "repair a plan that a wrong clock drove ahead",
    "For a job of which nothing runs until some far time, because a clock that was ahead has "
    "settled all slots up to there. Takes what is settled back to now, and the job goes on from "
    "now. It does not go back below a slot that has a record, nor below one whose record was "
    "purged: those could run twice. 'cronce show JOB' says to when a job is settled, 'cronce "
    "doctor' which jobs are settled beyond now.\n"
    "Exit code: 0 done, or there was no need to; 75 it cannot go back.",
    kPlainFlags,
    "cronce recede nightly-billing --note 'the clock said 2098'",
    run_recede};

inline constexpr CommandRow kProgress{
    "progress",
    kPurpose,
    "TEXT...",
    kManyWords,
    "from inside a run: say how far it is",
    "For the command of a job: 'show', 'why' and 'history --json' print the newest report. It is "
    "written to the descriptor in CRONCE_PROGRESS_FD.",
    {},
    "cronce progress 40 copying",
    run_progress};

}  // namespace cronce::operate
