"""Usage: time_croniter.py QUESTIONS INSTANTS. Times croniter's next start; see bench/schedule/run."""

import json
import sys
import time
from datetime import datetime
from importlib.metadata import version
from zoneinfo import ZoneInfo

from croniter import croniter

WARM_UP, MEASURED, LEAST = 0.3, 1.0, 3  # seconds, seconds, repetitions


def repeat(calls, work):
    start = time.perf_counter()
    while True:
        work()
        if time.perf_counter() - start >= WARM_UP:
            break
    start, ns = time.perf_counter(), []
    while len(ns) < LEAST or time.perf_counter() - start < MEASURED:
        begin = time.perf_counter_ns()
        work()
        ns.append((time.perf_counter_ns() - begin) / calls)
    return ns


def measure(row, expression, zone, instants):
    starts = [datetime.fromtimestamp(instant, ZoneInfo(zone)) for instant in instants]
    times = croniter(expression, starts[0])
    answers = []

    def work():
        answers.clear()
        for start in starts:
            times.set_current(start)
            answers.append(times.get_next(float))

    ns = repeat(len(instants), work)
    return {"row": row, "ns": ns, "answers": [int(answer) for answer in answers]}


def main():
    instants = [int(line) for line in open(sys.argv[2])]
    print(json.dumps({"peer": "croniter", "version": version("croniter")}))
    for row, line in enumerate(open(sys.argv[1])):
        print(json.dumps(measure(row, *line.rstrip("\n").split("\t"), instants)))


main()
