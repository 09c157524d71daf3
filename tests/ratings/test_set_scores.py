"""Matches of sets: the result that follows from the points, and what is refused; by hand and by drawn matches."""

import random
import re
from pathlib import Path
from typing import Any

import pytest

from ratings.contract.parameters import ParameterError
from ratings.contract.set_scores import RULINGS, SPORTS, MatchResult, SetRule, SetsRefusal, read_sets
from tests.helpers.tiers import examples

TABLE_TENNIS: dict[str, Any] = {"best_of": 5, "to": 11}
BADMINTON: dict[str, Any] = {"best_of": 3, "to": 21, "cap": 30}
TENNIS: dict[str, Any] = {"best_of": 3, "to": 6, "tie_break": 7}
SUPER: dict[str, Any] = {**TENNIS, "last_to": 10}
VOLLEYBALL: dict[str, Any] = {"best_of": 5, "to": 25, "last_to": 15}


def read(values: dict[str, Any], text: str, retired: int | None = None) -> MatchResult | SetsRefusal:
    """Return what a rule says of sets as people write them: "11-9 9-11"; retired: the side, from 0."""
    pairs = [[int(points) for points in each.split("-")] for each in text.split()]
    sides = [[pair[side] for pair in pairs] for side in range(2)]
    return read_sets(SetRule.from_json(values), sides, [retired == 0, retired == 1])


@pytest.mark.parametrize(
    ("values", "text", "won"),
    [
        (TABLE_TENNIS, "11-9 9-11 11-7 11-5", (3, 1)),
        (TABLE_TENNIS, "11-0 11-0 11-0", (3, 0)),
        (TABLE_TENNIS, "15-13 10-12 0-11 11-9 18-20", (2, 3)),
        ({"best_of": 7, "to": 11}, "9-11 9-11 11-9 11-9 11-9 9-11 11-9", (4, 3)),
        ({"best_of": 1, "to": 15}, "13-15", (0, 1)),
        (BADMINTON, "21-19 20-22 30-29", (2, 1)),
        (BADMINTON, "30-28 21-0", (2, 0)),
        (TENNIS, "6-4 4-6 7-5", (2, 1)),
        (TENNIS, "7-6 6-7 7-6", (2, 1)),
        (SUPER, "6-0 6-7 8-10", (1, 2)),
        (SUPER, "6-0 0-6 13-11", (2, 1)),
        (VOLLEYBALL, "25-23 23-25 26-24 24-26 15-13", (3, 2)),
        ({"best_of": 3, "to": 11, "clear_by": 1}, "11-10 10-11 11-10", (2, 1)),
        ({"best_of": 1, "to": 11, "clear_by": 3}, "14-11", (1, 0)),
    ],
)
def test_the_sets_say_who_won(values: dict[str, Any], text: str, won: tuple[int, int]) -> None:
    assert read(values, text) == MatchResult(won, int(won[1] > won[0]))


@pytest.mark.parametrize(
    ("values", "text", "code", "number"),
    [
        (TABLE_TENNIS, "11-9 11-10 11-7", "bad_set", 2),
        (TABLE_TENNIS, "11-9 11-11 11-7", "bad_set", 2),
        (TABLE_TENNIS, "11-9 15-3 11-7", "bad_set", 2),
        (TABLE_TENNIS, "11-9 12-9 11-7", "bad_set", 2),
        (TABLE_TENNIS, "11-9 9-8 11-7", "bad_set", 2),
        (TABLE_TENNIS, "11-9 1000-998 11-7", "bad_set", 2),
        (TABLE_TENNIS, "11-9 11-9 11-9 11-9", "too_many_sets", 4),
        (TABLE_TENNIS, "11-9 9-11 11-9 9-11 11-9 11-9", "too_many_sets", 6),
        (TABLE_TENNIS, "11-9 9-11", "sets_unfinished", None),
        (BADMINTON, "31-29 21-10", "bad_set", 1),
        (BADMINTON, "29-28 21-10", "bad_set", 1),
        ({"best_of": 1, "to": 8, "clear_by": 1}, "9-8", "bad_set", 1),
        ({"best_of": 1, "to": 8, "clear_by": 1}, "8-8", "bad_set", 1),
        (TENNIS, "6-5 6-0", "bad_set", 1),
        (TENNIS, "8-6 6-0", "bad_set", 1),
        (TENNIS, "7-4 6-0", "bad_set", 1),
        (SUPER, "6-0 0-6 6-4", "bad_set", 3),
        (SUPER, "6-0 0-6 11-10", "bad_set", 3),
    ],
)
def test_what_is_no_match_is_refused_with_the_set(
    values: dict[str, Any], text: str, code: str, number: int | None
) -> None:
    refusal = read(values, text)
    assert isinstance(refusal, SetsRefusal)
    assert (refusal.code, refusal.number) == (code, number)


def test_a_refusal_is_a_sentence_with_the_set_and_its_score() -> None:
    refusal = read(TABLE_TENNIS, "11-9 11-10 11-7")
    assert isinstance(refusal, SetsRefusal)
    assert refusal.sentence == "Set 2: 11–10 is not won by 2."


@pytest.mark.parametrize(
    ("text", "retired", "won", "winner"),
    [
        ("11-9 9-11 11-7", 0, (2, 3), 1),
        ("11-9 9-11 11-7", 1, (3, 1), 0),
        ("11-9 9-11 11-7 3-5", 0, (2, 3), 1),
        ("0-0", 0, (0, 3), 1),
        ("12-12", 1, (3, 0), 0),
    ],
)
def test_who_retires_loses_and_the_other_is_awarded_the_rest(
    text: str, retired: int, won: tuple[int, int], winner: int
) -> None:
    assert read(TABLE_TENNIS, text, retired) == MatchResult(won, winner)


def test_no_side_retires_from_a_match_that_is_over_not_begun_or_played_by_both() -> None:
    rule = SetRule.from_json(TABLE_TENNIS)
    cases = [
        read(TABLE_TENNIS, "11-9 11-9 11-9", 1),
        read_sets(rule, [[], []], [True, False]),
        read_sets(rule, [[3], [1]], [True, True]),
        read({**TABLE_TENNIS, "retired": "refused"}, "11-9", 1),
    ]
    assert [one.code for one in cases if isinstance(one, SetsRefusal)] == ["bad_retirement"] * 4


@pytest.mark.parametrize("points", ["11", -1, 1000, 1.5, True, None, [11]])
def test_points_are_whole_numbers(points: Any) -> None:
    refusal = read_sets(SetRule(), [[11, points, 11], [9, 3, 9]], [False, False])
    assert isinstance(refusal, SetsRefusal)
    assert (refusal.code, refusal.number) == ("bad_set", 2)


def test_both_sides_have_as_many_sets() -> None:
    refusal = read_sets(SetRule(), [[11, 11, 11], [9, 9]], [False, False])
    assert isinstance(refusal, SetsRefusal)
    assert refusal.code == "sets_unequal"


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"best_of": 4}, "best_of"),
        ({"best_of": 11}, "best_of"),
        ({"to": 0}, "to"),
        ({"cap": 10}, "cap"),
        ({"tie_break": 7, "cap": 30}, "tie_break"),
        ({"tie_break": 7, "clear_by": 1}, "tie_break"),
        ({"best_of": 1, "last_to": 10}, "last_to"),
        ({"retired": "maybe"}, "retired"),
        ({"sets": 3}, "sets"),
    ],
)
def test_a_rule_that_contradicts_itself_is_refused_by_name(values: dict[str, Any], name: str) -> None:
    with pytest.raises(ParameterError) as refused:
        SetRule.from_json(values)
    assert list(refused.value.problems) == [name]


def test_a_rule_is_told_in_words_and_sports_are_whole_rules() -> None:
    rule = SetRule.from_json({**BADMINTON, "last_to": 15, "retired": "refused", "clear_by": 2.0})
    assert rule.describe() == "best of 3, to 21, won by 2, at most 30, deciding set to 15, no retirement"
    assert SetRule.from_json(TENNIS).describe() == "best of 3, to 6, won by 2, tie-break to 7"
    assert type(rule.clear_by) is int
    assert all(SetRule.whole(sport.values)["best_of"] % 2 for sport in SPORTS)
    assert SetRule.json_schema()["properties"]["cap"]["anyOf"][1] == {"type": "null"}


def play_set(rule: SetRule, last: bool, luck: random.Random) -> tuple[int, int]:
    """Return a set played point by point, by an account of the rules of its own."""
    score, skill = [0, 0], luck.uniform(0.2, 0.8)
    to = rule.last_to if last and rule.last_to is not None else rule.to
    special = last and rule.last_to is not None
    while True:
        score[luck.random() > skill] += 1
        high, low = max(score), min(score)
        ended = high >= to and high - low >= rule.clear_by
        capped = not special and rule.cap is not None and high == rule.cap
        broken = not special and rule.tie_break is not None and (high, low) == (to + 1, to)
        if ended or capped or broken:
            return score[0], score[1]


def play_match(rule: SetRule, luck: random.Random) -> tuple[list[list[int]], list[int]]:
    """Return the points of a match played to its end, and the sets of each side."""
    sides: list[list[int]] = [[], []]
    won = [0, 0]
    while max(won) * 2 <= rule.best_of:
        one, other = play_set(rule, len(sides[0]) + 1 == rule.best_of, luck)
        sides[0].append(one)
        sides[1].append(other)
        won[other > one] += 1
    return sides, won


@pytest.mark.parametrize("values", [*(sport.values for sport in SPORTS), {"best_of": 9, "to": 3, "clear_by": 3}])
def test_every_match_that_can_be_played_is_read_back_and_each_planted_fault_is_found(values: dict[str, Any]) -> None:
    rule, luck = SetRule.from_json(values), random.Random(20)
    for _ in range(examples(400)):
        sides, won = play_match(rule, luck)
        assert read_sets(rule, sides, [False, False]) == MatchResult((won[0], won[1]), int(won[1] > won[0]))
        plant = luck.choice(["more", "less", "won on", "tie", "unequal"])
        broken, at = [list(points) for points in sides], luck.randrange(len(sides[0]))
        if plant == "more":
            broken = [[*points, points[0]] for points in broken]
        elif plant == "less":
            broken = [points[:-1] for points in broken]
        elif plant == "won on":
            winner = int(sides[1][at] > sides[0][at])
            broken[winner][at] += 1 + rule.clear_by
        elif plant == "tie":
            broken[0][at] = broken[1][at]
        else:
            broken[luck.randrange(2)].append(3)
        assert isinstance(read_sets(rule, broken, [False, False]), SetsRefusal), (plant, sides, broken)


@pytest.mark.parametrize("values", [sport.values for sport in SPORTS])
def test_a_match_that_stopped_anywhere_is_won_by_the_side_that_went_on(values: dict[str, Any]) -> None:
    rule, luck = SetRule.from_json(values), random.Random(21)
    for _ in range(examples(200)):
        sides, _won = play_match(rule, luck)
        played = luck.randrange(1, len(sides[0])) if len(sides[0]) > 1 else 0
        cut = [[*points[:played], luck.randrange(min(rule.to, rule.last_to or rule.to))] for points in sides]
        side = luck.randrange(2)
        result = read_sets(rule, cut, [side == 0, side == 1])
        assert isinstance(result, MatchResult)
        assert result.winner == 1 - side
        assert result.won[1 - side] == rule.needed > result.won[side]


def test_the_page_says_the_rulings_in_the_same_words() -> None:
    page = (Path(__file__).parents[2] / "docs" / "organisers" / "sets.md").read_text(encoding="utf-8")
    entries = re.findall(r"^- (\*\*R\d+ .*?)(?=\n- |\n#|\Z)", page, re.DOTALL | re.MULTILINE)
    parameters = [f" Parameter `{ruling.parameter}`." if ruling.parameter else "" for ruling in RULINGS]
    wanted = [
        f"**{ruling.number} {ruling.title}.** {ruling.text}{parameter}"
        for ruling, parameter in zip(RULINGS, parameters, strict=True)
    ]
    assert [re.sub(r"\s+", " ", entry).strip() for entry in entries] == wanted
