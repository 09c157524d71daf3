"""The challenge ladder: by hand, and against a ladder on a list that knows nothing but the rulings."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from ratings.columns.tallies import Records
from ratings.contract.method import RatedLine, build_tallies, rank_players
from ratings.ladder_methods.challenge import Challenge
from ratings.registry import load_systems
from tests.helpers.generators import draw_rules
from tests.helpers.periods import DAY, draw_games, duel, period
from tests.helpers.tiers import long_way

#: Players come in at places 1, 2, 3, 4.
FOUR = (duel(1, 2, 1.0), duel(3, 4, 1.0))
SECOND = 1 / 86_400


def order(records: Records, **parameters: float) -> list[int]:
    """Return the players from the top down."""
    rules = Challenge.from_json(parameters)
    rows = rank_players(
        rules, build_tallies(rules, records), {player: str(player) for player in records.player.tolist()}
    )
    assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
    return [row.player for row in rows]


def after(*games: Sequence[RatedLine], days: Sequence[float] = (), **parameters: float) -> list[int]:
    """Return the order after four came in on day 0 and more games."""
    return order(period([*FOUR, *games], days=[0, 0, *(days or [1] * len(games))]), **parameters)


def finished(*players: int) -> list[RatedLine]:
    """Return a game that these players finished in this order."""
    return [RatedLine(player, place=place) for place, player in enumerate(players, 1)]


def test_newcomers_come_in_at_the_bottom_the_winner_first() -> None:
    assert order(period([duel(7, 3, 0.0)])) == [3, 7]
    assert order(period([duel(7, 3, 0.5)])) == [7, 3]  # level ones by their seats
    assert after(duel(9, 1, 0.0)) == [1, 2, 3, 4, 9]
    assert after(finished(9, 8, 7)) == [1, 2, 3, 4, 9, 8, 7]


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (duel(4, 1, 1.0), [4, 1, 2, 3]),
        (duel(4, 3, 1.0), [1, 2, 4, 3]),
        (duel(1, 4, 0.0), [4, 1, 2, 3]),  # seats do not matter
        (duel(1, 4, 1.0), [1, 2, 3, 4]),
        (duel(4, 1, 0.5), [1, 2, 3, 4]),
        (duel(9, 2, 1.0), [1, 9, 2, 3, 4]),
        ((RatedLine(4), RatedLine(1)), [1, 2, 3, 4]),  # nobody knows how it went
        ((RatedLine(4, score=3.0), RatedLine(1)), [1, 2, 3, 4]),
        ((RatedLine(4, score=3.0, place=2), RatedLine(1, score=5.0, place=1)), [1, 2, 3, 4]),
        ((RatedLine(4, score=3.0, place=1), RatedLine(1, score=5.0, place=2)), [4, 1, 2, 3]),  # places tell
        ((RatedLine(4, score=3.0, place=2), RatedLine(1, score=1.0)), [4, 1, 2, 3]),  # of one alone they do not
    ],
)
def test_who_beats_somebody_above_takes_that_place(game: Sequence[RatedLine], expected: list[int]) -> None:
    assert after(game) == expected


def test_every_step_of_a_player_is_told_and_sums_up() -> None:
    records = period([*FOUR, duel(4, 2, 1.0), duel(3, 4, 1.0), duel(4, 1, 1.0)], days=[0, 0, 1, 2, 3])
    tallies = build_tallies(Challenge(), records)
    # 1 2 3 4 → 1 4 2 3 → 1 3 4 2 → 4 1 3 2
    told = {player: (tally.score, *tally.values, tally.games) for player, tally in tallies.items()}
    assert told == {
        4: (3.0, 4.0, 4.0, 1.0, 0.0, 4.0, 4),
        1: (2.0, 1.0, 0.0, 1.0, 0.0, 2.0, 2),
        3: (1.0, 3.0, 2.0, 2.0, 0.0, 2.0, 2),
        2: (0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 2),
    }


def test_in_a_game_of_more_than_two_who_finished_ahead_stands_ahead() -> None:
    assert after(finished(4, 3, 2, 1)) == [4, 3, 2, 1]
    assert after(finished(3, 4, 1)) == [3, 4, 1, 2]
    assert after(finished(2, 4, 1)) == [2, 4, 1, 3]
    assert after(finished(4, 2, 3)) == [1, 4, 2, 3]
    # Level ones keep their order, and both pass whom both have beaten.
    assert after([RatedLine(4, place=1), RatedLine(3, place=1), RatedLine(1, place=3)]) == [3, 4, 1, 2]


def test_partners_move_nobody_but_who_plays_alone_does() -> None:
    pairs = [
        RatedLine(4, score=1.0, side=1),
        RatedLine(3, score=1.0, side=1),
        RatedLine(1, score=0.0, side=2),
        RatedLine(2, score=0, side=2),
    ]
    assert after(pairs) == [1, 2, 3, 4]
    assert after([replace(pairs[0], side=7), replace(pairs[2], side=None)]) == [4, 1, 2, 3]
    assert after([*pairs[:2], replace(pairs[2], side=None)]) == [1, 2, 3, 4]
    assert after([RatedLine(9, score=1.0, side=1), RatedLine(8, score=1.0, side=1), pairs[2]]) == [1, 2, 3, 4, 9, 8]


def test_the_reach_is_that_before_the_game() -> None:
    assert after(duel(4, 2, 1.0), places=2) == [1, 4, 2, 3]
    assert after(duel(4, 1, 1.0), places=2) == [1, 2, 3, 4]
    assert after(duel(9, 3, 1.0), places=2) == [1, 2, 9, 3, 4]
    assert after(duel(9, 2, 1.0), places=2) == [1, 2, 3, 4, 9]
    # 4 may not challenge 1, but 3, who may: 3 takes the first place, and 4 that of 3.
    assert after(finished(4, 3, 1), places=2) == [4, 3, 1, 2]
    assert after(finished(4, 2, 1), places=1) == [2, 1, 3, 4]


def test_the_same_two_rest_for_so_many_days_after_a_game_that_counted() -> None:
    two, one = duel(2, 1, 1.0), duel(1, 2, 1.0)
    assert after(two, one, days=(10, 16.99), cooldown=7) == [2, 1, 3, 4]
    assert after(two, one, days=(10, 17), cooldown=7) == [1, 2, 3, 4]
    assert after(two, one, days=(10, 17 - SECOND), cooldown=7) == [2, 1, 3, 4]
    # What did not count prolongs nothing; a draw, and a place kept, count.
    assert after(two, one, one, days=(10, 16, 17), cooldown=7) == [1, 2, 3, 4]
    assert after(duel(2, 1, 0.5), two, days=(10, 16), cooldown=7) == [1, 2, 3, 4]
    assert after(duel(1, 2, 1.0), two, days=(10, 16), cooldown=7) == [1, 2, 3, 4]
    assert after(two, days=(6.5,), cooldown=7) == [1, 2, 3, 4]  # they met on day 0
    # Others may challenge meanwhile; what was beyond reach was no challenge.
    assert after(two, duel(3, 2, 1.0), days=(10, 10), cooldown=7) == [3, 2, 1, 4]
    climb = [duel(4, 1, 1.0), duel(4, 3, 1.0), duel(4, 2, 1.0), duel(4, 1, 1.0)]
    assert after(*climb, days=(8, 9, 10, 11), places=1, cooldown=7) == [4, 1, 2, 3]


def test_who_is_away_for_longer_goes_to_the_end_and_comes_back_from_there() -> None:
    rest = [duel(2, 3, 1.0), duel(2, 4, 1.0)]
    assert after(*rest, days=(20, 30), absence=30) == [1, 2, 3, 4]
    assert after(*rest, days=(20, 30 + SECOND), absence=30) == [2, 3, 1, 4]
    assert after(*rest, duel(2, 3, 1.0), days=(20, 25, 31), absence=30) == [2, 3, 4, 1]
    records = period([*FOUR, *rest, duel(2, 3, 1.0)], days=[0, 0, 20, 25, 31])
    values = {player: tally.values for player, tally in build_tallies(Challenge(absence=30), records).items()}
    assert {player: away for player, (_, _, _, away, _) in values.items()} == {1: 3.0, 2: -1.0, 3: -1.0, 4: -1.0}
    # 1 comes back and wins, at once.
    assert after(*rest, duel(1, 3, 1.0), days=(20, 25, 31), absence=30) == [2, 1, 3, 4]


def test_whose_time_ran_out_first_goes_first_and_of_one_moment_the_higher_one() -> None:
    # Away are 3 and 4 (since day 1), then 1 and 2 (since day 2); all of it is seen on day 40.
    games = [duel(3, 4, 1.0), duel(2, 1, 0.0), duel(4, 9, 1.0)]
    assert after(*games, days=(1, 2, 40), absence=30) == [3, 4, 1, 2, 9]


def test_games_are_worked_through_in_the_order_in_which_they_were_played() -> None:
    records = period([*FOUR, duel(4, 1, 1.0), duel(2, 4, 1.0)])
    assert order(records) == [2, 4, 1, 3]
    # The one that was played last was entered first.
    number = np.array([{3: 4, 4: 3}.get(one, one) for one in records.lines.number.tolist()])
    assert order(replace(records, lines=replace(records.lines, number=number))) == [2, 4, 1, 3]
    assert order(period([*FOUR, duel(2, 4, 1.0), duel(4, 1, 1.0)])) == [4, 1, 2, 3]


def test_no_system_is_refused_and_the_texts_say_what_is_in_force() -> None:
    assert {Challenge().refusal(system) for system in load_systems().values()} == {""}
    assert str(Challenge(places=1, cooldown=7, absence=1).wording().formula).splitlines()[2:] == [
        "challenges: up to 1 place above",
        "rematch: after 7 days",
        "moved to the end: after more than 1 day without a game",
    ]


def result(game: Sequence[RatedLine], winner: str) -> list[float] | None:
    """Return how the lines of a game came in, more is better."""
    sides = [line.side for line in game if line.side is not None]
    if len(sides) != len(set(sides)):
        return None
    if all(line.place is not None for line in game):
        return [-(line.place or 0) for line in game]
    if all(line.score is not None for line in game):
        return [(line.score or 0.0) * (-1 if winner == "lowest" else 1) for line in game]
    return None


def on_a_list(rules: Challenge, games: Sequence[tuple[int, Sequence[RatedLine]]]) -> list[int]:
    """Return the order after games, each given by when and what: a list out of which names are taken and put in."""
    ladder: list[int] = []
    played: dict[int, int] = {}
    met: dict[frozenset[int], int] = {}
    for at, game in games:
        late = [one for one in ladder if rules.absence and one in played and at - played[one] > rules.absence * DAY]
        for one in sorted(late, key=lambda one: played[one]):  # stable: of one moment as they stand
            ladder.remove(one)
            ladder.append(one)
            del played[one]
        came = result(game, rules.winner)
        finish = dict(zip([line.player for line in game], came or [0.0] * len(game), strict=True))
        ladder += [one for one in sorted(finish, key=lambda one: -finish[one]) if one not in ladder]
        played.update(dict.fromkeys(finish, at))
        if came is None:
            continue
        before = list(ladder)
        meant: set[frozenset[int]] = set()
        for pair in {frozenset((one, other)) for one in finish for other in finish if one != other}:
            low, high = sorted(pair, key=before.index, reverse=True)
            near = not rules.places or before.index(low) - before.index(high) <= rules.places
            if near and not (pair in met and at - met[pair] < rules.cooldown * DAY):
                meant.add(pair)
        met.update(dict.fromkeys(meant, at))
        for one in sorted(finish, key=lambda one: (finish[one], before.index(one))):
            beaten = [other for other in finish if finish[one] > finish[other] and frozenset((one, other)) in meant]
            best = min([ladder.index(other) for other in beaten], default=len(ladder))
            if best < ladder.index(one):
                ladder.remove(one)
                ladder.insert(best, one)
    return ladder


@long_way
def test_random_ladders_are_those_on_a_list() -> None:
    random, moved = Random(11), 0
    for _ in range(400):
        places, cooldown, absence = random.randint(0, 3), random.choice([0, 2, 7]), random.choice([0, 5, 20])
        usual = Challenge(places=places, cooldown=cooldown, absence=absence)
        rules = random.choice([draw_rules(Challenge, random), usual])
        games = draw_games(random)
        at, days = 0.0, []
        for _ in games:
            at += random.choice([0, 0, 0.5, 1, 2, 5, 7, 20, 21])
            days.append(at)
        expected = on_a_list(rules, [(int(day * DAY), game) for day, game in zip(days, games, strict=True)])
        records = period(games, days=days)
        assert order(records, **rules.to_json()) == expected
        moved += expected != sorted(expected)
        for tally in build_tallies(rules, records).values():
            entered, won, lost, away, _ = (value or 0.0 for value in tally.values)
            assert len(records) - (tally.score or 0.0) == entered - won + lost + away
            assert lost >= 0
    assert moved > 200
