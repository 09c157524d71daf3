"""The result of a game of two players or sides is the same line on every page and in every text."""

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from html import escape, unescape
from random import Random

import pytest
from django.test import Client
from django.utils import timezone

from league.apps.competitions.selectors.result_texts import format_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.apps.notices.selectors.facts import build_game_facts
from league.apps.notices.services import render
from league.core.games.selectors.games import find_games, load_games
from league.core.games.services.game_input import NewGame, NewResult
from league.core.text.game_results import format_result_of_two
from league.models import League
from tests.helpers.builders import FOUR, make_league, record
from tests.helpers.running_competitions import loaded_cup, run_competition
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
#: Scores or places of two, how they stand in one line, and turned round.
RESULTS = [
    ("score", (3, 1), "3–1", "1–3"),
    ("score", (0, 0), "0–0", "0–0"),
    ("score", (19, 21.5), "19–21.5", "21.5–19"),
    ("score", (0.5, 0.5), "½–½", "½–½"),
    ("score", (1, 0), "1–0", "0–1"),
    ("score", (-3, 12), "−3 – 12", "12 – −3"),
    ("place", (1, 2), "1–0", "0–1"),
    ("place", (2, 1), "0–1", "1–0"),
    ("place", (1, 1), "½–½", "½–½"),
]


@dataclass(frozen=True)
class DrawnGame:
    """A game with the line that every face must show, in the sheet's order; titles have the result last."""

    sheet: NewGame
    line: str
    title: str


def draw_game(kind: str, figures: tuple[float, float], text: str, *, doubles: bool) -> DrawnGame:
    """Return a game of Anna and Ben, or of Anna and Cleo against Ben and Dan."""
    sides = (("anna", "cleo"), ("ben", "dan")) if doubles else (("anna",), ("ben",))
    lines = [
        NewResult(
            name,
            figures[number] if kind == "score" else None,
            int(figures[number]) if kind == "place" else None,
            number + 1 if doubles else None,
        )
        for number, names in enumerate(sides)
        for name in names
    ]
    names = ["Anna & Cleo", "Ben & Dan"] if doubles else ["Anna", "Ben"]
    return DrawnGame(NewGame(lines), f"{names[0]} {text} {names[1]}", f"{names[0]} – {names[1]} {text}")


def read(client: Client, address: str) -> str:
    """Return the words of a page, without the changes of ratings."""
    answer = client.get(address)
    assert answer.status_code == 200, address
    page = re.sub(r'<span\s+class="(?:change|chg)[^>]*>[^<]*</span>', "", answer.content.decode())
    text = unescape(re.sub(r"<title>.*?</title>|<script.*?</script>|<[^>]*>", " ", page, flags=re.S))
    # Thin spaces are part of the result.
    return re.sub(r"[ \t\n]+", " ", text)


@long_way
@pytest.mark.parametrize("doubles", [False, True], ids=["two", "two pairs"])
def test_every_face_has_the_same_line(olga: Client, doubles: bool) -> None:
    make_league(slug="another")  # the first page lists several leagues
    for number, (kind, figures, text, turned) in enumerate(Random(f"results {doubles}").sample(RESULTS, 5)):
        league = make_league(slug=f"club-{number}")
        drawn = draw_game(kind, figures, text, doubles=doubles)
        record(league, replace(drawn.sheet, played_at=timezone.now() - timedelta(minutes=1)))
        check_faces(olga, league, drawn)
        check_own_faces(olga, league, text, turned)


def check_faces(client: Client, league: League, drawn: DrawnGame) -> None:
    """Check the faces on which a game is one of several."""
    pages, desk = f"/leagues/{league.slug}/", f"/admin/leagues/{league.slug}/"
    for address in ("/", pages, f"{pages}wall/", f"{pages}games/1/"):
        assert drawn.line in read(client, address), address
    # Partners stand below each other in the list.
    assert drawn.line.replace(" & ", " ") in read(client, f"{pages}games/")
    for address in (desk, f"{desk}games/"):
        assert drawn.line in read(client, address), address
    assert f'property="og:title" content="{escape(drawn.title)} ' in client.get(f"{pages}games/1/").content.decode()
    feed = client.get(f"{pages}games.atom").content.decode()
    assert f"<title>{escape(drawn.title)}</title>" in feed
    assert f": {escape(escape(drawn.title))}<" in feed
    (view,) = load_games(league, find_games(league))
    assert render._build_game_context(build_game_facts(league, view), str)["results"] == drawn.title


def check_own_faces(client: Client, league: League, text: str, turned: str) -> None:
    """Check the faces on which one player comes first: their own result is first."""
    for own, other, result in (("anna", "ben", text), ("ben", "anna", turned)):
        for address in (f"players/{own}/", f"players/{own}/versus/{other}/"):
            assert f" {result} " in read(client, f"/leagues/{league.slug}/{address}"), (address, result)


def test_a_fixture_has_the_same_line() -> None:
    league = make_league()
    run_competition(league, FOUR, "free", tie_breaks=["WIN"])
    add_fixtures(league.pk, "cup", [NewFixture([1, 2], 1) for _one in RESULTS], by="arbiter")
    for kind, figures, text, _turned in RESULTS:
        record(league, draw_game(kind, figures, text, doubles=False).sheet)
    assert [format_result(state) for state in loaded_cup(league).fixtures] == [text for *_rest, text, _ in RESULTS]


def test_without_scores_of_both_places_decide_and_without_either_there_is_no_result() -> None:
    assert format_result_of_two((5, 1), (None, 2)) == "1–0"
    assert format_result_of_two((5, None), (None, None)) == ""
    assert format_result_of_two((None, 2), (None, 2)) == "½–½"


def test_a_half_is_written_in_one_way_in_a_line() -> None:
    pairs = [(0.5, 0.5), (1, 0.5), (0.5, 3.5), (1.5, 2.5), (2, 2)]
    written = [format_result_of_two((one, None), (other, None)) for one, other in pairs]
    assert written == ["½–½", "1–½", "0.5–3.5", "1.5–2.5", "2–2"]


def test_games_of_more_than_two_have_scores_and_places(client: Client) -> None:
    league = make_league()
    lines = [NewResult(name, None, place) for place, name in enumerate(("anna", "ben", "cleo"), 1)]
    record(league, NewGame(lines))
    assert "Ben 2. Cleo 3." in read(client, "/leagues/club/")
    assert " 1st, 3rd " in read(client, "/leagues/club/players/anna/versus/cleo/")
