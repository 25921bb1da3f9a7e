"""The questions: a seeded set of expressions x zones x instants, three in five near a clock change."""

import functools
import random
from datetime import datetime, timezone

import model

# Ordinary, southern, half an hour, at midnight, negative (winter is the exception), odd offsets,
# two hours, a whole day left out, none.
ZONES = (
    "America/New_York", "Europe/Berlin", "Europe/London", "America/Los_Angeles",
    "Australia/Sydney", "Australia/Lord_Howe", "Pacific/Chatham", "America/Havana",
    "Asia/Beirut", "America/Santiago", "Asia/Tehran", "Europe/Dublin", "America/St_Johns",
    "Antarctica/Troll", "Pacific/Apia", "Asia/Kathmandu", "UTC",
)  # fmt: skip
FIRST = int(datetime(2008, 1, 1, tzinfo=timezone.utc).timestamp())
LAST = int(datetime(2025, 1, 1, tzinfo=timezone.utc).timestamp())
DAY = 86400
PROBED = LAST + 400 * DAY  # the answers lie later than the questions

# The examples of docs/dst.md: at least one for each class.
EXAMPLES = (
    ("30 2 * * *", "America/New_York", "2025-03-08T12:00:00Z"),
    ("30 15 2 * * *", "America/New_York", "2025-03-08T12:00:00Z"),
    ("*/15 2 * * *", "America/New_York", "2025-03-08T12:00:00Z"),
    ("0 */2 * * *", "America/New_York", "2025-03-09T04:00:00Z"),
    ("30 * * * SUN", "Asia/Beirut", "2024-03-29T12:00:00Z"),
    ("* 3 * * *", "Pacific/Chatham", "2024-09-28T10:00:00Z"),
    ("30 0-4 * * *", "Antarctica/Troll", "2024-03-30T22:00:00Z"),
    ("59 22 * * FRI", "Pacific/Apia", "2011-12-29T12:00:00Z"),
    ("30 1 * * *", "America/New_York", "2025-11-01T12:00:00Z"),
    ("0,30 1 * * *", "America/New_York", "2025-11-01T12:00:00Z"),
    ("0 * * * *", "America/New_York", "2025-11-02T04:30:00Z"),
    ("*/10 * * * *", "America/New_York", "2025-11-02T05:35:00Z"),
    ("*/20 * * * *", "Australia/Lord_Howe", "2024-04-06T14:30:00Z"),
    ("0 12 */2 * MON", "UTC", "2025-01-01T00:00:00Z"),
    ("0 0 */10 * *", "UTC", "2025-02-22T00:00:00Z"),
    ("0 5-5/2 * * *", "UTC", "2025-01-01T00:00:00Z"),
    ("5/15 * * * *", "UTC", "2025-01-01T00:00:00Z"),
    ("0 */24 * * *", "UTC", "2025-01-01T00:00:00Z"),
    ("0 0 12 * * 7", "UTC", "2025-01-01T00:00:00Z"),
)

HOURS_OF_CHANGE = "0 1 1 2 2 2 3 23".split()
CLOCKS = (
    "{m} {h}", "{m} {h}", "{m} {h}", "{m},{n} {h}", "*/15 {h}", "{m} {h},{k}", "{m} 0-4", "*/20 1-3",
    "* {h}", "{m} {h}-{k}/2", "*/10 *", "{m} *", "{m} */2", "*/7 */3", "{m} 0-23", "* *", "5/15 *",
    "*/45 {h}", "{m} 1/12", "0-59/20 *", "{m} 0/6", "{m} */24", "59 */5",
)  # fmt: skip
DAYS = (
    "* * *", "* * *", "* * *", "* * *", "* * 1-5", "* * 0", "* * 7", "* * SUN", "* * SAT-SUN",
    "* * MON-FRI", "* * 5-7", "{d} * *", "{d},{e} * *", "1-7 * *", "25-31 * *", "*/2 * *",
    "31 * *", "29 2 *", "* {o} *", "* MAR,OCT,NOV *", "1-7 * SUN", "{d} * {w}", "8-14 * 1-5",
    "*/2 * {w}", "{d} * */2", "*/3 * */2", "? * {w}", "{d} * ?", "* * */2", "*/10 1-6 *",
    "1-31 * {w}", "{d} * 0-6", "*/1 * {w}", "* * FRI-SUN", "* * 5/2", "1,15 1/3 *", "29-31 * *",
    "*/30 * *", "30 2,4 *", "* JAN-JUN 2-4",
)  # fmt: skip


@functools.cache
def changes_of(zone, until=LAST):
    """The instants at which the zone's offset changes."""
    found = []
    for low in range(FIRST, until, DAY):
        if model.offset_at(zone, low) != model.offset_at(zone, low + DAY):
            found.append(model.change_between(zone, low, low + DAY))
    return found


def expression(draw):
    words = {
        "m": draw.choice((0, 0, 15, 30, 30, 45, 59, draw.randrange(60))),
        "n": draw.randrange(60),
        "h": draw.choice((*HOURS_OF_CHANGE, draw.randrange(24))),
        "k": draw.randrange(3, 24),
        "d": draw.randrange(1, 32),
        "e": draw.randrange(1, 29),
        "o": draw.choice((3, 4, 10, 11, draw.randrange(1, 13))),
        "w": draw.choice((0, 1, 5, 7, "SUN", "MON", "FRI")),
    }
    words["k"] = max(words["k"], int(words["h"]))
    seconds = draw.choice(("0 ", "30 ", "0,30 ", "*/20 ")) if draw.random() < 0.1 else ""
    return seconds + f"{draw.choice(CLOCKS)} {draw.choice(DAYS)}".format(**words)


def instant(draw, changes):
    if not changes or draw.random() < 0.33:
        return draw.randrange(FIRST, LAST)
    change = draw.choice(changes)
    return draw.choice((
        change + draw.randrange(-3 * 3600, 3 * 3600),
        change + draw.randrange(-DAY, 0) // 60 * 60,
        change + draw.choice((-3600, -1800, -1, 0, 1, 1800, 3600)),
    ))  # fmt: skip


def examples():
    for number, (text, zone, start) in enumerate(EXAMPLES):
        instant = int(datetime.fromisoformat(start.replace("Z", "+00:00")).timestamp())
        yield {"id": number, "expr": text, "tz": zone, "from": instant, "count": 5}


def make_cases(seed, count):
    """The examples, and then random ones until there are `count`."""
    yield from examples()
    draw = random.Random(seed)
    changes = {zone: changes_of(zone) for zone in ZONES}
    for number in range(len(EXAMPLES), count):
        zone = draw.choice(ZONES)
        yield {
            "id": number,
            "expr": expression(draw),
            "tz": zone,
            "from": instant(draw, changes[zone]),
            "count": 5,
        }


def count_near_changes(questions):
    """How many start within a day before or three hours after a change of offset."""
    changes = {zone: changes_of(zone) for zone in ZONES}
    return sum(
        any(-DAY <= question["from"] - change <= 3 * 3600 for change in changes[question["tz"]])
        for question in questions
    )


def probes():
    """Where zone data of different releases would differ: around each change, and between them."""
    for zone in ZONES:
        near = [t for change in changes_of(zone, PROBED) for t in (change - 1, change)]
        yield {"tz": zone, "offsets": sorted({*near, *range(FIRST, PROBED, 30 * DAY)})}
