"""Usage: compare.py --cases N --seed S --ours COMMAND --peers FOLDER --doc FILE

Asks ours and every peer the same questions and explains every disagreement. Prints the number of
disagreements per class and peer. Fails if an answer of ours is not the model's, if a peer's answer
fits no class, if a class was not seen, or if the document has no entry for it.
"""

import argparse
import collections
import json
import os
import pathlib
import shlex
import subprocess
import sys
from datetime import datetime, timezone

sys.dont_write_bytecode = True
import cases
import classes
import model
import quartz_dialect

HERE = pathlib.Path(__file__).resolve().parent
SHOWN = 10  # unexplained answers


def print_time(instant):
    return datetime.fromtimestamp(instant, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def read_time(text):
    return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())


def ask(command, questions, environment=None):
    text = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, env={**os.environ, **(environment or {})}
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def ask_ours(command, questions):
    written = [{**question, "from": print_time(question["from"])} for question in questions]
    answers = ask(command, written)
    for answer in answers:
        if "next" in answer:
            answer["next"] = [read_time(text) for text in answer["next"]]
    return answers


def peer_commands(folder):
    java = ["java", "-cp", f"{folder}/java/*", f"{HERE}/AskQuartz.java"]
    node = {"NODE_PATH": f"{folder}/node_modules"}
    return {
        "croniter": ([f"{folder}/python/bin/python", f"{HERE}/ask_croniter.py"], {}),
        "croner": (["node", f"{HERE}/ask_croner.cjs"], node),
        "quartz": (java, {}),
    }


def zones_that_differ(probes, answers):
    """Zones in which the peer's own zone data differ from the system's at a probed instant."""
    return {
        probe["tz"]
        for probe, answer in zip(probes, answers)
        if answer["offsets"] != [model.offset_at(probe["tz"], t) for t in probe["offsets"]]
    }


def in_dialect(peer, questions):
    """The questions as the peer reads them; those it has no words for are left out."""
    if peer != "quartz":
        return questions
    translated = [{**q, "expr": quartz_dialect.translate(q["expr"])} for q in questions]
    return [question for question in translated if question["expr"]]


class Report:
    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)  # class -> peer -> cases
        self.failures = []

    def disagree(self, peer, case, ours, answer, names):
        if names is None:
            told = answer.get("error") or [print_time(t) for t in answer["next"]]
            self.failures.append(
                f"{peer}: no class explains '{case['expr']}' {case['tz']} after "
                f"{print_time(case['from'])}: {told}, ours {[print_time(t) for t in ours]}"
            )
        for name in names or ():
            self.counts[name][peer] += 1


def compare_peer(report, peer, version, kept, ours):
    same = different = 0
    for question, answer in kept:
        assert answer["id"] == question["id"], (peer, question, answer)
        expected = ours[question["id"]]
        if answer.get("next") == expected:
            same += 1
            continue
        different += 1
        if "error" in answer:
            names = classes.explain_refusal(peer, question)
        else:
            names = classes.explain_times(peer, question, answer["next"])
        report.disagree(peer, question, expected, answer, names)
    print(f"{peer} {version}: {same} the same, {different} not")


def compare(report, peer, command, questions, ours):
    probes = list(cases.probes())
    asked = in_dialect(peer, questions)
    version, *answers = ask(command[0], probes + asked, command[1])
    differ = zones_that_differ(probes, answers)
    original = {question["id"]: question for question in questions}
    kept = [
        (original[question["id"]], answer)
        for question, answer in zip(asked, answers[len(probes) :])
        if question["tz"] not in differ
    ]
    compare_peer(report, peer, version["version"], kept, ours)
    if len(asked) < len(questions):
        print(f"  {len(questions) - len(asked)} left out: it has no rule for two day fields")
    for zone in sorted(differ):
        print(f"  {zone} left out: its zone data are another release's")


def check_ours(report, questions, answers):
    """The model is the standard by which classes are told, so ours must be the model's default."""
    ours = {}
    for question, answer in zip(questions, answers):
        case = question["expr"], question["tz"], question["from"], question["count"]
        ours[question["id"]] = model.next_times(*case, model.Rules())
        if answer.get("id") != question["id"] or answer.get("next") != ours[question["id"]]:
            report.failures.append(f"ours is not the model's: {question} {answer}")
    return ours


def check_blindness(report, questions, ours):
    """Answers that nobody gives must not be explained."""
    for question in questions[:50]:
        wrong = [t + 60 * (i == 2) for i, t in enumerate(ours[question["id"]])]
        for peer in ("croniter", "croner", "quartz"):
            if classes.explain_times(peer, question, wrong):
                report.failures.append(f"a wrong answer was explained: {peer} {question}")


def print_classes(report, document):
    print(f"\n{'class':<24}{'croniter':>10}{'croner':>10}{'quartz':>10}")
    for name in [*classes.RULES, *classes.REFUSALS]:
        counts = report.counts[name]
        if not counts:
            report.failures.append(f"class {name} was not seen: the peer has changed, or it is dead")
        row = "".join(f"{counts[peer] or '-':>10}" for peer in ("croniter", "croner", "quartz"))
        print(f"{name:<24}{row}")
        if f"`{name}`" not in document:
            report.failures.append(f"class {name} has no entry in the document")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("--cases", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ours", type=shlex.split, required=True, metavar="COMMAND")
    parser.add_argument("--peers", required=True, type=pathlib.Path)
    parser.add_argument("--doc", required=True, type=pathlib.Path)
    options = parser.parse_args()

    report = Report()
    questions = list(cases.make_cases(options.seed, options.cases))
    print(f"{len(questions)} cases, seed {options.seed}, {cases.count_near_changes(questions)} within a "
          f"day of a clock change")  # fmt: skip
    ours = check_ours(report, questions, ask_ours(options.ours, questions))
    check_blindness(report, questions, ours)
    for peer, command in peer_commands(options.peers.resolve()).items():
        compare(report, peer, command, questions, ours)
    print_classes(report, options.doc.read_text())
    for failure in report.failures[:SHOWN]:
        print(failure, file=sys.stderr)
    if report.failures:
        sys.exit(f"{len(report.failures)} failures")


if __name__ == "__main__":
    main()
