"""The leaderboard as it stood at a past moment, by the games played before it as the books tell them today."""

from datetime import datetime

from django.utils.translation import gettext as _

from league.errors import Refused
from league.models import League, Player, RatingChange
from league.selectors.ladders.tallies import newest_lines
from league.selectors.leaderboard.listing import Listing
from league.selectors.leaderboard.pages import BoardPage
from league.selectors.leaderboard.rows import Key, Row, complete, descending
from league.selectors.leaderboard.versions import State, board_state
from league.selectors.rules import rule_at, rules_of, system_of
from league.shelf import Shelf
from ratings.columns.rankings import ranks_in_order

FIELDS = ("player", "after", "state_1", "state_2", "state_3", "games", "change", "shift", "at", "order_key", "number")

#: Boards of past moments that were asked for last, each of one state of the books: so many rows of some 700 bytes.
KEPT: Shelf[tuple[int, Listing, datetime], tuple[State, list[Row]]] = Shelf(220_000, lambda kept: 1 + len(kept[1]))


def board_at(league: League, listing: Listing, moment: datetime, state: State | None = None) -> list[Row]:
    """Return ``leaderboard_at``, read once for all who ask while the books stand: nobody may change a row of it.

    state: of the books, where it is known. While a replay is on its way nothing is kept.
    """
    state = state or board_state(league.slug)
    if state is None or state.stale_from is not None:
        return leaderboard_at(league, listing, moment)
    key = (state.league, listing, moment)
    found = KEPT.get(key)
    if found is None or found[0] != state:
        found = KEPT.put(key, (state, leaderboard_at(league, listing, moment)))
    return found[1]


def leaderboard_at(league: League, listing: Listing, moment: datetime) -> list[Row]:
    """Return the rows of the leaderboard at a moment, best first.

    Who has been marked as inactive since is listed: nobody knows since when.
    """
    changes = RatingChange.objects.filter(league=league, step=1, at__lt=moment)
    lines = list(newest_lines(changes).values(*FIELDS))
    if not lines:
        return []
    newest = max(lines, key=lambda line: (line["at"], line["order_key"]))
    rule = rule_at(rules_of(league), newest["at"])
    assert rule is not None, "a rated game has a rule"
    system = system_of(rule)
    names = {
        pk: (handle, name)
        for pk, handle, name in Player.objects.filter(pk__in=[line["player"] for line in lines]).values_list(
            "pk", "handle", "name"
        )
    }
    rows = []
    for line in lines:
        if not (listing.enough_games(line["games"]) and listing.recent_enough(line["at"])):
            continue
        rating = line["after"] + (newest["shift"] - line["shift"]) + 0.0
        state = (rating, line["state_1"], line["state_2"], line["state_3"])
        score = system.display(state, line["games"])
        shown = (line["games"], line["change"], line["at"], line["number"])
        rows.append(Row(*names[line["player"]], score, *shown, state, line["player"]))
    rows.sort(key=lambda row: descending(row.key))
    complete(system, rows, ranks_in_order([row.score for row in rows]).tolist())
    return rows


def page_at(rows: list[Row], limit: int, after: Key | None, around: Player | None) -> BoardPage:
    """Return at most ``limit`` rows after a key, or around a player, or from the top.

    Raises Refused where the player to look around was not on the board.
    """
    start = 0
    if after is not None:
        start = sum(descending(row.key) <= descending(after) for row in rows)
    if around is not None:
        found = [index for index, row in enumerate(rows) if row.handle == around.handle]
        if not found:
            raise Refused(_("{name} was not on this leaderboard then.").format(name=around.name))
        start = max(found[0] - (limit - 1) // 2, 0)
    page = rows[start : start + limit]
    more = len(rows) > start + limit
    return BoardPage(page, page[-1].key if more else None)
