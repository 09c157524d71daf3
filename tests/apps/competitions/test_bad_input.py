"""Bad input over the API: a sentence with the line or the field, and nothing written."""

from typing import Any

import pytest

from league.apps.competitions.models import Competition
from league.apps.competitions.selectors.competitions import build_format
from league.apps.competitions.services.settings import check_rounds
from league.core.capabilities import list_models
from league.core.errors import Refused
from tests.apps.competitions.files.trf_texts import FIVE, build_trf
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
COMPETITIONS = "leagues/club/competitions/"
CUP = f"{COMPETITIONS}cup/"
PLAYERS = ("anna", "ben", "cleo", "dan")
PAIR = build_trf("1 1 1 | 2 w 1", "2 0 2 | 1 b 0")
#: File -> line, column and sentence of each problem; the players are on lines 3 and 4.
FILES: list[tuple[str | bytes, list[tuple[int, int, str]]]] = [
    (PAIR.replace("     2 w 1", "     9 w 1"), [(3, 92, "Opponent 9 is not in the file."),
                                      (4, 92, "Round 1: player 2 has a game against 1, but 1 plays 9.")]),
    (PAIR.replace("     1 b 0", ""), [(3, 92, "Round 1: player 1 has a game against 2, but 2 has none.")]),
    (PAIR.replace("1 b 0", "1 b 1"), [(3, 99, "Round 1: players 1 and 2 both win."),
                                      (4, 99, "Round 1: players 2 and 1 both win.")]),
    (PAIR.replace("2 w 1", "2 w Q"), [(3, 99, "“Q” is not a result. The results are 1 = 0 + - W D L F H U Z.")]),
    (f"{PAIR}XXR 1\n".replace("2 w 1", "2 w 1  0000 - U"),
     [(3, 102, "The line has 2 rounds, but the competition has 1.")]),
    (build_trf("1 1 1 | 2 w 1", "2 0 2 | 1 b 0", "3 1 1 | 2 w 1"),
     [(5, 92, "Round 1: player 3 has a game against 2, but 2 plays 1.")]),
    (PAIR.replace("Player 2", "Pla\x07er 2"), [(3, 92, "Opponent 2 is not in the file."),
                                              (4, 18, "The line has a character that is not text.")]),
    (FIVE.encode("utf-16")[:-3], [(0, 0, "This is not a text file.")]),
]  # fmt: skip
#: Body of a result -> status, where the problem is, and its sentence. The fixture has two seats.
RESULTS: list[tuple[dict[str, Any], int, str, str]] = [
    ({"results": [{"score": 1}] * 3}, 400, "/results",
     "Fixture 1 has 2 seats: send a result for each, in their order."),
    ({"results": [{"score": 1}, {}]}, 422, "/results",
     "Elo needs a score for every seat, or a place for every seat."),
    ({"results": [{"place": 0}, {"place": 1}]}, 422, "/results/0/place",
     "Seat 1: the place must be from 1 to 2; it is 0."),
    ({"forfeit": [9], "reason": "no_show"}, 400, "/forfeit/0", "Entry 9 is not in fixture 1."),
    ({"forfeit": [1]}, 400, "/reason", "reason: This field is required."),
]  # fmt: skip


def count_rows() -> dict[str, int]:
    """Return the number of rows of each table, but for the use of tokens."""
    return {model.__name__: model._default_manager.count() for model in list_models()}


def list_problems(answer: Any) -> list[tuple[str, str]]:
    """Return pointer and sentence of each problem."""
    return [(error["pointer"], error["detail"]) for error in answer.data.get("errors", [])]


def test_faulty_files_are_refused_with_every_line() -> None:
    make_league(players=())
    api = Api("organise")
    before = count_rows()
    for data, expected in FILES:
        refused = api.post_file(f"{COMPETITIONS}import/?create_players=true", data, "application/x-trf")
        found = [
            (error.get("line", 0), error.get("column", 0), error["detail"].partition(": ")[2] or error["detail"])
            for error in refused.data["errors"]
        ]
        assert (refused.status_code, found) == (400, expected)
    assert count_rows() == before


def test_one_possible_round_is_said_in_the_singular() -> None:
    two = Competition(format="swiss", rounds=2)
    with pytest.raises(Refused) as refused:
        check_rounds(two, build_format(two), 2)
    assert refused.value.problems[0].detail == "With 2 entries at most 1 round can be paired, not 2."


@long_way
def test_faulty_results_rounds_and_entries_are_refused_with_their_fields() -> None:
    make_league()
    api = Api("organise")
    api.post(COMPETITIONS, {"slug": "cup", "title": "Cup", "format": "swiss", "rounds": 4, "status": "open"})
    assert api.post(f"{CUP}entries/", [{"player": name} for name in PLAYERS]).status_code == 201

    def refuse(path: str, body: Any, status: int, *expected: tuple[str, str], method: str = "post") -> None:
        before = count_rows()
        answer = api.call(method, CUP + path, body)
        assert (answer.status_code, list_problems(answer) or [("", answer.data["detail"])]) == (status, list(expected))
        assert count_rows() == before, path

    refuse("entries/", [{"player": "zoe"}], 422, ("/entries/0/players/0", "No player is called “zoe”."))
    refuse("start/", None, 422, ("/rounds", "With 4 entries at most 3 rounds can be paired, not 4."))
    api.patch(CUP, {"rounds": 3})
    api.post(f"{CUP}start/", None)
    first = api.post(f"{CUP}rounds/", {}).data["fixtures"][0]
    refuse("rounds/", {"number": 1}, 409, ("", "Round 1 is already made."))
    result, won = f"fixtures/{first['id']}/result/", {"results": [{"score": 1}, {"score": 0}]}
    refuse(result, won, 422, ("/fixture", "Round 1 is not published: publish it first."))
    api.post(f"{CUP}rounds/1/publish/", None)
    for body, status, pointer, sentence in RESULTS:
        refuse(result, body, status, (pointer, sentence))
    assert api.post(CUP + result, won).status_code == 201
    played = "Fixture 1 already has a result: game 1. Correct that game instead."
    refuse(result, won, 409, ("/fixture", played))
    second = api.get(f"{CUP}fixtures/?status=planned").data["results"][0]
    names = " – ".join(second["names"])
    refuse("rounds/", {}, 422, ("/fixtures/2", f"Round 1: {names} have no result yet."))
    refuse("finish/", {}, 422, ("/fixtures", f"1 fixture has no result: {names}"))
    refuse("rounds/4/", None, 404, ("", "The competition Cup has no round 4."), method="delete")


def test_tables_that_do_not_divide_are_refused_before_the_start() -> None:
    make_league()
    api = Api("organise")
    settings = {"slug": "cup", "title": "Cup", "format": "tables", "parameters": {"size": 7}, "status": "open"}
    api.post(COMPETITIONS, settings)
    api.post(f"{CUP}entries/", [{"player": name} for name in PLAYERS])
    before = count_rows()
    refused = api.post(f"{CUP}start/", None)
    assert (refused.status_code, list_problems(refused)) == (
        422,
        [("/entries", "4 entries do not fit tables of 7: add or leave out an entry, or choose another size.")],
    )
    assert count_rows() == before
