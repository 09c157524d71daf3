"""When the lowest score wins: every system and every method rates the scores turned, bit for bit, and no other way."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from ratings.columns.tallies import Records
from ratings.contract.method import Method, RatedLine, build_tallies, rank_players
from ratings.contract.system import GameSheet, RatingSystem
from ratings.describe.describing import describe
from ratings.describe.filling import describe_table
from ratings.describe.values import label_of
from ratings.registry import load_methods, load_systems
from ratings.run.replay import Log, log_results, rate_game, replay
from tests.helpers.cases import named
from tests.helpers.generators import bits, draw_games, draw_log, draw_rules, draw_sheet, draw_states, log_of, new_pool
from tests.helpers.periods import draw_before, period
from tests.helpers.periods import draw_games as draw_period_games
from tests.helpers.tiers import examples

SYSTEMS = list(load_systems().values())
METHODS = [method for method in load_methods().values() if method.reads_scores]
every_system = pytest.mark.parametrize("system", SYSTEMS, ids=named)
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.key)
GAMES = examples(100)


def both(kind: Any, random: Random) -> tuple[Any, Any]:
    """Return drawn parameters by which the lowest score wins, and the same by which the highest does."""
    rules: Any = draw_rules(kind, random)
    return replace(rules, winner="lowest"), replace(rules, winner="highest")


def turned(system: type[RatingSystem], scores: Sequence[float | None]) -> list[float | None]:
    """Return scores negated; where a system knows no negative ones, best and worst change places."""
    known = [score for score in scores if score is not None]
    ends = max(known) + min(known) if known and system.lowest_score >= 0 else 0.0
    return [None if score is None else ends - score for score in scores]


def turned_sheet(system: type[RatingSystem], sheet: GameSheet) -> GameSheet:
    """Return a sheet with its scores turned; places stay."""
    return replace(sheet, scores=turned(system, sheet.scores))


@pytest.mark.parametrize("kind", [*SYSTEMS, *METHODS], ids=named)
def test_every_system_and_method_that_looks_at_scores_says_which_one_wins(kind: Any) -> None:
    assert kind.json_schema()["properties"]["winner"] | {"description": "", "title": ""} == {
        "type": "string", "enum": ["highest", "lowest"], "default": "highest", "description": "", "title": "",
    }  # fmt: skip
    low = kind.from_json({"winner": "lowest"})
    assert (kind().lowest_score_wins(), low.lowest_score_wins()) == (False, True)
    assert (kind().wording().winner, low.wording().winner) == ("", "The lowest score wins.")
    assert low.wording().opening.endswith(" The lowest score wins.")
    assert kind().wording().opening == kind().wording().summary
    assert label_of(low) == f"{kind.title}, Winner = the lowest score"


def test_methods_that_look_at_no_score_have_no_winner() -> None:
    others = [method.key for method in load_methods().values() if not method.reads_scores]
    assert others == [key for key, method in load_methods().items() if "winner" not in method.parameters()]


@every_system
def test_one_game_with_the_lowest_winning_has_the_bits_of_the_scores_turned(system: type[RatingSystem]) -> None:
    random, moved = Random(1), 0
    for _ in range(GAMES):
        (low, high), sheet = both(system, random), draw_sheet(system, random)
        states, games = draw_states(low, sheet.size, random), draw_games(sheet.size, random)
        found = rate_game(low, states, games, sheet, started=99)
        assert repr(found) == repr(rate_game(high, states, games, turned_sheet(system, sheet), started=99))
        moved += repr(found) != repr(rate_game(high, states, games, sheet, started=99))
    # The Durak's order is that of the places: its scores are for ladders and records.
    assert (moved > GAMES // 10) == (system.score != "optional")


@every_system
@pytest.mark.parametrize(
    "compiled",
    [False, pytest.param(True, marks=pytest.mark.slow("Compiles every kernel; the plain run is held beside it."))],
)
def test_a_replay_with_the_lowest_winning_has_the_bits_of_the_scores_turned(
    system: type[RatingSystem], compiled: bool
) -> None:
    random, players = Random(2), max(20, 2 * min(system.max_players, 10))
    for _ in range(3):
        low, high = both(system, random)
        sheets, seats = draw_log(low, random, games=40, players=players)
        expected = log_of(high, [turned_sheet(system, sheet) for sheet in sheets], seats)
        raw = np.array([pair for sheet in sheets for pair in zip(sheet.scores, sheet.places, strict=True)], dtype=float)
        sides = np.array([side for sheet in sheets for side in (sheet.sides or [None] * sheet.size)], dtype=float)
        # A part of a log begins anywhere.
        given = log_results(low, raw, expected.offsets + 7, sides if system.sides else None)
        found = Log(expected.offsets, expected.players, given, expected.fields)
        one, other = [new_pool(states) for states in [draw_states(low, players, random)] * 2]
        assert bits(replay(low, found, one, compiled=compiled), one) == bits(
            replay(high, expected, other, compiled=compiled), other
        )


@pytest.mark.parametrize("system", [one for one in SYSTEMS if one.score == "either"], ids=named)
def test_scores_and_places_agree_where_the_lowest_score_has_the_first_place(system: type[RatingSystem]) -> None:
    low = system.from_json({"winner": "lowest"})
    assert low.check(GameSheet((3, 1), (2, 1))) == low.check(GameSheet((3, 3), (1, 1))) == []
    assert [(one.code, one.field, one.seat) for one in low.check(GameSheet((3, 1), (1, 2)))] == [
        ("contradiction", "place", 1)
    ]
    assert [one.code for one in low.check(GameSheet((3, 3), (1, 2)))] == ["contradiction"]


#: A game of Hearts: what its four players took, and places for systems that go by them.
HEARTS = GameSheet((0, 5, 8, 13), (1, 2, 3, 4))
START = {"elo": 1500, "serpentine": 1200, "barbu": 0}


@pytest.mark.parametrize(
    ("key", "changes"),
    [
        # Each of four levels against three: 20 · (3 − 1.5) / 3.
        ("elo", (10, 10 / 3, -10 / 3, -10)),
        # 13, 8, 5 and 0 of 26, where everybody expects 6.5: 16 · 6.5 / 6.5; 16 · 1.5 / 6.5 = 3.69.
        ("serpentine", (16, 4, -4, -16)),
        # First games count in full: 0, −5, −8 and −13, less their mean of −6.5.
        ("barbu", (6.5, 1.5, -1.5, -6.5)),
    ],
)
def test_a_game_of_hearts_by_hand(key: str, changes: tuple[float, ...]) -> None:
    system = load_systems()[key].from_json({"winner": "lowest"})
    rated = rate_game(system, [[START[key]]] * 4, [0] * 4, replace(HEARTS, places=(None,) * 4))
    assert rated.change == pytest.approx(changes, abs=1e-12)


@pytest.mark.parametrize(
    ("key", "line", "sentence"),
    [
        (
            "serpentine",
            "16 × (13 − 6.5) / (1 × 6.5)",
            "With a rating of 1200 the expected score is 6.5. Ann scored 0, which counts as 13, 6.5 more.",
        ),
        (
            "barbu",
            "(−5 + 0 − 0) × 1 + 6.5",
            "With a strength of 0.00, the expected score against these three is 0.0. Ben scored 5, "
            "which counts as −5.0, 5.0 less. This was Ben's game 1, so it weighs 100%.",
        ),
    ],
)
def test_an_explanation_says_as_what_a_score_counts(key: str, line: str, sentence: str) -> None:
    system = load_systems()[key].from_json({"winner": "lowest"})
    sheet = replace(HEARTS, places=(None,) * 4)
    rated = rate_game(system, [[START[key]]] * 4, [0] * 4, sheet)
    told = describe_table(system, sheet, rated, ["Ann", "Ben", "Cleo", "Dan"])
    assert (line, sentence) in [(one.line, one.sentence) for one in told]


def test_a_preset_of_the_lowest_wins_in_the_description() -> None:
    (preset,) = (one for one in describe(load_systems()["preferans"])["presets"] if one["key"] == "negative_is_good")
    assert preset["parameters"] == {"winner": "lowest"}


def of_other_sign(games: Sequence[Sequence[RatedLine]], which: Sequence[bool]) -> list[list[RatedLine]]:
    """Return games with the scores of some of them negated, and no mark of it."""
    return [
        [
            replace(line, score=0.0 - line.score if turn and line.score is not None else line.score, lowest=False)
            for line in lines
        ]
        for lines, turn in zip(games, which, strict=True)
    ]


@every_method
@pytest.mark.parametrize("winner", ["highest", "lowest"])
def test_a_ladder_counts_as_the_rating_does_or_all_games_by_the_lowest(method: type[Method], winner: str) -> None:
    random, moved = Random(3), 0
    for _ in range(GAMES):
        low, high = both(method, random)
        rules = low if winner == "lowest" else high
        games = draw_period_games(random)
        marks = [random.random() < 0.5 for _ in games]
        given = [[replace(line, lowest=mark) for line in lines] for lines, mark in zip(games, marks, strict=True)]
        which = marks if winner == "highest" else [True] * len(games)
        before = draw_before(games, random)
        found, expected = build_tallies(rules, period(given, before)), period(of_other_sign(games, which), before)
        # repr tells the bits.
        assert repr(found) == repr(build_tallies(high, expected))
        moved += found != build_tallies(high, period(games, before))
    assert moved > GAMES // 10


def hearts_month() -> Records:
    """Return the records of two games of four, which players 1 and 2 win with the fewest points."""
    return period(
        [[RatedLine(1 + seat, score=score) for seat, score in enumerate(row)] for row in ((0, 5, 8, 13), (9, 2, 8, 7))]
    )


@pytest.mark.parametrize(
    ("key", "parameters", "scores"),
    [
        ("points", {}, [(2, 1.0), (1, 1.0), (3, 0.0), (4, 0.0)]),
        ("points", {"count": "scores"}, [(2, -7.0), (1, -9.0), (3, -16.0), (4, -20.0)]),
        ("best_scores", {"best": 1, "minimum": 1}, [(1, 0.0), (2, -2.0), (4, -7.0), (3, -8.0)]),
        ("challenge", {}, [(2, 3.0), (4, 2.0), (3, 1.0), (1, 0.0)]),
    ],
)
def test_a_month_of_hearts_by_hand(key: str, parameters: dict[str, Any], scores: list[tuple[int, float]]) -> None:
    rules = load_methods()[key].from_json({**parameters, "winner": "lowest"})
    tallies = build_tallies(rules, hearts_month())
    rows = rank_players(rules, tallies, {player: f"{player}" for player in tallies})
    assert sorted((row.player, row.tally.score) for row in rows) == sorted(scores)
    assert [row.player for row in rows if row.rank == 1] == [scores[0][0]]
