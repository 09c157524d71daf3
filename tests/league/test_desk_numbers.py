"""Numbers on the forms of the admin, as people write them."""

import re
from pathlib import Path

import pytest
from django.test import Client

from league.models import Game, InitialRating, Rule
from tests.helpers.builders import make_league
from tests.helpers.desk_client import dated_sheet, seat_errors

pytestmark = pytest.mark.django_db

ADMIN = Path(__file__).parents[2] / "league" / "admin"


def test_scores_and_game_fields_take_every_minus_and_a_comma(olga: Client) -> None:
    make_league("preferans", ("anna", "ben", "cleo"))
    data = dated_sheet(("anna", "\u2212500"), ("ben", "–40"), ("cleo", "540,0"), details_bula="30,0")
    assert olga.post("/admin/league/game/add/?league=club", data).status_code == 302
    game = Game.objects.get()
    assert [line.score for line in game.results.order_by("seat")] == [-500, -40, 540]
    assert game.details == {"bula": 30}


def test_a_score_that_can_be_read_two_ways_is_refused_at_its_seat(olga: Client) -> None:
    make_league("serpentine")
    page = olga.post("/admin/league/game/add/?league=club", dated_sheet(("anna", "1,234"), ("ben", "12,5")))
    assert seat_errors(page, 0, "score") == [
        "“1,234” can be read two ways: write 1234 for thousands, or 1.234 for a fraction."
    ]
    assert seat_errors(page, 1, "score") == []
    assert Game.objects.count() == 0


def test_starts_and_parameters_take_them_too(olga: Client) -> None:
    league = make_league("elo")
    start = f"/admin/league/league/{league.pk}/start/"
    assert olga.post(start, {"player": "anna", "initial_rating": "1\u202f234,5"}).status_code == 302
    assert InitialRating.objects.get().rating == 1234.5
    rule = f"/admin/league/league/{league.pk}/rule/"
    values = {f"parameters_{name}": value for name, value in olga.get(rule).context["form"].initial.items()}
    given = {name.replace("parameters_parameters_", "parameters_"): value for name, value in values.items()}
    done = olga.post(rule, {**given, "parameters_k": "12,5", "from_date": "2024-01-01", "_adopt": "Adopt it"})
    assert done.status_code == 302, done.context["form"].errors
    assert Rule.objects.order_by("from_date").last().parameters["k"] == 12.5  # type: ignore[union-attr]


def test_no_form_of_the_admin_reads_numbers_otherwise() -> None:
    found = [
        (path.name, name)
        for path in ADMIN.glob("*.py")
        for name in re.findall(r"forms\.(?:Float|Integer|Decimal)Field|NumberInput", path.read_text())
    ]
    assert found == []
