"""Ladders for tests, what their rankings say, and whether anything was written at all."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection

from league.core.capabilities import list_models
from league.core.errors import RungsError
from league.core.games.services.game_input import NewGame
from league.core.ladders.selectors.ladders import find_ladder, find_period, load_live_rows
from league.core.ladders.services.decisions import advance, close_period, reopen_period
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.models import Edition, Ladder, League, Period, Standing
from tests.helpers.builders import make_league, record, sheet


def utc(text: str) -> datetime:
    """Return an instant written such as 2024-03-05 or 2024-03-05T19:30."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def duel(winner: str, loser: str, when: str, **more: Any) -> NewGame:
    """Return a game of two, one to nothing."""
    return sheet((winner, loser), (1, 0), played_at=utc(when), **more)


@contextmanager
def clock(moment: datetime) -> Iterator[None]:
    """Let the machine's clock stand at an instant, and logs take it though it is behind what they hold.

    Tests tell of the past once their league is made, which is now; ``tests/core/log/test_clock_back.py`` holds what a
    clock that is behind may do.
    """
    with (
        patch("django.utils.timezone.now", lambda: moment),
        patch("league.core.locking.choose_write_time", lambda now, last, slug: now),
    ):
        yield


def record_as_played(league: League, *games: NewGame) -> None:
    """Record each game at the instant at which it was played."""
    for new in games:
        assert new.played_at is not None
        with clock(new.played_at):
            record(league, new)


def make_ladder(
    league: League,
    slug: str = "month",
    method: str = "points",
    cadence: str = "month",
    *,
    from_date: date | None = None,
    to_date: date | None = None,
    **parameters: Any,
) -> Ladder:
    """Make a ladder as an organiser would."""
    ranking = RankingRule(method, cadence, parameters, from_date, to_date)
    return create_ladder(league.pk, slug, slug.title(), ranking, username="olga")


def one_week_open() -> League:
    """Return a league with two weeks, both closed, the first of them reopened: what happens in it moves the second."""
    league = make_league(parameters={"k": 32})
    make_ladder(league, "year", "rating_score", "week", evidence_penalty=0)
    for day, key in (("2024-04-02", "2024-W14"), ("2024-04-09", "2024-W15")):
        record(league, duel("anna", "ben", day))
        close(league, key, "year")
    reopen_period(league.pk, "year", "2024-W14", reason="late", username="olga")
    return league


def period(league: League, key: str, slug: str = "month") -> Period:
    """Return a period as it stands."""
    return find_period(find_ladder(league, slug), key)


def ranking(league: League, key: str, slug: str = "month") -> list[tuple[int | None, str, float | None]]:
    """Return the live ranking of a period: rank, player, score."""
    return [(row["rank"], row["player"], row["score"]) for row in load_live_rows(period(league, key, slug))]


def keys(league: League, slug: str = "month", before: str = "2026-01-01") -> list[str]:
    """Return the keys of a ladder's periods that begin before a day: the present one is the machine's."""
    periods = find_ladder(league, slug).periods.filter(starts_at__lt=utc(before))
    return list(periods.order_by("starts_at").values_list("key", flat=True))


def state(league: League, key: str, slug: str = "month") -> tuple[bool, bool]:
    """Return whether a period is closed, and whether it awaits a decision."""
    found = period(league, key, slug)
    return found.closed, found.awaits


def close(league: League, key: str, slug: str = "month", reason: str = "") -> Edition:
    """Close a period as an organiser would."""
    return close_period(league.pk, slug, key, reason=reason, username="olga")


def standings(league: League) -> list[Any]:
    """Return every standing of a league, the tables' own keys left out."""
    rows = Standing.objects.filter(period__ladder__league=league).values_list(
        "period__ladder__slug", "period__key", "player__handle", "score", "games", "why_not",
        "value_1", "value_2", "value_3", "value_4", "value_5", "value_6",
    )  # fmt: skip
    return sorted(rows, key=lambda row: row[:3])


def facts(*names: str) -> dict[str, list[Any]]:
    """Return every row of some tables and of the leagues, these without the counters that only ever grow."""
    rows = {name: rows for name, rows in tables().items() if name in names}
    fields = [field.name for field in League._meta.fields if field.name not in ("log_length", "log_sha256", "replays")]
    return {**rows, "League": list(League.objects.order_by("pk").values_list(*fields))}


def tables(*but: str) -> dict[str, list[Any]]:
    """Return every row of every table of the app, except some tables: what a refusal must leave as it was.

    Rows are as the database has them. Over a hundred tests call this twice, and the ORM would take ten times as long.
    """
    found = {}
    with connection.cursor() as cursor:
        for model in list_models():
            if model.__name__ not in but:
                cursor.execute(f"SELECT * FROM {connection.ops.quote_name(model._meta.db_table)} ORDER BY 1")
                found[model.__name__] = cursor.fetchall()
    return found


def close_due(league: League, now: datetime | None = None) -> list[str]:
    """Run the calendar; return the keys of the periods that it closed."""
    return [step.key for step in advance(league.pk, now) if step.what == "close"]


def build_bare_club(**settings: Any) -> League:
    """Return a league of 2022 with a monthly ladder that has no period."""
    with clock(utc("2022-12-31")):
        league = make_league(**settings)
        make_ladder(league)
    Period.objects.filter(ladder__league=league).delete()
    return league


#: Ladder -> method and parameters; of the first two an older game moves no line.
FIXED_LADDERS: dict[str, tuple[str, dict[str, Any]]] = {
    "points": ("points", {}),
    "best": ("best_scores", {"minimum": 1}),
}
RATED_LADDERS: dict[str, tuple[str, dict[str, Any]]] = {
    "rating": ("rating_score", {}),
    "erf": ("erf_mean", {}),
    "fide": ("fide_performance", {"unrated": 1500}),
    "adjusted": ("best_scores", {"minimum": 1, "of": "performance"}),
}
LADDER_KINDS = {**FIXED_LADDERS, **RATED_LADDERS}


def refused_problems(act: Callable[[], object], kind: type[RungsError]) -> list[tuple[str, str, str]]:
    """Do what is refused; return pointer, code and sentence of each problem, nothing having been written."""
    error = refusal(act, kind)
    assert error.detail.endswith(".")
    return [(problem.pointer, problem.code, problem.detail) for problem in error.problems]


def refusal(act: Callable[[], object], kind: type[RungsError], words: str | None = None) -> RungsError:
    """Hold an act to its refusal, and to having written nothing."""
    before = tables()
    with pytest.raises(kind, match=words) as caught:
        act()
    assert tables() == before
    return caught.value
