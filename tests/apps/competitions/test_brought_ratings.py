"""Ratings that entries brought along become initial ratings, if the organiser says so at the start."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.organiser.entry_lines import parse_entry_lines
from league.apps.competitions.services.competitions import start_competition
from league.apps.competitions.services.entries import NewEntry, add_entries
from league.core.accounts.services.members import set_member
from league.core.errors import Refused
from league.core.verify.run import verify_league
from league.models import InitialRating, League, LogEntry
from tests.helpers.api_client import Api
from tests.helpers.builders import league_of, make_league, ratings, record, sheet
from tests.helpers.competition_builders import enter, make_competition
from tests.helpers.competition_desk import send, sign_in

pytestmark = pytest.mark.django_db
ONE = "/admin/leagues/club/competitions/cup/"


def club(system: str = "elo") -> League:
    """Anna and Ben bring ratings; Cleo has played, Dan has an initial rating, Eva brings none."""
    league = make_league(system, ("anna", "ben", "cleo", "dan", "eva"), starts={"dan": 1700})
    record(league, sheet(("cleo", "eva"), (1, 0)))
    make_competition(league, "swiss", rounds=3)
    brought = {"anna": 2105, "ben": 1650, "cleo": 1999, "dan": 1888}
    add_entries(league.pk, "cup", [NewEntry([name], rating=rating) for name, rating in brought.items()], by="olga")
    enter(league, "eva")
    return league


def read_initial(league: League) -> dict[str, float]:
    return dict(InitialRating.objects.filter(league=league).values_list("player__handle", "rating"))


@pytest.mark.parametrize("used", [False, True])
def test_ratings_are_used_only_if_wanted_and_only_of_players_without_any(used: bool) -> None:
    league = club()
    start_competition(league.pk, "cup", by="olga", use_ratings=used)
    added = {"anna": 2105.0, "ben": 1650.0} if used else {}
    assert read_initial(league) == {"dan": 1700.0, **added}
    assert LogEntry.objects.filter(league=league, kind=LogEntry.Kind.START_SET).count() == 1 + len(added)
    record(league, sheet(("anna", "ben"), (0, 1)))
    assert (ratings(league)["anna"] > 2000) == used
    assert verify_league(league.pk).state == "is right"


def test_a_rating_that_the_system_does_not_allow_is_refused_with_the_entry_and_nothing_starts() -> None:
    league = club("glicko2")
    (finn,) = add_entries(league.pk, "cup", [NewEntry(["finn"])], by="olga", create_players=True)
    # More than can be typed, as a restored competition may have it.
    Entry.objects.filter(pk=finn.pk).update(rating=32000)
    with pytest.raises(Refused) as error:
        start_competition(league.pk, "cup", by="olga", use_ratings=True)
    assert [one.pointer for one in error.value.problems] == ["/entries/6/rating"]
    assert read_initial(league) == {"dan": 1700.0}
    assert Competition.objects.get().status == "open"


@pytest.mark.parametrize("role", ["arbiter", "organiser"])
def test_the_page_offers_it_to_organisers(role: str) -> None:
    league = club()
    User.objects.create_user("arno")
    set_member(league.pk, "arno", role)
    browser = Client()
    browser.force_login(User.objects.get(username="arno"))
    page = browser.get(ONE).content.decode()
    assert ('name="use_ratings"' in page) == (role == "organiser")
    answer = browser.post(ONE, {"step": "start", "use_ratings": "1"})
    assert answer.status_code == (403 if role == "arbiter" else 302)
    assert (read_initial(league) == {"dan": 1700.0}) == (role == "arbiter")


def test_the_api_takes_the_choice_from_organisers() -> None:
    league = club()
    address = "leagues/club/competitions/cup/start/"
    api = Api("organise")
    assert api.post(address, {"use_ratings": "yes"}).status_code == 400
    assert api.post(address, {"use_ratings": True}).status_code == 200
    assert read_initial(league) == {"anna": 2105.0, "ben": 1650.0, "dan": 1700.0}


@pytest.mark.parametrize("rating", ["10000", "99999", "18.5", "-1", "²"])
def test_a_rating_out_of_range_is_refused_with_the_range(rating: str) -> None:
    lines, problems = parse_entry_lines(f"Anna; 9999\nBen; {rating}", range(1, 2))
    assert [line.new.row.rating for line in lines] == [9999]
    assert problems == [f"Line 2: the rating “{rating}” must be a whole number from 0 to 9999."]


def test_pasted_entries_with_errors_lead_to_their_field() -> None:
    browser = sign_in()
    make_competition(league_of())
    page = send(browser, "/admin/leagues/club/competitions/cup/entries/", lines="Anna; 99999")
    assert 'href="#id_lines"' in page and 'id="id_lines"' in page
