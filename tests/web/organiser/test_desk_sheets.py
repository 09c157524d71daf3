"""Score sheets at the desk: what nobody touched stays, and each sentence stands where it belongs."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from league.core.games.services.game_input import NewGame
from league.models import Game
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import PAD, sheet_fields
from tests.helpers.desk_games import game_url
from tests.helpers.desk_sheets import correct, shown
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db


def facts(game: Game) -> dict[str, Any]:
    """Return everything that a game says, but its number and who wrote it."""
    results = list(game.results.order_by("seat").values_list("player__handle", "score", "place"))
    names = ("played_at", "kind", "external_id", "details", "note")
    return {**{name: getattr(game, name) for name in names}, "results": results}


THREE = ("anna", "ben", "cleo")
TO_THE_SECOND = datetime(2024, 3, 5, 19, 30, 45, 120000, tzinfo=UTC)
GAMES: dict[str, tuple[str, NewGame]] = {
    "a time with seconds": ("elo", sheet(("anna", "ben"), (1, 0), played_at=TO_THE_SECOND)),
    "places beside scores": ("preferans", sheet(THREE, (10, 20, -30), (2, 1, 3), details={"bula": 30})),
    "places where none are asked for": ("serpentine", sheet(THREE, (10, 20, 30), (3, 2, 1))),
    "scores where none are needed": ("durak", sheet(THREE, (1, 2, 3), (1, 2, 3))),
    "a forfeit": ("preferans", sheet(THREE, (1, 0, 0), kind="forfeit")),
    "a forfeit with figures of its own": ("elo", sheet(("anna", "ben"), (1, 0), kind="forfeit", details={"move": 12})),
    "a bye": ("barbu", sheet(("anna",), (0.5,), kind="half_bye", external_id="r1/7")),
    "a note of two lines": ("elo", sheet(("anna", "ben"), (1, 0), note="late\nstart ")),
    "a score of many digits": ("elo", sheet(("anna", "ben"), (0.1 + 0.2, -1e-9))),
    "five at the table": ("elo", sheet(("anna", "ben", "cleo", "dan", "eva"), places=(1, 2, 2, 4, 5))),
}


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("case", GAMES)
def test_a_correction_changes_only_what_somebody_touched(olga: Client, case: str) -> None:
    system, new = GAMES[case]
    league = make_league(system, ("anna", "ben", "cleo", "dan", "eva"))
    game = record(league, new)
    touched = {"kind": "friendly"} if game.note else {"note": "misread"}
    assert facts(correct(olga, game, **touched)) == {**facts(game), **touched}


@long_way
def test_a_corrected_score_leaves_the_game_where_it_stood(olga: Client) -> None:
    league = make_league()
    first = record(league, sheet(("anna", "ben"), (1, 0), played_at=datetime(2024, 3, 5, 19, 30, 45, tzinfo=UTC)))
    record(league, sheet(("anna", "ben"), (1, 0), played_at=datetime(2024, 3, 5, 19, 30, 50, tzinfo=UTC)))
    assert "Empty: now." in olga.get(PAD).content.decode()
    assert "Empty: unchanged." in olga.get(game_url(1, "correct")).content.decode()
    again = correct(olga, first, **{"seats-0-score": "3", "played_at": ""})
    assert (again.played_at, again.results.get(seat=1).score) == (first.played_at, 3.0)
    moved = correct(olga, again, played_at="2024-03-05T20:31")
    assert moved.played_at == datetime(2024, 3, 5, 20, 31, tzinfo=UTC)


def test_a_corrected_game_of_two_asks_for_places_only_if_they_do_not_follow(olga: Client) -> None:
    league = make_league()
    for number, new in enumerate(
        (sheet(("anna", "ben"), (1, 0)), sheet(("anna", "ben"), None, (1, 2)), sheet(THREE, (1, 0, 0))), start=1
    ):
        record(league, new)
        page = olga.get(game_url(number, "correct")).content.decode()
        assert ('name="seats-0-place"' in page, 'name="seats-0-score"' in page) == (number > 1, True)


#: In Belgrade the clock showed 02:30 twice on that night: at 00:30 and at 01:30 UTC.
FIRST, SECOND = datetime(2024, 10, 27, 0, 30, 12, tzinfo=UTC), datetime(2024, 10, 27, 1, 30, 12, tzinfo=UTC)


@long_way
def test_a_game_of_the_hour_that_was_there_twice_stays_where_it_stood_or_moves_to_the_other(olga: Client) -> None:
    league = make_league(time_zone="Europe/Belgrade")
    for played_at in (SECOND, FIRST):
        game = record(league, sheet(("anna", "ben"), (1, 0), played_at=played_at))
        again = correct(olga, game, **{"seats-0-score": "3"})
        assert again.played_at == played_at
    assert correct(olga, again, turn="1").played_at == SECOND.replace(second=0)


def test_a_sheet_asks_which_of_two_hours_it_was(olga: Client) -> None:
    make_league(time_zone="Europe/Belgrade")
    address = PAD
    page = olga.get(address)
    assert "Which hour" not in page.content.decode()
    filled = {**shown(page), "seats-0-player": "anna", "seats-0-score": "1", "seats-1-player": "ben"}
    filled |= {"seats-1-score": "0", "played_at": "2024-10-27T02:30"}
    refused = olga.post(address, filled)
    assert refused.context["sheet"].form.errors == {
        "turn": ["This time occurred twice because the clocks went back; choose which one."]
    }
    assert "Which hour" in refused.content.decode()
    olga.post(address, {**filled, "turn": "1"})
    assert Game.objects.get().played_at == SECOND.replace(second=0)
    never = olga.post(PAD, {"played_at": "2024-03-31T02:30"}).context["sheet"].form.errors["played_at"]
    assert never == ["This time does not exist: the clocks went forward."]


def test_a_sentence_stands_at_the_line_of_the_seat_that_it_names(olga: Client) -> None:
    make_league()
    page = olga.post(PAD, sheet_fields(("anna", "1"), ("", ""), ("zoe", "0")))
    second = page.context["sheet"].formset.forms[1]
    assert second.errors == {"player": ["Seat 2: no player is called “zoe”."]}
    assert [form["player"].value() for form in page.context["sheet"].formset.forms] == ["anna", "zoe", ""]
    page = olga.post(PAD, sheet_fields(("anna", "1"), ("", "0")))
    nobody = {"player": ["Enter the player for this result, or clear the row."]}
    assert page.context["sheet"].formset.errors == [{}, nobody]


def test_a_made_up_number_of_lines_is_no_failure(olga: Client) -> None:
    make_league()
    for total in ("²", "-1", "1e3", "9" * 5000):
        page = olga.post(PAD, {**sheet_fields(("anna", "1"), _more="1"), "seats-TOTAL_FORMS": total})
        assert page.status_code == 200, total
    assert not Game.objects.exists()
