"""The rows of a board as words and figures, for ``rungs/board_row.html``."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from django.urls import reverse

from league.figures import Hand, digits, direction
from league.models import League
from league.moments import Lately
from league.pages.rungs import Rung
from ratings.contract.system import RatingSystem

#: So many ranks have a medal.
MEDALS = 3
#: What stands in an address as it is, as ``reverse`` leaves it.
PLAIN = "!$&'()*+,;=/~:@"


class Moved(NamedTuple):
    """Which way somebody moved and by how many ranks, as ``rungs/movement.html`` shows it."""

    before: int | None
    climbed: int
    steps: str


def lines_of(rungs: Sequence[Rung], context: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rows of a board, and the figures beside their scores; ``context``: what else its page shows."""
    league, system, beside = context["league"], context["system"], context["beside"]
    players, lately, around = players_of(league), Lately(league.time_zone), context.get("around")
    hand = Hand()
    lines = []
    for rung in rungs:
        row = rung.row
        cells = {"address": f"{players}{quote(row.handle, PLAIN)}/", "lately": lately.of(row.last_at)}
        besides = [
            {
                **spec,
                "exact": hand.exact(row.state.get(spec["key"])),
                "shown": hand.number(row.state.get(spec["key"]), spec["decimals"]),
            }
            for spec in beside
        ]
        lines.append(
            {
                "here": row.player == around,
                "medal": row.rank <= MEDALS,
                "provisional": row.provisional,
                "spark": rung.spark is not None,
                "gap": rung.gap is not None,
                "rung": rung,
                "besides": besides,
                "cell": cells | cells_of(rung, system, context["decimals"], hand),
            }
        )
    return {"lines": lines}


def players_of(league: League) -> str:
    """Return where the pages of a league's players are, below which each one's handle is."""
    return reverse("pages:player", args=[league.slug, "-"]).removesuffix("-/")


def cells_of(rung: Rung, system: RatingSystem, decimals: int, hand: Hand) -> dict[str, str]:
    """Return the words and figures of a row."""
    row, spark = rung.row, rung.spark
    apart = row.score - row.rating
    places = digits(system.decimals, (row.rating, apart), row.score) if apart else system.decimals
    cells = {
        "rank": str(row.rank),
        "name": row.name,
        "games_said": rung.games,
        "games": hand.number(row.games),
        "score": hand.number(row.score, places),
        "score_exact": hand.exact(row.score),
        "rating": hand.number(row.rating, places),
        "rating_exact": hand.exact(row.rating),
        "apart": hand.signed(apart, places),
        "change": hand.signed(row.change, system.decimals),
        "direction": direction(row.change, system.decimals),
        "last": str(row.last_number),
        "why": rung.why,
    }
    if rung.gap is not None:
        cells |= {"gap": hand.number(rung.gap, decimals), "gap_exact": hand.exact(rung.apart)}
    if spark:
        said = {"path": spark.path, "end": spark.end, "words": spark.words, "span": spark.span}
        cells |= {f"spark_{name}": text for name, text in said.items()}
    return cells
