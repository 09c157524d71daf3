"""Sides and weights from every face into the books and out of them again.

Expected ratings are Elo's by hand: K 32, everyone at 1500, so who wins gains half of K times the weight.
"""

import csv
import json
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from io import BytesIO
from typing import Any, Literal

import numpy as np
import pytest

from league.apps.imports.services.run import ImportOptions, import_games
from league.apps.laboratory.services.read_games import read_games
from league.core.errors import Conflict, Invalid, Refused
from league.core.games.services.batches import record_together
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import RecordedGame, correct_game, record_game, restore_game, void_game
from league.core.locking import run_with_league_lock
from league.core.players.selectors.person import serialize_game
from league.core.replay.services.inline import replay_from
from league.core.transfer.selectors.exports_csv import iter_csv_lines
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Game, League, LogEntry, Result
from tests.helpers.api_client import Api
from tests.helpers.builders import EVENING, FOUR, derived, make_league, ratings, record, said, sheet
from tests.helpers.experiment_builders import question
from tests.helpers.restore_builders import export_of, lines_file

pytestmark = pytest.mark.django_db
Media = Literal["csv", "ndjson"]


def doubles(*sides: int | None, places: tuple[int | None, ...] = (1, 1, 2, 2), **more: Any) -> NewGame:
    """Return a game of the four, two against two unless told otherwise."""
    lines = zip(FOUR, places, sides or (1, 1, 2, 2), strict=True)
    results = [NewResult(player, None, place, side) for player, place, side in lines]
    return NewGame(results, **{"played_at": EVENING, **more})


def club(**parameters: Any) -> League:
    """Return a league of the four under Elo with K 32."""
    return make_league("elo", FOUR, parameters={"k": 32, **parameters})


def test_partners_win_and_lose_together_and_not_against_each_other() -> None:
    league = club()
    record(league, doubles())
    assert ratings(league) == {"anna": 1516.0, "ben": 1516.0, "cleo": 1484.0, "dan": 1484.0}


@pytest.mark.parametrize(("weight", "gain"), [(0.0, 0.0), (0.5, 8.0), (2.0, 32.0)])
def test_a_weight_multiplies_what_a_game_moves(weight: float, gain: float) -> None:
    league = club()
    record(league, doubles(weight=weight))
    assert ratings(league)["anna"] == 1500 + gain


REFUSED = [
    ("barbu", {"sides": (1, 1, 2, 2)}, "/results", "does not support teams"),
    ("barbu", {"weight": 2.0}, "/weight", "does not support weights"),
    ("elo", {"sides": (1, 1, 2, None)}, "/results/3/side", "Seat 4 has no team"),
    ("elo", {"sides": (1, 1, 1, 1)}, "/results", "All players are in one team"),
    ("elo", {"sides": (0, 1, 2, 2)}, "/results/0/side", "from 1 to 100"),
    ("elo", {"sides": (1, 2, 1, 2)}, "/results/2/place", "must have the same place"),
    ("elo", {"weight": 10.5}, "/weight", "from 0 to 10"),
    ("elo", {"weight": -1.0}, "/weight", "from 0 to 10"),
]


@pytest.mark.parametrize(("system", "what", "pointer", "words"), REFUSED)
def test_what_no_system_can_rate_is_refused_in_a_sentence(
    system: str, what: dict[str, Any], pointer: str, words: str
) -> None:
    league = make_league(system, FOUR)
    scores = (10.0, 10.0, 3.0, 3.0) if system == "barbu" else (None,) * 4
    places = (None,) * 4 if system == "barbu" else (1, 1, 2, 2)
    sides = what.get("sides", (None,) * 4)
    lines = [NewResult(*line) for line in zip(FOUR, scores, places, sides, strict=True)]
    with pytest.raises(Refused) as raised:
        record(league, NewGame(lines, EVENING, weight=what.get("weight", 1.0)))
    (problem,) = raised.value.problems
    assert (problem.pointer, words in problem.detail) == (pointer, True), problem
    assert not Game.objects.exists()


def test_a_friendly_keeps_its_sides_and_its_weight_within_bounds() -> None:
    league = make_league("barbu", FOUR)
    game = record(league, doubles(kind="friendly", weight=3.0))
    assert list(game.results.order_by("seat").values_list("side", flat=True)) == [1, 1, 2, 2]
    for wrong, pointer in (
        (doubles(1, 1, 2, 101, kind="friendly"), "/results/3/side"),
        (doubles(kind="friendly", weight=11.0), "/weight"),
    ):
        with pytest.raises(Refused) as raised:
            record(league, wrong)
        assert [problem.pointer for problem in raised.value.problems] == [pointer]
    with pytest.raises(Invalid, match="finite"):
        record(league, doubles(weight=float("nan")))


@pytest.mark.parametrize(("system", "kind"), [("elo", "friendly"), ("barbu", "forfeit")])
def test_partners_share_their_result_also_where_nothing_is_rated(system: str, kind: str) -> None:
    league = make_league(system, FOUR)
    for wrong, pointer, words in (
        (doubles(places=(1, 2, 3, 3), kind=kind), "/results/1/place", "Seats 1 and 2 are in one team"),
        (doubles(1, 1, 1, 1, places=(1, 1, 1, 1), kind=kind), "/results", "All players are in one team"),
    ):
        with pytest.raises(Refused) as raised:
            record(league, wrong)
        (problem,) = raised.value.problems
        assert (problem.pointer, words in problem.detail) == (pointer, True), problem
    # Whoever is on no side plays alone, two of them are no partners.
    mixed = record(league, doubles(7, 7, None, None, places=(2, 2, 1, 3), kind=kind))
    assert list(mixed.results.order_by("seat").values_list("side", flat=True)) == [7, 7, None, None]
    alone = NewGame([NewResult("anna", None, None, 3)], EVENING, kind="full_bye")
    assert record(league, alone).results.get().side == 3


def test_the_log_says_sides_and_weights_where_there_are_such_and_else_what_it_always_said() -> None:
    league = club()
    record(league, doubles(weight=2.0))
    record(league, sheet(("anna", "ben"), (1, 0), minutes=5))
    entries = LogEntry.objects.filter(league=league, kind="game.recorded").order_by("position")
    told, plain = (said(entry) for entry in entries)
    assert (told["weight"], [line["side"] for line in told["results"]]) == (2.0, [1, 1, 2, 2])
    assert plain.keys() == {"number", "played_at", "kind", "external_id", "details", "note", "results"}
    assert plain["results"][0].keys() == {"player", "score", "place"}


def test_a_known_external_id_is_the_same_game_by_its_sides_and_its_weight() -> None:
    league = club()
    record(league, doubles(external_id="s/1"))
    assert not record_game(league.pk, doubles(external_id="s/1"), by="test").created
    for other in (
        doubles(1, 2, 3, 4, external_id="s/1", places=(1, 1, 2, 2)),
        doubles(external_id="s/1", weight=2.0),
    ):
        with pytest.raises(Conflict):
            record(league, other)


def test_a_correction_of_the_sides_alone_replays_and_one_back_gives_the_same_bits() -> None:
    league = club()
    record(league, doubles())
    record(league, sheet(("anna", "dan"), (1, 0), minutes=9))
    before = derived(league)[1]
    swapped = doubles(1, 2, 1, 2, places=(1, 2, 1, 2))
    corrected = correct_game(league.pk, 1, swapped, reason="wrong pairs", username="test").game
    assert ratings(league)["ben"] == 1484.0
    correct_game(league.pk, corrected.number, doubles(), reason="right after all", username="test")
    assert [row[:8] for row in derived(league)[1]] == [row[:8] for row in before]
    assert not verify_league(league.pk).differences


def test_weights_alone_replay_too_and_a_restored_game_has_its_own() -> None:
    league = club()
    record(league, doubles(weight=0.5))
    correct_game(league.pk, 1, doubles(weight=2.0), reason="a final", username="test")
    assert ratings(league)["anna"] == 1532.0
    restore_game(league.pk, 1, reason="no final", username="test")
    assert ratings(league)["anna"] == 1508.0
    assert not verify_league(league.pk).differences


def again(league: League, now: datetime, *, compiled: bool) -> None:
    """Replay a league from nothing."""
    replay_from(league, None, compiled=compiled)


def test_a_late_game_replays_those_after_it_with_their_sides_compiled_and_plain() -> None:
    league = club()
    record(league, doubles(played_at=EVENING.replace(day=7), weight=0.5))
    record(league, sheet(FOUR, places=(2, 1, 3, 4), minutes=3))
    inline = derived(league)
    for compiled in (False, True):
        run_with_league_lock(league.pk, partial(again, compiled=compiled))
        assert derived(league) == inline
    assert not verify_league(league.pk).differences


def files() -> Iterator[tuple[Media, bytes]]:
    """Yield a file of two games in each format: one of doubles that weighs 2, one without either."""
    yield (
        "csv",
        (
            b"game_id,played_at,player,score,place,side,weight\n"
            b"a,2024-03-05T19:30:00Z,anna,,1,1,2\na,2024-03-05T19:30:00Z,ben,,1,1,2\n"
            b"a,2024-03-05T19:30:00Z,cleo,,2,2,2\na,2024-03-05T19:30:00Z,dan,,2,2,2\n"
            b"b,2024-03-06T19:30:00Z,anna,,1,,\nb,2024-03-06T19:30:00Z,ben,,2,,\n"
        ),
    )
    lines = [{"player": name, "place": place, "side": place} for name, place in zip(FOUR, (1, 1, 2, 2), strict=True)]
    one = {"external_id": "a", "played_at": "2024-03-05T19:30:00Z", "weight": 2, "results": lines}
    plain = [{"player": "anna", "place": 1}, {"player": "ben", "place": 2, "side": None}]
    two = {"external_id": "b", "played_at": "2024-03-06T19:30:00Z", "results": plain, "weight": None}
    yield "ndjson", f"{json.dumps(one)}\n{json.dumps(two)}\n".encode()


@pytest.mark.parametrize(("media", "text"), list(files()), ids=("csv", "ndjson"))
def test_files_bring_sides_and_weights_and_what_is_rated_is_what_recording_rates(media: Media, text: bytes) -> None:
    league = club()
    import_games(league.pk, BytesIO(text), ImportOptions(by="test", media=media))
    assert Game.objects.get(number=1).weight == 2.0
    # Two won by 32 each; Anna then plays Ben, both at 1532.
    assert ratings(league) == {"anna": 1548.0, "ben": 1516.0, "cleo": 1468.0, "dan": 1468.0}
    assert not verify_league(league.pk).differences
    again = import_games(league.pk, BytesIO(text), ImportOptions(by="test", media=media))
    assert (again.games, again.known) == (0, 2)


def test_many_sent_together_stand_in_the_books_as_if_each_had_come_alone() -> None:
    games = [doubles(played_at=EVENING.replace(minute=at), weight=1.0 + at % 2) for at in range(6)]
    games += [sheet(("anna", "ben"), (1, 0), minutes=20 + at) for at in range(5)]
    one, other = club(), make_league("elo", FOUR, slug="other", parameters={"k": 32})
    for game in games:
        record(one, game)
    assert all(
        not isinstance(done, RecordedGame) or done.created for done in record_together(other.pk, games, username="test")
    )
    assert derived(one) == derived(other)
    assert not verify_league(other.pk).differences


def test_an_export_holds_them_and_what_is_restored_of_it_is_the_same() -> None:
    league = club()
    record(league, doubles(weight=2.0))
    record(league, sheet(("anna", "ben"), (1, 0), minutes=5))
    void_game(league.pk, record(league, doubles(weight=0.25)).number, reason="a joke", username="test")
    lines = export_of(league)
    games = [json.loads(line) for line in lines if '"type":"game"' in line]
    assert [game.get("weight") for game in games] == [2.0, None, 0.25]
    assert "side" not in games[1]["results"][0]
    restored = restore_league(lines_file(lines), slug="again", known_players=True, by="test").league
    assert [row[1:] for row in derived(restored)[1]] == [row[1:] for row in derived(league)[1]]
    facts = Result.objects.order_by("game__number", "seat").values_list("player", "place", "side", "game__weight")
    assert list(facts.filter(game__league=restored)) == list(facts.filter(game__league=league))
    assert not verify_league(restored.pk).differences


def test_the_games_as_csv_come_in_again() -> None:
    league = club()
    record(league, doubles(weight=2.0, external_id="a"))
    record(league, sheet(("anna", "ben"), (1, 0), minutes=5, external_id="b"))
    text = "\n".join(iter_csv_lines(league.pk))
    assert text.splitlines()[0] == "game_id,played_at,player,score,place,kind,side,weight"
    other = make_league("elo", FOUR, slug="other", parameters={"k": 32})
    import_games(other.pk, BytesIO(text.encode()), ImportOptions(by="test", media="csv"))
    assert ratings(other) == ratings(league)
    plain = make_league("elo", FOUR, slug="plain")
    record(plain, sheet(("anna", "ben"), (1, 0)))
    assert next(iter(iter_csv_lines(plain.pk))) == "game_id,played_at,player,score,place,kind"


def test_sides_of_different_sizes_break_no_law_and_other_games_still_can() -> None:
    league = club()
    record(league, doubles(1, 2, 2, 2, places=(1, 2, 2, 2)))
    assert not verify_league(league.pk).differences
    assert sum(ratings(league).values()) != 6000.0


def test_the_api_takes_and_answers_them() -> None:
    league = club()
    client = Api("record", (league,))
    lines = [{"player": name, "place": place, "side": place} for name, place in zip(FOUR, (1, 1, 2, 2), strict=True)]
    body = {"played_at": "2024-03-05T19:30:00Z", "weight": 2, "results": lines}
    answer = client.post("leagues/club/games/", body)
    assert answer.status_code == 201, answer.data
    told = answer.data
    assert (told["weight"], [line["side"] for line in told["results"]]) == (2.0, [1, 1, 2, 2])
    assert client.get("leagues/club/games/1/").data["results"] == told["results"]
    explained = client.get("leagues/club/games/1/explanation/").data
    assert [line["side"] for line in explained["players"]] == [1, 1, 2, 2]
    preview = client.post("leagues/club/preview/", {"results": [{**one, "place": None} for one in lines]})
    assert len(preview.data["outcomes"]) == 3
    weighed = client.post("leagues/club/preview/", {**body, "weight": 0.5})
    usual = client.post("leagues/club/preview/", {**body, "weight": None})
    changes = [answer.data["outcomes"][0]["players"][0]["change"] for answer in (weighed, usual)]
    assert changes[0] == changes[1] / 2 > 0
    wrong = client.post("leagues/club/games/", {**body, "weight": 11})
    assert (wrong.status_code, wrong.data["errors"][0]["pointer"]) == (422, "/weight")


def test_lists_of_games_and_what_is_known_of_a_person_say_sides_and_weights() -> None:
    league = club()
    record(league, doubles(weight=2.0))
    rows = list(csv.DictReader(Api().get("leagues/club/games/?format=csv").content.decode().splitlines()))
    assert [(row["player"], row["side"], row["weight"]) for row in rows] == [
        ("anna", "1", "2.0"),
        ("ben", "1", "2.0"),
        ("cleo", "2", "2.0"),
        ("dan", "2", "2.0"),
    ]
    told = serialize_game(Result.objects.select_related("game").get(game__league=league, seat=3))
    assert (told["side"], told["weight"]) == (2, 2.0)


def test_an_experiment_reads_sides_and_weights_also_for_systems_that_know_none() -> None:
    league = club()
    record(league, doubles(weight=2.0))
    record(league, sheet(("anna", "ben"), (1, 0), minutes=5))
    for system in ("elo", "durak"):
        played = read_games(league, question(system)).played
        assert played.sides is not None
        assert np.array_equal(played.sides, [1, 1, 2, 2, np.nan, np.nan], equal_nan=True)
        assert played.weights.tolist() == [2.0, 1.0]
    plain = make_league("elo", FOUR, slug="plain")
    record(plain, sheet(("anna", "ben"), (1, 0)))
    assert read_games(plain, question("elo")).played.sides is None
