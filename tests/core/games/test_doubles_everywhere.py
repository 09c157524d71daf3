"""The doubles league of the template, played through the desk's paste, over the API and by a file: one and the same.

What it must come to is Elo by hand: a side counts as the mean of its players, K 20, times the game's weight.
"""

from io import BytesIO
from statistics import mean
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.apps.imports.services.run import ImportOptions, import_games
from league.core.leagues.services.templates import TEMPLATES, create_from_template
from league.core.verify.run import verify_league
from league.models import Game, League, Rating, RatingChange, Result
from tests.helpers.api_client import Api
from tests.helpers.desk_client import page_messages
from tests.helpers.paste_builders import press, shown
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

#: Hour, one side and its score, the other side and its score, weight.
EVENING = [
    (18, ("anna", "ben"), 21, ("cleo", "dan"), 15, 1.0),
    (19, ("anna", "cleo"), 11, ("ben", "dan"), 21, 1.0),
    (20, ("anna",), 9, ("ben", "cleo", "dan"), 21, 0.5),
    (21, ("dan", "cleo"), 21, ("ben", "anna"), 21, 1.0),
    (22, ("ben", "dan"), 21, ("cleo", "anna"), 19, 2.0),
]


@pytest.fixture
def leagues() -> dict[str, League]:
    """Return three leagues of the template for doubles."""
    owner = User.objects.create_superuser("olga")
    (template,) = (one for one in TEMPLATES if one.key == "doubles")
    return {
        slug: create_from_template(
            template, slug, slug.title(), settings={"time_zone": "UTC"}, parameters={}, username="olga", owner=owner
        )
        for slug in ("club", "sent", "brought")
    }


def by_hand() -> dict[str, float]:
    """Return the ratings by the formula of Elo."""
    ratings = dict.fromkeys(("anna", "ben", "cleo", "dan"), 1500.0)
    for _hour, one, scored, other, conceded, weight in EVENING:
        ahead = mean(ratings[name] for name in one) - mean(ratings[name] for name in other)
        expected = 1 / (1 + 10 ** (-ahead / 400))
        gain = 20 * weight * ((scored > conceded) + (scored == conceded) / 2 - expected)
        for name in one:
            ratings[name] += gain
        for name in other:
            ratings[name] -= gain
    return ratings


def pasted() -> str:
    """Return the evening as a club's table: sides by colours, a side's score and the weight written once."""
    lines = ["Date;Time;Player;Team;Score;Weight"]
    for hour, one, scored, other, conceded, weight in EVENING:
        for side, people, score in (("Red", one, scored), ("blue", other, conceded)):
            for index, name in enumerate(people):
                first = index == 0
                written = f"{weight:g}".replace(".", ",") if first and side == "blue" and weight != 1 else ""
                lines.append(f"5.3.2024;{hour}:00;{name.title()};{side};{score if first else ''};{written}")
    return "\n".join(lines)


def file() -> bytes:
    """Return the evening as CSV: sides by letters, the weight on a game's last line."""
    lines = ["game_id,played_at,player,score,side,weight"]
    for hour, one, scored, other, conceded, weight in EVENING:
        people = [(name, "A", scored) for name in one] + [(name, "B", conceded) for name in other]
        for index, (name, side, score) in enumerate(people, start=1):
            said = weight if index == len(people) and weight != 1 else ""
            lines.append(f"g{hour},2024-03-05T{hour}:00:00Z,{name},{score},{side},{said}")
    return "\n".join(lines).encode()


def sent() -> list[dict[str, Any]]:
    """Return the evening as the API takes it."""
    return [
        {
            "played_at": f"2024-03-05T{hour}:00:00Z",
            "weight": weight,
            "create_players": True,
            "results": [{"player": name, "score": scored, "side": 1} for name in one]
            + [{"player": name, "score": conceded, "side": 2} for name in other],
        }
        for hour, one, scored, other, conceded, weight in EVENING
    ]


def facts(league: League) -> list[Any]:
    """Return what the books of a league say of its games, and what each moved."""
    lines = Result.objects.filter(game__league=league).order_by("game__number", "seat")
    said = lines.values_list("game__played_at", "game__weight", "seat", "player__handle", "score", "place", "side")
    changes = RatingChange.objects.filter(league=league).order_by("number", "seat")
    return [*said, *changes.values_list("number", "seat", "after", "change")]


@long_way
def test_an_evening_of_doubles_is_the_same_through_paste_api_and_file(leagues: dict[str, League]) -> None:
    api = Api("record", (leagues["sent"],))
    for game in sent():
        assert api.post("/api/v1/leagues/sent/games/", game).status_code == 201
    import_games(leagues["brought"].pk, BytesIO(file()), ImportOptions(by="olga", media="csv", create_players=True))
    browser = Client()
    browser.force_login(User.objects.get(username="olga"))
    page = shown(browser, pasted())
    assert [name.text for _number, name in page.context["to_decide"]] == []
    assert page_messages(press(browser, page, _record="")) == "5 games were recorded: 1–5."
    assert Game.objects.count() == 3 * len(EVENING)
    assert facts(leagues["club"]) == facts(leagues["sent"]) == facts(leagues["brought"])
    found = dict(Rating.objects.filter(league=leagues["club"]).values_list("player__handle", "rating"))
    assert found == pytest.approx(by_hand(), abs=1e-9)
    # The file of one is known in all its parts when it comes again, and the paste stands there already.
    assert [one.sheet.state for one in shown(browser, pasted()).context["cards"]] == ["known"] * len(EVENING)
    for league in leagues.values():
        assert not verify_league(league.pk).differences
