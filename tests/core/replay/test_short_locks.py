"""What needs no lock takes none, and under it nothing is worked out that is known."""

from typing import Any

import pytest

from league.core import locking
from league.core.ladders.services import periods
from league.core.ladders.services.ladders import change_ladder
from league.core.leagues.services.leagues import adopt_rule
from league.core.replay.services.current_ratings import refresh_current_ratings
from league.models import League, Period, Rating
from tests.helpers.builders import make_league, ratings, record
from tests.helpers.ladder_builders import close, duel, make_ladder, period, state, tables, utc

pytestmark = [pytest.mark.engine, pytest.mark.django_db]


def year() -> League:
    """Return a league with a game in each of three months, the first two closed."""
    league = make_league()
    make_ladder(league)
    for month in ("01", "02", "03"):
        record(league, duel("anna", "ben", f"2024-{month}-10"))
    for month in ("01", "02"):
        close(league, f"2024-{month}")
    return league


def no_lock(*told: Any) -> Any:
    """Stand where a lock would be taken."""
    raise AssertionError("nobody must be made to wait")


def test_ratings_that_are_right_are_found_so_without_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    league = year()
    before = tables()
    monkeypatch.setattr(locking, "run_with_league_lock", no_lock)
    assert refresh_current_ratings(league.pk) == 2
    assert tables() == before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda rows: rows.update(rating=1.0),
        lambda rows: rows.filter(player__handle="anna").delete(),
        lambda rows: rows.filter(player__handle="anna").update(peak=9999.0),
    ],
)
def test_ratings_that_are_wrong_are_made_right(spoil: Any) -> None:
    league = year()
    before = list(Rating.objects.order_by("player").values_list("player", "rating", "peak", "score", "games"))
    spoil(Rating.objects.filter(league=league))
    assert refresh_current_ratings(league.pk) == 2
    assert list(Rating.objects.order_by("player").values_list("player", "rating", "peak", "score", "games")) == before


def test_a_league_without_a_game_has_no_ratings_to_rebuild() -> None:
    assert refresh_current_ratings(make_league().pk) == 0


def test_another_title_of_a_ladder_computes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    league = year()
    before = list(Period.objects.order_by("pk").values_list())
    monkeypatch.setattr("league.core.ladders.services.ladders.rebuild", no_lock)
    assert change_ladder(league.pk, "month", {"title": "The month"}).title == "The month"
    assert list(Period.objects.order_by("pk").values_list()) == before


def test_a_late_game_asks_of_the_months_that_it_changes_only(monkeypatch: pytest.MonkeyPatch) -> None:
    league = year()
    asked: list[str] = []
    digest_now = periods.compute_current_digest

    def asking(one: Period, known: Any) -> str:
        asked.append(one.key)
        return digest_now(one, known)

    monkeypatch.setattr(periods, "compute_current_digest", asking)
    record(league, duel("cleo", "ben", "2024-01-20"))
    assert asked == ["2024-01"]
    assert (state(league, "2024-01"), state(league, "2024-02")) == ((True, True), (True, False))
    assert period(league, "2024-03").ends_at == utc("2024-04-01")


def test_a_rule_that_shows_everybody_as_before_writes_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    record(league, duel("anna", "ben", "2024-01-10"))
    record(league, duel("cleo", "dan", "2024-01-11"))
    adopt_rule(league.pk, "elo", {"k": 40}, utc("2024-02-01").date(), username="olga")
    before = ratings(league)
    written: list[int] = []
    update = Rating.objects.bulk_update

    def noting(rows: Any, *told: Any, **more: Any) -> Any:
        written.extend(rows)
        return update(rows, *told, **more)

    monkeypatch.setattr(Rating.objects, "bulk_update", noting)
    record(league, duel("anna", "ben", "2024-02-10"))
    record(league, duel("anna", "ben", "2024-02-09"))
    assert written == []
    after = ratings(league)
    assert (after["cleo"], after["dan"]) == (before["cleo"], before["dan"])
