"""The classes of disagreement. docs/dst.md has an entry for each.

A class is a change of one rule of the model. A peer's answer belongs to the smallest set of its
peer's classes under which the model gives exactly that answer; so a class is proved by all five
times of a case, not by a resemblance. A refusal belongs to a class by the text of the expression.
"""

import itertools
import re

import model

# Class: peers in which it was found, rule, the value of that rule.
RULES = {
    "gap-skip": (("quartz",), "gap", "skip"),
    "gap-skip-day": (("croner",), "day_gap", "skip"),
    "gap-keeps-seconds": (("croniter",), "landing", "minute"),
    "gap-overshoot": (("quartz",), "gap_search", "hour"),
    "fold-both": (("croniter",), "fold", "both"),
    "fold-second": (("quartz",), "fold", "second"),
    "fold-order": (("quartz",), "order", "civil"),
    "fold-missed": (("croniter",), "second_pass", "searched"),
    "wildcard-gap-jump": (("croniter",), "elapsed_gap", "jump"),
    "wildcard-fold-second": (("quartz",), "elapsed_fold", "second"),
    "several-elapsed": (("croner",), "elapsed", "several"),
    "vixie-star": (("croner", "croniter"), "days", "or"),
    "range-of-one": (("croniter",), "one_value_range", "field"),
    "february-overrun": (("croner",), "february", "overrun"),
}


def starts_with_number_and_step(expression):
    return any(re.search(r"(^|,)\d+/", word) for word in expression.words)


def has_large_step(expression):
    """A step with which only the first value of the field matches."""
    return any(
        int(step) > last - low
        for word, (_, low, last, _) in zip(expression.words, model.FIELDS)
        for step in re.findall(r"/(\d+)", word)
    )


def has_seconds_and_sunday_as_7(expression):
    return expression.has_seconds and re.search(r"\b7\b", expression.words[5])


# Class: peer, what the refused expression is.
REFUSALS = {
    "refused-start-step": ("croner", starts_with_number_and_step),
    "refused-large-step": ("quartz", has_large_step),
    "refused-sunday-7": ("croniter", has_seconds_and_sunday_as_7),
}


def explain_times(peer, case, times):
    """The smallest set of classes that gives these times; None if there is none."""
    known = [name for name, (peers, _, _) in RULES.items() if peer in peers]
    for size in range(1, len(known) + 1):
        for names in itertools.combinations(known, size):
            rules = model.Rules(**{RULES[name][1]: RULES[name][2] for name in names})
            question = case["expr"], case["tz"], case["from"], case["count"]
            if model.next_times(*question, rules) == times:
                return names
    return None


def explain_refusal(peer, case):
    expression = model.Expression(case["expr"])
    for name, (refuser, is_refused) in REFUSALS.items():
        if peer == refuser and is_refused(expression):
            return (name,)
    return None
