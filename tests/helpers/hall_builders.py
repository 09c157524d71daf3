"""A hall of a league with two competitions, and plans of an evening in it over the API."""

from itertools import count
from typing import Any

from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.competition_builders import make_competition, start
from tests.helpers.ladder_builders import clock, utc
from tests.helpers.season_steps import accept

HALLS = "leagues/club/halls/"
ROOMS = [{"title": "Great hall", "first": 1, "last": 2}, {"title": "Bar", "first": 7, "last": 7, "seats": 2}]
EVENING = {"starts": "2024-03-06T18:00:00Z", "ends": "2024-03-06T22:00:00Z", "minutes": 30}
NUMBERS = count()
BEGIN = utc("2024-03-06T18:00")


def build_hall() -> None:
    """Make a league with a round robin of six, and a cup of two of them and two others."""
    league = make_league("elo", ("anna", "ben", "cleo", "dan", "eva", "finn", "gus", "hal"))
    make_competition(league, "round_robin", slug="robin")
    start(league, ("anna", "ben", "cleo", "dan", "eva", "finn"), slug="robin")
    make_competition(league, "round_robin", slug="other")
    start(league, ("anna", "ben", "gus", "hal"), slug="other")
    api = sign_in()
    with clock(utc("2024-03-01T12:00")):
        hall = accept(api.post(HALLS, {"title": "Town hall", "rooms": ROOMS}))
    assert hall["slug"] == "town-hall"
    assert hall["rooms"][0] == {"title": "Great hall", "first": 1, "last": 2, "seats": 0, "competitions": []}


def sign_in(scope: str = "organise") -> Api:
    """Return a client with a token of its own."""
    return Api(scope, name=f"token {next(NUMBERS)}")


def plan(at: Any = None, *parts: tuple[str, int | None], status: int = 200, **more: Any) -> Any:
    """Plan the evening as of a time."""
    chosen = [{"competition": slug, "round": number} for slug, number in parts or (("robin", 1), ("robin", 2))]
    with clock(at or utc("2024-03-06T12:00")):
        return accept(sign_in().post(f"{HALLS}town-hall/plan/", {**EVENING, "parts": chosen, **more}), status)
