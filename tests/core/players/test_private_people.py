"""No address tells of a private league's people: every one of the API, the pages and the desk is asked."""

import json
import re
from collections.abc import Callable, Iterable, Iterator

import pytest
from django.contrib import admin

from league.core.leagues.services.adjustments import AdjustmentData, adjust
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player, set_initial_rating
from league.models import League
from league.web.api import urls as api_urls
from league.web.public import urls as page_urls
from tests.helpers.api_client import Api
from tests.helpers.builders import player_of as who
from tests.helpers.builders import record, sheet
from tests.helpers.ladder_builders import close, make_ladder
from tests.helpers.people_builders import SECRETS, desk, session, token, two_leagues
from tests.helpers.running_competitions import play_round, run_competition
from tests.helpers.shared import built_once
from tests.helpers.tiers import mark_slow

pytestmark = [
    pytest.mark.usefixtures("built"),
    pytest.mark.django_db,
    pytest.mark.uncounted("Asks every address of pages and API, which tests of their own hold line by line."),
]

#: Nobody but the private league's people may read any of these: its players, their other names, who was merged there.
HIDDEN = (*SECRETS, "mata", "spy", "Spion", "James")
#: What stands in an address -> what leads to something.
GIVEN = {
    "key": "elo", "number": "1", "ladder": "month", "period": "2024-03", "user": "olga-owner", "token": "x",
    "webhook": "5c8e0f4e-9f5e-4a0b-8a53-2b1c1c8d7f21", "job": "1", "experiment": "1", "name": "1", "other": "ben",
    "digest": "0" * 64, "competition": "cup", "season": "may", "field": "map", "context": "duels",
    "hall": "town",
}  # fmt: skip
SLOW = pytest.mark.slow("May see no more than another league's owner.")
OUTSIDERS = [
    pytest.param(Api, id="a stranger", marks=SLOW),
    pytest.param(lambda: session("otto"), id="a user without a role", marks=SLOW),
    pytest.param(lambda: session("olga-recorder"), id="another league's recorder", marks=SLOW),
    pytest.param(lambda: session("olga-owner"), id="another league's owner"),
    pytest.param(lambda: token("olga-owner"), id="another league's token", marks=SLOW),
]

#: Every address with every spelling for everybody; spellings on both databases are tests/core/players/test_people.py's.
SQLITE_IS_ENOUGH = pytest.mark.one_database("Who may see whom are the same questions on both.")


def world() -> tuple[League, League]:
    """Return an open and a private league, each with a month closed; in the private one Spion was merged into Ben.

    There Spion had been adjusted, too, with a reason that names somebody.
    """
    opened, closed = two_leagues()
    add_player("spy", "Spion", ["James"])
    set_initial_rating(closed.pk, who("mata"), 1200, username="carl")
    record(closed, sheet(("spy", "mata"), (1, 0), minutes=5))
    adjust(closed.pk, who("spy"), AdjustmentData(3.0, "James told us."), username="carl")
    merge_players(who("spy"), who("ben"), username="sara")
    for league in (opened, closed):
        make_ladder(league)
        close(league, "2024-03")
    run_competition(opened, ("anna", "ben"), title="Cup")
    run_competition(closed, ("anna", "mata"), title="Geertruida's cup")
    for league in (opened, closed):
        play_round(league, 1)
    return opened, closed


built = built_once(world)


def addresses(league: str, player: str) -> Iterator[str]:
    """Yield every address that reads, with a league and a player in their places."""
    for prefix, found in (("/api/v1/", api_urls.urlpatterns), ("/", page_urls.urlpatterns)):
        for pattern in found:
            view = getattr(pattern.callback, "view_class", None)
            if pattern.name is None or (view is not None and not hasattr(view, "get")):
                continue
            given = {**GIVEN, "league": league, "slug": league, "player": player, "handle": player}
            if "ladders/<str:ladder>/<str:key>" in str(pattern.pattern):
                given["key"] = "2024-03"
            text = str(pattern.pattern)
            for name in pattern.pattern.converters:
                for kind in ("str", "int"):
                    text = text.replace(f"<{kind}:{name}>", given[name])
            yield prefix + text


QUESTIONS = (
    "/api/v1/players/?search={}", "/api/v1/players/?limit=1&search={}", "/api/v1/leagues/open/games/?player={}",
    "/api/v1/leagues/open/games/?player={}&format=csv", "/api/v1/leagues/open/leaderboard/?around={}",
    "/api/v1/leagues/open/leaderboard/?at=2025-01-01&around={}", "/leagues/open/?q={}", "/leagues/open/?around={}",
    "/leagues/open/games/?player={}",
    "/leagues/open/?at=2025-01-01&q={}", "/leagues/open/players/{}/?range=year", "/leagues/open/players/{}",
    "/api/v1/players/{}", "/api/v1/leagues/open/players/{}/history/?format=csv",
    "/api/v1/leagues/open/players/anna/versus/{}/", "/leagues/open/players/anna/versus/{}/",
    "/leagues/open/players/anna/versus/?with={}", "/leagues/open/players/anna/?with={}",
)  # fmt: skip


def read(api: Api, path: str) -> tuple[int, str, bytes]:
    """Return what an address answers, and where it leads."""
    answer = api.get(path)
    text = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer.status_code, answer.get("Location", ""), text


def assert_answers_alike(api: Api, path: str, words: Iterable[str], other: str) -> None:
    """Assert that an address with each of some words answers as with another word."""
    status, location, text = read(api, path.format(other))
    for word in words:
        answer = read(api, path.format(word))
        expected = status, location.replace(other, word), text.replace(other.encode(), word.encode())
        assert answer == expected, path.format(word)


@pytest.mark.slow("Asks a hundred addresses; the cases above and test_people.py ask those that told something once.")
@pytest.mark.parametrize("face", OUTSIDERS)
def test_no_address_of_an_open_league_tells_of_people_of_a_private_one(face: Callable[[], Api]) -> None:
    api = face()
    asked = [*addresses("open", "anna"), *addresses("open", "ben")]
    asked += [f"/api/v1/leagues/open/{rest}" for rest in (
        "leaderboard/?format=csv", "games/?format=csv", "players/ben/history/?format=csv", "export/?format=csv",
        "leaderboard/?at=2025-01-01", "ladders/month/periods/2024-03/?format=csv",
    )]  # fmt: skip
    for path in [*asked, "/api/v1/players/ben/", "/api/v1/players/?search=ben"]:
        status, location, text = read(api, path)
        assert status < 500, path
        found = [word for word in HIDDEN if word in location or word.encode() in text]
        assert not found, (path, found)


@SQLITE_IS_ENOUGH
@pytest.mark.parametrize("face", OUTSIDERS)
@pytest.mark.parametrize(
    "spellings",
    [("mata", "spy"),
     pytest.param(("H21", "geertruida", "Spion", "james"), marks=pytest.mark.slow("Other names of the same two."))],
    ids=["handles", "aliases"],
)  # fmt: skip
def test_every_address_answers_for_a_private_person_as_for_nobody(
    face: Callable[[], Api], spellings: tuple[str, ...]
) -> None:
    api = face()
    for path in {*addresses("open", "{}"), *QUESTIONS}:
        if "{}" in path:
            assert_answers_alike(api, path, spellings, "nemo")


@pytest.mark.parametrize("face", OUTSIDERS)
def test_every_address_of_a_private_league_answers_as_if_there_were_none(face: Callable[[], Api]) -> None:
    api = face()
    for path in addresses("{}", "anna"):
        if "{}" in path:
            assert_answers_alike(api, path, ["closed"], "nada")


@SQLITE_IS_ENOUGH
@pytest.mark.parametrize(
    "spelling", mark_slow(["mata", "H21", "spy", "James"], "Names of the same two.", but=["H21", "spy"])
)
@pytest.mark.parametrize("face", OUTSIDERS)
def test_no_what_if_tells_of_a_private_person(face: Callable[[], Api], spelling: str) -> None:
    api = face()
    for more in ({}, {"create_players": True}, {"played_at": "2030-01-01T00:00:00Z", "create_players": True}):
        answers = []
        for word in (spelling, "nemo"):
            body = {"results": [{"player": "ben"}, {"player": word}], "played_at": "2024-04-01T00:00:00Z", **more}
            answer = api.post("leagues/open/preview/", body)
            answers.append((answer.status_code, answer.content.replace(word.encode(), b"...")))
        assert answers[0] == answers[1]
    wished = {"players": ["ben", spelling, "zoe", "zora"], "apart": [[spelling, "ben"]]}
    for address, status in (("balance/", 200), ("balance/tables/", 422)):
        answers = []
        for word in (spelling, "nemo"):
            answer = api.post(f"leagues/open/{address}", json.loads(json.dumps(wished).replace(spelling, word)))
            answers.append((answer.status_code, answer.content.replace(word.encode(), b"...")))
        assert answers[0] == answers[1]
        assert answers[0][0] == status


@pytest.mark.parametrize("role", mark_slow(["recorder", "organiser", "owner"], "An owner opens more.", but=["owner"]))
def test_no_page_of_the_desk_tells_another_leagues_people(role: str) -> None:
    browser = desk(f"olga-{role}")
    ids = [who(handle).pk for handle in ("mata", "spy")]
    paths = [
        "/admin/",
        "/admin/leagues/open/record/",
        "/admin/league/game/1/change/",
        "/admin/league/player/?q=spy",
    ]
    for model in admin.site._registry:
        name = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        paths += [name, f"{name}add/", f"{name}?q=mata", f"{name}?q=james"]
    for handle in ("anna", "ben"):
        paths += [f"/admin/league/player/{who(handle).pk}/{page}/" for page in ("change", "history")]
    for pk in ids:
        paths += [f"/admin/league/player/{pk}/{page}/"
                  for page in ("change", "history", "delete")]  # fmt: skip
    paths += [f"/admin/autocomplete/?term=ma&app_label=league&model_name={model}&field_name=player"
              for model in ("result", "rating", "initialrating")]  # fmt: skip
    for path in paths:
        answer = browser.get(path)
        assert answer.status_code < 500, path
        text = answer.content.decode()
        # A token of chance may spell a handle.
        text = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", text)
        found = [word for word in HIDDEN if word in text.replace("?q=mata", "").replace('value="mata"', "")]
        if "q=" in path:
            found = [word for word in found if word not in ("mata", "spy", "james")]
        assert not found, (path, found)
