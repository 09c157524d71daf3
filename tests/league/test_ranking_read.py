"""The live ranking of a period, of which pages read as much as they show: the same lines as the whole has."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.models import League, Period, Standing
from league.pages.period_head import lead_of
from league.selectors.ladders.ranking import Ranking, games_in, head_of, qualified_in
from league.selectors.ladders.standings import shown_rows
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


def test_parts_of_a_ranking_are_the_same_lines_as_the_whole() -> None:
    whole = list(Ranking(march(club())))
    assert [(row["rank"], row["player"]) for row in whole] == RANKED
    for start in range(-1, 9):
        for end in range(-2, 9):
            assert Ranking(march(League.objects.get()))[start:end] == whole[start:end], (start, end)
    apart = Ranking(march(League.objects.get()))
    assert [apart[place] for place in (4, 0, -1)] == [whole[4], whole[0], whole[6]]
    assert (apart[5:1:-2], apart[:]) == (whole[5:1:-2], whole)
    with pytest.raises(IndexError):
        apart[7]


def test_a_ranking_counts_without_reading_its_lines() -> None:
    ranking = Ranking(march(club(minimum=2)))
    with CaptureQueriesContext(connection) as asked:
        assert (len(ranking), games_in(ranking), qualified_in(ranking), bool(ranking)) == (7, 18, 3, True)
    assert len(asked) == 0
    with CaptureQueriesContext(connection) as asked:
        head = head_of(ranking)
        assert [row["player"] for row in head] == ["finn", "dan", "gina", "anna"]
        assert ranking[1:3] == head[1:3]
    assert len(asked) == 1
    assert (games_in(ranking[:]), qualified_in(ranking[:]), head_of(ranking[:])) == (18, 3, ranking[:])
    assert [row["why_not"] for row in ranking[3:]] == ["1 of 2 games played; 1 to go."] * 4
    assert {row["rank"] for row in ranking[3:]} == {None}


def test_what_leads_a_ranking_is_the_same_by_its_head_and_by_all() -> None:
    league = club()
    ranking = Ranking(march(league))
    assert len(ranking.head) == 7
    record(league, duel("gina", "dan", "2024-03-30"))
    ranking = Ranking(march(league))
    assert lead_of(ranking.method, ranking.head) == lead_of(ranking.method, ranking[:])


def test_a_period_without_games_has_no_lines() -> None:
    league = make_league()
    ladder = make_ladder(league)
    rule = ladder.rules.get()
    empty = Period.objects.create(
        ladder=ladder, rule=rule, key="2019-01", title="x", starts_at=utc("2019-01-01"), ends_at=utc("2019-02-01")
    )
    ranking = Ranking(empty)
    assert (len(ranking), ranking[:], list(ranking), ranking.head, ranking.games) == (0, [], [], [], 0)


def test_lines_that_went_meanwhile_are_left_out() -> None:
    ranking = Ranking(march(club()))
    Standing.objects.filter(player__handle="dan").delete()
    assert [row["player"] for row in ranking[:4]] == ["finn", "anna", "ben", "cleo"]


def test_a_closed_period_shows_its_edition() -> None:
    league = club()
    live = list(Ranking(march(league)))
    close(league, "2024-03")
    rows, edition = shown_rows(march(league))
    assert edition is not None
    assert [{**row, "columns": None} for row in rows] == [{**row, "columns": None} for row in live]
