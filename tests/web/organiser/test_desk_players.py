"""A league's players at its desk: listed, found, renamed, spelled, put aside; nobody is told what they may not know."""

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User

from league.core.accounts.services.members import set_member
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player, change_player, set_active
from league.models import Inactive, League, LogEntry, Player
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import browser_of, sign_in_member
from tests.helpers.tiers import long_way

PEOPLE = "/admin/leagues/club/people/"
ANNA = f"{PEOPLE}players/anna/"

pytestmark = pytest.mark.django_db


def club() -> League:
    """Return a league in which two played, with members; Cleo played in another one."""
    league = make_league(players=("anna", "ben", "cleo"))
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(make_league(slug="away"), sheet(("cleo", "dan"), (1, 0)))
    sign_in_member("olga", "organiser", league)
    return league


def rows(page: Any) -> list[str]:
    """Return the handles that a page lists."""
    return [line.player.handle for line in page.context["roster"].lines]


@long_way
def test_players_are_listed_and_found_by_every_spelling() -> None:
    league = club()
    change_player(Player.objects.get(handle="anna"), name="Änne Świątek", aliases=["Nettie"])
    set_active(league.pk, Player.objects.get(handle="ben"), active=False)
    olga = browser_of("olga")
    page = olga.get(PEOPLE)
    assert sorted(rows(page)) == ["anna", "ben"], "who has not played here is not of this league"
    shown = page.content.decode()
    assert "anna · Nettie" in shown
    assert '<span class="tag">inactive</span>' in shown
    for text, found in (("NETTIE", ["anna"]), ("świą", ["anna"]), ("be", ["ben"]), ("cleo", []), ("\0", None)):
        assert rows(olga.get(PEOPLE, {"q": text})) == (["ben", "anna"] if found is None else found)
    assert "No player is called “cleo”." in olga.get(PEOPLE, {"q": "cleo"}).content.decode()


@long_way
def test_pages_are_read_kindly(monkeypatch: pytest.MonkeyPatch) -> None:
    club()
    olga = browser_of("olga")
    monkeypatch.setattr("league.web.organiser.players.PAGE_SIZE", 1)
    for page in ("1", "0", "x", "99999999", "²", "-1"):
        shown = olga.get(PEOPLE, {"page": page})
        assert rows(shown) == ["anna"], page
        assert 'href="?page=2#pl"' in shown.content.decode()
    second = olga.get(PEOPLE, {"page": "2", "q": "n"})
    assert rows(second) == ["ben"]
    assert 'href="?q=n&amp;page=1#pl"' in second.content.decode()


def test_a_player_is_renamed_spelled_and_put_aside_at_once() -> None:
    league = club()
    data = {"name": "Anna  Berg", "aliases": "Annie\n\n Nettie ", "active": ""}
    page = browser_of("olga").post(ANNA, data, follow=True)
    assert "Anna Berg was changed." in page.content.decode()
    anna = Player.objects.get(handle="anna")
    assert anna.name == "Anna Berg"
    assert set(anna.aliases.values_list("text", flat=True)) == {"anna", "Annie", "Nettie"}
    assert Inactive.objects.filter(league=league, player=anna).exists()
    told = LogEntry.objects.filter(kind=LogEntry.Kind.PLAYER_CHANGED)
    assert sorted(json.loads(one.payload)["given"] for one in told) == [["active"], ["aliases", "name"]]
    assert {one.by for one in told} == {"olga"}


def test_spellings_and_merged_people_stand_in_the_order_of_their_names() -> None:
    league = make_league(players=("anna", "ben", "cleo", "dan", "ewa"))
    User.objects.create_superuser("sara")
    anna = Player.objects.get(handle="anna")
    change_player(anna, aliases=["Zuzanna", "annie", "Nettie"])
    for handle, name in (("dan", "Mia"), ("cleo", "Tom"), ("ben", "Kim")):
        record(league, sheet((handle, "ewa"), (1, 0)))
        change_player(Player.objects.get(handle=handle), name=name)
        merge_players(Player.objects.get(handle=handle), anna, username="sara")
    page = browser_of("sara").get(ANNA)
    assert page.context["form"].initial["aliases"].split("\n") == ["annie", "Nettie", "Zuzanna"]
    assert [one.name for one in page.context["merged"]] == ["Kim", "Mia", "Tom"]


def test_what_is_as_it_was_is_not_written() -> None:
    club()
    change_player(Player.objects.get(handle="anna"), aliases=["Annie"])
    before = LogEntry.objects.count()
    data = {"name": "Anna", "aliases": "Annie", "active": "on"}
    assert browser_of("olga").post(ANNA, data).status_code == 302
    assert LogEntry.objects.count() == before


def test_the_same_form_twice_is_carried_out_once() -> None:
    club()
    olga = browser_of("olga")
    (key,) = re.findall(r'name="once" value="([0-9a-f]{32})"', olga.get(ANNA).content.decode())
    data = {"name": "Annie", "aliases": "", "active": "on", "once": key}
    for _ in range(2):
        assert olga.post(ANNA, data).status_code == 302
    assert LogEntry.objects.filter(kind=LogEntry.Kind.PLAYER_CHANGED).count() == 1
    other = olga.post(ANNA, {**data, "name": "Ann"})
    assert "This form has already been submitted with other contents." in other.content.decode()
    assert Player.objects.get(handle="anna").name == "Annie"


@long_way
def test_what_cannot_be_is_told_at_its_field_and_nothing_is_written() -> None:
    club()
    entries, olga = LogEntry.objects.count(), browser_of("olga")
    for changed, field, sentence in (
        ({"aliases": "Annie\nben"}, "aliases", "“ben” already means Ben (ben)."),
        ({"name": "a\u202eb"}, "name", "A name must not contain control or invisible characters."),
        ({"name": ""}, "name", "This field is required."),
    ):
        page = olga.post(ANNA, {"name": "Annie", "aliases": "", **changed})
        assert sentence in page.context["form"].errors[field]
        assert "Nothing was changed." in page.content.decode()
    assert Player.objects.get(handle="anna").name == "Anna"
    assert not Inactive.objects.exists()
    assert LogEntry.objects.count() == entries


@pytest.mark.parametrize(("role", "name", "spellings"), [("", False, False), ("recorder", True, False)])
def test_who_is_in_another_league_is_changed_by_whoever_has_the_right_there(
    role: str, name: bool, spellings: bool
) -> None:
    club()
    other = make_league(slug="secret", visibility="private", title="Secret")
    record(other, sheet(("anna", "ben"), (1, 0)))
    if role:
        set_member(other.pk, "olga", role)
    olga = browser_of("olga")
    shown = olga.get(ANNA).content.decode()
    assert ('name="name"' in shown, 'name="aliases"' in shown) == (name, spellings)
    assert "also plays in a league that you do not organise." in shown
    assert "Secret" not in shown.replace("club", "")
    assert olga.post(ANNA, {"name": "Annie", "aliases": "Nettie"}).status_code == 302
    anna = Player.objects.get(handle="anna")
    assert anna.name == ("Annie" if name else "Anna")
    assert [one.text for one in anna.aliases.all()] == ["anna"]
    assert [one.league.slug for one in Inactive.objects.all()] == ["club"], "what is this league's is theirs"


def test_who_is_not_of_the_league_is_not_there() -> None:
    league = club()
    olga = browser_of("olga")
    for handle in ("cleo", "nobody", "%00"):
        assert olga.get(f"{PEOPLE}players/{handle}/").status_code == 404
    record(league, sheet(("cleo", "anna"), (1, 0)))
    merge_players(Player.objects.get(handle="cleo"), Player.objects.get(handle="ben"), username="olga")
    assert olga.get(f"{PEOPLE}players/cleo/").status_code == 404
    assert f'href="{PEOPLE}players/cleo/unmerge/"' in olga.get(f"{PEOPLE}players/ben/").content.decode()


@long_way
def test_who_has_played_nowhere_yet_is_found_and_looked_after_before_their_first_game() -> None:
    club()
    add_player("zoe", "Zoo", ["Zee"])
    olga, zoe = browser_of("olga"), Player.objects.get(handle="zoe")
    address = f"{PEOPLE}players/zoe/"
    assert address not in olga.get(PEOPLE).content.decode()
    assert f'href="{address}"' in olga.get(PEOPLE, {"q": "zee"}).content.decode()
    page = olga.get(address)
    assert page.context["form"].initial == {"name": "Zoo", "aliases": "Zee", "active": True}
    assert ("Split off games" in page.content.decode(), "forget/" in page.content.decode()) == (False, False)
    entries = LogEntry.objects.count()
    olga.post(address, {"name": "Zoe", "aliases": "", "active": ""})
    zoe.refresh_from_db()
    assert (zoe.name, zoe.active, zoe.aliases.count(), Inactive.objects.exists()) == ("Zoe", False, 1, False)
    assert olga.get(address).context["form"].initial["active"] is False
    assert LogEntry.objects.count() == entries
    olga.post(f"{address}merge/", {"into": "anna", "_commit": "1"})
    zoe.refresh_from_db()
    assert zoe.merged_into == Player.objects.get(handle="anna")
    assert olga.get(address).status_code == 404
    olga.post(f"{address}unmerge/", {"_commit": "1"})
    zoe.refresh_from_db()
    assert zoe.merged_into is None


def test_the_page_asks_as_often_for_many_players(django_assert_max_num_queries: Any) -> None:
    league = club()
    for number in range(8):
        add_player(f"p{number}", f"Person {number}")
        record(league, sheet((f"p{number}", "anna"), (1, 0)))
    olga = browser_of("olga")
    with django_assert_max_num_queries(24):
        assert len(rows(olga.get(PEOPLE))) == 10
