"""Who may correct, void and restore on the desk, and who decides about closed periods."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.models import Game, League, Membership
from tests.helpers.builders import make_league
from tests.helpers.desk_client import page_messages as told
from tests.helpers.desk_client import page_text as text
from tests.helpers.desk_client import sign_in_member as member
from tests.helpers.desk_games import GAMES
from tests.helpers.desk_games import build_closed_club as club
from tests.helpers.desk_games import build_one_game as two
from tests.helpers.desk_games import game_url as at
from tests.helpers.desk_games import turned_sheet as swapped
from tests.helpers.desk_games import yes_fields as yes
from tests.helpers.ladder_builders import one_week_open, tables

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(client: Client) -> Client:
    """Return a browser in which an organiser is signed in."""
    client.force_login(User.objects.create_superuser("olga"))
    return client


def test_a_recorder_changes_open_periods_only(olga: Client) -> None:
    league = club()
    rita = member("rita", Membership.Role.RECORDER, league)
    before = tables()
    for what in ("correct", "void"):
        refused = rita.post(at(1, what), {**swapped(), "_commit": "yes", "reason": "x"}, follow=True)
        assert refused.redirect_chain == [(GAMES, 302)]
        assert told(refused) == "March 2024 of Month is closed; this needs the role “organiser” in the league club."
    assert tables() == before
    page = rita.post(at(4, "void"))
    assert page.context["asked"] == []
    assert rita.post(at(4, "void"), yes(page)).status_code == 302
    assert Game.objects.get(number=4).voided_by == "rita"


def test_a_recorder_is_told_who_decides_about_other_closed_periods() -> None:
    league = one_week_open()
    page = member("rita", Membership.Role.RECORDER, league).post(at(1, "void"))
    assert "An organiser decides what becomes of" in text(page)
    assert page.context["asked"] == []


def test_who_has_no_role_comes_nowhere(olga: Client) -> None:
    two()
    make_league(slug="other")
    stranger = member("otto", Membership.Role.OWNER, League.objects.get(slug="other"))
    for what in ("correct", "void", "restore"):
        assert stranger.post(at(1, what)).status_code == 403
        assert Client().post(at(1, what)).status_code == 302
        assert olga.get(at(7, what)).status_code == 404
