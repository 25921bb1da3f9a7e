/* The takeover inequality: an incarnation that the store has ended has no run alive.
 *
 *     (trust + stop) / (1 - drift)  <=  L / (1 + drift)
 *
 * One victim, one sweeper: sweepers share nothing but the store's answer, so if no single one
 * can end the victim too early, no number of them can.
 *
 * Time is real time in ticks. In one tick a true clock advances by SCALE units; the clocks of
 * victim and sweeper advance by SCALE - 1 .. SCALE + 1, chosen anew at every tick, so drift is
 * 1 / SCALE and need not be constant. Every message takes any number of ticks, or is lost.
 *
 * The beat number itself is left out, exactly: it only grows, so a number once left never comes
 * back, and all that anybody can ask is whether the number he holds is still the store's. That
 * is one bit for each holder, and the model has no bound on the number of beats.
 *
 * Left out: what happens inside a tick; clocks that stop (a frozen guest); "time in which the
 * sweeper itself had no answers does not count", which only ever makes takeover later; the
 * lanes of beats: a beat that arrives late is applied here, which is the worse case. */

#ifndef SCALE
#define SCALE 3 /* drift 1/3; 10 is the product's 10 % */
#endif
#ifndef TICKS
#define TICKS 4 /* real time that a lease lasts at least */
#endif
#ifndef STOP
#define STOP 2
#endif
#ifndef FLIGHT
#define FLIGHT 1 /* beats in flight: more than one if an unanswered beat is overtaken */
#endif

#define SLOW (SCALE - 1)
#define FAST (SCALE + 1)
#define LEASE (FAST * TICKS)

#if defined(NO_DRIFT)
#define TRUST (LEASE - STOP)
#elif defined(NO_STOP)
#define TRUST (SLOW * TICKS)
#elif defined(TRUST_TOO_LONG)
#define TRUST (SLOW * TICKS - STOP + 1)
#else
#define TRUST (SLOW * TICKS - STOP)
#endif
#define GONE (TRUST + STOP)

mtype = { idle, asked, granted, refused };

/* The store. */
bool ended;

/* The victim. Ages are readings of its own clock and stand still at GONE: older is no worse. */
mtype beat[FLIGHT] = idle;
byte beat_age[FLIGHT] = 0; /* since it was asked */
byte trust_age = GONE;     /* since the newest granted beat was asked */
bool claim, alive;         /* granted and not yet spawned; a child that lives */

/* The sweeper. */
mtype query = idle;
bool query_current, seen_current, sweep_current; /* the number there is still the store's */
bool sweep_asked;
byte seen_age;  /* since the answer that first showed the number; stands still at LEASE */
byte query_age; /* only a mutant reads it */

hidden byte victim_step, sweeper_step, i;

#define advance(clock, step, limit) clock = (clock + step > limit -> limit : clock + step)

inline check() { assert(!(ended && alive)) }

active proctype clocks()
{
  do
  :: atomic {
       if :: victim_step = SLOW :: victim_step = SCALE :: victim_step = FAST fi;
       if :: sweeper_step = SLOW :: sweeper_step = SCALE :: sweeper_step = FAST fi;
       d_step {
         for (i : 0 .. FLIGHT - 1) {
           if
           :: beat[i] != idle -> advance(beat_age[i], victim_step, GONE)
           :: else
           fi
         }
         advance(trust_age, victim_step, GONE);
         if :: seen_current -> advance(seen_age, sweeper_step, LEASE) :: else fi;
#ifdef L_FROM_ASKING
         if :: query != idle -> advance(query_age, sweeper_step, LEASE) :: else fi;
#endif
#ifndef NO_DEADLINE
         /* The keeper's deadline: at this very reading the last child is gone. */
         if :: trust_age >= GONE -> alive = false :: else fi;
#endif
       }
     }
  od
}

active proctype victim()
{
  byte m;
  do
  :: /* Ask a beat, at any time: after the end of trust too, to learn its fate. */
     atomic {
       select(m : 0 .. FLIGHT - 1);
       if
       :: beat[m] == idle ->
            beat[m] = asked;
            beat_age[m] = 0;
#ifdef TRUST_WITHOUT_ANSWER
            trust_age = 0;
#endif
       :: else
       fi;
       m = 0
     }
  :: /* An answer arrives. Only a granted one extends trust, counted from when it was asked. */
     atomic {
       select(m : 0 .. FLIGHT - 1);
       if
       :: beat[m] == granted ->
#ifdef TRUST_FROM_ARRIVAL
            trust_age = 0;
#else
            trust_age = (beat_age[m] < trust_age -> beat_age[m] : trust_age);
#endif
            beat[m] = idle; beat_age[m] = 0
       :: beat[m] == refused ->
#ifdef REFUSAL_EXTENDS_TRUST
            trust_age = (beat_age[m] < trust_age -> beat_age[m] : trust_age);
#else
            alive = false; claim = false; trust_age = GONE; /* KILL at once */
#endif
            beat[m] = idle; beat_age[m] = 0
       :: else
       fi;
       m = 0
     }
  :: /* The store grants a claim: to any incarnation that it has not ended. */
     atomic { !claim && !alive && !ended -> claim = true }
  :: /* The keeper spawns, any time later, after a look at the deadline. */
#ifdef NO_CHECK_AT_SPAWN
     atomic { claim -> claim = false; alive = true; check() }
#else
     atomic { claim && trust_age < TRUST -> claim = false; alive = true; check() }
#endif
  :: atomic { claim -> claim = false } /* returned */
  :: atomic { alive -> alive = false } /* the run ends by itself */
  od
}

active proctype network()
{
  byte m;
  do
  :: /* A beat arrives at the store: the number moves on, and all others hold an old one. */
     atomic {
       select(m : 0 .. FLIGHT - 1);
       if
       :: beat[m] == asked && !ended ->
            beat[m] = granted;
            seen_current = false; seen_age = 0;
            query_current = false;
#ifndef SWEEP_IGNORES_BEAT
            sweep_current = false
#endif
       :: beat[m] == asked && ended -> beat[m] = refused
       :: else
       fi;
       m = 0
     }
  :: /* A request or an answer is lost. */
     atomic {
       select(m : 0 .. FLIGHT - 1);
       beat[m] = idle; beat_age[m] = 0; m = 0
     }
  :: atomic { query == asked -> query = granted; query_current = true }
  :: atomic { query != idle -> query = idle; query_current = false; query_age = 0 }
  :: atomic { sweep_asked && !sweep_current -> sweep_asked = false } /* refused, or lost */
  :: atomic { sweep_asked && sweep_current -> ended = true; sweep_asked = false; check() }
  od
}

active proctype sweeper()
{
  do
  :: atomic { query == idle -> query = asked; query_age = 0 }
  :: /* L counts from the arrival of the first answer that showed the number. */
     atomic {
       query == granted ->
       if
       :: query_current && !seen_current ->
            seen_current = true;
#ifdef L_FROM_ASKING
            seen_age = query_age
#else
            seen_age = 0
#endif
       :: else
       fi;
       query = idle; query_current = false; query_age = 0
     }
  :: atomic { seen_current && seen_age >= LEASE && !sweep_asked ->
       sweep_asked = true; sweep_current = true }
  od
}
