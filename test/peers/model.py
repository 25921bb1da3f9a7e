"""What a cron expression means under a stated set of rules: slow, short, and sharing nothing with
the program. The comparison explains a peer's answer by the rules under which the model gives the
same one.

The zone data are those of Python's zoneinfo, which reads the same files as the program does.
"""

import calendar
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from zoneinfo import ZoneInfo

FIELDS = (
    ("second", 0, 59, ()),
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day", 1, 31, ()),
    ("month", 1, 12, "jan feb mar apr may jun jul aug sep oct nov dec".split()),
    ("weekday", 0, 6, "sun mon tue wed thu fri sat".split()),
)
MARGIN = timedelta(hours=3)  # no clock change of the cases' zones turns back further
NEVER_LATER = timedelta(days=366 * 41)


@dataclass(frozen=True)
class Rules:
    """The defaults are ours; every other value is somebody else's."""

    gap: str = "jump"  # jump | skip: what fixed-time expressions do with a gap
    landing: str = "change"  # change | minute: a jump ends at the change, or some minutes later
    day_gap: str = "gap"  # gap | skip: the same for a gap of a whole day
    fold: str = "first"  # first | second | both
    elapsed: str = "hour"  # hour | several: which expressions follow elapsed time
    elapsed_gap: str = "skip"  # what such expressions do with a gap
    elapsed_fold: str = "both"  # and with a fold
    second_pass: str = "found"  # found | searched: see second_pass_missed()
    order: str = "instant"  # instant | civil: a civil time not later than the start's is past
    gap_search: str = "exact"  # exact | hour: the search goes on at the full hour after a gap
    days: str = "vixie"  # vixie | or
    one_value_range: str = "itself"  # itself | field: what 5-5/2 stands for
    february: str = "real"  # real | overrun: 30 February is tried, and found to be in March


def read_value(text, low, names):
    text = text.lower()
    return names.index(text) + low if text in names else int(text)


def read_item(text, low, last, names, one_value_range):
    """The values of one list item, weekday 7 still as 7."""
    body, _, step = text.partition("/")
    if body in ("*", "?"):
        first, end = low, last
    elif "-" in body:
        left, right = body.split("-")
        first, end = read_value(left, low, names), read_value(right, low, names)
        if end < first and right.lower() == "sun":
            end = 7
        if first == end and step and one_value_range == "field":
            first, end = low, last
    else:
        first = read_value(body, low, names)
        end = last if step else first
    return range(first, end + 1, int(step or 1))


class Expression:
    def __init__(self, text, one_value_range="itself"):
        words = text.split()
        self.has_seconds = len(words) == 6
        self.words = words if self.has_seconds else ["0", *words]
        self.sets = []
        for word, (name, low, last, names) in zip(self.words, FIELDS):
            items = [read_item(item, low, last, names, one_value_range) for item in word.split(",")]
            values = {value for item in items for value in item}
            if name == "weekday":
                values = {v % 7 for v in values}
            self.sets.append(sorted(values))

    def follows_elapsed(self, kind):
        hour = self.words[2]
        whole = hour == "*" or hour.startswith("*/") and "," not in hour or len(self.sets[2]) == 24
        single = all(len(self.sets[i]) == 1 and not set(self.words[i]) & set("*/") for i in range(3))
        return whole if kind == "hour" else not single

    def day_matches(self, day, rule, date=None):
        """Whether a day of a matching month matches; `date` is its number if not day.day."""
        by_date = (date or day.day) in self.sets[3]
        by_weekday = (day.weekday() + 1) % 7 in self.sets[5]
        if self.either_unrestricted(rule):
            return by_date and by_weekday
        return by_date or by_weekday

    def either_unrestricted(self, rule):
        words = self.words[3], self.words[5]
        if rule == "vixie":
            return any(word[0] in "*?" for word in words)
        return any(word in ("*", "?") for word in words)

    def overrun(self, day, start, rule):
        """Whether a search that began before March passes over this day: it tries the days up to
        31 February, and one that matches counts as the day in March on which it falls."""
        if day.month != 3 or day.day > 2 or start >= day.replace(day=1) or 2 not in self.sets[4]:
            return False
        length = calendar.monthrange(day.year, 2)[1]
        for date in range(length + 1, 32):
            falls_on = day.replace(day=date - length)
            if self.day_matches(falls_on, rule, date):
                return falls_on > day
        return False

    def civil_times(self, start, began, rules):
        """All matching civil times from start on, in a search that began at another civil time."""
        day = start.replace(hour=0, minute=0, second=0)
        while day - start < NEVER_LATER:
            month = day.month
            if month in self.sets[4] and self.day_matches(day, rules.days):
                if rules.february == "real" or not self.overrun(day, began, rules.days):
                    yield from self.times_of_day(day, start)
            day += timedelta(days=1)
            if month not in self.sets[4] and day.month == month:
                day += timedelta(days=calendar.monthrange(day.year, month)[1] - day.day + 1)

    def times_of_day(self, day, start):
        for hour in self.sets[2]:
            if day + timedelta(hours=hour + 1) <= start:
                continue
            for minute in self.sets[1]:
                for second in self.sets[0]:
                    time = day.replace(hour=hour, minute=minute, second=second)
                    if time >= start:
                        yield time


@cache
def zone_of(name):
    return ZoneInfo(name)


def offset_at(zone, instant):
    return int(datetime.fromtimestamp(instant, zone_of(zone)).utcoffset().total_seconds())


def civil_at(zone, instant):
    return datetime.fromtimestamp(instant, zone_of(zone)).replace(tzinfo=None)


def as_instant(civil, offset):
    return int(civil.replace(tzinfo=timezone.utc).timestamp()) - offset


def offsets_of(zone, civil):
    """The UTC offsets before and after the clock change at this civil time; equal if there is none."""
    return tuple(
        int(civil.replace(tzinfo=zone_of(zone), fold=fold).utcoffset().total_seconds())
        for fold in (0, 1)
    )


@cache
def change_between(zone, low, high):
    """The first instant with the offset of `high`."""
    wanted = offset_at(zone, high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if offset_at(zone, middle) == wanted else (middle, high)
    return high


def in_gap(zone, civil):
    before, after = offsets_of(zone, civil)
    return before < after


def instants(zone, civil, gap, fold, rules):
    """The instants at which one matching civil time fires."""
    before, after = offsets_of(zone, civil)
    if before == after:
        return [as_instant(civil, before)]
    early, late = as_instant(civil, max(before, after)), as_instant(civil, min(before, after))
    if before > after:
        return {"first": [early], "second": [late], "both": [early, late]}[fold]
    if gap == "skip" or rules.day_gap == "skip" and after - before >= 86400:
        return []
    if rules.landing == "change":
        return [change_between(zone, early, late)]
    while in_gap(zone, civil):
        civil += timedelta(minutes=1)
    return [as_instant(civil, after)]


def carries(expression, began, hour):
    """Whether a search that began at a civil time tries this hour because the one before it has no
    matching minute left, its own last slot included."""
    before = hour - timedelta(hours=1)
    if before.month in expression.sets[4] and expression.day_matches(before, "vixie"):
        if before.hour in expression.sets[2]:
            return True
    last = expression.sets[1][-1], expression.sets[0][-1]
    return before <= began < hour and last <= (began.minute, began.second)


def passed_over(expression, zone, start, instant):
    """Whether a search that steps from hour to hour misses this instant: where an hour that it
    tries begins in a gap, it goes on at the next, counted on as if there were no gap."""
    before, now = offset_at(zone, instant - 3 * 3600), offset_at(zone, instant)
    if before >= now:
        return False
    change = change_between(zone, instant - 3 * 3600, instant)
    if start >= change:
        return False
    gap = timedelta(seconds=now - before)
    end = civil_at(zone, change)
    first = hour = (end - gap + timedelta(minutes=59)).replace(minute=0)
    while hour < end:
        carried = hour == first and carries(expression, civil_at(zone, start), hour)
        if carried or hour.hour in expression.sets[2]:
            goes_on = hour + timedelta(hours=1)
            goes_on += gap if goes_on < end else timedelta()
            return civil_at(zone, instant) < goes_on
        hour += timedelta(hours=1)
    return False


def second_pass_missed(expression, zone, start, instant, rules):
    """Whether a search loses the second pass of a fold to which this instant belongs.

    From the last civil time of the first pass it looks for an alternative, going back by the length
    of the fold. What it finds first may lie before the fold, and then it looks no further.
    """
    offset, before = offset_at(zone, instant), offset_at(zone, instant - 3 * 3600)
    change = change_between(zone, instant - 3 * 3600, instant)
    if before <= offset or start >= change:
        return False
    length = timedelta(seconds=before - offset)
    fold = civil_at(zone, change)
    if civil_at(zone, instant) >= fold + length:
        return False
    last = max(fold - length, civil_at(zone, start))
    for civil in expression.civil_times(fold, fold, rules):
        if civil >= fold + length:
            break
        last = max(last, civil)
    alternative = next(expression.civil_times(last - length + timedelta(seconds=1), last, rules))
    return alternative < fold


def slots_of(expression, zone, start, civil, rules):
    """The instants later than start at which a matching civil time fires."""
    gap, fold = rules.gap, rules.fold
    if expression.follows_elapsed(rules.elapsed):
        gap, fold = rules.elapsed_gap, rules.elapsed_fold
    if rules.order == "civil" and civil <= civil_at(zone, start):
        return
    for instant in instants(zone, civil, gap, fold, rules):
        if instant <= start:
            continue
        if rules.second_pass == "searched" and second_pass_missed(
            expression, zone, start, instant, rules
        ):
            continue
        if rules.gap_search == "hour" and passed_over(expression, zone, start, instant):
            continue
        yield instant


def next_times(text, zone, start, count, rules):
    """The first `count` slots later than the instant start."""
    expression = Expression(text, rules.one_value_range)
    began = civil_at(zone, start)
    found = set()
    for civil in expression.civil_times(began - MARGIN, began, rules):
        if len(found) >= count:
            last = sorted(found)[count - 1]
            if civil > civil_at(zone, last) + MARGIN:
                break
        found.update(slots_of(expression, zone, start, civil, rules))
    return sorted(found)[:count]
