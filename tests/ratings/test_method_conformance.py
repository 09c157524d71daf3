"""What holds for every ladder's method, whoever wrote it: dropping a file into the folder is enough to be tested."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from ratings.checks import find_method_problems
from ratings.columns.tallies import Records
from ratings.contract.method import Method, MethodExample, RatedLine, build_tallies, index_figures_by_key, rank_players
from ratings.contract.parameters import NumberParameter, ParameterError, WordOrNumber, WordParameter
from ratings.describe.methods import describe_method
from ratings.forms import build_parameters_form
from ratings.registry import load_methods, load_systems
from tests.helpers.cases import named
from tests.helpers.generators import draw_rules, every_rule
from tests.helpers.periods import draw_before, draw_games, period
from tests.helpers.tiers import examples

METHODS = list(load_methods().values())
EXAMPLES = [(method, example) for method in METHODS for example in method.examples]
#: Random periods a method and test, each under random parameters.
PERIODS = examples(150)


def among(methods: Iterable[type[Method]]) -> pytest.MarkDecorator:
    """Run a test for each of these methods."""
    return pytest.mark.parametrize("method", methods, ids=lambda method: method.key)


every_method = among(METHODS)
every_method_of_reach_own = among([method for method in METHODS if method.reach == "own"])
every_method_that_looks_only_at_who_met = among([method for method in METHODS if method.reach != "all"])
every_method_with_a_minimum = among([method for method in METHODS if "minimum" in method.parameters()])


Games = Sequence[Sequence[RatedLine]]
Befores = Mapping[int, float | None]


def draw_parts(random: Random, first: int = 0) -> tuple[Games, Befores]:
    """Draw the games of a period, and where everybody stood at the beginning."""
    games = draw_games(random, first)
    return games, draw_before(games, random)


def draw_period(random: Random) -> Records:
    """Draw the records of a period."""
    return period(*draw_parts(random))


def numbers_of(tally: Any) -> list[float]:
    """Return every number of a tally."""
    return [value for value in (tally.score, *tally.values, tally.games) if value is not None]


@pytest.mark.parametrize(("method", "example"), EXAMPLES, ids=named)
def test_an_example_gives_what_the_source_prints(method: type[Method], example: MethodExample) -> None:
    rules = method.from_json(example.parameters)
    found = index_figures_by_key(rules, build_tallies(rules, example.records())[example.player])
    assert example.expected
    for key, value in example.expected.items():
        assert found[key] == pytest.approx(value, rel=0, abs=example.tolerance), key


@every_method
def test_the_figures_of_the_source_are_met(method: type[Method]) -> None:
    for check in describe_method(method)["checks"]:
        assert check["computed"] == pytest.approx(check["expected"], rel=0, abs=check["tolerance"]), check["title"]


@every_method
def test_nothing_is_missing_from_the_declaration(method: type[Method]) -> None:
    assert find_method_problems(method) == []


@every_method
def test_the_description_is_plain_json_and_complete(method: type[Method]) -> None:
    told = describe_method(method)
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert set(told["parameters"]["properties"]) == set(method.parameters())
    for key in ("key", "title", "summary", "source", "formula"):
        assert told[key] == getattr(method, key)
    assert [column["key"] for column in told["columns"]] == [column.key for column in method.columns]
    assert [example["title"] for example in told["examples"]] == [example.title for example in method.examples]
    for example in told["examples"]:
        assert list(example["computed"]) == list(example["expected"])
        assert example["computed"] == pytest.approx(example["expected"], rel=0, abs=example["tolerance"])


@every_method
def test_parameters_survive_json_and_the_form(method: type[Method]) -> None:
    kind = build_parameters_form(method)
    for rules in every_rule(method, Random(1), drawn=40):
        given = json.loads(json.dumps(rules.to_json(), allow_nan=False))
        assert method.from_json(given) == rules
        typed = {name: str(value) for name, value in given.items()}
        form = kind(typed)
        assert form.is_valid(), (typed, form.errors)
        assert form.parameters() == given


@every_method
def test_a_form_as_it_comes_gives_the_defaults(method: type[Method]) -> None:
    kind = build_parameters_form(method)
    shown = kind()
    assert list(shown.fields) == list(method.parameters())
    form = kind({name: field.initial for name, field in shown.fields.items()})
    assert form.is_valid(), form.errors
    assert form.parameters() == method().to_json()
    assert all(field.label and field.help_text for field in shown.fields.values())


@every_method
def test_nonsense_is_refused_by_parameters_and_form_alike(method: type[Method]) -> None:
    known, defaults = method.parameters(), method.defaults()
    kind = build_parameters_form(method)
    for name, parameter in known.items():
        wrong: list[Any] = ["nonsense", "", math.nan, math.inf, 1e30, -1e30]
        for value in wrong:
            with pytest.raises(ParameterError) as caught:
                method.from_json({name: value})
            assert list(caught.value.problems) == [name]
            assert list(kind({**defaults, name: str(value)}).errors) == [name]
        assert isinstance(parameter, NumberParameter | WordParameter | WordOrNumber)


@every_method
def test_a_tally_has_finite_numbers_for_all_columns_and_a_reason_where_it_has_no_score(method: type[Method]) -> None:
    random = Random(2)
    for _ in range(PERIODS):
        rules, records = draw_rules(method, random), draw_period(random)
        tallies = build_tallies(rules, records)
        for tally, games in zip(tallies.values(), records.counts().tolist(), strict=True):
            assert len(tally.values) == len(method.columns)
            assert 0 <= tally.games <= games
            for value in numbers_of(tally):
                assert isinstance(value, int | float)
                assert math.isfinite(value)
                assert value != 0 or math.copysign(1.0, value) == 1.0, (rules, tally)
            assert tally.score is not None or tally.why_not, tally
            if tally.why_not:
                assert tally.why_not[0].isupper() or tally.why_not[0].isdigit()
                assert tally.why_not.endswith(".")


@every_method_with_a_minimum
def test_a_minimum_of_games_is_said_to_be_missed_exactly_below_it(method: type[Method]) -> None:
    random = Random(4)
    for _ in range(PERIODS):
        minimum = random.randint(1, 12)
        for tally in build_tallies(method.from_json({"minimum": minimum}), draw_period(random)).values():
            if tally.score is not None:
                said = f"{tally.games} of {minimum} game" in tally.why_not
                assert said == (tally.games < minimum)
                assert said == bool(tally.why_not)


@every_method
def test_the_order_of_the_players_does_not_matter(method: type[Method]) -> None:
    random = Random(5)
    for _ in range(PERIODS):
        rules, (games, before) = draw_rules(method, random), draw_parts(random)
        names = dict(zip(before, random.sample(range(100), len(before)), strict=True))
        named = [[replace(line, player=names[line.player]) for line in lines] for lines in games]
        turned = build_tallies(rules, period(named, {names[player]: rating for player, rating in before.items()}))
        # repr tells the bits: no figure may move by the last of them.
        for player, tally in build_tallies(rules, period(games, before)).items():
            assert repr(turned[names[player]]) == repr(tally)


@every_method_that_looks_only_at_who_met
def test_players_whom_one_never_met_change_nothing(method: type[Method]) -> None:
    random = Random(6)
    for _ in range(PERIODS):
        rules, (games, before), (others, theirs) = (
            draw_rules(method, random),
            draw_parts(random),
            draw_parts(random, 100),
        )
        together = build_tallies(rules, period([*others, *games], {**theirs, **before}))
        for player, tally in build_tallies(rules, period(games, before)).items():
            assert together[player] == tally


@every_method_of_reach_own
def test_with_reach_own_a_game_moves_only_those_who_sat_at_it(method: type[Method]) -> None:
    random = Random(7)
    for _ in range(PERIODS):
        rules, (games, before) = draw_rules(method, random), draw_parts(random)
        *earlier, last = games
        seated = {line.player for line in last}
        then, now = build_tallies(rules, period(earlier, before)), build_tallies(rules, period(games, before))
        for player in then.keys() - seated:
            assert now[player] == then[player]


def raise_ratings(records: Records) -> Records:
    """Move where the ratings stood at the period's end."""
    return replace(records, rating=records.rating + 100.0)


def raise_befores(records: Records) -> Records:
    """Move where the ratings stood at the period's beginning."""
    return replace(records, before=records.before + 100.0)


def without_sheets(records: Records) -> Records:
    """Leave out what stands on the sheets."""
    nothing = np.full(len(records.of), np.nan)
    return replace(records, lines=replace(records.lines, score=nothing, place=nothing, side=nothing))


@every_method
@pytest.mark.parametrize(
    ("flag", "change"),
    [("reads_ratings", raise_ratings), ("reads_before", raise_befores), ("reads_scores", without_sheets)],
)
def test_only_a_method_that_says_so_looks_there(
    method: type[Method], flag: str, change: Callable[[Records], Records]
) -> None:
    random, moved = Random(8), False
    for _ in range(PERIODS):
        rules, records = draw_rules(method, random), draw_period(random)
        moved = moved or build_tallies(rules, change(records)) != build_tallies(rules, records)
    assert moved == getattr(method, flag)


@every_method
def test_only_a_method_that_says_so_looks_at_the_lines_of_others(method: type[Method]) -> None:
    random, moved = Random(8), False
    for _ in range(PERIODS // 3):
        rules, records = draw_rules(method, random), draw_period(random)
        lines = records.lines
        for player, tally in build_tallies(rules, records).items():
            own = lines.player == player
            score, place = (np.where(own, values, np.nan) for values in (lines.score, lines.place))
            without = replace(records, lines=replace(lines, score=score, place=place))
            moved = moved or build_tallies(rules, without)[player] != tally
    assert moved == method.reads_tables


def moved_by_the_past(line: RatedLine) -> RatedLine:
    """Return a line as it may be after an older game was entered: what was played stays."""
    performance = None if line.performance is None else line.performance * 2 + 17
    moved = replace(line, performance=performance, after=line.after + 100, games=line.games + 1)
    return replace(moved, deviation=line.deviation + 10)


@every_method
def test_a_method_says_whether_games_from_before_the_period_move_it(method: type[Method]) -> None:
    random = Random(12)
    found = dict.fromkeys((rules.reads_past() for rules in every_rule(method, random, drawn=0)), False)
    for _ in range(3):
        for rules in every_rule(method, random, drawn=PERIODS // 3):
            games, before = draw_parts(random)
            later = period([[moved_by_the_past(line) for line in lines] for lines in games], before)
            moved = build_tallies(rules, raise_befores(later)) != build_tallies(rules, period(games, before))
            assert rules.reads_past() or not moved, rules
            found[rules.reads_past()] |= moved
    assert found == {says: says for says in found}


@every_method_of_reach_own
def test_one_player_is_tallied_as_among_all_where_the_reach_is_own(method: type[Method]) -> None:
    """Lines of others may be absent where the method does not look at them."""
    random = Random(9)
    for _ in range(PERIODS):
        rules, (games, before) = draw_rules(method, random), draw_parts(random)
        for player, tally in build_tallies(rules, period(games, before)).items():
            mine = [lines for lines in games if player in {line.player for line in lines}]
            if not method.reads_tables:
                mine = [[line for line in lines if line.player == player] for lines in mine]
            assert build_tallies(rules, period(mine, before))[player] == tally


@every_method
def test_a_ranking_has_everybody_once_and_counts_who_is_better(method: type[Method]) -> None:
    random = Random(10)
    for _ in range(PERIODS):
        rules, records = draw_rules(method, random), draw_period(random)
        tallies = build_tallies(rules, records)
        assert set(rules.chain()) <= {column.key for column in method.columns}
        rows = rank_players(rules, tallies, {player: f"{player:04}" for player in tallies})
        assert sorted(row.player for row in rows) == sorted(tallies)
        scores = [tally.score for tally in tallies.values() if tally.score is not None and not tally.why_not]
        for row in rows:
            assert (row.rank is None) == bool(row.tally.why_not)
            assert row.decided_by in ("", *rules.chain())
            if row.rank is not None and row.tally.score is not None:
                better = sum(score > row.tally.score for score in scores)
                level = sum(score == row.tally.score for score in scores)
                assert better + 1 <= row.rank <= better + level
                assert row.decided_by == "" or level > 1


@every_method
def test_a_refusal_is_a_sentence_and_some_system_is_accepted(method: type[Method]) -> None:
    refusals = [method().refusal(system) for system in load_systems().values()]
    assert "" in refusals
    for sentence in filter(None, refusals):
        assert sentence.startswith(method.title)
        assert sentence.endswith(".")


@every_method
def test_a_long_period_is_tallied(method: type[Method]) -> None:
    lines = [RatedLine(seat % 2, score=float(seat), performance=1.0, after=1.0, games=1) for seat in range(2)]
    tallies = build_tallies(method(), period([lines] * 3000, {0: 1000.0, 1: 1100.0}))
    assert {tally.games for tally in tallies.values()} == {3000}
