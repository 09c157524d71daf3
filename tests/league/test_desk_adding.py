"""A player is added at the desk before the first game: whoever may be meant is shown first, and nobody is told more."""

from typing import Any

import pytest
from django.test import Client

from league.models import InitialRating, League, LogEntry, Membership, Player
from league.services.players.players import add_player
from league.services.verify.run import verify_league
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import ONCE_KEY, page_messages, page_text, sign_in_member
from tests.helpers.ladder_builders import tables

pytestmark = pytest.mark.django_db

ADD, PEOPLE = "/admin/leagues/club/people/add/", "/admin/leagues/club/people/"


@pytest.fixture
def omar() -> Client:
    """Return the browser of the organiser of a league in which Vera Novak and Ben played."""
    league = make_league(players=("ben",))
    add_player("vera", "Vera Novak", ["Verica"])
    record(league, sheet(("vera", "ben"), (1, 0)))
    return sign_in_member("omar", Membership.Role.ORGANISER, league)


def near(page: Any) -> list[tuple[str, str]]:
    """Return whom a page takes for perhaps meant, and why."""
    return [(line.player.handle, why) for line, why in page.context["near"]]


def test_a_player_is_added_once_by_a_name_alone(omar: Client) -> None:
    assert f'href="{ADD}"' in omar.get(PEOPLE).content.decode()
    assert "Add a player" in page_text(omar.get(ADD))
    sent = {"name": "Zoë  Quist", "handle": "", "initial_rating": "", "once": ONCE_KEY}
    done = omar.post(ADD, sent, follow=True)
    assert done.redirect_chain == [(PEOPLE, 302)]
    assert page_messages(done).startswith("Zoë Quist (zoe-quist) is added, and offered on the pad.")
    assert page_messages(omar.post(ADD, {**sent, "_sure": "1"}, follow=True)) == page_messages(done)
    assert "says something else now" in page_text(omar.post(ADD, {**sent, "name": "Udo Quist", "_sure": "1"}))
    player = Player.objects.get(handle="zoe-quist")
    assert (player.name, player.active) == ("Zoë Quist", True)
    assert set(player.aliases.values_list("text", flat=True)) == {"Zoë  Quist", "zoe-quist"}
    assert Player.objects.count() == 3
    assert "Zoë Quist" in omar.get("/admin/leagues/club/record/").content.decode()


@pytest.mark.parametrize(
    ("name", "handle", "why"),
    [
        ("Vera Novák", "vera", "the same name"),
        ("Novak Vera", "vera", "the same name"),
        ("Vera Novak", "vera", "the same name"),
        ("Vera Nowak", "vera", "one letter apart"),
        ("VERICA", "vera", "found by this spelling"),
        ("vera", "vera", "found by this spelling"),
    ],
)
def test_whoever_may_be_meant_is_shown_before_anything_is_written(
    omar: Client, name: str, handle: str, why: str
) -> None:
    before = tables()
    page = omar.post(ADD, {"name": name})
    assert near(page) == [(handle, why)]
    assert "Is it one of these?" in page_text(page)
    assert "Vera Novak vera, 1 game here" in page_text(page)
    assert page.context["form"]["name"].value() == name
    assert tables() == before
    done = omar.post(ADD, {"name": name, "handle": "vera.2", "_sure": "1"}, follow=True)
    assert page_messages(done).startswith(f"{name} (vera.2) is added")
    # A spelling that leads to somebody leads there still.
    assert Player.objects.get(aliases__text="Verica").handle == "vera"


def test_a_start_is_set_with_them_and_stands_in_the_log(omar: Client) -> None:
    done = omar.post(ADD, {"name": "Zoe Quist", "initial_rating": "1725.5"}, follow=True)
    assert "They start at 1725.5." in page_messages(done)
    start = InitialRating.objects.get()
    assert (start.player.handle, start.rating) == ("zoe-quist", 1725.5)
    assert LogEntry.objects.latest("pk").kind == "initial_rating.set"
    assert LogEntry.objects.latest("pk").by == "omar"
    assert "zoe-quist" in omar.get(PEOPLE).content.decode()
    assert omar.get(f"{PEOPLE}players/zoe-quist/").status_code == 200
    assert verify_league(League.objects.get().pk).differences == []


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ({"name": " "}, "name", "They need a name."),
        ({"name": "Zo\u200be"}, "name", "A name must not hold control or invisible characters."),
        ({"name": "Zoe", "handle": "zo e"}, "handle", "A handle has 1 to 64 letters"),
        ({"name": "Zoe", "handle": "BEN"}, "handle", "“BEN” already means Ben (ben)."),
        ({"name": "Zoe", "initial_rating": "1e9"}, "initial_rating", "knows ratings from"),
        ({"name": "Zoe", "initial_rating": "much"}, "initial_rating", ""),
    ],
)
def test_who_cannot_be_added_is_refused_at_the_field_and_nothing_is_written(
    omar: Client, given: dict[str, str], field: str, said: str
) -> None:
    before = tables("RequestKey")
    page = omar.post(ADD, given)
    assert "Nobody was added." in page_text(page)
    assert said in " ".join(page.context["form"].errors[field])
    assert page.context["form"][field].value() == given[field]
    assert tables("RequestKey") == before


def test_a_league_without_a_rule_asks_for_no_start(omar: Client) -> None:
    League.objects.get().rules.all().delete()
    assert "initial_rating" not in omar.get(ADD).context["form"].fields
    assert "is added" in page_messages(omar.post(ADD, {"name": "Zoe Quist"}, follow=True))


def test_nobody_of_a_private_league_is_told_by_a_name_like_theirs(omar: Client) -> None:
    hidden = make_league(slug="hidden", players=("ben",), visibility="private")
    add_player("mata", "Mata Hari", ["Margaretha"])
    record(hidden, sheet(("mata", "ben"), (1, 0)))
    for name in ("Mata Hary", "Margaretha"):
        before = Player.objects.count()
        done = omar.post(ADD, {"name": name}, follow=True)
        assert page_messages(done).startswith(name)
        assert Player.objects.count() == before + 1
    refused = omar.post(ADD, {"name": "Greta", "handle": "mata"})
    assert refused.context["form"].errors["handle"] == ["“mata” is taken."]
    League.objects.filter(slug="club").update(visibility="private")
    assert "This league is private." in page_text(omar.get(ADD))
