"""What the pad refuses: it names the side, keeps the names that are marked as new, and never fails."""

import re
from typing import Any

import pytest
from django.test import Client

from league.core.errors import Invalid
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import record_game
from league.models import Game, Membership, Player
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import (
    DESK,
    PAD,
    dated_sheet,
    page_text,
    seat_errors,
    sheet_fields,
    sign_in_member,
)  # fmt: skip

pytestmark = pytest.mark.django_db
COLUMNS = ("player", "score", "side")
NEW = ("Mira Lund", "Nils Falk", "Oda Ness", "Per Vik")
JSON = {"Accept": "application/json"}
THREE = (("anna", 1), ("ben", 2), ("cleo", 3))


def sides(scores: tuple[str, ...], of: tuple[str, ...], **more: Any) -> dict[str, Any]:
    """Return a pad of new names in sides as a browser sends it."""
    return sheet_fields(*zip(NEW, scores, of, strict=True), columns=COLUMNS, **more)


def hidden_names(page: Any) -> list[str]:
    """Return the names that the form of a page sends as new again."""
    text = page.content.decode()
    return [name for name in NEW if f'<input type="hidden" name="new" value="{name}">' in text]


@pytest.mark.parametrize(
    ("system", "of"),
    [("elo", ("1", "1", "2", "2")), ("weng_lin", ("1", "2", "2", "2")), ("trueskill", ("1", "2", "3", "3"))],
)
def test_new_names_in_sides_with_one_score_a_side_are_refused_in_sentences(
    olga: Client, system: str, of: tuple[str, ...]
) -> None:
    make_league(system)
    first = [side not in of[:seat] for seat, side in enumerate(of)]
    scores = tuple(str(10 - seat) if alone else "" for seat, alone in enumerate(first))
    page = olga.post(PAD, sides(scores, of))
    assert [one.name for one in page.context["unknown"]] == list(NEW)
    answer = olga.post(PAD, sides(scores, of), headers=JSON)
    assert answer.status_code == 422
    assert "Seat 4: no player is called “Per Vik”." in answer.json()["why"]
    # Two of the four are marked: each name is asked about with its mark.
    page = olga.post(PAD, sides(scores, of, new=NEW[:2]))
    assert [one.added for one in page.context["unknown"]] == [True, True, False, False]
    assert page.content.decode().count('name="new"') == 4
    olga.post(PAD, sides(scores, of, new=NEW))
    assert Game.objects.count() == 1


def test_a_side_without_a_score_is_named_and_new_names_stay_marked(olga: Client) -> None:
    make_league()
    for of, wanted in (
        (("1", "1", "2", "2"), {2: ["Team 2 has no score."]}),
        (("1", "2", "2", "2"), {1: ["Team 2 has no score."]}),
        (("1", "2", "3", "3"), {1: ["Team 2 has no score."], 2: ["Team 3 has no score."]}),
    ):
        page = olga.post(PAD, sides(("21", "", "", ""), of, new=NEW))
        assert [seat_errors(page, row, "score") for row in range(4)] == [wanted.get(row, []) for row in range(4)]
        assert hidden_names(page) == list(NEW)
        assert "needs a score for every seat" not in page_text(page)


def test_a_side_without_a_place_is_named_and_new_names_stay_marked_when_a_score_cannot_be_read(olga: Client) -> None:
    make_league()
    page = olga.post(PAD, sides(("21", "", "x", ""), ("1", "1", "2", "2"), new=NEW))
    assert hidden_names(page) == list(NEW)
    assert not Player.objects.filter(name__in=NEW).exists()
    rows = zip(("anna", "ben", "cleo", "dan"), ("1", "", "", ""), ("1", "1", "2", "2"), strict=True)
    page = olga.post(PAD, sheet_fields(*rows, columns=("player", "place", "side"), by="place"))
    assert seat_errors(page, 2, "place") == ["Team 2 has no place."]


def test_a_large_league_offers_those_who_played_last(olga: Client) -> None:
    """Thirty players have 28 chips: the last pair comes first, and the first pair has none.

    Twelve are enough of names that are not shortened, as those of countries.
    """
    names = [f"player-{number:02}" for number in range(30)]
    league = make_league(players=names)
    for minute, pair in enumerate(zip(names[::2], names[1::2], strict=True)):
        record(league, sheet(pair, (1, 0), minutes=minute))
    chips = [chip.handle for chip in olga.get(PAD).context["chips"]]
    assert chips[:4] == ["player-28", "player-29", "player-26", "player-27"] and len(chips) == 12
    for player in Player.objects.all():
        Player.objects.filter(pk=player.pk).update(name=f"{player.handle} Berg")
    chips = [chip.handle for chip in olga.get(PAD).context["chips"]]
    assert len(chips) == 28 and not {"player-00", "player-01"} & {*chips}


def test_a_young_league_offers_its_own_players_and_new_ones_and_nobody_of_another_league(olga: Client) -> None:
    league = make_league(players=())
    other = make_league(slug="other", players=("zora", "yann", "xenia"))
    record(other, sheet(("zora", "yann", "xenia"), (2, 1, 0)))
    make_league(slug="third", players=("wim",), starts={"wim": 1600})
    olga.post(f"{DESK}people/add/", {"name": "Mira Lund"})
    olga.post(f"{DESK}people/add/", {"name": "Nils Falk", "initial_rating": "1450"})
    page = olga.get(PAD)
    assert sorted(chip.name for chip in page.context["chips"]) == ["Mira Lund", "Nils Falk"]
    assert sorted(name for _, name in page.context["people"]) == ["Mira Lund", "Nils Falk"]
    assert sorted(name for _, name in page.context["elsewhere"]) == ["Wim", "Xenia", "Yann", "Zora"]
    # Whoever is like a name that means nobody is of this league, too.
    asked = olga.post(PAD, sheet_fields(("Zoraa", "1"), ("Miro Lund", "0")))
    assert [one.near for one in asked.context["unknown"]] == [[], [("mira-lund", "Mira Lund")]]
    # The whole name means the one player of the other league who bears it.
    olga.post(PAD, sheet_fields(("Zora", "1"), ("Mira Lund", "0")))
    assert sorted(chip.name for chip in olga.get(PAD).context["chips"]) == ["Mira Lund", "Nils Falk", "Zora"]
    assert league.games.count() == 1


def test_nobody_of_a_league_that_a_recorder_may_not_see_is_on_the_pad() -> None:
    league = make_league(players=())
    hidden = make_league(slug="hidden", players=("mata", "ben"), visibility="private")
    record(hidden, sheet(("mata", "ben"), (1, 0)))
    browser = sign_in_member("rita", Membership.Role.RECORDER, league)
    assert "Mata" not in browser.get(PAD).content.decode()


def test_a_refusal_stands_at_its_field_and_nothing_is_written(olga: Client) -> None:
    told: list[tuple[str, dict[str, Any], int, str, str]] = [
        ("elo", dated_sheet(("anna", 1), ("zoe", 0)), 1, "player", "Seat 2: no player is called “zoe”."),
        ("elo", dated_sheet(("anna", 1), ("", ""), ("anna", 0)), 1, "player", "a player can play a game only once"),
        ("elo", dated_sheet(("anna", 1), ("ben", "x")), 1, "score", "Enter a number."),
        ("serpentine", dated_sheet(("anna", 1), ("ben", -3)), 1, "score", "the score must be at least 0"),
        ("serpentine", dated_sheet(("anna", 1), ("ben", "")), 1, "score", "Seat 2 has no score."),
        ("durak", dated_sheet(("anna", 1), ("ben", 1), columns=("player", "place")), 1, "place", "tied"),
    ]
    for system in ("elo", "serpentine", "durak"):
        make_league(system, slug=system)
    for system, data, row, column, sentence in told:
        page = olga.post(f"/admin/leagues/{system}/record/", data)
        assert page.status_code == 200
        assert sentence in " ".join(seat_errors(page, row, column))
        assert b"Nothing was recorded" in page.content
    assert Game.objects.count() == 0


def test_a_refusal_of_the_whole_game_stands_at_its_field(olga: Client) -> None:
    league = make_league("preferans")
    for data, field in (
        (dated_sheet(*THREE, details_bula="-1"), "details_bula"),
        (dated_sheet(*THREE, details_bula=""), "details_bula"),
        (dated_sheet(*THREE, details_bula="30", played_at="2090-01-01T10:00"), "played_at"),
        (dated_sheet(("anna", 1), ("ben", 2), details_bula="30"), "__all__"),
    ):
        page = olga.post(PAD, data)
        assert list(page.context["sheet"].form.errors) == [field]
    assert Game.objects.count() == 0
    # A box of a number shows a whole one without a fraction.
    record(league, sheet(("anna", "ben", "cleo"), (-60, 40, 20), details={"bula": 19}))
    assert 'name="details_bula" value="19"' in olga.get(PAD).content.decode()


def test_a_sheet_of_nobody_says_what_is_missing(olga: Client) -> None:
    """The pad and the API say the same, and nothing is written."""
    league = make_league()
    page = olga.post(PAD, sheet_fields())
    assert "Nothing was recorded. This game has no players: choose who played." in page_text(page)
    with pytest.raises(Invalid, match="This game has no players"):
        record_game(league.pk, NewGame([]), by="olga")
    many = [NewResult(f"player-{number}", number) for number in range(101)]
    with pytest.raises(Invalid, match="at most 100 results; this one has 101"):
        record_game(league.pk, NewGame(many), by="olga")
    assert not Game.objects.exists()


@pytest.mark.parametrize(
    ("path", "sent", "first"),
    [
        ("competitions/+new/", {"title": "Cup"}, "id_template"),
        ("competitions/+new/", {"template": "swiss"}, "id_title"),
        ("competitions/+new/", {"title": "Cup", "template": "swiss", "rounds": "x"}, "id_rounds"),
        ("seasons/+new/", {"title": "Season"}, "id_preset"),
        ("people/add/", {"name": "Zoe", "handle": "no blanks"}, "id_handle"),
    ],
)
def test_what_is_refused_leads_to_the_first_field_to_mend(
    olga: Client, path: str, sent: dict[str, str], first: str
) -> None:
    make_league()
    page = olga.post(f"{DESK}{path}", sent)
    html = page.content.decode()
    assert page.status_code == 200
    assert re.findall(r'<a\s+href="#([^"]+)"\s*>See the fields below', html) == [first]
    assert f'id="{first}"' in html
