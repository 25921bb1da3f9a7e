"""Usage: questions.py FOLDER. Writes what every program is asked, so that all answer the same.

questions.tsv has our expressions, quartz.tsv the same in Quartz's dialect, each with a zone;
instants.txt has 1,000 pseudo-random seconds since the epoch from 2020 to 2030.
"""

import pathlib
import random
import sys
from datetime import datetime, timezone

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "test/peers"))
import quartz_dialect

EXPRESSIONS = ("*/5 * * * *", "0 2 * * 1-5", "30 1 29 2 *", "0 0 31 * *")
DENSE = EXPRESSIONS[:2]
ZONES = ("UTC", "America/New_York")
ROWS = [(expression, zone) for expression in EXPRESSIONS for zone in ZONES]
INSTANTS = 1000


def instants():
    draw = random.Random(20)
    first, last = (int(datetime(year, 1, 1, tzinfo=timezone.utc).timestamp()) for year in (2020, 2030))
    return [draw.randrange(first, last) for _ in range(INSTANTS)]


def main():
    folder = pathlib.Path(sys.argv[1])
    ours = [f"{expression}\t{zone}\n" for expression, zone in ROWS]
    quartz = [f"{quartz_dialect.translate(expression)}\t{zone}\n" for expression, zone in ROWS]
    (folder / "questions.tsv").write_text("".join(ours))
    (folder / "quartz.tsv").write_text("".join(quartz))
    (folder / "instants.txt").write_text("".join(f"{instant}\n" for instant in instants()))


if __name__ == "__main__":
    main()
