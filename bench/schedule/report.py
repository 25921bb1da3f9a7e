"""Usage: report.py FOLDER [--json FILE]. The table and the verdicts from what bench/schedule/run
left in FOLDER.

ns is the median of the repetitions, spread the distance between their quartiles in per cent of it,
x the time of a peer divided by ours. A checksum is that of the 1,000 answers. The verdict about the
fastest peer takes its best repetition against our median, so that noise speaks for the peer.
"""

import argparse
import json
import pathlib
import statistics
import sys
import zlib

sys.dont_write_bytecode = True
import questions

PEERS = ("croniter", "croner", "cron-parser", "quartz")


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def median_and_spread(numbers):
    low, middle, high = statistics.quantiles(numbers, n=4)
    return middle, 100 * (high - low) / middle


def read_times(folder, name):
    """Version and one figure per row; ours was measured before and after the peers."""
    version, *rows = read_lines(folder / f"{name}.json")
    for again in read_lines(folder / f"{name}-again.json")[1:] if name == "ours" else ():
        rows[again["row"]]["ns"] += again["ns"]
    figures = []
    for row in rows:
        ns, spread = median_and_spread(row["ns"])
        checksum = f"{zlib.crc32(str(row['answers']).encode()):08x}"
        figures.append({"ns": ns, "best": min(row["ns"]), "spread": spread, "checksum": checksum,
                        "answers": row["answers"]})  # fmt: skip
    return version["version"], figures


def print_table(times, versions):
    print("programs:", ", ".join(f"{name} {version}" for name, version in versions.items()))
    print(f"\n{'expression':<14}{'zone':<18}{'program':<13}{'ns':>12}{'spread %':>10}{'x':>9}  checksum")
    for index, (expression, zone) in enumerate(questions.ROWS):
        for name in times:
            figure, ours = times[name][index], times["ours"][index]
            ratio = f"{figure['ns'] / ours['ns']:.0f}" if name != "ours" else "1"
            print(f"{expression:<14}{zone:<18}{name:<13}{figure['ns']:>12.1f}{figure['spread']:>10.1f}"
                  f"{ratio:>9}  {figure['checksum']}")  # fmt: skip


def print_disagreements(times):
    found = False
    for index, (expression, zone) in enumerate(questions.ROWS):
        ours = times["ours"][index]["answers"]
        for name in PEERS:
            pairs = list(zip(questions.instants(), ours, times[name][index]["answers"]))
            wrong = [pair for pair in pairs if pair[1] != pair[2]]
            if wrong:
                found = True
                start, mine, theirs = wrong[0]
                print(f"answers differ: {name} '{expression}' {zone}: {len(wrong)} of {len(pairs)}, "
                      f"first after {start}: {theirs}, ours {mine}")  # fmt: skip
    print("" if found else "all programs gave the same answers")


def row_target(expression, zone):
    if expression not in questions.DENSE:
        return 1000
    return 100 if zone == "UTC" else 200


def verdicts(times, folder):
    """Quantity, value, target, whether it is met."""
    for index, (expression, zone) in enumerate(questions.ROWS):
        ns = times["ours"][index]["ns"]
        limit = row_target(expression, zone)
        yield f"next '{expression}' {zone}, ns", ns, f"<= {limit}", ns <= limit
        fastest = min(times[name][index]["best"] for name in PEERS) / ns
        yield f"next '{expression}' {zone}, x fastest peer", fastest, ">= 10", fastest >= 10
    [parse] = read_lines(folder / "parse.json")
    seconds, _ = median_and_spread(parse["seconds"])
    yield "parse 1,000,000 expressions, s", seconds, "< 2", seconds < 2
    [memory] = read_lines(folder / "memory.json")
    held = memory["object"] + memory["heap"]
    yield "parsed schedule, bytes", held, "<= 200", held <= 200
    yield from count_verdicts(folder)
    [file] = read_lines(folder / "job_file.json")
    seconds, _ = median_and_spread(file["seconds"])
    yield f"read and check {file['jobs']:,} jobs, s", seconds, "< 2", seconds < 2


def count_verdicts(folder):
    """The limit is for UTC; a zone adds its clock changes, two a year."""
    rows = read_lines(folder / "count.json")
    for short, long in zip(rows[::2], rows[1::2]):
        ratio = median_and_spread(long["ns"])[0] / median_and_spread(short["ns"])[0]
        name = f"count * * * * * * {short['tz']}, 1,000 years / 10 years"
        yield name, ratio, "< 2" if short["tz"] == "UTC" else "", ratio < 2


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()

    times, versions = {}, {}
    for name in ("ours", *PEERS):
        versions[name], times[name] = read_times(options.folder, name)
    print_table(times, versions)
    print()
    print_disagreements(times)
    results = list(verdicts(times, options.folder))
    print(f"\n{'quantity':<58}{'value':>10}  target")
    for quantity, value, target, met in results:
        verdict = ("PASS" if met else "miss") if target else ""
        print(f"{quantity:<58}{value:>10.4g}  {target:<9}{verdict}")
    if options.json:
        write_json(options.json, times, versions, results)


def write_json(path, times, versions, results):
    rows = [
        {"expr": expression, "tz": zone, "program": name, **times[name][index]}
        for index, (expression, zone) in enumerate(questions.ROWS)
        for name in times
    ]
    for row in rows:
        del row["answers"]
    named = [dict(zip(("quantity", "value", "target", "met"), result)) for result in results]
    path.write_text(json.dumps({"versions": versions, "next": rows, "verdicts": named}, indent=1) + "\n")


if __name__ == "__main__":
    main()
