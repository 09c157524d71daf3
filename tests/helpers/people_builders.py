"""An open league, a private one, and people who work and play in them."""

from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from league.core.accounts.services.members import set_member
from league.core.accounts.services.tokens import make_token
from league.core.players.services.players import add_player, change_player
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, player_of, record, sheet

#: Of the private league's person, whom nobody else may read anything of.
SECRETS = ("Mata", "H21", "Geertruida")


def two_leagues() -> tuple[League, League]:
    """Return the two leagues, as they stand; built where no fixture built them for the whole module."""
    found = League.objects.in_bulk(["open", "closed"], field_name="slug")
    return (found["open"], found["closed"]) if found else build_two_leagues()


def build_two_leagues() -> tuple[League, League]:
    """Return an open league, and a private one in which Mata plays; Anna plays in both."""
    opened = make_league(slug="open", players=("anna", "ben"))
    closed = make_league(slug="closed", players=(), visibility="private")
    add_player("mata", "Mata Hari", ["H21", "Geertruida"])
    add_player("newcomer", "Nora New", ["NN"])
    record(opened, sheet(("anna", "ben"), (1, 0)))
    record(closed, sheet(("anna", "mata"), (0, 1)))
    change_player(player_of("anna"), aliases=["Annie"])
    for league, name in ((opened, "olga"), (closed, "carl")):
        for role in ("recorder", "organiser", "owner"):
            user = User.objects.create_user(f"{name}-{role}")
            set_member(league.pk, user.username, role)
    User.objects.create_user("otto")
    User.objects.create_superuser("sara")
    return opened, closed


def session(name: str) -> Api:
    """Return the API in the browser of somebody."""
    api = Api()
    api.client.force_login(User.objects.get(username=name))
    return api


def token(name: str, scope: str = "organise", leagues: tuple[League, ...] = ()) -> Api:
    """Return the API with a token that somebody made."""
    made, text = make_token(f"{name}'s {scope}", scope, leagues=leagues)
    made.maker = User.objects.get(username=name)
    made.save()
    api = Api()
    api.headers["Authorization"] = f"Bearer {text}"
    return api


def handles(api: Api, question: str = "") -> list[str]:
    """Return the handles that a list of players holds."""
    return [one["handle"] for one in api.get(f"players/{question}").data["results"]]


def outcome(answer: Any, spelling: str) -> tuple[int, str]:
    """Return what an answer says, whoever was asked for."""
    text = answer.content.decode()
    for word in (spelling.replace("%20", " "), spelling):
        text = text.replace(word, "…")
    return answer.status_code, text


def desk(name: str) -> Client:
    """Return the browser of somebody at the desk."""
    user = User.objects.get(username=name)
    user.is_staff = True
    user.save()
    browser = Client()
    browser.force_login(user)
    return browser
