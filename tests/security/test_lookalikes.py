"""Letters that look like others are shown to organisers: a mark at the person, and a proposal to merge."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.core.players.selectors.duplicates import LOOKS, name_similarity
from league.core.text.lookalikes import iter_mixed_words, replace_lookalikes
from league.core.text.names import name_problem
from league.models import Player
from tests.helpers.builders import make_league, record, sheet

CYRILLIC_ANNA = "\u0410nn\u0430"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (CYRILLIC_ANNA, [CYRILLIC_ANNA]),
        ("Иван M\u00fcller", []),
        ("Петрова-M\u00fcller", []),
        ("Νίκος", []),
        ("Олга Jovanović 2", []),
        ("ニコ San", []),
        ("Müller", []),
    ],
)
def test_a_word_in_two_alphabets_is_strange_and_two_words_are_not(name: str, words: list[str]) -> None:
    assert [word for word, _ in iter_mixed_words(name)] == words


def test_the_letters_are_named() -> None:
    ((_, letters),) = iter_mixed_words("Ann\u0430")
    assert letters == "\u0430 (CYRILLIC SMALL LETTER A)"


def test_names_that_the_eye_cannot_tell_apart() -> None:
    assert replace_lookalikes("\u041e\u0441\u0430") == replace_lookalikes("Oca")
    assert name_similarity("\u041e\u0441\u0430", "Oca") == LOOKS
    assert name_similarity("Иван", "Ivan") == ""


@pytest.mark.parametrize("blank", ["\u3164", "\u115f", "\u2800", "\u034f", "\u200b", "\u202e", "\u2066", "\u00ad"])
def test_names_hold_nothing_that_cannot_be_seen(blank: str) -> None:
    assert name_problem(f"An{blank}na") == "A name must not contain control or invisible characters."


@pytest.mark.django_db
def test_the_organiser_is_told() -> None:
    league = make_league(players=("anna", "anna-2", "ben"))
    Player.objects.filter(handle="anna").update(name="Anna")
    Player.objects.filter(handle="anna-2").update(name=CYRILLIC_ANNA)
    for handle in ("anna", "anna-2"):
        record(league, sheet((handle, "ben"), (1, 0)))
    client = Client()
    client.force_login(User.objects.create_superuser("olga"))
    people = "/admin/leagues/club/people/"
    assert "names that look the same in different letters" in client.get(people).content.decode()
    told = f"“{CYRILLIC_ANNA}” mixes alphabets: \u0410 (CYRILLIC CAPITAL LETTER A), \u0430 (CYRILLIC SMALL LETTER A)."
    assert told in client.get(f"{people}players/anna-2/").content.decode()
    assert told in client.get(f"{people}players/anna-2/merge/").content.decode()
    assert "mixes alphabets" not in client.get(f"{people}players/anna/").content.decode()
