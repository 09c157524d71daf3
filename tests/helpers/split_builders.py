"""A player whose games are split off at the desk."""

from typing import Any

from django.contrib.auth.models import User

from league.core.games.services.split_players import Split, SplitResult, split_player
from league.core.permissions import load_viewer_of_user, refuse_foreign
from league.models import League, Result
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import utc

PERSON = "/admin/leagues/club/people/players/anna/"
SPLIT = f"{PERSON}split/"


def build_six_games(**settings: Any) -> League:
    """Return a league with six games, of which Anna sits in five; the last two of the same time."""
    league = make_league(parameters={"k": 32}, **settings)
    games = [("anna", "ben"), ("anna", "cleo"), ("ben", "cleo"), ("anna", "ben"), ("dan", "anna"), ("anna", "cleo")]
    for number, pair in enumerate(games):
        record(league, sheet(pair, (1, 0), played_at=utc(f"2024-03-0{min(number, 4) + 1}"), external_id=f"x-{number}"))
    return league


def six_games() -> League:
    """Return the league of ``build_six_games`` that a fixture built for the module."""
    return League.objects.get(slug="club")


def split_anna(league: League, numbers: list[int], **more: Any) -> SplitResult:
    """Split games off Anna as the site's staff does."""
    user = User.objects.filter(username="olga").first() or User.objects.create_superuser("olga")
    viewer = load_viewer_of_user(user)
    wanted = Split("anna", numbers, **(more or {"into": "eva"}))
    return split_player(
        league.pk,
        wanted,
        reason="Two Annas.",
        username="olga",
        viewer=viewer,
        allow=lambda leagues: refuse_foreign(viewer, leagues),
    )


def seats_of_games(league: League) -> dict[str, list[str]]:
    """Return external_id -> who sits in the game that counts."""
    found: dict[str, list[str]] = {}
    rows = Result.objects.filter(game__league=league, game__voided_at=None).order_by("game__external_id", "seat")
    for name, handle in rows.values_list("game__external_id", "player__handle"):
        found.setdefault(str(name), []).append(handle)
    return found


def split_fields(page: Any, **more: Any) -> dict[str, Any]:
    """Return what the button of the confirming page sends."""
    sent: dict[str, Any] = {}
    for name, value in page.context["fields"]:
        sent.setdefault(name, []).append(value)
    own = {"seen": page.context["seen"], "once": page.context["once"], "_commit": "yes"}
    return {**sent, **own, "reason": page.context["confirm"]["reason"].value(), **more}
