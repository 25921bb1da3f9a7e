#include "test/oracle/generate.h"

namespace oracle {

// Clocks are mostly changed between 23:00 and 04:00, on Sundays, around the ends of March,
// April, September, October: most shapes fire there, and each row differs from its neighbours in
// one respect that the gap and fold rules depend on.
const std::array<const char*, kShapes>& grid_shapes() {
  static constexpr std::array<const char*, kShapes> kTable{
      // Wildcard-hour: elapsed time.
      "* * * * *",
      "*/5 * * * *",
      "*/7 * * * *",
      "30 * * * *",
      "5,35 */2 * * *",
      "20 */3 * * *",
      "45 0-23 * * *",
      "0 0-11,12-23 * * *",
      "*/10 * 1-15 * FRI-SUN",
      "*/20 59 * * * *",
      // One civil time a day.
      "0 0 * * *",
      "30 0 * * *",
      "0 1 * * *",
      "30 1 * * *",
      "0 2 * * *",
      "30 2 * * *",
      "0 3 * * *",
      "30 23 * * *",
      "59 23 * * *",
      "0 12 * * *",
      "15 30 2 * * *",
      "59 59 1 * * *",
      // Several, some of which may fall into one gap or one fold.
      "15 1-3 * * *",
      "0 0-5 * * *",
      "*/15 2 * * *",
      "* 1 * * *",
      "*/20 0-3 * * *",
      "10,40 0,1,2,3,23 * * *",
      "0,30 0-22 * * *",
      "30 1-23/2 * * *",
      "0/13 2/1 * * *",
      "0,30 0/30 0-4 ? * *",
      // Days: the date and weekday of a missing time are its own, not those of the transition.
      "30 2 1-7 * *",
      "0 0 25-31 * *",
      "15 0,1,2 * * SAT-SUN",
      "0 0 * * 1-5",
      "30 2 * 3,4,9,10 *",
      "30 1 * OCT-NOV ?",
      "30 2 8-14 * SUN",
      "0 3 */2 * 7",
  };
  return kTable;
}

}  // namespace oracle
