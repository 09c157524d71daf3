"""What stands in the books is the same whatever language its writer reads: the log, the editions, rankings, answers."""

from typing import Any

import pytest
from django.test import override_settings
from django.utils import translation

from league.core.ladders.services.decisions import advance
from league.models import Edition, LogEntry, Period, Standing
from tests.helpers.builders import make_league, sheet
from tests.helpers.ladder_builders import clock, duel, make_ladder, record_as_played, utc

pytestmark = pytest.mark.django_db


def books(slug: str, language: str) -> dict[str, Any]:
    """Return what stands in the books of a league whose games and closed month were written in a language."""
    with translation.override(language):
        with clock(utc("2024-03-01")):
            league = make_league(slug=slug)
            make_ladder(league, win=3, draw=1, minimum=2)
        draw = sheet(("ben", "cleo"), (0.5, 0.5), played_at=utc("2024-03-31T19:00"))
        record_as_played(league, duel("anna", "ben", "2024-03-10"), draw, duel("dan", "anna", "2024-04-02"))
        advance(league.pk, utc("2024-04-30"))
    standings = Standing.objects.filter(period__ladder__league=league).order_by("period__key", "player__handle")
    (edition,) = Edition.objects.filter(ladder__league=league)
    return {
        "periods": list(Period.objects.filter(ladder__league=league).order_by("key").values_list("key", "title")),
        "standings": list(standings.values_list("period__key", "player__handle", "score", "why_not")),
        "edition": edition.document.replace(f'"league":"{slug}"', '"league":""'),
        "ranking": edition.standings_sha256,
        "log": list(
            LogEntry.objects.filter(league=league).exclude(kind="league.created").values_list("kind", "by", "payload")
        ),
    }


@override_settings(RUNGS_INLINE_GAMES=1000)
def test_books_written_while_german_is_read_are_those_written_while_english_is_read() -> None:
    english, german = books("english", "en"), books("german", "de")
    assert english["periods"] == [("2024-03", "March 2024"), ("2024-04", "April 2024")]
    assert english["standings"][0] == ("2024-03", "anna", 3.0, "1 of 2 games played; 1 to go.")
    for what, said in english.items():
        if what == "log":
            said = [one for one in said if one[0] != "edition.published"]
            german[what] = [one for one in german[what] if one[0] != "edition.published"]
        assert german[what] == said, what
