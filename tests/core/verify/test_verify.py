"""``verify`` finds and names every corruption that is planted behind the services' back."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F

from league.core.verify.run import verify_league
from league.models import (  # fmt: skip
    Edition,
    Game,
    InitialRating,
    League,
    Period,
    Player,
    Rating,
    RatingChange,
    Result,
    Rule,
    Standing,
)
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import duel, tables, utc
from tests.helpers.shared import built_once
from tests.helpers.tiers import mark_slow
from tests.helpers.verify_builders import (
    ANNA,
    build_editions,
    free_editions,
    league_row,
    march,
    raw_delete,
    set_edition,
    set_line,
    set_standing,
)

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("built"), pytest.mark.django_db]


built = built_once(build_editions)


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


def second_line() -> None:
    """Plant a second line of a game's first seat."""
    line = RatingChange.objects.get(number=1, seat=1)
    line.pk, line.games = None, 7
    line.save(force_insert=True)


def facts(**fields: Any) -> Callable[[], object]:
    """Return what changes the first game behind the history's back."""
    return lambda: Game.objects.filter(number=1).update(**fields)


def no_game() -> None:
    """Delete the last game and leave its lines."""
    raw_delete(lambda: Result.objects.filter(game__number=3))()
    raw_delete(lambda: Game.objects.filter(number=3))()


def one_more_result() -> None:
    """Plant a third result of the first game."""
    game, cleo = Game.objects.get(number=1), Player.objects.get(handle="cleo")
    Result.objects.create(league=game.league, game=game, seat=3, player=cleo, score=0)


def another_start() -> None:
    """Plant the start of a player who has played."""
    InitialRating.objects.create(league=League.objects.get(), player=Player.objects.get(handle="dan"), rating=1600.0)


def moved_line(number: int, seat: int) -> Callable[[], object]:
    """Return what moves a line up by a point: it still adds up, and its change is what it was."""
    lines = RatingChange.objects.filter(number=number, seat=seat)
    return lambda: lines.update(before=F("before") + 1, after=F("after") + 1)


ANNA_AGAIN = "The rating change of anna in game 2 (seat 2, the player's game 2)"
CLEO = "The rating change of cleo in game 2 (seat 1, the player's game 1)"
DAN = "The rating change of dan in game 3 (seat 1, the player's game 1)"
#: What is planted, and how the sentence that names it begins.
CORRUPTIONS: dict[str, tuple[Callable[[], object], str]] = {
    "a rating": (
        lambda: Rating.objects.filter(player__handle="anna").update(rating=F("rating") + 1e-12 * 1e3),
        "The rating of anna is rating 1",
    ),
    "a missing rating": (
        raw_delete(lambda: Rating.objects.filter(player__handle="ben")), "The rating of ben is missing.",
    ),
    "a history line": (set_line(2, after=1234.5), f"{CLEO} is after 1234.5; it must be after 1"),
    "a missing line": (
        raw_delete(lambda: RatingChange.objects.filter(number=1, seat=1)),
        f"{ANNA} is missing.",
    ),
    "a line twice": (
        second_line, "The rating change of anna in game 1 (seat 1, the player's game 7) must not exist.",
    ),
    "another player's line": (
        lambda: RatingChange.objects.filter(number=3, seat=1).update(player=Player.objects.get(handle="cleo"), games=9),
        f"{DAN} is missing.",
    ),
    "a score": (set_standing(score=7.0), "The standing of anna in month, 2024-03 is"),
    "a missing standing": (
        raw_delete(lambda: Standing.objects.filter(period=march(), player__handle="anna")),
        "The standing of anna in month, 2024-03 is missing.",
    ),
    "a standing too many": (
        lambda: Standing.objects.create(
            league=League.objects.get(), period=march(), player=Player.objects.get(handle="cleo"), score=9.0, games=1
        ),
        "The standing of cleo in month, 2024-03 must not exist.",
    ),
    "open": (lambda: Period.objects.filter(closed=True).update(closed=False), "The period month, 2024-03 is"),
    "a missing period": (
        raw_delete(lambda: Period.objects.filter(key="2024-04", ladder__slug="month")),
        "The period month, 2024-04 is missing.",
    ),
    "a period's time": (
        lambda: Period.objects.filter(closed=True).update(ends_at=F("ends_at") - timedelta(hours=1)),
        "The period month, 2024-03 has other times than in edition 2",
    ),
    "a document": (set_edition(document="{}"), "Edition 1 of month 2024-03 does not match the SHA-256"),
    "winners": (set_edition(winners=[]), "Edition 1 of month 2024-03 disagrees with its own ranking."),
    "a number": (set_edition(number=4), "Edition 4 of month 2024-03 disagrees with its own document."),
    "not canonical": (rehashed('"edition":1', '"edition": 1'), "Edition 1 of month 2024-03 is not canonical JSON."),
    "no JSON": (rehashed("}", ""), "Edition 1 of month 2024-03 is not a valid edition document."),
    "an edition without its ranking": (
        rehashed('"standings"', '"standing"'), "Edition 1 of month 2024-03 is not a valid edition document.",
    ),
    "a missing first edition": (no_edition(1), "Edition 1 of month 2024-03 is missing, but is recorded in entry"),
    "a missing last edition": (no_edition(2), "The period month, 2024-03 is"),
    "a cause": (set_line(1, cause="pool"), f"{ANNA} is another cause; it must be the cause of its step."),
    "no history": (raw_delete(RatingChange.objects.all), f"{ANNA} is missing."),
    "a broken chain": (moved_line(2, 2), f"{ANNA_AGAIN} is before 1517.0, after "),
    "a false beginning": (
        moved_line(1, 1), f"{ANNA} is before 1501.0, after 1517.0; it must be before 1500.0, after 1516.0.",
    ),
    "another start": (another_start, f"{DAN} is before 1500.0, "),
    "a gap": (lambda: Game.objects.filter(number=3).update(number=7), "Game 3 is missing, but was recorded in entry"),
    "a number that is handed out": (league_row(last_number=4), "The league's last game is stored as 4, but is 3."),
    "a void game": (facts(voided_at=utc("2024-05-01")), f"{ANNA} must not exist."),
    "a game that is gone": (no_game, f"{DAN} must not exist."),
    "a result too many": (one_more_result, "Game 1 has the seats 1, 2, 3; entry"),
    "no rule": (raw_delete(Rule.objects.all), f"{ANNA} must not exist."),
    "a rating of nobody": (
        lambda: Rating.objects.filter(player__handle="anna").update(player=987654),
        "The rating of no player (987654) must not exist.",
    ),
    "a mark without work": (
        league_row(stale_from=utc("2031-01-01")),
        "A recalculation from 2031-01-01 00:00 UTC is due, but there is no game then.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", mark_slow(CORRUPTIONS, "Another figure.", but=[*CORRUPTIONS][::3]))
def test_every_corruption_is_found_and_named(name: str) -> None:
    league = League.objects.get(slug="club")
    plant, sentence = CORRUPTIONS[name]
    plant()
    before = tables()
    found = verify_league(league.pk).differences
    assert any(one.startswith(sentence) for one in found), found
    assert tables() == before


def test_books_that_are_right_say_so_and_nothing_is_written() -> None:
    league = League.objects.get(slug="club")
    before = tables()
    verdict = verify_league(league.pk)
    # 3 games of 2, 4 ratings, 2 ladders of 3 periods (the present one empty), and 3 + 2 standings in each.
    assert (verdict.games, verdict.rows, verdict.editions, verdict.differences) == (3, 6 + 4 + 6 + 10, 2, [])
    assert tables() == before


def test_many_differences_are_counted() -> None:
    league = make_league(slug="crowd", players=[f"p{index}" for index in range(26)])
    for index in range(0, 26, 2):
        record(league, duel(f"p{index}", f"p{index + 1}", "2024-03-10"))
    Rating.objects.update(peak=9999.0)
    found = verify_league(league.pk).differences
    assert (len(found), found[-1]) == (21, "6 more differences in the ratings.")


def test_the_command_lists_the_leagues_and_fails_where_something_differs() -> None:
    make_league(slug="other")
    out = StringIO()
    call_command("verify", stdout=out)
    assert "Club is right: 3 games, 26 rows, 2 editions and 11 entries of the log" in out.getvalue()
    assert "Other is right: 0 games, 0 rows, 0 editions and 2 entries of the log" in out.getvalue()
    Standing.objects.filter(period=march(), player__handle="anna").update(score=7.0)
    call_command("verify", "other", stdout=out)
    with pytest.raises(CommandError, match="1 difference found") as caught:
        call_command("verify", "club", stdout=out)
    assert caught.value.returncode == 1
    assert "Club differs: " in out.getvalue()
    assert "  The standing of anna in month, 2024-03 is" in out.getvalue()
    Rating.objects.filter(player__handle="ben").update(peak=9999.0)
    with pytest.raises(CommandError, match="2 differences found"):
        call_command("verify", stdout=out)
    with pytest.raises(CommandError, match="no league “moon”"):
        call_command("verify", "moon", stdout=out)


def test_a_time_zone_that_is_gone_is_a_sentence_of_the_command() -> None:
    league = League.objects.get(slug="club")
    Period.objects.filter(key="2024-04", ladder__slug="month")._raw_delete("default")
    League.objects.filter(pk=league.pk).update(time_zone="Mars/Olympus")
    found = verify_league(league.pk).differences
    assert found == [
        "The league has time_zone “Mars/Olympus”; its log has “UTC”.",
        "The time zone “Mars/Olympus” is unknown; choose another in the league's settings.",
    ]
