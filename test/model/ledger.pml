/* Plan, ledger, live set, fence: what the store keeps of one job, and the operations on it.
 *
 * One store operation is one atomic step. A node asks (having read the plan) and the request
 * arrives any time later; between the two anything may happen, also the node's end.
 *
 * Checked at every step: only moves of the table; live equals the number of running rows; no
 * two of them unless overlap is allowed; one open attempt per slot; fences grow in the order in
 * which rows become running; a finish changes no row but its own; no slot starts early; in the
 * default mode a slot starts once for ever; nothing starts of a slot that is known to have
 * succeeded. Checked when nothing can happen any more: every slot has one recorded end.
 *
 * Every instant 1 .. SLOTS is a slot, so the slot after s is s + 1. A node is one incarnation
 * and runs one run at a time.
 *
 * Left out: unknown outcomes (unknown.pml), other definitions (definitions.pml), a store that
 * forgets (epoch.pml). The lease enters as what lease.pml shows: an incarnation is ended only
 * when none of its runs is alive. Failed stands for failed, timed_out and cancelled by finish.
 * Not here: groups, manual and boot space, guards, civil labels, replace, retire, pause. */

#ifndef NODES
#define NODES 2
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef CUTS
#define CUTS 1 /* losses of trust */
#endif
#ifndef PERSON
#define PERSON 1 /* backfills, cancellations and expiries */
#endif
#ifndef RETRIES
#define RETRIES 0 /* retries.max */
#endif
/* Policies: ALLOW or QUEUE (else overlap: skip); RERUN or HOLD (else on_lost: skip);
 * EXEC_ONLY: a job that only exec knows. */

#if RETRIES == 0 && !defined(RERUN) && !defined(HOLD)
#define DEFAULT_MODE
#endif
#ifdef RERUN
#define MORE (RETRIES + 1) /* reruns count against retries.max; here it is one more */
#else
#define MORE RETRIES
#endif
#ifdef ALLOW
#define may_overlap true
#else
#define may_overlap false
#endif

mtype = { pending, held, running, succeeded, failed, skipped, cancelled, lost, returned };
#define absent 0
#define open(state) (state == pending || state == held || state == running)
#define ended(state) (state != absent && !open(state))

mtype:by = { decide, exec, take, finish, late_finish, sweep, control };
mtype:kind = { start, enqueue, skip_it };

/* The table of moves, row by row, of what this model does; what is not here must not happen in it.
   Left out: guards, time-outs, the node that reports a loss itself, registration, remember. */
#define legal(from, to, by) ( \
  (from == absent && to == running && (by == decide || by == exec)) || \
  (from == absent && to == pending && \
    (by == decide || by == control || by == finish || by == sweep)) || \
  (from == absent && to == skipped && by == decide) || \
  (from == absent && to == held && by == sweep) || \
  (from == pending && to == running && by == take) || \
  (from == pending && to == skipped && \
    (by == decide || by == sweep || by == late_finish || by == take)) || \
  ((from == pending || from == held) && to == cancelled && by == control) || \
  (from == held && to == pending && by == control) || \
  (from == running && (to == succeeded || to == failed || to == returned) && by == finish) || \
  (from == running && to == lost && by == sweep) || \
  (from == lost && (to == succeeded || to == failed) && by == late_finish))

/* The store. */
typedef Row { mtype state; byte fence; byte owner };
#define ROWS ((SLOTS + 1) * ATTEMPTS)
Row row[ROWS]; /* those of slot s from first(s) on, one for each attempt; there is no slot 0 */
#define first(s) ((s) * ATTEMPTS)
#define slot_of(r) ((r) / ATTEMPTS)
#define attempt_of(r) ((r) % ATTEMPTS)
#define has(r, what) (row[r].state == what)
#if ATTEMPTS == 2
#define last(s) (has(first(s) + 1, absent) -> first(s) : first(s) + 1)
#define any(s, what) (has(first(s), what) || has(first(s) + 1, what))
#else
#define last(s) (has(first(s) + 1, absent) -> first(s) : \
  (has(first(s) + 2, absent) -> first(s) + 1 : first(s) + 2))
#define any(s, what) (has(first(s), what) || has(first(s) + 1, what) || has(first(s) + 2, what))
#endif
byte now, turn, cursor, next = 1, fences, live;
byte waiting;    /* pending rows */
byte holder;     /* the node of the live run, if there is one and no overlap */
byte deferred;   /* the slot that waits for the end of a suspicion */
bool swept[NODES];

/* The nodes. */
mtype:mode = { up, cut, dead }; /* cut: no trust. It spawns nothing, and its runs end. */
mtype:phase = { idle, claimed, alive, done_well, done_badly };
typedef Node {
  mtype:mode mode; mtype:phase phase;
  byte claim, fence;                                           /* row and fence of its run */
  mtype:by ask; byte turn, from, through; mtype:kind kind      /* the request on its way */
};
Node node[NODES];
#define me node[n]

/* What happened, as a witness outside the store sees it. */
bool started[SLOTS + 1];
bool recorded[SLOTS + 1];
byte last_fence;         /* of the row that became running last */
byte last_spawned_fence;

byte crashes, cuts, person;
hidden byte i, r, found, tries;

/* ---- moves ---- */

inline draw_fence(at) { fences++; row[at].fence = fences }

/* The claim: the store's grant of a run to node n. */
inline start_row(at, n, op) {
  assert(legal(row[at].state, running, op));
  assert(!any(slot_of(at), succeeded));
  if :: has(at, pending) -> waiting-- :: else fi;
  row[at].state = running;
  row[at].owner = n; holder = n;
  recorded[slot_of(at)] = true;
  live++;
#ifdef FENCE_AT_ENQUEUE
  if :: row[at].fence == 0 -> draw_fence(at) :: else fi;
#else
  draw_fence(at);
#endif
  assert(row[at].fence > last_fence);
  last_fence = row[at].fence;
  me.phase = claimed; me.claim = at; me.fence = row[at].fence
}

inline move(at, to, op) {
  assert(legal(row[at].state, to, op));
  if
  :: has(at, running) -> live--
  :: has(at, pending) -> waiting--
  :: else
  fi;
  row[at].state = to;
  recorded[slot_of(at)] = true;
  if :: to == pending -> waiting++ :: else fi;
#ifdef FENCE_AT_ENQUEUE
  if :: to == pending && row[at].fence == 0 -> draw_fence(at) :: else fi
#endif
}

/* Attempt n + 1 of a slot whose attempt n has ended. The bound of the model: no room, no row. */
inline add_attempt(after, to, op) {
  if
  :: attempt_of(after) + 1 < ATTEMPTS -> assert(ended(row[after].state)); move((after) + 1, to, op)
  :: else
  fi
}

inline check() {
  found = 0;
  for (i : ATTEMPTS .. ROWS - 1) {
    if :: row[i].state == running -> found++ :: else fi;
    assert(attempt_of(i) == 0 || row[i].state == absent || ended(row[i - 1].state))
  }
  assert(found == live);
  assert(may_overlap || live <= 1);
  if :: !has(first(deferred), pending) -> deferred = 0 :: else fi;
  if :: live == 0 || may_overlap -> holder = 0 :: else fi;
  forget_owners();
  i = 0; found = 0; r = 0; tries = 0
}

/* Whose an ended row was matters only while its finish may still come. Forgetting it then
 * makes states equal that differ in nothing that can be seen. */
#if NODES == 2
#define remembered(r) (node[0].claim == r || node[1].claim == r)
#else
#define remembered(r) (node[0].claim == r || node[1].claim == r || node[2].claim == r)
#endif
inline forget_owners() {
  for (i : ATTEMPTS .. ROWS - 1) {
    if :: ended(row[i].state) && !remembered(i) -> row[i].owner = 0; row[i].fence = 0 :: else fi
  }
}

/* ---- operations ---- */

#ifdef ENDED_MAY_DECIDE
#define may_write(n) true
#else
#define may_write(n) !swept[n]
#endif
#ifdef NO_PLAN_CHECK
#define plan_is(t, f) true
#else
#define plan_is(t, f) (t == turn && f == next)
#endif
#ifdef DUE_BY_NODE_CLOCK
#define is_due(t) true
#else
#define is_due(t) (t <= now)
#endif
#define nothing_live (may_overlap || live == 0)

/* An entry of decide arrives. The store judges turn, from, through and overlap in this step. */
inline decide_arrives(n) {
  if
  :: may_write(n) && plan_is(me.turn, me.from) && is_due(me.through) ->
       for (r : me.from .. me.through) {
         if
#ifndef ROW_OVERWRITTEN
         :: row[first(r)].state != absent -> skip /* exec was there before: settled */
#else
         :: ended(row[first(r)].state) -> row[first(r)].state = absent; settle_slot(n)
#endif
         :: else -> settle_slot(n)
         fi
       }
#ifdef NEXT_FROM_NOW
       cursor = now; next = now + 1;
#else
       cursor = me.through; next = me.through + 1;
#endif
       turn++
  :: else
  fi
}

/* Slot r of the entry: the newest may run or wait, the others are missed, or wait in a queue. */
inline settle_slot(n) {
  if
  :: me.kind == skip_it -> move(first(r), skipped, decide)
#ifdef QUEUE
  :: me.kind == enqueue -> move(first(r), pending, decide) /* catch_up: all */
#endif
  :: else ->
       if
       :: r < me.through -> move(first(r), skipped, decide)
       :: r == me.through && nothing_live && me.kind == start -> start_row(first(r), n, decide)
       :: r == me.through && nothing_live && me.kind == enqueue -> move(first(r), pending, decide)
       :: r == me.through && !nothing_live -> defer_or_skip()
       fi
  fi
}

/* Something is live. */
inline defer_or_skip() {
#ifdef QUEUE
  move(first(r), pending, decide)
#else
  if
  :: node[holder].mode != up && deferred == 0 -> /* suspect */
       move(first(r), pending, decide); deferred = r
  :: else -> move(first(r), skipped, decide)
  fi
#endif
}

inline exec_arrives(n) {
  if
  :: may_write(n) && me.from > cursor && me.from <= now && row[first(me.from)].state == absent &&
     nothing_live -> start_row(first(me.from), n, exec)
  :: else
  fi
}

/* The oldest pending row. A slot that has succeeded meanwhile (a late finish) starts no more:
 * superseded. */
inline take_arrives(n) {
  r = 0;
  for (i : ATTEMPTS .. ROWS - 1) {
    if :: r == 0 && row[i].state == pending -> r = i :: else fi
  }
  if
#ifdef TAKE_IGNORES_LIVE
  :: may_write(n) && r != 0 ->
#else
  :: may_write(n) && r != 0 && nothing_live ->
#endif
       if
#ifndef TAKE_AFTER_SUCCESS
       :: any(slot_of(r), succeeded) -> move(r, skipped, take)
#endif
       :: else -> start_row(r, n, take)
       fi
  :: else
  fi
}

/* The end of a run, with its fence; a later repetition finds the row moved on. */
inline finish_arrives(n, to) {
  r = me.claim;
#ifdef NO_FENCE_CHECK
  r = last(slot_of(r));
  if
  :: row[r].state != absent ->
#else
  if
  :: row[r].state != absent && row[r].fence == me.fence && row[r].owner == n ->
#endif
       if
       :: row[r].state == running ->
            assert(row[r].fence == me.fence); /* a stale fence changes nothing */
#ifdef RELEASE_CLAIM
            row[r].state = absent; live--;
#else
            move(r, to, finish);
            if :: to == returned -> add_attempt(r, pending, finish) :: else fi;
            if :: to == failed -> add_retry(finish, pending, RETRIES) :: else fi
#endif
       :: row[r].state == lost && to != returned ->
            move(r, to, late_finish);
#ifdef LATE_FINISH_RETRIES
            if :: to == failed -> add_retry(finish, pending, RETRIES) :: else fi;
#endif
            /* Success closes what waits to start again. */
            i = last(slot_of(r));
            if :: to == succeeded && has(i, pending) -> move(i, skipped, late_finish) :: else fi
       :: else
       fi
  :: else
  fi
}

/* Another attempt after row r if the policy has one left; returned ones do not count. */
inline add_retry(op, to, limit) {
  tries = 0;
  for (i : first(slot_of(r)) .. r) {
    if :: row[i].state == failed || row[i].state == lost -> tries++ :: else fi
  }
  if
#ifdef LATE_FINISH_RETRIES
  :: tries <= limit -> i = last(slot_of(r)); add_attempt(i, to, op)
#else
  :: tries <= limit -> add_attempt(r, to, op)
#endif
  :: else
  fi
}

inline sweep_arrives(n) {
  swept[n] = true;
  for (r : ATTEMPTS .. ROWS - 1) {
    if
    :: row[r].state == running && row[r].owner == n ->
         move(r, lost, sweep);
#ifdef SWEEP_KEEPS_LIVE
         live++;
#endif
#if defined(LAPSED_LEASE_RERUNS)
         add_attempt(r, pending, sweep)
#elif defined(HOLD)
         add_attempt(r, held, sweep)
#elif defined(RERUN)
         add_retry(sweep, pending, MORE)
#endif
    :: else
    fi
  }
}

/* Removes the oldest slot, if it is whole, ended and at or below the cursor. */
inline purge_slot(s) {
  for (i : first(s) .. first(s) + ATTEMPTS - 1) {
    row[i].state = absent; row[i].fence = 0; row[i].owner = 0
  }
#ifdef EXEC_ONLY
  if :: s > cursor -> cursor = s :: else fi;
#endif
}

/* ---- nodes ---- */

#define may_ask (me.mode == up && !swept[n] && me.phase == idle && me.ask == 0)

inline forget_ask(n) { me.ask = 0; me.turn = 0; me.from = 0; me.through = 0; me.kind = 0 }
inline forget_run(n) { me.phase = idle; me.claim = 0; me.fence = 0; forget_owners(); i = 0 }

inline spawn(n) {
  assert(slot_of(me.claim) <= now);
#ifdef DEFAULT_MODE
  assert(!started[slot_of(me.claim)]);
#endif
  started[slot_of(me.claim)] = true;
  if
  :: !may_overlap ->
       assert(me.fence > last_spawned_fence);
       last_spawned_fence = me.fence;
       for (i : 0 .. NODES - 1) { assert(node[i].phase != alive) }
       i = 0
  :: else
  fi;
  me.phase = alive
}

#ifdef RETURN_AFTER_SPAWN
#define may_return (me.phase == claimed || me.phase == done_badly)
#else
#define may_return (me.phase == claimed)
#endif

active [NODES] proctype a_node()
{
  byte n = _pid; /* nodes are the first processes */
  d_step { me.mode = up; me.phase = idle }
end:
  do
#ifndef EXEC_ONLY
  :: /* Reads the plan and asks to decide it. Its own clock may be one slot ahead. */
     atomic {
       may_ask && next <= now + 1 && next <= SLOTS ->
       me.ask = decide; me.turn = turn; me.from = next;
       if
       :: me.through = next
       :: next <= now -> me.through = now
       fi;
       if :: me.kind = start :: me.kind = enqueue :: me.kind = skip_it fi
     }
#endif
  :: atomic {
       may_ask && cursor < now ->
       me.ask = exec;
       if :: me.from = cursor + 1 :: me.from = now fi
     }
  :: d_step { may_ask && waiting > 0 && nothing_live -> me.ask = take }
  :: d_step { me.ask == decide -> decide_arrives(n); forget_ask(n); check() }
  :: d_step { me.ask == exec -> exec_arrives(n); forget_ask(n); check() }
  :: d_step { me.ask == take -> take_arrives(n); forget_ask(n); check() }
  :: d_step { me.ask != 0 -> forget_ask(n) } /* the request is lost */
#ifdef SPAWN_WITHOUT_TRUST
  :: d_step { me.phase == claimed && me.mode != dead -> spawn(n) }
#else
  :: d_step { me.phase == claimed && me.mode == up && !swept[n] -> spawn(n) }
#endif
  :: atomic { me.phase == alive -> if :: me.phase = done_well :: me.phase = done_badly fi }
  :: d_step { me.phase == done_well -> finish_arrives(n, succeeded); check() }
  :: d_step { me.phase == done_badly -> finish_arrives(n, failed); check() }
  :: /* The answer to finish arrived; or the node is dead and its spool is never read. */
     d_step {
       (me.phase == done_well || me.phase == done_badly) &&
       (me.mode == dead || row[me.claim].state != running || row[me.claim].fence != me.fence) ->
       forget_run(n)
     }
  :: /* Drain, or no trust left: the keeper never had it. */
     d_step {
       may_return && me.mode != dead && attempt_of(me.claim) + 1 < ATTEMPTS ->
       finish_arrives(n, returned); forget_run(n); check()
     }
  od
}

/* ---- time, failures, people ---- */

/* A node other than n is up and not ended: somebody is always left to go on. */
#define able(x) (n != x && node[x].mode == up && !swept[x])
#if NODES == 2
#define other_able (able(0) || able(1))
#else
#define other_able (able(0) || able(1) || able(2))
#endif

#ifdef SWEEP_BEFORE_STOP
#define stopped true
#else
#define stopped (me.phase != alive) /* lease.pml */
#endif

active [NODES] proctype fate()
{
  byte n = _pid - NODES;
end:
  do
  :: d_step { crashes < CRASHES && me.mode != dead && other_able -> crashes++; me.mode = dead }
  :: d_step { cuts < CUTS && me.mode == up && other_able -> cuts++; me.mode = cut }
  :: d_step { me.mode == cut && !swept[n] -> me.mode = up }
  :: d_step { me.mode != up && !swept[n] && other_able && stopped -> sweep_arrives(n); check() }
  od
}

/* No slot before s has a row left: purge goes from old to new. */
#if SLOTS == 2
#define oldest(s) (s == 1 || has(first(1), absent))
#else
#define oldest(s) (s == 1 || has(first(1), absent) && (s == 2 || has(first(2), absent)))
#endif
#if defined(PURGE_REOPENS) || defined(EXEC_ONLY)
#define may_purge(s) (ended(row[last(s)].state) && oldest(s))
#else
#define may_purge(s) (ended(row[last(s)].state) && oldest(s) && s <= cursor)
#endif
#ifdef BACKFILL_OF_LOST
#define may_backfill(s) (s <= cursor && (has(last(s), skipped) || has(last(s), lost)))
#else
#define may_backfill(s) (s <= cursor && has(last(s), skipped))
#endif

active [SLOTS] proctype care()
{
  byte s = _pid - 2 * NODES + 1;
end:
  do
  :: d_step { now + 1 == s -> now++ }
  :: d_step { may_purge(s) -> purge_slot(s); check() }
  :: /* The suspicion was wrong: the live run's node is back. */
     d_step {
       deferred == s && live > 0 && node[holder].mode == up ->
       move(first(s), skipped, sweep); check()
     }
  :: d_step { person < PERSON && may_backfill(s) && attempt_of(last(s)) + 1 < ATTEMPTS ->
       person++; r = last(s); add_attempt(r, pending, control); check() }
  :: d_step { person < PERSON && (has(last(s), pending) || has(last(s), held)) ->
       person++; r = last(s); move(r, cancelled, control); check() }
  :: d_step { person < PERSON && has(last(s), pending) -> /* expired */
       person++; r = last(s); move(r, skipped, sweep); check() }
#ifdef HOLD
  :: d_step { has(last(s), held) -> r = last(s); move(r, pending, control); check() }
#endif
  od
}

/* When nothing moves: every slot was settled, and what has a record still has its last one. */
active proctype audit()
{
  byte s;
  timeout;
  d_step {
    assert(live == 0);
#ifndef EXEC_ONLY
    assert(cursor == SLOTS);
#endif
    for (s : 1 .. SLOTS) {
#ifndef EXEC_ONLY
      assert(recorded[s]);
#endif
      assert(!open(row[last(s)].state) && !has(last(s), returned))
    }
  }
}
