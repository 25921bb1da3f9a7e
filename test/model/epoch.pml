/* The store forgets: fail-over to a replica that lags, or a restore.
 *
 * Every instant 1 .. TIME is a slot of one job that forbids overlap. The replica is a copy of
 * the store at some earlier time, or empty. A fail-over puts it in place of the store; its
 * identity differs, so the first write, whoever's, finds the epoch closed. Living nodes then
 * remember; after L every node that still answers has done so, and one opens epoch + 1.
 *
 * Checked: a slot is granted again only if no living node has had an answer since it was
 * granted first; no two runs are alive together; fences grow over all epochs. SAME_IDENTITY
 * (a restore in place that changes nothing but the data) and NEVER_TWICE (a claim that only the
 * dead knew of) are not rules removed but the limits of this, shown.
 *
 * Left out: time inside L (that each node which can reach the store remembers within it, and
 * that one which cannot has no run alive after it, is lease.pml); marks on disk, so that a dead
 * node's mark is gone; attempts and pending rows (ledger.pml). */

#ifndef NODES
#define NODES 2
#endif
#ifndef TIME
#define TIME 2
#endif
#ifndef FAILOVERS
#define FAILOVERS 1
#endif
#ifndef CRASHES
#define CRASHES 1
#endif

#define bit(s) (1 << (s))
#define has(mask, s) ((mask & bit(s)) != 0)

/* What the store keeps, and what of it the replica has. */
typedef Data { byte cursor, rows, count; bool live[NODES]; byte position };
Data store, replica;
byte now, epoch;
bool closed;

mtype = { idle, asking, claimed, alive };
typedef Node {
  bool dead;
  mtype phase;
  byte slot, fence;          /* of the claim that it has, or that an answer on its way grants */
  byte mark_time, mark_position;
  byte saw;                  /* rows that the store had at its last answer; only for the check */
  bool remembered
};
Node node[NODES];
#define me node[n]

byte granted, ran, last_fence, failovers, crashes;
hidden byte i;

#if NODES == 2
#define any_node(what) (what(0) || what(1))
#else
#define any_node(what) (what(0) || what(1) || what(2))
#endif
#define is_live(x) store.live[x]
#define has_run(x) (node[x].phase == alive)
#define silent(x) (!node[x].dead && !node[x].remembered)
#define saw_next(x) (!node[x].dead && has(node[x].saw, store.cursor + 1))

inline copy(from, to) {
  to.cursor = from.cursor; to.rows = from.rows; to.count = from.count; to.position = from.position;
  for (i : 0 .. NODES - 1) { to.live[i] = from.live[i] }
  i = 0
}

inline wrote() {
#ifdef SAME_IDENTITY
  store.position++
#else
  skip
#endif
}

/* Every answer in an open epoch is a mark. */
inline mark(n) { me.mark_time = now; me.saw = store.rows; me.mark_position = store.position }

/* The next slot: started if nothing is live, else skipped. */
inline decide(n) {
  if
  :: !any_node(is_live) ->
       assert(!has(granted, store.cursor + 1) || !any_node(saw_next));
#ifdef NEVER_TWICE
       assert(!has(ran, store.cursor + 1));
#endif
       store.count++;
       me.phase = asking; me.slot = store.cursor + 1;
#ifdef FENCE_WITHOUT_EPOCH
       me.fence = store.count;
#else
       me.fence = epoch * 16 + store.count;
#endif
       store.live[n] = true;
       store.rows = store.rows | bit(me.slot);
       granted = granted | bit(me.slot)
  :: else
  fi;
  store.cursor++;
  wrote()
}

inline forget_claim(n) { me.phase = idle; me.slot = 0; me.fence = 0 }

/* Pushes what the node knows. An answer still on its way is of an epoch that is over. */
inline remember(n) {
  me.remembered = true;
#ifndef OLD_ANSWER_COUNTS
  if :: me.phase == asking -> forget_claim(n) :: else fi;
#endif
#ifndef CURSOR_NOT_RAISED
  if :: me.mark_time > store.cursor -> store.cursor = me.mark_time :: else fi;
#endif
#ifdef CLAIMS_NOT_PUT_BACK
  store.live[n] = false
#else
  /* Own claims are put back; one that it does not know, its finish being forgotten, is lost. */
  store.live[n] = (me.phase == claimed || me.phase == alive);
  if :: store.live[n] -> store.rows = store.rows | bit(me.slot) :: else fi
#endif
}

#ifdef SAME_IDENTITY
#define behind_mark (me.mark_position > store.position)
#else
#define behind_mark false
#endif
#define may_write (!me.dead && !closed && !behind_mark)

active [NODES] proctype a_node()
{
  byte n = _pid;
  me.phase = idle;
end:
  do
  :: d_step { may_write && me.phase == idle && store.cursor < now -> decide(n) }
  :: d_step { may_write && me.phase != asking -> mark(n) } /* a beat */
  :: d_step { !me.dead && !closed && behind_mark -> closed = true }
  :: /* The answer arrives: from the server that gave it, also if that is no longer the store. */
     d_step {
       me.phase == asking && !me.dead ->
       me.phase = claimed;
       if
       :: !closed && has(store.rows, me.slot) -> mark(n)
       :: else ->
            me.saw = me.saw | bit(me.slot);
            if :: me.mark_time < me.slot -> me.mark_time = me.slot :: else fi
       fi
     }
  :: d_step {
       me.phase == claimed && !me.dead ->
       assert(!any_node(has_run));
       assert(me.fence > last_fence);
       last_fence = me.fence; me.phase = alive;
       ran = ran | bit(me.slot)
     }
  :: d_step { may_write && me.phase == alive -> store.live[n] = false; forget_claim(n); wrote() }
  :: d_step { closed && !me.dead && !me.remembered -> remember(n) }
#ifdef OPEN_AT_ONCE
  :: d_step { closed && me.remembered ->
#else
  :: d_step { closed && me.remembered && !any_node(silent) -> /* one L has passed */
#endif
       epoch++; closed = false;
       for (i : 0 .. NODES - 1) { node[i].remembered = false }
       i = 0
     }
  :: /* Node and children are gone; its live row stays until it is swept. */
     d_step {
       crashes < CRASHES && !me.dead ->
       crashes++; me.dead = true; forget_claim(n); me.saw = 0; me.mark_time = 0
     }
  :: d_step { me.dead && !closed && store.live[n] -> store.live[n] = false; wrote() }
  od
}

active proctype server()
{
end:
  do
  :: d_step { now < TIME -> now++ }
  :: d_step { failovers < FAILOVERS -> copy(store, replica) } /* replication, at its leisure */
  :: d_step {
       failovers < FAILOVERS ->
       failovers++;
       copy(replica, store);
#ifndef SAME_IDENTITY
       closed = true;
#endif
       for (i : 0 .. NODES - 1) { node[i].remembered = false }
       i = 0
     }
  od
}
