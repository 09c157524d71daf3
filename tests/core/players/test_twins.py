"""Who of a league's players may be one person: names that are equal but for accents, spaces and order, or nearly."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.core.players.selectors import duplicates as twins
from league.core.players.selectors.duplicates import differs_by_one_letter, find_near_duplicates, name_similarity
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player
from league.models import League, Player
from tests.helpers.builders import make_league, record, sheet


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ("Đorđe Šimić", "dorde simic", "the same name"),
        ("Willem Dvorak", "Dvorak  Willem", "the same name"),
        ("van den Berg", "Vandenberg", "the same name"),
        ("Anne-Marie", "Anne Marie", "the same name"),
        ("O'Neill", "ONeill", "the same name"),
        ("Łukasz Groß", "Lukasz Gross", "the same name"),
        ("Мария Петрова", "мария петрова", "the same name"),
        ("Vera Ulrich", "Vera Urlich", "one letter apart"),
        ("Vera Ulrich", "Vera Ullrich", "one letter apart"),
        ("Vera Ulrich", "Vera Ulrick", "one letter apart"),
        ("Vera Ulrich", "Vera Ulrichs", "one letter apart"),
        ("Vera Ulrich", "Vera Ulbrichs", ""),
        ("Vera Ulrich", "Dora Ulrich", ""),
        ("Anna", "Anne", ""),
        ("Player 1", "Player 2", ""),
        ("Player 12", "Player 1", ""),
        ("!!!", "???", ""),
    ],
)
def test_names_that_are_alike(first: str, second: str, why: str) -> None:
    assert name_similarity(first, second) == name_similarity(second, first) == why


def test_one_letter_is_one_letter() -> None:
    near = {"abc": ["ab", "ac", "bc", "abcd", "xabc", "axbc", "abd", "xbc", "acb", "bac", "abc"]}
    far = {"abc": ["a", "cba", "abcde", "xyc", "bca", ""]}
    for one, others in near.items():
        assert [other for other in others if not differs_by_one_letter(one, other)] == []
    for one, others in far.items():
        assert [other for other in others if differs_by_one_letter(one, other)] == []


def club() -> League:
    """Return a league in which Vera plays under two names, and two namesakes met."""
    league = make_league(players=())
    for handle, name in (
        ("vera", "Vera Ulrich"),
        ("vera-2", "Vera Ulrích"),
        ("urlich", "Vera Urlich"),
        ("jan", "Jan Berg"),
        ("jan-2", "Berg Jan"),
        ("ben", "Ben"),
    ):
        add_player(handle, name)
    for pair in (("vera", "ben"), ("vera", "ben"), ("vera-2", "ben"), ("urlich", "ben"), ("jan", "jan-2")):
        record(league, sheet(pair, (1, 0)))
    return league


@pytest.mark.django_db
def test_pairs_are_proposed_the_same_names_first_and_nobody_who_met() -> None:
    league = club()
    found = [(one.player.handle, one.into.handle, one.why) for one in find_near_duplicates(league)]
    assert found == [
        ("vera-2", "vera", "the same name"),
        ("urlich", "vera", "one letter apart"),
        ("urlich", "vera-2", "one letter apart"),
    ]
    assert find_near_duplicates(make_league(slug="other", players=())) == []


@pytest.mark.django_db
def test_who_was_merged_is_proposed_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    league = club()
    merge_players(Player.objects.get(handle="vera-2"), Player.objects.get(handle="vera"), username="olga")
    found = [(one.player.handle, one.into.handle) for one in find_near_duplicates(league)]
    assert found == [("urlich", "vera")]
    monkeypatch.setattr(twins, "MAX_PAIRS", 1)
    assert len(find_near_duplicates(league)) == 1


@pytest.mark.django_db
def test_the_page_leads_to_the_preview_with_the_name_filled_in() -> None:
    club()
    browser = Client()
    browser.force_login(User.objects.create_superuser("olga"))
    page = browser.get("/admin/leagues/club/people/").content.decode()
    address = "/admin/leagues/club/people/players/vera-2/merge/?into=vera"
    assert f'href="{address}"' in page
    assert 'name="into" value="vera"' in browser.get(address).content.decode()
