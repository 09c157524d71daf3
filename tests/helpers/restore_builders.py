"""Exports that are changed and restored."""

import hashlib
import json
from collections.abc import Callable
from datetime import date
from io import BytesIO
from typing import Any

from django.utils import timezone

from league.core.games.services.record import correct_game, void_game
from league.core.ladders.services.decisions import carry_period
from league.core.ladders.services.ladders import RankingRule, change_ranking
from league.core.leagues.services.leagues import adopt_rule
from league.core.players.services.players import change_player
from league.core.transfer.selectors.exports import export_lines
from league.models import League, Player
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import close, duel, make_ladder, utc


def build_everything(slug: str = "club", **settings: Any) -> League:
    """Return a league with everything in it that a league can have."""
    settings = {"time_zone": "Europe/Paris", "metadata": {"guild": "4711"}, **settings}
    league = make_league(slug=slug, parameters={"k": 32}, starts={"dan": 1712.5}, **settings)
    metadata = {"sealed": "no", "player": "anna"}
    change_player(Player.objects.get(handle="anna"), name="Anna Å", aliases=["Annie", "A. Å"], metadata=metadata)
    make_ladder(league)
    make_ladder(league, "strength", "rating_score", "quarter")
    record(league, duel("anna", "ben", "2024-03-10T20:15:00.123456", external_id="x/1", note="“½”", metadata=metadata))
    record(league, sheet(("cleo", "dan"), (0.5, 0.5), played_at=utc("2024-03-31T21:59:59")))
    record(league, duel("cleo", "anna", "2024-04-10"))
    record(league, sheet(("ben",), (1.0,), kind="full_bye", played_at=utc("2024-04-11")))
    close(league, "2024-03")
    correct_game(league.pk, 1, duel("ben", "anna", "2024-03-10", external_id=None), reason="Swapped.", username="olga")
    correct_game(league.pk, 5, duel("ben", "cleo", "2024-03-10", external_id=None), reason="Again.", username="olga")
    close(league, "2024-03", reason="A sheet was wrong.")
    void_game(league.pk, 2, reason="A friendly.", username="olga")
    carry_period(league.pk, "month", "2024-03", reason="Prizes were given.", username="olga")
    adopt_rule(league.pk, "elo", {"k": 10}, date(2024, 4, 5), username="olga")
    change_ranking(league.pk, "month", RankingRule("points", "month", {"win": 3}, date(2024, 5, 1)), username="olga")
    record(league, duel("dan", "anna", "2024-05-10"))
    league.refresh_from_db()
    return league


def export_of(league: League, *, aliases: bool = True) -> list[str]:
    """Return the lines of a league's export."""
    return list(export_lines(league.pk, timezone.now(), aliases=aliases))


def sealed_file(lines: list[str]) -> BytesIO:
    """Return lines as a file, with the end that they need."""
    told = "".join(f"{line}\n" for line in lines if '"type":"end"' not in line)
    end = {"type": "end", "lines": told.count("\n"), "sha256": hashlib.sha256(told.encode()).hexdigest()}
    return BytesIO((told + json.dumps(end, separators=(",", ":")) + "\n").encode())


def lines_file(lines: list[str]) -> BytesIO:
    """Return lines as a file."""
    return BytesIO("".join(f"{line}\n" for line in lines).encode())


class Undone(Exception):
    """Ends a transaction that is to leave nothing."""


def edited(kind: str, nth: int = 0, **values: Any) -> Callable[[list[str]], list[str]]:
    """Return what changes members of the n-th line of a kind."""

    def change(lines: list[str]) -> list[str]:
        places = [place for place, line in enumerate(lines) if json.loads(line)["type"] == kind]
        line = {**json.loads(lines[places[nth]]), **values}
        return [*lines[: places[nth]], json.dumps(line), *lines[places[nth] + 1 :]]

    return change
