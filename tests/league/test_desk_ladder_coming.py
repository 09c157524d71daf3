"""A ladder's rule of a later day is told as a coming one: neither head nor form takes it for the present one."""

from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.services.ladders.ladders import Ranking, change_ranking, create_ladder
from tests.helpers.builders import make_league
from tests.helpers.desk_client import page_text
from tests.helpers.ladder_builders import make_ladder

pytestmark = pytest.mark.django_db

MONTH = "/admin/leagues/club/ladders/month/"


@pytest.fixture
def olga_ahead(client: Client) -> Client:
    """Return the browser of site staff, in a league whose points table counts best scores from 2150 on."""
    client.force_login(User.objects.create_superuser("olga"))
    league = make_league()
    make_ladder(league)
    ranking = Ranking("best_scores", "quarter", {}, date(2150, 1, 1))
    change_ranking(league.pk, "month", ranking, by="otto")
    return client


def methods_as_now(page: Any) -> list[str]:
    """Return the methods that the choice marks as the present one."""
    return [part.split("</b>")[0] for part in page.content.decode().split('class="strong">') if "as now" in part]


def test_the_head_says_how_a_ladder_ranks_now_and_beneath_what_comes(olga_ahead: Client) -> None:
    text = page_text(olga_ahead.get(MONTH))
    head, rest = text.split("How it ranks")
    assert "Month Points table, every month · Public page" in head
    assert "Best scores" not in head
    now, coming = rest.split("Coming: 1 January 2150")
    assert "From the first game on Points table, every month." in now
    assert "Best scores, every quarter." in coming
    assert "adopted by otto" in coming


def test_a_coming_rule_is_not_what_the_form_begins_with(olga_ahead: Client) -> None:
    assert methods_as_now(olga_ahead.get(f"{MONTH}rule/")) == ["Points table"]
    form = olga_ahead.get(f"{MONTH}rule/?method=points").context["form"]
    assert (form["cadence"].value(), form["parameters_win"].value()) == ("month", 1)
    assert olga_ahead.get(f"{MONTH}rule/?method=best_scores").context["form"]["cadence"].value() == "month"


def test_a_ladder_that_has_not_begun_says_when_it_does(olga_ahead: Client) -> None:
    league = make_league(slug="new")
    create_ladder(league.pk, "cup", "Cup", Ranking("points", "month", {}, date(2150, 1, 1)), by="olga")
    text = page_text(olga_ahead.get("/admin/leagues/new/ladders/cup/"))
    assert "Cup Begins 1 January 2150: Points table, every month" in text
    assert "No rule is in force yet." in text
    assert "Coming: 1 January 2150" in text
