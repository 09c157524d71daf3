"""What holds for every rating system, whoever wrote it. Dropping a file into the folder is enough to be tested here."""

import json
import math
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from ratings.checks import find_system_problems
from ratings.contract.system import Check, GameSheet, RatingSystem, Refusal, WorkedExample, complete_state
from ratings.describe.describing import describe
from ratings.registry import get_system
from ratings.run.replay import Pool, RatedGame, rate_game, replay
from tests.helpers.cases import named
from tests.helpers.dropping import every_system_there_is
from tests.helpers.generators import (
    bits,
    broken,
    draw_games,
    draw_log,
    draw_rules,
    draw_sheet,
    draw_states,
    every_rule,
    in_order,
    log_of,
    new_pool,
)
from tests.helpers.tiers import examples

#: With one of the tests' own that keeps a deviation beside a rating that bears another name.
SYSTEMS = every_system_there_is()
EXAMPLES = [(system, example) for system in SYSTEMS for example in system.examples]
CHECKS = [(system, check) for system in SYSTEMS for check in system.checks]
#: Random games a system and test; each has random parameters, ratings, scores and numbers of players.
GAMES = examples(400)
every_system = pytest.mark.parametrize("system", SYSTEMS, ids=named)


def rate_example(system: type[RatingSystem], example: WorkedExample) -> RatedGame:
    """Rate a worked example."""
    rules = system.from_json(example.parameters)
    games = list(example.games) or [0] * example.sheet.size
    return rate_game(rules, [complete_state(rules, given) for given in example.before], games, example.sheet)


def random_game(system: type[RatingSystem], random: Random) -> tuple[RatingSystem, GameSheet, RatedGame]:
    """Rate a random game under random parameters."""
    rules, sheet = draw_rules(system, random), draw_sheet(system, random)
    before = draw_states(rules, sheet.size, random)
    started = sheet.size + random.randint(0, 50)
    return rules, sheet, rate_game(rules, before, draw_games(sheet.size, random), sheet, started=started)


@pytest.mark.parametrize(("system", "example"), EXAMPLES, ids=named)
def test_a_worked_example_gives_what_the_source_prints(system: type[RatingSystem], example: WorkedExample) -> None:
    rated = rate_example(system, example)
    assert example.after or example.changes or example.figures
    for state, printed in zip(rated.after, example.after, strict=bool(example.after)):
        # The rating alone, or every float of the state.
        values = [printed] if isinstance(printed, int | float) else printed
        for spec, found, value in zip(system.state, state, values, strict=False):
            tolerance = example.tolerances.get(spec.key, example.tolerance)
            assert found == pytest.approx(value, rel=0, abs=tolerance), spec.key
    if example.changes:
        assert rated.change == pytest.approx(example.changes, rel=0, abs=example.tolerance)
    size = example.sheet.size
    cells = [rated.pairs[i][j] for i in range(size) for j in range(i + 1, size)]
    for specs, rows, intermediates in (
        (system.figures, rated.figures, example.figures),
        (system.pairs, cells, example.pairs),
    ):
        keys = [spec.key for spec in specs]
        for key, values in intermediates.items():
            tolerance = example.figure_tolerances.get(key, example.figure_tolerance)
            column = [row[keys.index(key)] for row in rows]
            assert column == pytest.approx(list(values), rel=0, abs=tolerance), key


@pytest.mark.parametrize(("system", "check"), CHECKS, ids=named)
def test_a_figure_of_the_source_is_met(system: type[RatingSystem], check: Check) -> None:
    assert check.actual() == pytest.approx(check.expected, rel=0, abs=check.tolerance)


@every_system
def test_nothing_is_missing_from_the_declaration(system: type[RatingSystem]) -> None:
    assert find_system_problems(system) == []


@every_system
def test_worked_examples_and_drawn_sheets_are_accepted(system: type[RatingSystem]) -> None:
    for example in system.examples:
        assert system.from_json(example.parameters).check(example.sheet) == []
    random = Random(1)
    refusals = [refusal for _ in range(50) for refusal in system().check(draw_sheet(system, random))]
    assert {refusal.code for refusal in refusals} <= {"contradiction"}


@every_system
def test_what_holds_for_every_game(system: type[RatingSystem]) -> None:
    random = Random(2)
    for _ in range(GAMES):
        rules, sheet, rated = random_game(system, random)
        # The parts sum exactly to the change, and the change leads to the rating after.
        for before, parts, change, after in zip(rated.before, rated.parts, rated.change, rated.after, strict=True):
            total = parts[0]
            for part in parts[1:]:
                total += part
            assert total == change
            assert before[0] + change == after[0]
        # Every out cell is set to a finite number, and what is stored is no negative zero.
        states = [value for row in (*rated.before, *rated.after) for value in row]
        for number in (*rated.change, *rated.performance, rated.shift, *states):
            assert number != 0.0 or math.copysign(1.0, number) == 1.0
        cells = [cell for row in rated.parts for cell in row]
        cells += [cell for row in rated.figures for cell in row[: len(rules.figures)]]
        cells += [cell for row in rated.pairs for pair in row for cell in pair[: len(rules.pairs)]]
        numbers = [*rated.change, *rated.games, rated.shift, *states, *cells]
        numbers += rated.performance if rules.performance else []
        assert all(map(math.isfinite, numbers)), sheet
        for state in rated.after:
            for spec, value in zip(rules.state[1:], state[1:], strict=True):
                assert spec.low is None or spec.low <= value, (spec.key, rules, sheet)
                assert spec.high is None or value <= spec.high, (spec.key, rules, sheet)
        assert broken(rules, sheet, rated) == []
        # Only a system that says so moves players who are not at the table.
        assert rules.moves_all_players() or rated.shift == rated.shift_before


@pytest.mark.parametrize("key", ["elo", "glicko", "glicko2", "trueskill", "weng_lin"])
def test_scores_and_places_may_not_contradict_each_other_where_either_counts(key: str) -> None:
    rules = get_system(key)()
    (refusal,) = rules.check(GameSheet((3, 1), (2, 1)))
    assert (refusal.code, refusal.seat) == ("contradiction", 1)
    assert rules.can_skip_system_rules(scores=True, places=False)
    assert not rules.can_skip_system_rules(scores=True, places=True)


@every_system
def test_the_order_of_seats_does_not_matter(system: type[RatingSystem]) -> None:
    random = Random(5)
    for _ in range(GAMES):
        # Where the order matters with some parameters, it still must not with the defaults.
        rules = system() if system.seat_order_matters else draw_rules(system, random)
        sheet = draw_sheet(system, random)
        states, games = draw_states(rules, sheet.size, random), draw_games(sheet.size, random)
        order = random.sample(range(sheet.size), sheet.size)
        turned = in_order(sheet, order)
        one = rate_game(rules, states, games, sheet, started=9)
        two = rate_game(rules, [states[i] for i in order], [games[i] for i in order], turned, started=9)
        # Sums in another order may differ in the last bits of the largest number among them.
        largest = max(1.0, *(abs(value) for state in states for value in state), *(abs(s or 0.0) for s in sheet.scores))
        assert two.change == pytest.approx([one.change[i] for i in order], rel=1e-9, abs=largest * 1e-12)
        for after, i in zip(two.after, order, strict=True):
            assert after == pytest.approx(one.after[i], rel=1e-9, abs=largest * 1e-12)


@every_system
def test_the_largest_table_is_rated(system: type[RatingSystem]) -> None:
    random = Random(7)
    sheet = draw_sheet(system, random, size=system.max_players)
    rules = system()
    rated = rate_game(rules, draw_states(rules, sheet.size, random), [3] * sheet.size, sheet)
    assert all(map(math.isfinite, rated.change))
    assert broken(rules, sheet, rated) == []


@every_system
def test_extreme_ratings_and_scores_are_rated(system: type[RatingSystem]) -> None:
    random, rules = Random(8), system()
    for _ in range(100):
        sheet = draw_sheet(system, random)
        scores = [None if score is None else random.choice([rules.lowest_score, 1e9, 5e-324]) for score in sheet.scores]
        bounds = [(rules.lowest_rating, rules.highest_rating), *((spec.low, spec.high) for spec in rules.state[1:])]
        states: Any = [[random.choice(edges) for edges in bounds] for _ in scores]
        sheet = replace(sheet, scores=[scores[seat] for seat in sheet.captains])
        rated = rate_game(rules, states, [0] * sheet.size, sheet)
        assert all(math.isfinite(value) for state in rated.after for value in state)


@pytest.mark.slow("Compiles every kernel; replays in tests/league hold a few.")
@every_system
def test_the_compiled_run_gives_the_bits_of_the_plain_run(system: type[RatingSystem]) -> None:
    random = Random(9)
    players = system.max_players + 8 if system.max_players < 100 else 20
    for rules in every_rule(system, random, drawn=25):
        log = log_of(rules, *draw_log(rules, random, games=100, players=players))
        plain, compiled = [new_pool(states) for states in [draw_states(rules, players, random)] * 2]
        assert bits(replay(rules, log, plain), plain) == bits(replay(rules, log, compiled, compiled=True), compiled)


@every_system
def test_a_batch_gives_what_one_game_after_the_other_gives(system: type[RatingSystem]) -> None:
    random = Random(10)
    for rules in every_rule(system, random, drawn=5):
        sheets, seats = draw_log(rules, random, games=30, players=15)
        states = draw_states(rules, 15, random)
        batch, single = new_pool(states), new_pool(states)
        history = replay(rules, log_of(rules, sheets, seats), batch)
        lines = [
            line for sheet, table in zip(sheets, seats, strict=True) for line in rate_one(rules, sheet, table, single)
        ]
        assert history.change.tolist() == [change for change, _ in lines]
        assert history.after.tolist() == [after for _, after in lines]
        assert batch.values.tolist() == single.values.tolist()
        assert batch.ratings().tolist() == single.ratings().tolist()


def rate_one(rules: RatingSystem, sheet: GameSheet, table: list[int], pool: Pool) -> list[tuple[float, list[float]]]:
    """Rate one game as recording does it, keeping the books of the pool by hand; return change and state after."""
    before = [pool.values[player].tolist() for player in table]
    games = [int(pool.games[player]) for player in table]
    for state, player, count in zip(before, table, games, strict=True):
        if count:
            state[0] += pool.shift - pool.shift_at[player]
    rated = rate_game(rules, before, games, sheet, shift=pool.shift, started=pool.started)
    for seat, player in enumerate(table):
        pool.values[player] = rated.after[seat]
        pool.games[player] += 1
        pool.shift_at[player] = rated.shift
    pool.shift = rated.shift
    # A newcomer is where he starts, whatever the pool has shifted before.
    pool.shift_at[pool.games == 0] = 0.0
    return list(zip(rated.change, rated.after, strict=True))


@every_system
def test_parameters_survive_json(system: type[RatingSystem]) -> None:
    random = Random(11)
    assert system.from_json({}) == system()
    for rules in every_rule(system, random, drawn=20):
        assert system.from_json(json.loads(json.dumps(rules.to_json(), allow_nan=False))) == rules


@every_system
def test_the_display_score_is_finite_and_it_is_said_whether_it_is_provisional(system: type[RatingSystem]) -> None:
    random = Random(12)
    for rules in every_rule(system, random, drawn=20):
        for state in draw_states(rules, 10, random):
            for games in (0, 1, 1000):
                assert math.isfinite(rules.display(state, games))
                assert rules.provisional(state, games) in (True, False)


@every_system
def test_the_description_is_plain_json(system: type[RatingSystem]) -> None:
    described = describe(system)
    assert json.loads(json.dumps(described, allow_nan=False)) == described


def changed(sheet: GameSheet, **columns: Any) -> GameSheet:
    """Return the sheet with other scores, places or fields."""
    return GameSheet(**{"scores": sheet.scores, "places": sheet.places, "fields": sheet.fields} | columns)


def put(values: Any, seat: int, value: Any) -> list[Any]:
    """Return the values with another one at a seat."""
    return [*values[:seat], value, *values[seat + 1 :]]


def bad_sheets(system: type[RatingSystem]) -> list[tuple[str, GameSheet, int | None]]:
    """Return sheets that must be refused: why, the sheet, and the seat that the refusal must name."""
    good, seat = full_sheet(system), 1
    small = system.min_players - 1
    bad: list[tuple[str, GameSheet, int | None]] = [
        ("too few players", changed(good, scores=good.scores[:small], places=good.places[:small]), None),
        ("nobody", changed(good, scores=[], places=[]), None),
        ("an unknown field", changed(good, fields={**good.fields, "moon": 1.0}), None),
    ]
    too_many = system.max_players + 1
    bad.append(("too many players", changed(good, scores=[0.0] * too_many, places=[1] * too_many), None))
    scores: list[Any] = [math.nan, math.inf, -math.inf, 1.1e9, -1.1e9, 10**400, "7", True]
    bad += [(f"the score {score!r:.9}", changed(good, scores=put(good.scores, seat, score)), seat) for score in scores]
    places: list[Any] = [0, -1, good.size + 1, 1.5, math.nan, 10**5000, "1", True]
    bad += [
        (
            f"the place {str(place)[:9] if place != 10**5000 else 'huge'}",
            changed(good, places=put(good.places, seat, place)),
            seat,
        )
        for place in places
    ]
    for spec in system.game_fields:
        rest = {key: value for key, value in good.fields.items() if key != spec.key}
        bad.append((f"no {spec.key}", changed(good, fields=rest), None))
        wrong: list[Any] = [spec.low - 1, spec.high + 1, math.nan, math.inf, 10**400, "7", None, True]
        bad += [(f"{spec.key} {value!r:.9}", changed(good, fields={**rest, spec.key: value}), None) for value in wrong]
    return bad


def full_sheet(system: type[RatingSystem]) -> GameSheet:
    """Return a sheet that any system with such fields accepts: scores and places agree, nobody is tied."""
    size = max(system.min_players, min(3, system.max_players))
    fields = {spec.key: spec.example for spec in system.game_fields}
    return GameSheet([float(10 * (size - i)) for i in range(size)], list(range(1, size + 1)), fields)


def assert_refused(system: type[RatingSystem], why: str, sheet: GameSheet, seat: int | None) -> None:
    """Demand a refusal in sentences that name the seat."""
    refusals = system().check(sheet)
    assert refusals, why
    for refusal in refusals:
        assert_sentence(refusal)
    assert seat in [refusal.seat for refusal in refusals], why


def assert_sentence(refusal: Refusal) -> None:
    """Demand a plain sentence of bearable length that names the seat."""
    assert refusal.sentence[0].isupper()
    assert refusal.sentence.endswith(".")
    assert len(refusal.sentence) < 300
    assert refusal.code
    if refusal.seat is not None:
        assert f"eat {refusal.seat + 1}" in refusal.sentence or f"and {refusal.seat + 1}" in refusal.sentence


@every_system
def test_a_bad_sheet_is_refused_by_a_sentence(system: type[RatingSystem]) -> None:
    assert system().check(full_sheet(system)) == []
    for why, sheet, seat in bad_sheets(system):
        assert_refused(system, why, sheet, seat)


@every_system
def test_a_missing_result_is_refused_where_it_is_needed(system: type[RatingSystem]) -> None:
    good, seat = full_sheet(system), 1
    no_score, no_place = put(good.scores, seat, None), put(good.places, seat, None)
    if system.score == "required":
        assert_refused(system, "no score", changed(good, scores=no_score), seat)
    if system.place == "required":
        assert_refused(system, "no place", changed(good, places=no_place), seat)
    if system.score == "either":
        assert_refused(system, "neither", changed(good, scores=no_score, places=no_place), None)


@every_system
def test_a_tie_is_refused_where_the_system_knows_none(system: type[RatingSystem]) -> None:
    good = full_sheet(system)
    tied = changed(good, scores=put(good.scores, 1, good.scores[0]), places=put(good.places, 1, good.places[0]))
    if system.ties:
        assert system().check(tied) == []
    else:
        assert_refused(system, "a tie", tied, 1)
