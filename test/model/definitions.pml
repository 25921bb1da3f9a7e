/* Definitions and deploys: which schedule governs, whatever pods come, go and come back.
 *
 * One source with one job. A pod is an incarnation with a file; the file's digest stands for a
 * schedule of its own. Pods start with any digest (a deploy, a roll-back, an old pod that
 * restarts), register, decide by the plan that they read some time before, crash, are swept.
 *
 * Checked: the digest moves only to an unseen one, or when no live incarnation offers the
 * current one, and never to a smaller or equal number; every slot that is decided is one of the
 * definition that was current when its instant came, so there is no union of two schedules and
 * a change takes effect strictly after it; a run goes to a pod whose file says it. Checked when
 * nothing can happen any more: every such slot was decided, none waits, and the current digest
 * is one that a living pod offers (so a roll-back works) unless numbers forbid it.
 *
 * Left out: leases (a pod is swept only after it died), overlap and attempts (ledger.pml),
 * several sources of one job, renames, pause, repoint, a file that changes under a process. */

#ifndef PODS
#define PODS 2
#endif
#ifndef DIGESTS
#define DIGESTS 2
#endif
#ifndef STARTS
#define STARTS 3
#endif
#define TIME 4

/* Instants common to two schedules are where a stale plan can hide. */
#define fires(d, t) ((d == 1 && (t == 2 || t == 4)) || \
  (d == 2 && (t == 2 || t == 3)) || (d == 3 && (t == 1 || t == 4)))
#define later(d, t, u) (u > t && fires(d, u))
#define next_of(d, t) (later(d, t, 1) -> 1 : (later(d, t, 2) -> 2 : \
  (later(d, t, 3) -> 3 : (later(d, t, 4) -> 4 : 0))))
#ifdef NUMBERED
#define number(d) (d == 0 -> 0 : (d == 1 -> 0 : 1)) /* 1 has none; 2 and 3 have the same */
#else
#define number(d) 0
#endif

/* The store. */
byte now, turn, cursor, next;      /* next 0: none */
byte current;                      /* digest; 0: nothing registered */
bool seen[DIGESTS + 1];
byte offered[PODS];                /* by the pod's last beat; 0: not live */
bool waits[TIME + 1];              /* pending rows */

mtype = { down, up, crashed };
typedef Pod { mtype state; byte file; bool joined; bool asks; byte turn, from, digest };
Pod pod[PODS];
#define me pod[p]

/* The witness. */
bool due[TIME + 1], decided[TIME + 1];
byte starts, crashes; /* one start more than crashes: somebody is left */

#define any_pod(what) (what(0) || what(1) || (PODS > 2 && what(PODS - 1)))
#define offers_current(p) (offered[p] == current)
#define truly_offers(p) (pod[p].state == up && pod[p].joined && pod[p].file == current)
#define is_up(p) (pod[p].state == up)
#define any_waits (waits[1] || waits[2] || waits[3] || waits[4])
#define owing (next != 0 && next <= now)

#if defined(OLD_POD_TAKES_OVER)
#define may_return(d) true
#elif defined(NO_ROLL_BACK)
#define may_return(d) false
#else
#define may_return(d) (!any_pod(offers_current))
#endif
#ifdef EQUAL_NUMBER_WINS
#define outnumbers(d) (number(d) >= number(current) && number(d) > 0)
#else
#define outnumbers(d) (number(d) > number(current))
#endif
#ifdef UNNUMBERED_AFTER_NUMBERED
#define unnumbered(d) (number(d) == 0)
#else
#define unnumbered(d) (number(d) == 0 && number(current) == 0)
#endif
#define wins(d) (d != current && (outnumbers(d) || (unnumbered(d) && (!seen[d] || may_return(d)))))

/* The digest becomes current. Only when nothing is owed; then cursor = store time. */
inline change_to(p, d) {
  assert(number(d) > number(current) ||
         number(d) == number(current) && number(d) == 0 && (!seen[d] || !any_pod(truly_offers)));
  current = d; seen[d] = true;
  turn++;
#ifdef CHANGE_FROM_CURSOR
  next = next_of(d, cursor)
#else
  cursor = now; next = next_of(d, now)
#endif
}

#ifdef CHANGE_WHILE_OWING
#define barred false
#else
#define barred (wins(me.file) && owing)
#endif
#define may_register(p) (me.state == up && (!me.joined || wins(me.file)) && !barred)

/* The offer is recorded in the same step. */
inline register(p) {
  if :: wins(me.file) -> change_to(p, me.file) :: else fi;
  me.joined = true;
#ifdef OFFER_AT_NEXT_BEAT
  skip
#else
  offered[p] = me.file
#endif
}

/* A run goes to a pod that offers the current digest. */
#ifdef RUN_BY_ANY
#define fits(p) true
#else
#define fits(p) (offered[p] == current)
#endif
inline start_run(p) { assert(me.file == current) }

/* The entry names the slot it read as next, and the one it computed to come after it. */
inline decide_arrives(p) {
  if
#ifdef NO_TURN_CHECK
  :: me.from == next && next <= now ->
#else
  :: me.turn == turn && me.from == next && next <= now ->
#endif
       assert(due[me.from] && !decided[me.from]);
       decided[me.from] = true;
       cursor = me.from; turn++;
#ifdef DECIDE_BY_OWN_FILE
       next = next_of(me.file, me.from);
#else
       next = next_of(me.digest, me.from);
#endif
       if
       :: fits(p) -> start_run(p)
       :: else -> waits[me.from] = true /* enqueue */
       fi
  :: else
  fi;
  me.asks = false; me.turn = 0; me.from = 0; me.digest = 0
}

active [PODS] proctype a_pod()
{
  byte p = _pid, t;
  me.state = down;
end:
  do
  :: atomic {
       me.state == down && starts < STARTS ->
       starts++; me.state = up;
       if :: me.file = 1 :: me.file = 2 :: DIGESTS > 2 -> me.file = DIGESTS fi
     }
  :: d_step { may_register(p) -> register(p) }
#ifdef OFFER_AT_NEXT_BEAT
  :: d_step { me.state == up && me.joined && offered[p] != me.file -> offered[p] = me.file }
#endif
  :: /* Reads the plan, at any time; decides it when the slot has come. A pod whose file is not
      * the current one does so too: it may be alone, and what is owed bars its own change. */
     d_step {
       me.state == up && !me.asks && next != 0 ->
       me.asks = true; me.turn = turn; me.from = next; me.digest = current
     }
  :: d_step { me.asks && (me.from <= now || me.turn != turn) -> decide_arrives(p) }
  :: d_step {
       me.state == up && fits(p) && any_waits ->
       for (t : 1 .. TIME) { if :: waits[t] -> waits[t] = false; start_run(p) :: else fi }
       t = 0
     }
  :: d_step { me.state == up && crashes + 1 < STARTS -> crashes++; me.state = crashed }
  :: d_step { /* swept; its requests on the way are refused */
       me.state == crashed ->
       me.state = down; me.file = 0; me.joined = false; offered[p] = 0;
       me.asks = false; me.turn = 0; me.from = 0; me.digest = 0
     }
  od
}

active proctype clock()
{
end:
  do
  :: d_step { now < TIME -> now++; due[now] = fires(current, now) }
  od
}

active proctype audit()
{
  byte t;
  timeout;
  d_step {
    assert(any_pod(is_up));
    for (t : 1 .. TIME) { assert(due[t] == decided[t]) }
    if
    :: number(current) == 0 -> assert(any_pod(truly_offers) && !any_waits)
    :: else
    fi
  }
}
