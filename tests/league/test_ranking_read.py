"""The live ranking of a period, and the published one."""

from typing import Any

import pytest

from league.models import League, Period
from league.selectors.ladders.ranking import games_in
from league.selectors.ladders.standings import live_rows, shown_rows
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import close, duel, make_ladder, period, utc

pytestmark = pytest.mark.django_db

#: Who won, and how often, each time against gina: by handles in no order.
WON = {"dan": 2, "ben": 1, "cleo": 1, "anna": 1, "finn": 3, "eva": 1}
#: Ranks as they are counted by hand: finn 3, dan 2, four with 1 by handle, gina nothing.
RANKED = [(1, "finn"), (2, "dan"), (3, "anna"), (3, "ben"), (3, "cleo"), (3, "eva"), (7, "gina")]


def club(**parameters: Any) -> League:
    league = make_league(players=(*WON, "gina"))
    make_ladder(league, **parameters)
    days = iter(range(1, 29))
    for name, times in WON.items():
        for _ in range(times):
            record(league, duel(name, "gina", f"2024-03-{next(days):02}"))
    return league


def march(league: League) -> Period:
    return period(league, "2024-03")


def test_a_live_ranking_is_that_counted_by_hand() -> None:
    rows = live_rows(march(club()))
    assert [(row["rank"], row["player"]) for row in rows] == RANKED
    assert games_in(rows) == 18


def test_who_lacks_games_stands_below_without_a_rank() -> None:
    rows = live_rows(march(club(minimum=2)))
    assert [row["player"] for row in rows[:4]] == ["finn", "dan", "gina", "anna"]
    assert [row["why_not"] for row in rows[3:]] == ["1 of 2 games played; 1 to go."] * 4
    assert {row["rank"] for row in rows[3:]} == {None}


def test_a_period_without_games_has_no_lines() -> None:
    league = make_league()
    ladder = make_ladder(league)
    rule = ladder.rules.get()
    span = {"starts_at": utc("2019-01-01"), "ends_at": utc("2019-02-01")}
    empty = Period.objects.create(league=league, ladder=ladder, rule=rule, key="2019-01", title="x", **span)
    assert live_rows(empty) == []


def test_a_closed_period_shows_its_edition() -> None:
    league = club()
    live = live_rows(march(league))
    close(league, "2024-03")
    rows, edition = shown_rows(march(league))
    assert edition is not None
    assert [{**row, "columns": None} for row in rows] == [{**row, "columns": None} for row in live]
