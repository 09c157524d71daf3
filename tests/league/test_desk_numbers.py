"""Numbers on the forms of the admin, as people write them."""

import re
from pathlib import Path

import pytest
from django.test import Client

from league.models import Game, InitialRating, Rule
from tests.helpers.builders import make_league
from tests.helpers.desk_client import DESK, PAD, dated_sheet, form_fields, seat_errors

pytestmark = pytest.mark.django_db

ADMIN = Path(__file__).parents[2] / "league" / "admin"


def test_scores_and_game_fields_take_every_minus_and_a_comma(olga: Client) -> None:
    make_league("preferans", ("anna", "ben", "cleo"))
    data = dated_sheet(("anna", "\u2212500"), ("ben", "–40"), ("cleo", "540,0"), details_bula="30,0")
    assert olga.post(PAD, data).status_code == 302
    game = Game.objects.get()
    assert [line.score for line in game.results.order_by("seat")] == [-500, -40, 540]
    assert game.details == {"bula": 30}


def test_a_score_that_can_be_read_two_ways_is_refused_at_its_seat(olga: Client) -> None:
    make_league("serpentine")
    page = olga.post(PAD, dated_sheet(("anna", "1,234"), ("ben", "12,5")))
    assert seat_errors(page, 0, "score") == [
        "“1,234” can be read two ways: write 1234 for thousands, or 1.234 for a fraction."
    ]
    assert seat_errors(page, 1, "score") == []
    assert Game.objects.count() == 0


def test_starts_and_parameters_take_them_too(olga: Client) -> None:
    make_league("elo")
    start = {"player": "anna", "initial_rating": "1\u202f234,5", "_set": "1"}
    assert olga.post(f"{DESK}starts/", start).status_code == 302
    assert InitialRating.objects.get().rating == 1234.5
    form = olga.get(f"{DESK}rules/").context["form"]
    data = form_fields(form, parameters_k="12,5", from_date="2030-01-01")
    tried = olga.post(f"{DESK}rules/", data).context["tried"]
    assert olga.post(f"{DESK}rules/", {**data, "tried": tried.key, "adopt": "1"}).status_code == 302
    assert Rule.objects.order_by("from_date").last().parameters["k"] == 12.5  # type: ignore[union-attr]


def test_no_form_of_the_admin_reads_numbers_otherwise() -> None:
    found = [
        (path.name, name)
        for path in ADMIN.rglob("*.py")
        for name in re.findall(r"forms\.(?:Float|Integer|Decimal)Field|NumberInput", path.read_text())
    ]
    assert found == []
