"""Tables of rating changes: one number of decimals a column, with which each row adds up."""

import random
import re
from dataclasses import dataclass
from decimal import Decimal

import pytest
from django.template.loader import render_to_string


@dataclass
class Mover:
    """A player whose rating moves, is new or is removed."""

    name: str
    before: float | None
    after: float | None


@pytest.mark.parametrize("seed", range(20))
def test_a_column_has_one_number_of_decimals_and_each_row_adds_up(seed: int) -> None:
    rng = random.Random(seed)
    movers = [Mover("Anna", 1500.0, None), Mover("Ben", None, 1512.5)]
    for number in range(rng.randint(1, 12)):
        before = round(rng.uniform(900, 2100), rng.choice((0, 1, 2, 6)))
        movers.append(Mover(f"P{number}", before, before + round(rng.uniform(-20, 20), rng.choice((0, 2, 3, 6)))))
    page = render_to_string("web/organiser/rating_changes.html", {"movers": movers, "more": 0, "decimals": 2})
    rows = [re.findall(r"[-+−±]?\d[\d,]*(?:\.\d+)?", re.sub(r"<th.*?</th>", "", row)) for row in page.split("<tr>")[2:]]
    texts = [text for row in rows for text in row]
    assert len({len(text.partition(".")[2]) for text in texts}) == 1, texts
    figures = [[Decimal(re.sub("[,±]", "", text).replace("−", "-")) for text in row] for row in rows]
    assert len([row for row in figures if len(row) == 3]) == len(movers) - 2
    assert [before + change for before, change, _after in (row for row in figures if len(row) == 3)] == [
        row[2] for row in figures if len(row) == 3
    ]
