"""What a ladder would show is what it then shows, and nobody waits for the looking."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.core.dry_runs.services.rankings import RankingPreview, preview_ladder, preview_ranking
from league.core.errors import RungsError
from league.core.games.services.record import void_game
from league.core.ladders.selectors.ladders import find_ladder, load_live_rows
from league.core.ladders.services.ladders import RankingRule, change_ladder, change_ranking, create_ladder
from league.models import Ladder, League, Period
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import close, duel, make_ladder, tables
from tests.helpers.tiers import mark_slow

pytestmark = pytest.mark.django_db

DAYS = ("2023-11-05", "2024-01-10", "2024-02-28", "2024-02-29", "2024-04-01", "2024-04-30", "2024-05-02")


def club(**settings: Any) -> League:
    """Return a league with games of several months, the last of them void."""
    league = make_league(**settings)
    pairs = (("anna", "ben"), ("ben", "cleo"), ("cleo", "anna"), ("dan", "anna"))
    for number, day in enumerate(DAYS):
        record(league, duel(*pairs[number % 4], f"{day}T22:30"))
    record(league, duel("anna", "dan", "2024-06-06"))
    void_game(league.pk, 8, reason="A friendly.", username="olga")
    return league


def shown(found: list[RankingPreview]) -> list[tuple[str, str, Any]]:
    """Return previewed rankings as values."""
    return [(one.period.key, one.period.title, list(one.rows)) for one in found]


def stands(league: League, rule: int | None = None) -> list[tuple[str, str, Any]]:
    """Return the last two rankings of the ladder that was made, in which anybody stands."""
    periods = find_ladder(league, "new").periods.select_related("rule").order_by("-starts_at")
    periods = periods if rule is None else periods.filter(rule=rule)
    rankings = [(one.key, one.title, load_live_rows(one)) for one in periods]
    return [one for one in rankings if one[2]][:2]


METHODS = ("points", "best_scores", "rating_score", "fide_performance")
CADENCES = ("week", "month", "quarter", "year", "all_time", "dated")
#: Quickly, each method and each cadence once or twice.
QUICKLY = (
    "points by week", "points by month", "best_scores by all_time", "rating_score by quarter", "rating_score by year",
    "fide_performance by dated",
)  # fmt: skip


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    "what",
    mark_slow([f"{method} by {cadence}" for method in METHODS for cadence in CADENCES], "Other pairs.", but=QUICKLY),
)
def test_a_new_ladder_shows_what_was_previewed(what: str) -> None:
    method, cadence = what.split(" by ")
    league = club(time_zone="Asia/Tokyo")
    days = (date(2024, 1, 11), date(2024, 4, 30)) if cadence == "dated" else (None, None)
    ranking = RankingRule(method, cadence, {}, *days)
    before = tables()
    found = shown(preview_ladder(league, "new", "New", ranking))
    assert tables() == before
    create_ladder(league.pk, "new", "New", ranking, username="olga")
    assert found == stands(league)
    assert found


@pytest.mark.parametrize(
    "day",
    mark_slow(
        [date(2024, 2, 1), date(2024, 4, 1), date(2024, 5, 1), date(2150, 1, 1)],
        "Another day.",
        but=[date(2024, 4, 1), date(2150, 1, 1)],
    ),
)
@pytest.mark.parametrize("cadence", ["month", "all_time"])
def test_another_rule_ranks_as_was_previewed(day: date, cadence: str) -> None:
    league = club()
    make_ladder(league, "new")
    change_ranking(league.pk, "new", RankingRule("best_scores", "month", {}, date(2024, 5, 1)), username="olga")
    close(league, "2023-11", "new")
    ranking = RankingRule("rating_score", cadence, {}, day)

    def outcome(act: Callable[[], Any]) -> Any:
        try:
            return act()
        except RungsError as error:
            return error.detail

    before = tables()
    found = outcome(lambda: preview_ranking(league, "new", ranking))
    assert tables() == before
    done = outcome(lambda: change_ranking(league.pk, "new", ranking, username="olga"))
    assert (shown(found) if isinstance(found, list) else found) == (
        done if isinstance(done, str) else stands(league, done.pk)
    )


def test_beside_each_stands_who_is_where_today_and_an_ended_ladder_ranks_no_more() -> None:
    league = club()
    make_ladder(league, "new")
    ranking = RankingRule("rating_score", "month", {}, date(2024, 4, 1))
    april = next(one for one in preview_ranking(league, "new", ranking) if one.period.key == "2024-04")
    today = {row["player"]: row["rank"] for row in load_live_rows(Period.objects.get(key="2024-04"))}
    assert april.ranks == today != {}
    change_ladder(league.pk, "new", {"ended_on": date(2024, 5, 1)})
    assert [one.period.key for one in preview_ranking(league, "new", ranking)] == ["2024-04"]


def test_nobody_waits_and_nothing_is_written_while_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    league = club()
    make_ladder(league)

    def no_lock(*told: Any) -> Any:
        raise AssertionError("nobody must be made to wait")

    monkeypatch.setattr("league.core.locking.lock_with_last", no_lock)
    monkeypatch.setattr("league.core.locking.run_in_transaction", no_lock)
    with CaptureQueriesContext(connection) as asked:
        assert len(preview_ladder(league, "new", "New", RankingRule("points", "month"))) == 2
        assert len(preview_ranking(league, "month", RankingRule("points", "month", {}, date(2024, 4, 1)))) == 2
    statements = [one["sql"] for one in asked]
    assert statements
    assert all(one.startswith(("SELECT ", "COPY (SELECT ")) and " FOR " not in one for one in statements)
    assert not Ladder.objects.filter(slug="new").exists()
