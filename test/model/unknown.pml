/* Unknown outcomes: what a node may believe when an answer does not come.
 *
 * The network is the worst there is: a request once sent may arrive never, once or many times,
 * at any time and in any order; an answer may arrive at any time after it was given, or never.
 *
 * Checked: a node starts only what the store has granted to it, and nobody starts a slot twice;
 * what a node has settled as "not granted" is not granted and never will be; no claim is ended
 * under a node that is about to start it; and at every moment each running row is known to its
 * owner, or being asked about by it, or its owner is gone and yet to be swept: none is lost
 * without a word.
 *
 * Left out: plan and cursor (ledger.pml): here a claim is the insertion of the slot's row. The
 * answer to finish (repeating it changes nothing, ledger.pml). After WRITES writes of a lane
 * the network heals: the last of them is answered. */

#ifndef NODES
#define NODES 2 /* and no other number */
#endif
#ifndef SLOTS
#define SLOTS 1
#endif
#ifndef WRITES
#define WRITES 3
#endif
#ifndef CRASHES
#define CRASHES 1
#endif

/* The outcome of a write, as the lane keeps it and the answer says it. */
mtype:outcome = { granted, refused, never_applied };
mtype:write = { claim, settle };
mtype:state = { running, finished, lost, returned };
mtype:phase = { idle, asking, settling, holding, started, gone };
#define none 0

/* The store. */
mtype:state row[SLOTS + 1];
byte owner[SLOTS + 1];
bool swept[NODES];
typedef Lane { byte last; mtype:outcome outcome };
Lane lane[NODES];

/* The network. Entry (n, k): what node n sent as write k, and what the store answered. */
#define at(n, k) ((n) * WRITES + (k) - 1)
mtype:write sent[NODES * WRITES];
byte subject[NODES * WRITES]; /* the slot that is claimed; the claim that is settled */
#define about(n, k) subject[at(n, k)]
mtype:outcome answer[NODES * WRITES];

/* The nodes. */
typedef Node {
  mtype:phase phase;
  byte k;                 /* the lane's last write */
  byte claim_k, want;     /* the claim that is not settled, and its slot */
  byte refused_k;         /* greatest k that it has settled as not granted */
  bool beat_shows[SLOTS + 1] /* claims in the beat answer that is on its way */
};
Node node[NODES];
#define me node[n]
bool ran[SLOTS + 1];
byte crashes;
hidden byte i;

/* No running row is unseen. */
#define seen_by(n, s) \
  (owner[s] == n && (node[n].phase == gone -> !swept[n] : node[n].want == s))
inline check() {
  for (i : 1 .. SLOTS) {
    assert(row[i] != running || seen_by(0, i) || seen_by(1, i))
  }
  i = 0
}

/* Write k of node n arrives: applied only if k is new to the lane, in the same step. */
inline arrive(n, k) {
  if
#ifdef STALE_APPLIED
  :: !swept[n] && (k > lane[n].last || sent[at(n, k)] == claim) ->
#elif defined(ENDED_MAY_CLAIM)
  :: k > lane[n].last ->
#else
  :: k > lane[n].last && !swept[n] ->
#endif
       if
       :: sent[at(n, k)] == claim ->
            if
#ifdef UPSERT
            :: row[about(n, k)] != finished ->
#else
            :: row[about(n, k)] == none ->
#endif
                 assert(k > me.refused_k); /* what was settled stays settled */
                 row[about(n, k)] = running;
                 owner[about(n, k)] = n;
                 lane[n].outcome = granted
            :: else ->
                 /* The refusal names the winner. One's own name is a grant while the row runs. */
#ifdef OWN_NAME_IS_A_GRANT
                 lane[n].outcome = (owner[about(n, k)] == n -> granted : refused)
#else
                 lane[n].outcome =
                   (row[about(n, k)] == running && owner[about(n, k)] == n -> granted : refused)
#endif
            fi
       :: else -> /* settle: reads the outcome of the claim and, being newer, closes it */
            if
            :: lane[n].last < about(n, k) -> lane[n].outcome = never_applied
#ifdef SETTLE_NOT_CARRIED
            :: lane[n].last > about(n, k) -> lane[n].outcome = never_applied
#endif
            :: else /* that of the claim, or of an earlier settle that carries it on */
            fi
       fi;
       if :: k > lane[n].last -> lane[n].last = k :: else fi;
       answer[at(n, k)] = lane[n].outcome
  :: else /* stale, or ended: an answer that tells nothing */
  fi
}

/* The node has settled its claim. Refusals are final, and the store must agree. */
inline conclude(n, result) {
  if
  :: result == granted -> me.phase = holding
  :: else ->
       assert(row[me.want] != running || owner[me.want] != n);
       me.refused_k = me.k;
       me.phase = idle; me.want = 0
  fi;
  me.claim_k = 0
}

#define in_flight (me.phase == asking || me.phase == settling)
#define knows(s) ((me.phase == holding || me.phase == started) && me.want == s)
#ifdef ENDS_IN_FLIGHT
#define nothing_in_flight true
#else
#define nothing_in_flight (!in_flight)
#endif

active [NODES] proctype a_node()
{
  byte n = _pid, s;
  me.phase = idle;
end:
  do
  :: /* Claim a slot. The last write of a lane is kept for settling. */
     atomic {
       me.phase == idle && me.k + 1 < WRITES ->
       select(s : 1 .. SLOTS);
       me.k++; sent[at(n, me.k)] = claim; about(n, me.k) = s;
       me.claim_k = me.k; me.want = s; me.phase = asking; s = 0
     }
  :: d_step {
       in_flight && answer[at(n, me.k)] != none -> conclude(n, answer[at(n, me.k)]); check()
     }
  :: /* No answer: unknown. The next write asks, and closes. */
     d_step {
       in_flight && me.k < WRITES ->
#if defined(START_ON_UNKNOWN)
       me.phase = holding; me.claim_k = 0;
#elif defined(UNKNOWN_IS_REFUSED)
       me.refused_k = me.k; me.phase = idle; me.claim_k = 0; me.want = 0;
#elif defined(SETTLE_BY_READ)
       if
       :: lane[n].last == me.claim_k -> conclude(n, lane[n].outcome)
       :: else -> conclude(n, never_applied)
       fi;
#else
       me.k++; sent[at(n, me.k)] = settle; about(n, me.k) = me.claim_k;
       me.phase = settling;
#endif
       check()
     }
  :: d_step {
       me.phase == holding && !swept[n] ->
       assert(row[me.want] == running && owner[me.want] == n && !ran[me.want]);
       ran[me.want] = true; me.phase = started
     }
  :: d_step {
       me.phase == started ->
       if :: row[me.want] == running && owner[me.want] == n -> row[me.want] = finished :: else fi;
       me.phase = idle; me.want = 0
     }
  :: d_step {
       me.phase == holding ->
       if :: row[me.want] == running && owner[me.want] == n -> row[me.want] = returned :: else fi;
       me.phase = idle; me.want = 0
     }
  :: /* A beat answer: a claim that the node does not know, with nothing in flight, is lost. */
     atomic {
       me.phase != gone -> select(s : 1 .. SLOTS);
       if
       :: d_step {
            me.beat_shows[s] && !knows(s) && nothing_in_flight ->
            if :: row[s] == running && owner[s] == n -> row[s] = lost :: else fi;
            me.beat_shows[s] = false }
       :: else -> me.beat_shows[s] = false
       fi;
       s = 0
     }
  od
}

active [NODES] proctype network()
{
  byte n = _pid - NODES, k, s;
end:
  do
  :: atomic {
       me.k > 0 -> select(k : 1 .. me.k);
       d_step { arrive(n, k); check(); k = 0 }
     }
  :: /* A beat arrives: the answer will show the claims that the store holds for n. */
     d_step {
       me.phase != gone && !swept[n] ->
       for (s : 1 .. SLOTS) { me.beat_shows[s] = (row[s] == running && owner[s] == n) }
       s = 0
     }
  :: d_step { crashes < CRASHES && me.phase != gone -> crashes++; me.phase = gone }
  :: d_step {
       me.phase == gone && !swept[n] ->
       swept[n] = true;
       for (s : 1 .. SLOTS) { if :: row[s] == running && owner[s] == n -> row[s] = lost :: else fi }
       check(); s = 0
     }
  od
}
