"""The face of a league: its colour and its emblem, from the slug or as the owners choose, everywhere the same."""

import json
import re
from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from league.core.accounts.services.members import set_member
from league.core.transfer.selectors.exports import export_lines
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import League, LogEntry
from league.models.emblem_names import COLOURS
from league.web.public.emblem import CHARGES, DIVISIONS, get_emblem
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.desk_client import bound_fields
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

PAGE, DESK = "/leagues/club/", "/admin/leagues/club/settings/"


@pytest.fixture
def owner(client: Client) -> Client:
    """Return a browser in which an owner is signed in."""
    olga = User.objects.create_user("olga")
    set_member(make_league().pk, "olga", "owner")
    client.force_login(olga)
    return client


def hue_of(page: Any) -> str:
    """Return the hue of a page."""
    found = re.search(r'<html lang="en"[^>]*class="[^"]*hue-(\d+)', page.content.decode())
    assert found is not None
    return found[1]


def test_a_league_that_chose_nothing_has_what_the_hash_of_its_slug_says() -> None:
    # sha256("barbu") = e9 2a 2d…, sha256("club") = cc 25 85…; 7 divisions, 9 charges, 12 hues.
    for slug, division, charge, hue in (("barbu", 2, 6, 10), ("club", 1, 1, 2)):
        drawn = get_emblem(slug)
        assert (drawn.division, drawn.charge, drawn.hue) == (DIVISIONS[division], CHARGES[charge], hue)
        assert get_emblem(League(slug=slug)) == drawn


def test_what_is_chosen_is_drawn_and_the_rest_stays_from_the_slug() -> None:
    league = League(slug="club", colour="teal", charge="anchor")
    drawn = get_emblem(league)
    assert (drawn.division.key, drawn.charge.key, drawn.hue) == ("pale", "anchor", 7)
    # A site that went back to an older version may hold a word that this one does not know.
    assert get_emblem(League(slug="club", colour="octarine", division="per saltire")) == get_emblem("club")


def test_there_is_one_word_for_each_and_none_twice() -> None:
    colours, divisions, charges = [key for key, _ in COLOURS], [d.key for d in DIVISIONS], [c.key for c in CHARGES]
    for keys, many in ((colours, 12), (divisions, 7), (charges, 16)):
        assert len(set(keys)) == len(keys) == many
        assert all(re.fullmatch("[a-z]{3,12}", key) for key in keys)


@long_way
def test_an_owner_chooses_and_every_page_has_it(owner: Client) -> None:
    before = hue_of(owner.get(PAGE))
    page = owner.get(DESK)
    assert 'name="colour" value="auto" checked' in page.content.decode()
    done = owner.post(DESK, bound_fields(page, colour="blue", charge="cup"), follow=True)
    assert [str(one) for one in done.context["messages"]] == ["Changed: colour, symbol."]
    assert 'name="colour" value="blue" checked' in done.content.decode()
    entry = LogEntry.objects.order_by("position").last()
    assert entry is not None
    assert json.loads(entry.payload) == {"colour": "blue", "charge": "cup"}
    assert (before, hue_of(owner.get(PAGE)), hue_of(owner.get(DESK))) == ("2", "9", "9")
    cup = next(one.path for one in CHARGES if one.key == "cup")
    for path in (PAGE, DESK, "/?all", f"{PAGE}wall/", f"/embed{PAGE}", f"{PAGE}emblem.svg"):
        assert cup in owner.get(path).content.decode()
    assert "#124a89" in owner.get(f"{PAGE}emblem.svg").content.decode()
    owner.post(DESK, bound_fields(owner.get(DESK), colour="auto", charge="auto"))
    assert hue_of(owner.get(PAGE)) == "2"


def test_a_choice_that_there_is_not_is_refused(owner: Client) -> None:
    refused = owner.post(DESK, bound_fields(owner.get(DESK), colour="octarine", title="Another"))
    assert "Nothing was changed." in refused.content.decode()
    assert refused.context["form"].errors["colour"]
    assert League.objects.get().title == "Club"


def test_the_choice_goes_through_the_api_and_into_an_export_and_back() -> None:
    league = make_league()
    chosen = {"colour": "plum", "division": "chief", "charge": "die"}
    api = Api("organise")
    assert api.patch("leagues/club/", chosen).status_code == 200
    answer = Api().get("leagues/club/").data
    assert {name: answer[name] for name in chosen} == chosen
    refused = api.patch("leagues/club/", {"colour": "octarine"})
    assert (refused.status_code, refused.data["errors"][0]["pointer"]) == (400, "/colour")
    lines = list(export_lines(league.pk, timezone.now(), aliases=True))
    copy = restore_league(BytesIO("".join(f"{line}\n" for line in lines).encode()), slug="copy", by="olga").league
    assert (copy.colour, copy.division, copy.charge) == ("plum", "chief", "die")
    assert verify_league(copy.pk).differences == []
