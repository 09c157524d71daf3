"""What runs or ends soon in a league, in one line of the first page; asked at once for many leagues."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from league.apps.competitions.models import Competition
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.models import League
from league.web.public.front_notes import load_front_notes
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.competition_builders import make_competition, start

pytestmark = pytest.mark.django_db
#: The zone of the league is UTC: March ends with this midnight.
END_OF_MARCH = datetime(2024, 4, 1, tzinfo=UTC)
PLAYERS = ("anna", "ben", "cleo", "dan")


def texts(now: datetime) -> dict[str, str]:
    """Return slug -> first note, and how many more there are."""
    found = list(League.objects.order_by("slug"))
    slugs = {league.pk: league.slug for league in found}
    notes = load_front_notes(found, now)
    return {slugs[pk]: f"{note.first.text} {note.more}" for pk, note in notes.items()}


def make_monthly(slug: str = "club", **settings: Any) -> League:
    """Make a league with a game in March and a ladder of months."""
    league = make_league(slug=slug, **settings)
    record(league, sheet(("anna", "ben"), scores=(1, 0), played_at=EVENING))
    create_ladder(league.pk, "month", "Points", RankingRule("points", "month"), username="test")
    return league


@pytest.mark.parametrize(
    ("before_end", "text"),
    [
        (timedelta(days=3, minutes=1), None),
        (timedelta(days=2, hours=23), "March 2024 ends in 2 days 0"),
        (timedelta(days=1, minutes=1), "March 2024 ends tomorrow 0"),
        (timedelta(hours=23), "March 2024 ends today 0"),
        (timedelta(minutes=1), "March 2024 ends today 0"),
        (timedelta(0), "March 2024 has ended and closes soon 0"),
        (timedelta(days=-3), None),
    ],
)
def test_a_period_is_announced_before_its_end(before_end: timedelta, text: str | None) -> None:
    make_monthly()
    assert texts(END_OF_MARCH - before_end).get("club") == text


def test_a_period_that_is_closed_by_hand_does_not_close_soon() -> None:
    make_monthly(closing=League.Closing.BY_HAND)
    assert texts(END_OF_MARCH) == {"club": "March 2024 has ended 0"}


def test_what_runs_comes_before_what_ends_and_the_rest_is_counted(client: Client) -> None:
    league = make_monthly()
    make_competition(league, "swiss", rounds=3, title="Spring open")
    start(league, PLAYERS)
    make_competition(league, "round_robin", "cup-2")
    start(league, PLAYERS, "cup-2")
    league.refresh_from_db()
    newest = Competition.objects.get(slug="cup-2")
    # A competition and a period are left, which stand together on the board alone.
    assert load_front_notes([league], END_OF_MARCH)[league.pk].more_address == ""
    found = load_front_notes([league], END_OF_MARCH - timedelta(days=9))[league.pk]
    assert (found.more, found.more_address) == (1, "/leagues/club/competitions/")
    assert newest.round_rows.filter(published_at__isnull=False).count() == 3
    assert texts(END_OF_MARCH - timedelta(days=1)) == {"club": "Cup-2, round 1 of 3 2"}
    meet = newest.fixtures.filter(round__number=1)
    assert meet.count() == 2
    for fixture in meet:
        seats = [seat.entry.players.get().player.handle for seat in fixture.seats.order_by("seat")]
        record(league, sheet(seats, scores=(1, 0), played_at=EVENING + timedelta(days=1)))
    assert texts(END_OF_MARCH - timedelta(days=1)) == {"club": "Cup-2, round 2 of 3 2"}
    board = " ".join(client.get("/leagues/club/").content.decode().split())
    assert '>Cup-2</a>: <b class="nowrap">round 2 of 3</b>' in board
    newest.status = Competition.Status.FINISHED
    newest.save()
    assert texts(END_OF_MARCH) == {"club": "Spring open 1"}
    page = client.get("/?all").content.decode()
    assert '<a href="/leagues/club/competitions/cup/">Spring open</a>' in page


def test_many_leagues_are_asked_at_once(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(3):
        league = make_monthly(f"club-{number}")
        make_competition(league, "round_robin", "cup")
        start(league, PLAYERS)
    found = list(League.objects.all())
    for some in (found[:1], found):
        with django_assert_num_queries(2):
            assert len(load_front_notes(some, END_OF_MARCH)) == len(some)
    with django_assert_num_queries(0):
        assert load_front_notes([], END_OF_MARCH) == {}
