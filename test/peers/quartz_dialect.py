"""Our expressions in Quartz's dialect: seconds first, weekdays by name, `?` in one day field."""

import model


def translate(text):
    """None where Quartz cannot say it: it has no rule for two restricted day fields."""
    expression = model.Expression(text)
    seconds, minute, hour, day, month, weekday = expression.words
    if weekday in ("*", "?"):
        weekday = "?"
        day = "*" if day == "?" else day
    elif day in ("*", "?"):
        day = "?"
        names = model.FIELDS[5][3]
        weekday = ",".join(names[v].upper() for v in expression.sets[5])
    else:
        return None
    return " ".join((seconds, minute, hour, day, month, weekday))
