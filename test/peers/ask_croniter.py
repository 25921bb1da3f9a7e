"""Answers JSON lines {id, expr, tz, from, count} from standard input with croniter's times.

A line {tz, offsets: [instants]} asks for the zone's UTC offsets in seconds instead.
"""

import json
import sys
from datetime import datetime
from importlib.metadata import version
from zoneinfo import ZoneInfo

from croniter import croniter


def offsets(question):
    zone = ZoneInfo(question["tz"])
    return [
        int(datetime.fromtimestamp(t, zone).utcoffset().total_seconds())
        for t in question["offsets"]
    ]


def next_times(question):
    start = datetime.fromtimestamp(question["from"], ZoneInfo(question["tz"]))
    seconds_first = len(question["expr"].split()) == 6
    times = croniter(question["expr"], start, second_at_beginning=seconds_first)
    return [int(times.get_next(float)) for _ in range(question["count"])]


def answer(question):
    if "offsets" in question:
        return {"tz": question["tz"], "offsets": offsets(question)}
    try:
        return {"id": question["id"], "next": next_times(question)}
    except Exception as error:  # whatever it throws is its answer
        return {"id": question["id"], "error": f"{type(error).__name__}: {error}"}


print(json.dumps({"peer": "croniter", "version": version("croniter")}))
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))))
