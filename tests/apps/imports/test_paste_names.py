"""Whom the names of a paste mean: found by any clear form, asked about where not, and nobody who may not be seen."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.core.accounts.services.members import set_member
from league.core.players.services.players import add_player
from league.models import Membership, Player, Result
from tests.helpers.builders import league_of, make_league, record, rename, sheet
from tests.helpers.desk_client import page_messages, page_text
from tests.helpers.paste_builders import PASTE, fields, press, shown, states
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]


NAMES = [
    ("ANNA", "Anna Berg", "handle"),
    ("Anna Berg", "Anna Berg", "name"),
    ("Nils", "Nils Takács", "unique first name"),
    ("takacs", "Nils Takács", "unique surname"),
    ("N. Takács", "Nils Takács", "initial"),
    ("Nils T.", "Nils Takács", "initial"),
    ("Takács, Nils", "Nils Takács", "surname first"),
    ("nils takacs", "Nils Takács", "accents"),
]


def build() -> None:
    """Make a league whose people have played."""
    league = make_league(players=())
    for handle, name in (("anna", "Anna Berg"), ("nt", "Nils Takács"), ("k1", "Kim Berg"), ("k2", "Kim Olsen")):
        add_player(handle, name)
    for one, two in (("anna", "nt"), ("k1", "k2")):
        record(league, sheet((one, two), (1, 0)))


built = built_once(build)


@long_way
def test_a_name_is_known_by_any_clear_form(olga: Client) -> None:
    for text, name, how in NAMES:
        page = shown(olga, f"7.3.2024\t{text}\t1\tKim Olsen\t0")
        first = page.context["paste"].names[0]
        assert (first.match.name, first.match.how) == (name, how)
        assert states(page) == ["new"]


def test_unclear_names_are_asked_about_and_each_answer_is_kept(olga: Client) -> None:
    page = shown(olga, "7.3.2024;Kim;1;Nills;0\n7.3.2024;Zoë Quist;1;Berg;0")
    assert page.context["why"] == "Match 4 names."
    assert "Answer 4 questions first. Record 2 games" in page_text(page)
    near = {name.text: [who for _, who in name.match.near] for _, name in page.context["to_decide"]}
    assert near["Kim"] == ["Kim Berg", "Kim Olsen"]
    assert near["Nills"] == ["Nils Takács"]
    assert near["Berg"] == ["Anna Berg", "Kim Berg"]
    for name, handle in (("Kim", "k2"), ("Nills", "nt"), ("Zoë Quist", "+"), ("Berg", "anna")):
        number = next(number for number, one in page.context["to_decide"] if one.text == name)
        page = press(olga, page, pick=f"{number}:{handle}")
    assert page.context["why"] == ""
    page = press(olga, page, _record="")
    assert page_messages(page) == "2 games were recorded: 3–4. 1 player was added."
    rows = Result.objects.filter(game__number__gt=2).order_by("game__number", "seat")
    assert list(rows.values_list("player__name", flat=True)) == ["Kim Olsen", "Nils Takács", "Zoë Quist", "Anna Berg"]


def test_somebody_else_is_found_or_named_as_nobody(olga: Client) -> None:
    page = shown(olga, "7.3.2024;Nils;1;Anna;0")
    data = fields(page)
    data["is"][0] = "Kim Olsen"
    page = olga.post(PASTE, data)
    assert [name.match.handle for name in page.context["paste"].names] == ["k2", "anna"]
    data["is"][0] = "Nobody"
    page = olga.post(PASTE, data)
    assert "No player here is called “Nobody”." in page.content.decode()
    assert states(page) == ["asked"]


@long_way
def test_all_whom_nobody_resembles_are_added_at_once(olga: Client) -> None:
    page = shown(olga, "7.3.2024;Xaver;1;Yolanda;0")
    assert states(page) == ["asked"]
    page = press(olga, page, all_new=page.context["text_key"])
    assert states(page) == ["new"]
    # Of another text nobody has said so.
    other = olga.post(PASTE, {**fields(page), "text": "7.3.2024;Xaver;1;Zelda;0"})
    assert [name.text for name in other.context["paste"].undecided_names] == ["Zelda"]
    press(olga, page, _record="")
    assert set(Player.objects.order_by("-pk").values_list("name", flat=True)[:2]) == {"Xaver", "Yolanda"}


def test_nobody_is_told_of_people_whom_they_may_not_see(client: Client) -> None:
    secret = make_league(players=("secretia",), slug="hidden", visibility="private")
    add_player("other", "Other One")
    record(secret, sheet(("secretia", "other"), (1, 0)))
    league = league_of()
    rita = User.objects.create_user("rita")
    set_member(league.pk, "rita", Membership.Role.RECORDER)
    client.force_login(rita)
    page = shown(client, "7.3.2024;secretia;1;anna;0")
    (_, one), *_ = page.context["to_decide"]
    assert (one.text, one.match.near) == ("secretia", ())
    assert "Other" not in page.content.decode()
    page = press(client, page, pick="0:secretia")
    assert "No player here is called “secretia”." in page.content.decode()
    page = press(client, page, pick="0:+")
    press(client, page, _record="")
    assert Result.objects.get(game__league=league, game__number=3, seat=1).player.handle != "secretia"


def test_several_of_one_name_are_offered_by_handle_and_nobody_new_is_added(olga: Client) -> None:
    rename("Kim Berg", "k2")
    text = "7.3.2024;Kim Berg;1;Anna Berg;0"
    page = shown(olga, text)
    assert states(page) == ["asked"]
    assert "Kim Berg (k1)" in page_text(page)
    assert "Kim Berg (k2)" in page_text(page)
    assert "Add Kim Berg as a new player" not in page_text(page)
    ((number, _name),) = page.context["to_decide"]
    assert states(press(olga, page, pick=f"{number}:+")) == ["asked"]
    assert states(press(olga, page, pick=f"{number}:k2")) == ["new"]
