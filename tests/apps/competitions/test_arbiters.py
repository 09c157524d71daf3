"""An arbiter runs competitions, and may do no more than a recorder besides."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from league.apps.competitions.services.rounds import NewFixture, add_fixtures, make_round, publish_round
from league.core.accounts.services.members import format_role, set_member
from league.core.errors import Forbidden
from league.core.permissions import ROLES, load_viewer_of_user, refuse_foreign
from tests.helpers.api_client import Api, game
from tests.helpers.builders import league_of, make_league
from tests.helpers.competition_builders import make_competition, start
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
CUPS = "leagues/club/competitions/"


def build_club() -> None:
    """Make a league with a recorder, an arbiter, and competitions in each state."""
    league = make_league()
    for name, role in (("rita", "recorder"), ("arne", "arbiter")):
        User.objects.create_user(name)
        set_member(league.pk, name, role)
    make_competition(league, slug="open")
    for slug in ("paired", "next"):
        make_competition(league, "swiss", slug=slug)
        start(league, slug=slug)
    make_round(league.pk, "paired", by="olga")
    make_competition(league, "free", slug="box")
    start(league, slug="box")
    add_fixtures(league.pk, "box", [NewFixture([1, 2])], by="olga")


built = built_once(build_club)


def call_as(name: str, method: str, path: str, body: Any) -> int:
    """Return the status of an answer to a signed-in user."""
    api = Api()
    api.client.force_login(User.objects.get(username=name))
    return int(api.call(method, path, body).status_code)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", CUPS, {"title": "New", "format": "swiss"}),
        ("patch", CUPS + "open/", {"venue": "Hall"}),
        ("post", CUPS + "open/cancel/", {"reason": "Ill."}),
        ("post", CUPS + "open/entries/", {"player": "anna"}),
        ("patch", CUPS + "next/entries/1/", {"title": "FM"}),
        ("post", CUPS + "next/start/", {}),
        ("post", CUPS + "next/finish/", {}),
        ("post", CUPS + "next/editions/", {"reason": "Late."}),
        ("post", CUPS + "next/rounds/", {}),
        ("post", CUPS + "paired/rounds/1/publish/", {}),
        ("delete", CUPS + "paired/rounds/1/", None),
        ("post", CUPS + "box/fixtures/", {"entries": [3, 4]}),
        ("patch", CUPS + "box/fixtures/3/", {"table": 3}),
    ],
)
def test_arbiters_run_competitions_and_recorders_do_not(method: str, path: str, body: Any) -> None:
    length = league_of().log_length
    assert call_as("rita", method, path, body) == 403
    assert league_of().log_length == length
    # What is too early for anybody (starting twice, finishing unplayed) is no matter of permission.
    assert call_as("arne", method, path, body) in (200, 201, 204, 409, 422)


def test_recorders_enter_results_of_fixtures() -> None:
    league = league_of()
    publish_round(league.pk, "paired", 1, by="olga")
    body = {"results": [{"score": 1}, {"score": 0}]}
    number = league.competitions.get(slug="paired").fixtures.order_by("number")[0].number
    assert call_as("rita", "post", f"{CUPS}paired/fixtures/{number}/result/", body) == 201


def test_arbiters_import_competitions_and_recorders_do_not() -> None:
    file = "round,table,player_1,player_2,result\n1,1,anna,ben,1:0\n"
    for name, status in (("rita", 403), ("arne", 201)):
        api = Api()
        api.client.force_login(User.objects.get(username=name))
        assert api.post_file(CUPS + "import/?title=From a file", file, "text/csv").status_code == status
    assert league_of().competitions.filter(title="From a file").count() == 1


def test_an_arbiter_records_games_but_does_not_organise() -> None:
    assert call_as("arne", "post", "leagues/club/games/", game(("anna", 1), ("ben", 0))) == 201
    assert call_as("arne", "post", "leagues/club/ladders/", {"slug": "y", "title": "Y"}) == 403
    assert call_as("arne", "put", "leagues/club/members/rita/", {"role": "owner"}) == 403
    viewer = load_viewer_of_user(User.objects.get(username="arne"))
    found = {action: viewer.may(action, league_of()) for action in ("read", "record", "arbitrate", "organise", "own")}
    assert found == {"read": True, "record": True, "arbitrate": True, "organise": False, "own": False}


def test_every_role_has_its_word_and_its_refusal() -> None:
    assert [format_role(role) for role in ROLES] == ["recorder", "arbiter", "organiser", "owner"]
    with pytest.raises(Forbidden, match="of which “rita” is not an arbiter"):
        refuse_foreign(load_viewer_of_user(User.objects.get(username="rita")), [league_of()], "arbitrate")
