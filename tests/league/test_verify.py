"""``verify`` finds and names every corruption that is planted behind the services' back."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F
from django.test import override_settings

from league.models import Edition, League, Period, Player, Rating, RatingChange, Standing
from league.services.games import void_game
from league.services.verify import verify_league
from tests.league.builders import make_league, record
from tests.league.ladder_builders import close, duel, make_ladder, tables

pytestmark = pytest.mark.django_db


def books() -> League:
    """Return a league with three games, two ladders, and March closed in two editions."""
    league = make_league(parameters={"k": 32})
    make_ladder(league)
    make_ladder(league, "strength", "rating_score")
    record(league, duel("anna", "ben", "2024-03-10"))
    record(league, duel("cleo", "anna", "2024-04-10"))
    close(league, "2024-03")
    record(league, duel("dan", "ben", "2024-03-12"))
    close(league, "2024-03", reason="A late sheet.")
    return league


def free_editions() -> None:
    """Drop the triggers; the test's transaction brings them back."""
    names = {"postgresql": ["league_edition_stands ON league_edition"]}.get(
        connection.vendor, ["league_edition_stands_update", "league_edition_stands_delete"]
    )
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"DROP TRIGGER {name}")


def edition(**fields: Any) -> Callable[[], object]:
    """Return what changes the first edition."""

    def plant() -> None:
        free_editions()
        assert Edition.objects.filter(number=1).update(**fields) == 1

    return plant


def no_edition(number: int) -> Callable[[], object]:
    """Return what deletes an edition."""

    def plant() -> None:
        free_editions()
        Edition.objects.filter(number=number).delete()

    return plant


def rehashed(old: str, new: str) -> Callable[[], object]:
    """Return what forges the document of the first edition, its hash with it."""

    def plant() -> None:
        free_editions()
        text = Edition.objects.get(number=1).document
        assert old in text
        forged = text.replace(old, new)
        Edition.objects.filter(number=1).update(document=forged, sha256=hashlib.sha256(forged.encode()).hexdigest())

    return plant


def ghost_standing() -> None:
    """Plant the standing of a player who is not there."""
    Standing.objects.create(period=period(), player_id=987654, score=9.0, games=1)


def period() -> Period:
    """Return March of the monthly ladder."""
    return Period.objects.get(ladder__slug="month", key="2024-03")


def second_line() -> None:
    """Plant a second line of a game's first seat."""
    line = RatingChange.objects.get(number=1, seat=1)
    line.pk, line.games = None, 7
    line.save(force_insert=True)


def change(number: int, **fields: Any) -> Callable[[], object]:
    """Return what changes a line of the history."""
    return lambda: RatingChange.objects.filter(number=number, seat=1).update(**fields)


def standing(**fields: Any) -> Callable[[], object]:
    """Return what changes Anna's standing in March."""
    return lambda: Standing.objects.filter(period=period(), player__handle="anna").update(**fields)


def raw_delete(rows: Callable[[], Any]) -> Callable[[], object]:
    """Return what deletes rows and nothing with them."""
    return lambda: rows()._raw_delete("default")


#: What is planted, and how the sentence that names it begins.
CORRUPTIONS: dict[str, tuple[Callable[[], object], str]] = {
    "a rating": (
        lambda: Rating.objects.filter(player__handle="anna").update(rating=F("rating") + 1e-12 * 1e3),
        "The rating anna says",
    ),
    "a peak": (lambda: Rating.objects.filter(player__handle="dan").update(peak=2000.0), "The rating dan says"),
    "a missing rating": (raw_delete(lambda: Rating.objects.filter(player__handle="ben")), "The rating ben is missing."),
    "a history line": (change(2, after=1234.5), "The rating change 2, 1, 1, cleo, 1 says"),
    "a performance": (change(1, performance=7.0), "The rating change 1, 1, 1, anna, 1 says"),
    "a missing line": (
        raw_delete(lambda: RatingChange.objects.filter(number=1, seat=1)),
        "The rating change 1, 1, 1, anna, 1 is missing.",
    ),
    "a line twice": (second_line, "The rating change 1, 1, 1, anna, 7 must not be there."),
    "another player's line": (
        lambda: RatingChange.objects.filter(number=3, seat=1).update(player=Player.objects.get(handle="cleo"), games=9),
        "The rating change 3, 1, 1, dan, 1 is missing.",
    ),
    "a score": (standing(score=7.0), "The standing month, 2024-03, anna says"),
    "a figure": (standing(value_1=7.0), "The standing month, 2024-03, anna says"),
    "a reason": (standing(why_not="Too old."), "The standing month, 2024-03, anna says"),
    "a missing standing": (
        raw_delete(lambda: Standing.objects.filter(period=period(), player__handle="anna")),
        "The standing month, 2024-03, anna is missing.",
    ),
    "a standing too many": (
        lambda: Standing.objects.create(
            period=period(), player=Player.objects.get(handle="cleo"), score=9.0, games=1
        ),
        "The standing month, 2024-03, cleo must not be there.",
    ),
    "a standing of nobody": (ghost_standing, "The standing month, 2024-03, nobody (987654) must not be there."),
    "closed": (
        lambda: Period.objects.filter(key="2024-04", ladder__slug="month").update(closed=True),
        "The period month, 2024-04 says",
    ),
    "open": (lambda: Period.objects.filter(closed=True).update(closed=False), "The period month, 2024-03 says"),
    "awaits": (lambda: Period.objects.filter(closed=True).update(awaits=True), "The period month, 2024-03 says"),
    "a missing period": (
        raw_delete(lambda: Period.objects.filter(key="2024-04", ladder__slug="month")),
        "The period month, 2024-04 is missing.",
    ),
    "a period's time": (
        lambda: Period.objects.filter(closed=True).update(ends_at=F("ends_at") - timedelta(hours=1)),
        "The period month, 2024-03 runs at other times than edition 2",
    ),
    "a document": (edition(document="{}"), "Edition 1 of month 2024-03 does not have the SHA-256"),
    "a hash": (edition(sha256="0" * 64), "Edition 1 of month 2024-03 does not have the SHA-256"),
    "winners": (edition(winners=[]), "Edition 1 of month 2024-03 disagrees with its own ranking."),
    "a digest": (edition(standings_sha256="0" * 64), "Edition 1 of month 2024-03 disagrees with its own ranking."),
    "a number": (edition(number=4), "Edition 4 of month 2024-03 disagrees with its own document."),
    "a log position": (edition(log_position=1000), "Edition 1 of month 2024-03 disagrees with its own document."),
    "a reason of an edition": (edition(reason="x"), "Edition 1 of month 2024-03 disagrees with its own document."),
    "a time of an edition": (
        edition(published_at=F("published_at") + timedelta(microseconds=1)),
        "Edition 1 of month 2024-03 disagrees with its own document.",
    ),
    "not canonical": (rehashed('"edition":1', '"edition": 1'), "Edition 1 of month 2024-03 is not canonical JSON."),
    "no JSON": (rehashed("}", ""), "Edition 1 of month 2024-03 is not the JSON of an edition."),
    "an edition without its ranking": (
        rehashed('"standings"', '"standing"'), "Edition 1 of month 2024-03 is not the JSON of an edition.",
    ),
    "a missing first edition": (no_edition(1), "Edition 1 of month 2024-03 is missing."),
    "a missing last edition": (no_edition(2), "The period month, 2024-03 says"),
}  # fmt: skip


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_every_corruption_is_found_and_named(name: str) -> None:
    league = books()
    plant, sentence = CORRUPTIONS[name]
    plant()
    before = tables()
    found = verify_league(league.pk).differences
    assert any(one.startswith(sentence) for one in found), found
    assert tables() == before


def test_books_that_are_right_say_so_and_nothing_is_written() -> None:
    league = books()
    before = tables()
    verdict = verify_league(league.pk)
    # 3 games of 2, 4 ratings, 2 ladders of 3 periods (the present one empty), and 3 + 2 standings in each.
    assert (verdict.games, verdict.rows, verdict.editions, verdict.differences) == (3, 6 + 4 + 6 + 10, 2, [])
    assert tables() == before


def test_a_verdict_that_does_not_come_is_no_praise(monkeypatch: pytest.MonkeyPatch) -> None:
    league = books()
    monkeypatch.setattr("league.services.verify.with_books", lambda league_id, work: None)
    with pytest.raises(AssertionError, match="lets every exception out"):
        verify_league(league.pk)


def test_many_differences_are_counted() -> None:
    league = make_league(players=[f"p{index}" for index in range(26)])
    for index in range(0, 26, 2):
        record(league, duel(f"p{index}", f"p{index + 1}", "2024-03-10"))
    Rating.objects.update(peak=9999.0)
    found = verify_league(league.pk).differences
    assert (len(found), found[-1]) == (21, "6 more differences of ratings.")


def test_a_replay_on_its_way_is_said() -> None:
    league = books()
    with override_settings(RUNGS_INLINE_GAMES=0):
        void_game(league.pk, 1, reason="friendly", by="olga")
    found = verify_league(league.pk).differences
    assert found[0] == "A replay is on its way: the differences below may be its work."
    assert len(found) > 1


def test_the_command_lists_the_leagues_and_fails_where_something_differs() -> None:
    books()
    make_league(slug="other")
    out = StringIO()
    call_command("verify", stdout=out)
    assert "Club is right: 3 games, 26 rows and 2 editions" in out.getvalue()
    assert "Other is right: 0 games, 0 rows and 0 editions" in out.getvalue()
    Standing.objects.filter(period=period(), player__handle="anna").update(score=7.0)
    call_command("verify", "other", stdout=out)
    with pytest.raises(CommandError, match="1 difference found") as caught:
        call_command("verify", "club", stdout=out)
    assert caught.value.returncode == 1
    assert "Club differs: " in out.getvalue()
    assert "  The standing month, 2024-03, anna says" in out.getvalue()
    Rating.objects.filter(player__handle="ben").update(peak=9999.0)
    with pytest.raises(CommandError, match="2 differences found"):
        call_command("verify", stdout=out)
    with pytest.raises(CommandError, match="no league “moon”"):
        call_command("verify", "moon", stdout=out)


def test_a_time_zone_that_is_gone_is_a_sentence_of_the_command() -> None:
    league = books()
    Period.objects.filter(key="2024-04", ladder__slug="month")._raw_delete("default")
    League.objects.filter(pk=league.pk).update(time_zone="Mars/Olympus")
    found = verify_league(league.pk).differences
    assert found == [
        "The time zone “Mars/Olympus” is not known here (any more); choose another in the league's settings."
    ]
