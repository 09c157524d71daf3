"""Builds the answer about a league's health."""

from typing import Any

from league.services.laboratory.health import Checked
from ratings.laboratory.health import Share, Stretch

#: So many are named who meet one opponent over and over, and so many groups beside the largest.
MOST_HABITS, MOST_GROUPS = 500, 100


def render_health(checked: Checked) -> dict[str, Any]:
    """Return what was found of a league's health, with handles where it names players."""
    found = checked.health
    habits, groups = found.habits[:MOST_HABITS], found.apart[:MOST_GROUPS]
    handles = {place: player.handle for place, player in checked.people(habits, groups).items()}
    return {
        "games": found.games,
        "players": found.players,
        "groups": list(found.islands),
        "apart": [[handles[place] for place in group] for group in groups],
        "one_table": found.one_table,
        "added_a_game": render_share(found.drift),
        "table": found.size,
        "seats": [{"seat": seat, **render_share(share)} for seat, share in enumerate(found.seats, start=1)],
        "often": [
            {
                "player": handles[one.player],
                "opponent": handles[one.opponent],
                "games": one.games,
                "together": one.together,
                "gained": one.gained,
            }
            for one in habits
        ],
        "months": [{"month": one.name, **render_stretch(one)} for one in found.months],
        "years": [{"year": one.name, **render_stretch(one)} for one in found.years],
    }


def render_share(share: Share) -> dict[str, Any]:
    """Return a mean with its interval; of how many."""
    return {"value": share.value, "low": share.low, "high": share.high, "count": share.count}


def render_stretch(one: Stretch) -> dict[str, Any]:
    """Return what was played in a month, or a year."""
    return {
        "games": one.games,
        "players": one.players,
        "newcomers": one.newcomers,
        "mean_rating": one.mean,
        "added": one.added,
    }
