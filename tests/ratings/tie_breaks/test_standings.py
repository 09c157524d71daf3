"""Standings, unplayed rounds by edition, and single tie-breaks: cases worked out by hand."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from ratings.contract.competition import (
    CompetitionData,
    EntryData,
    FixtureData,
    PointsTable,
    RoundData,
    Seat,
    build_bye,
    build_fixture,
    build_forfeit,
    build_game,
    build_table,
)
from ratings.contract.encounters import NOT_MET, NOT_TIED, load_direct_encounters
from ratings.contract.result_table import tabulate_results
from ratings.contract.tallies import NO_SCORES
from ratings.contract.tie_break import NO_GAME, NOT_COUNTED, TieBreakExplanation, TieBreakRules
from ratings.standings.left_out import EXPELLED, put_last, remove_entries
from ratings.standings.ranking import Standings, find_deciding_codes, rank_standings
from ratings.standings.tie_break_codes import parse_codes
from ratings.tie_breaks.direct_encounter import rank_tied
from ratings.tie_breaks.points import NO_ROUNDS
from ratings.tie_breaks.rating_performance import NO_PERFORMANCE, UNRATED
from ratings.tie_breaks.table_results import NO_SCORE
from tests.ratings.tie_breaks.published_tournaments import build_player_record

FIRST_EDITION, SECOND_EDITION = (TieBreakRules(regulations=edition) for edition in ("2023-07-01", "2024-08-01"))


def build_competition(
    *rounds: Sequence[FixtureData], size: int = 4, ratings: Sequence[int | None] = ()
) -> CompetitionData:
    """Return a Swiss of entries 1 to ``size``."""
    given = [*ratings, *[1500] * size]
    entries = tuple(EntryData(number, given[number - 1]) for number in range(1, size + 1))
    return CompetitionData(entries, tuple(RoundData(at, tuple(fixtures)) for at, fixtures in enumerate(rounds, 1)))


def lines(standings: Standings) -> list[tuple[int, int, str]]:
    """Return rank, entry and the deciding tie-break of each row."""
    return [(row.rank, row.entry, row.decided_by) for row in standings.rows]


def ranks(competition: CompetitionData, code: str, rules: TieBreakRules | None = None) -> dict[int, int]:
    """Return the rank of each entry."""
    return {row.entry: row.rank for row in rank_standings(competition, [code], rules).rows}


def value(competition: CompetitionData, code: str, entry: int, rules: TieBreakRules | None = None) -> Fraction | None:
    """Return an entry's value."""
    standings = rank_standings(competition, [code], rules)
    return next(row.values[standings.choices[-1].code] for row in standings.rows if row.entry == entry)


def test_ranks_are_shared_and_a_tie_break_separates_from_the_row_below() -> None:
    # 1 and 2 have 2 points, 3 and 4 have none; 1 won once with Black, 2 never.
    competition = build_competition(
        [build_game(1, 3, "win"), build_game(2, 4, "win")], [build_game(4, 1, "loss"), build_game(2, 3, "win")]
    )
    assert lines(rank_standings(competition, ["BH"])) == [(1, 1, ""), (1, 2, ""), (3, 3, ""), (3, 4, "")]
    assert lines(rank_standings(competition, ["BH", "BWG"])) == [(1, 1, "BWG"), (2, 2, ""), (3, 3, ""), (3, 4, "")]
    assert find_deciding_codes(rank_standings(competition, ["BH", "BWG"])) == {1: ["BWG"], 2: ["BWG"], 3: [], 4: []}
    assert [line[1:] for line in lines(rank_standings(competition, ["TPN/R"]))] == [
        (2, "TPN/R"),
        (1, ""),
        (4, "TPN/R"),
        (3, ""),
    ]
    # PTS in the list keeps its place there.
    assert lines(rank_standings(competition, ["BWG", "PTS"])) == [
        (1, 1, ""),
        (2, 2, "PTS"),
        (3, 3, ""),
        (3, 4, ""),
    ]


def test_the_standings_have_points_values_and_their_parts() -> None:
    competition = build_competition(
        [build_game(1, 2, "draw"), build_game(3, 4, "win")], [build_game(3, 1, "draw"), build_bye(2, "half_bye")]
    )
    standings = rank_standings(competition, ["PS", "BH/C1"])
    first = standings.rows[0]
    assert (first.entry, first.points) == (3, Fraction(3, 2))
    assert first.values == {"PTS": Fraction(3, 2), "PS": Fraction(5, 2), "BH/C1": Fraction(1)}
    parts = standings.explain(3)["BH/C1"].parts
    # Entry 4 had no fixture in round 2: a zero-point bye, a draw for its opponents.
    assert [(part.round, part.opponent, part.amount, part.left_out) for part in parts] == [
        (1, 4, Fraction(0), Fraction(1, 2)),
        (2, 1, Fraction(1), None),
    ]
    assert parts[0].note == NOT_COUNTED
    assert [part.amount for part in standings.explain(3)["PS"].parts] == [1, Fraction(3, 2)]


def test_a_product_has_its_factors() -> None:
    competition = build_competition(
        [build_game(1, 2, "draw"), build_game(3, 4, "win")], [build_game(3, 1, "draw"), build_game(2, 4, "win")]
    )
    standings = rank_standings(competition, ["SB"])
    # Entry 3 has beaten entry 4 (no point) and drawn with entry 1 (two draws: a point).
    parts = standings.explain(3)["SB"].parts
    assert [(part.opponent, part.factors, part.amount) for part in parts] == [
        (4, (Fraction(1), Fraction(0)), Fraction(0)),
        (1, (Fraction(1, 2), Fraction(1)), Fraction(1, 2)),
    ]


def test_another_points_table_and_points_that_an_arbiter_awarded() -> None:
    three = PointsTable.from_json(
        {"win": 3, "draw": 1, "pairing_bye": 3, "full_bye": 3, "half_bye": 1, "forfeit_win": 3}
    )
    competition = replace(
        build_competition(
            [build_game(1, 2, "win"), build_game(3, 4, "draw")], [build_forfeit(1, 3, 3), build_bye(2, "pairing_bye")]
        ),
        points=three,
    )
    assert [value(competition, code, 1) for code in ("PTS", "STD", "WIN", "WON")] == [6, 2, 2, 1]
    # Entry 4 was absent: a draw's points more for entry 3, 1 × 2.
    assert [value(competition, code, 3) for code in ("PTS", "STD", "SB")] == [1, Fraction(1, 2), 2]
    awarded = FixtureData((Seat(1, 1, points=Fraction(1, 4)), Seat(2, 1, points=Fraction(1, 3))), "played")
    found = tabulate_results(build_competition([awarded], size=2))
    assert (found.scale, found.points) == (12, {1: 3, 2: 4})
    assert [three.highest, three.lowest] == [3, 0]


def test_the_edition_of_2023_counts_forfeit_losses_at_the_end_as_draws() -> None:
    # The opponent won round 1 and lost round 2 by forfeit: 1 point, or 1½. Entry 4 has ½.
    competition = build_competition(
        [build_game(1, 2, "loss"), build_game(3, 4, "draw")], [build_forfeit(2, 3, 2), build_game(1, 4, "win")]
    )
    editions = (TieBreakRules(), SECOND_EDITION, FIRST_EDITION)
    assert [value(competition, "BH", 1, rules) for rules in editions] == [Fraction(3, 2), Fraction(3, 2), 2]


def test_cuts_leave_out_an_unplayed_round_first_in_2023_even_if_the_amount_is_lower() -> None:
    # 1½ points of 4, a half-point bye in round 2. The dummy has 1½, the opponents 1, 3 and 2.
    competition = build_player_record("1H00", [1, 3, 2], 4)
    assert [value(competition, "BH/C1", 1, rules) for rules in (None, SECOND_EDITION, FIRST_EDITION)] == [6, 6, 6]
    # SB: 1 × 1 for the win, ½ × 1½ for the bye. The least significant is 1, of the opponent with the fewest points; the
    # bye has only ¾, so it stays, but not in 2023.
    assert [value(competition, "SB/C1", 1, rules) for rules in (None, SECOND_EDITION, FIRST_EDITION)] == [
        Fraction(3, 4),
        Fraction(3, 4),
        1,
    ]


def test_the_edition_of_2023_counts_unplayed_rounds_as_cut_from_aro() -> None:
    competition = build_competition(
        [build_game(1, 2, "win")],
        [build_game(1, 3, "win")],
        [build_bye(1, "half_bye")],
        ratings=[2000, 1400, 1600, 1500],
    )
    assert [value(competition, code, 1) for code in ("ARO", "ARO/C1", "ARO/M1")] == [1500, 1600, None]
    # One unplayed round: /C1 cuts it, /C2 it and the lowest, /M1 it and the highest.
    assert [value(competition, code, 1, FIRST_EDITION) for code in ("ARO/C1", "ARO/C2", "ARO/M1")] == [1500, 1600, 1400]


def test_a_round_in_progress_counts_only_what_has_been_played() -> None:
    competition = build_competition(
        [build_game(1, 2, "win"), build_game(3, 4, "win")], [build_fixture(1, 3), build_game(2, 4, "win")], size=4
    )
    codes = ("PTS", "BH", "SB", "WIN", "REP", "STD", "BPG", "KS")
    assert [value(competition, code, 1) for code in codes] == [1, 1, 1, 1, 1, 1, 0, 1]
    # Fore Buchholz counts all games of the final round as draws: 1 and 3 have 1½, 2 and 4 have ½.
    assert [value(competition, "FB", entry) for entry in (1, 2)] == [2, 2]
    # A bye before a planned game is not at the end: 2 has ½, not 1. 3 has 1½.
    waiting = build_competition(
        [build_bye(2, "zero_bye"), build_game(3, 1, "win")], [build_fixture(2, 1), build_game(3, 4, "win")]
    )
    assert value(waiting, "FB", 1) == Fraction(3, 2) + Fraction(1, 2)


def test_several_games_in_a_round_are_encounters_of_their_own() -> None:
    # 1 wins twice and draws against 2.
    match = [build_game(1, 2, "win"), build_game(2, 1, "draw"), build_game(1, 2, "win")]
    competition = replace(build_competition([*match, build_game(3, 4, "win")]), predetermined=True)
    codes = ("PTS", "BH", "WON", "BPG")
    assert [value(competition, code, 1) for code in codes] == [Fraction(5, 2), Fraction(3, 2), 2, 1]
    # Direct encounter takes the mean of the games of two who are tied.
    tied = build_competition([build_game(1, 2, "win"), build_game(2, 1, "win")], [build_game(1, 2, "draw")], size=2)
    standings = rank_standings(tied, ["DE"])
    assert [(row.rank, row.values["DE"]) for row in standings.rows] == [(1, Fraction(1, 2)), (1, Fraction(1, 2))]
    assert [part.amount for part in standings.explain(1)["DE"].parts] == [Fraction(1, 3), 0, Fraction(1, 6)]


def test_free_fixtures_have_no_rounds() -> None:
    free = CompetitionData(
        (EntryData(1), EntryData(2), EntryData(3)),
        (RoundData(0, (build_game(1, 2, "win"), build_fixture(2, 3))),),
        predetermined=True,
    )
    standings = rank_standings(free, ["PS", "BH"])
    assert standings.explain(1)["PS"].reason == NO_ROUNDS
    assert {row.entry: row.values["BH"] for row in standings.rows} == {1: 0, 2: 1, 3: 0}


def test_reasons_for_missing_values() -> None:
    competition = build_competition(
        [build_game(1, 2, "win"), build_game(3, 4, "win")],
        [build_bye(5, "full_bye")],
        size=5,
        ratings=[2000, None, 1800, 1700, 1600],
    )
    standings = rank_standings(competition, ["DE", "ARO", "APRO", "RTNG", "AOB", "ESB", "SCORE", "BEST"])
    reasons = {entry: {code: found.reason for code, found in standings.explain(entry).items()} for entry in range(1, 6)}
    assert (reasons[1]["ARO"], reasons[5]["ARO"], reasons[5]["AOB"]) == (UNRATED, NO_GAME, NO_GAME)
    # The opponent of 2 has no performance, because 2 is unrated.
    assert (reasons[2]["APRO"], reasons[2]["RTNG"]) == (NO_PERFORMANCE, "This entry has no rating.")
    assert (reasons[1]["ESB"], reasons[1]["SCORE"], reasons[1]["BEST"]) == (NO_SCORES, NO_SCORE, NO_SCORE)
    # 1, 3 and 5 have a point and have not met.
    assert reasons[1]["DE"] == NOT_MET
    alone = rank_standings(build_competition([build_game(1, 2, "win")], size=2), ["DE"])
    assert alone.explain(1)["DE"].reason == NOT_TIED


def test_ratings_rank_nobody_if_an_entry_is_unrated_and_no_rule_covers_it() -> None:
    competition = build_competition(
        [build_game(1, 3, "win"), build_game(2, 4, "win")], ratings=[2000, 1900, 1500, 1600]
    )
    assert ranks(competition, "ARO") == {2: 1, 1: 2, 3: 3, 4: 4}
    assert ranks(competition, "RTNG/R") == {2: 1, 1: 2, 3: 3, 4: 4}
    unrated = replace(competition, entries=(*competition.entries[:3], EntryData(4)))
    assert ranks(unrated, "ARO") == ranks(unrated, "RTNG") == {1: 1, 2: 1, 3: 3, 4: 3}
    as_number = TieBreakRules(unrated=1400.5)
    assert [value(unrated, "ARO", 2, as_number), value(unrated, "RTNG", 4, as_number)] == [1401, 1401]
    assert ranks(unrated, "ARO", as_number) == {1: 1, 2: 2, 3: 3, 4: 4}
    skipped = TieBreakRules(unrated="skip_game")
    assert value(unrated, "ARO", 2, skipped) is None
    assert ranks(unrated, "ARO", skipped) == {1: 1, 2: 2, 3: 3, 4: 4}


@pytest.mark.parametrize(("bonus", "wanted"), [(800, 2400), (736, 2336)])
def test_ptp_at_all_points_and_at_none(bonus: float, wanted: int) -> None:
    competition = build_competition([build_game(1, 2, "win")], ratings=[1800, 1600], size=2)
    rules = TieBreakRules(perfect_score_bonus=bonus)
    assert [value(competition, "PTP", 1, rules), value(competition, "PTP", 2, rules)] == [wanted, 1000]


def test_direct_encounter_decides_a_place_that_no_missing_game_can_change() -> None:
    # 1 beat 2 and 3, who have not met and can have 1 at most. All have 2 points.
    competition = build_competition(
        [build_game(1, 2, "win"), build_game(3, 4, "win")],
        [build_game(1, 3, "win"), build_game(2, 4, "win")],
        [build_game(4, 1, "win"), build_bye(2, "full_bye"), build_bye(3, "full_bye")],
    )
    assert lines(rank_standings(competition, ["DE"])) == [(1, 1, "DE"), (2, 2, ""), (2, 3, ""), (4, 4, "")]
    # 1 beat 2, and 3 met neither, so that 3 can have 2: nothing is decided.
    second = build_competition([build_game(1, 2, "win"), build_bye(3, "full_bye")], [build_bye(2, "full_bye")], size=3)
    assert lines(rank_standings(second, ["DE"])) == [(1, 1, ""), (1, 2, ""), (1, 3, "")]


class CountingDict(dict[int, dict[int, int]]):
    """Counts how often a value is looked up."""

    looked_up = 0

    def __getitem__(self, key: int) -> dict[int, int]:
        self.looked_up += 1
        return super().__getitem__(key)


@pytest.mark.parametrize("played", [0, 400])
def test_direct_encounter_of_a_large_tie_looks_up_each_entry_a_few_times(played: int) -> None:
    pairs = [(number, number + 1) for number in range(1, 801, 2)]
    games = [build_game(*pair, "draw") if at < played else build_fixture(*pair) for at, pair in enumerate(pairs)]
    table = tabulate_results(build_competition(games, size=800))
    (choice,) = parse_codes(["DE"])
    encounters = load_direct_encounters(table, choice.options)
    encounters.points = counted = CountingDict(encounters.points)
    tied = frozenset(table.results)
    values = [choice.tally(table, entry, tied).value for entry in tied]
    assert rank_tied(table, sorted(tied), choice.options) == [sorted(tied)]
    assert values == [Fraction(1, 2) if played else None] * 800
    assert counted.looked_up <= 3 * 800


def test_forfeits_count_in_direct_encounter_with_p_and_in_round_robins() -> None:
    competition = build_competition(
        [build_forfeit(1, 2, 1)], [build_bye(1, "full_bye"), build_bye(2, "zero_bye")], size=2
    )
    assert ranks(competition, "DE") == {1: 1, 2: 1}
    assert lines(rank_standings(competition, ["DE/P"])) == [(1, 2, "DE/P"), (2, 1, "")]
    round_robin = replace(competition, predetermined=True)
    assert lines(rank_standings(round_robin, ["DE"])) == [(1, 2, "DE"), (2, 1, "")]


def test_a_code_that_is_listed_again_is_applied_again_and_keeps_its_first_value() -> None:
    # 1, 2 and 3 have a point. 1 beat 2, and 3 met neither: nothing is decided until 3 is first by a win with Black.
    competition = build_competition([build_game(1, 2, "win"), build_game(4, 3, "loss")], [build_bye(2, "full_bye")])
    standings = rank_standings(competition, ["DE", "BWG", "DE"])
    assert lines(standings) == [(1, 3, "BWG"), (2, 1, "DE"), (3, 2, ""), (4, 4, "")]
    assert [row.values["DE"] for row in standings.rows] == [0, 1, 0, None]


def test_tables_points_by_place_scores_places_and_meetings() -> None:
    first = build_table({1: 1, 2: 2, 3: 3}, {1: 50, 2: 10, 3: -60})
    second = build_table({3: 1, 1: 2, 2: 3}, {3: 30.5, 1: 20, 2: -50.5})
    competition = CompetitionData(
        tuple(EntryData(number) for number in (1, 2, 3)), (RoundData(1, (first,)), RoundData(2, (second,)))
    )
    standings = rank_standings(competition, ["SCORE", "BEST", "FIRSTS", "SECONDS", "THIRDS", "WIN", "DE", "BH"])
    assert [row.entry for row in standings.rows] == [1, 3, 2]
    assert [row.points for row in standings.rows] == [3, 2, 1]
    assert list(standings.rows[0].values.values()) == [3, 70, 50, 1, 1, 0, 1, None, None]
    equal = replace(competition, points=PointsTable(places=(Fraction(1),) * 3))
    rows = rank_standings(replace(equal, lowest_wins=True), ["SCORE", "BEST"]).rows
    assert [(row.rank, row.entry, row.values["SCORE"], row.values["BEST"]) for row in rows] == [
        (1, 2, Fraction(-81, 2), Fraction(-101, 2)),
        (2, 3, Fraction(-59, 2), Fraction(-60)),
        (3, 1, Fraction(70), Fraction(20)),
    ]
    # 1 was ahead of 2 twice, 1 and 3 were ahead of each other once, so were 2 and 3: 1½, ½ and 1 of 2.
    rows = rank_standings(equal, ["DE"]).rows
    assert [(row.rank, row.entry, row.values["DE"]) for row in rows] == [
        (1, 1, Fraction(3, 2)),
        (2, 3, Fraction(1)),
        (3, 2, Fraction(1, 2)),
    ]
    level = CompetitionData(competition.entries, (RoundData(1, (build_table({1: 1, 2: 1, 3: 3}),)),))
    assert value(level, "DE", 1) == Fraction(1, 2)


def test_tied_places_at_a_table_share_their_points() -> None:
    points = PointsTable(places=(Fraction(5), Fraction(3)))
    assert points.share_places([1, 2, 2, 4]) == [5, Fraction(3, 2), Fraction(3, 2), 0]
    assert PointsTable().share_places([1, 1, 3, 4]) == [Fraction(5, 2), Fraction(5, 2), 1, 0]
    assert PointsTable.from_json({}, [0.1]).share_places([1, 2, 3]) == [Fraction(1, 10), 0, 0]


def test_extended_sonneborn_berger_multiplies_game_scores() -> None:
    competition = build_competition(
        [build_game(1, 2, "win", (2.5, 1.5)), build_game(3, 4, "draw", (2, 2))],
        [build_game(1, 3, "loss", (1, 3)), build_bye(2, "full_bye")],
    )
    # 1: 2½ × 1 point of 2, 1 × 1½ points of 3. 2: 1½ × 1 point of 1; the bye has no score.
    assert value(competition, "ESB", 1) == Fraction(5, 2) + Fraction(3, 2)
    assert value(competition, "ESB", 2) == Fraction(3, 2)


def test_koya_in_a_round_robin_of_an_odd_number_leaves_out_the_round_off() -> None:
    # Three entries, three rounds, two games each: half of the maximum is 1.
    competition = replace(
        build_competition([build_game(1, 2, "win")], [build_game(2, 3, "win")], [build_game(3, 1, "win")], size=3),
        predetermined=True,
    )
    assert [value(competition, "KS", entry) for entry in (1, 2, 3)] == [1, 1, 1]
    assert [value(competition, "KS/L60", entry) for entry in (1, 2, 3)] == [0, 0, 0]


@pytest.mark.parametrize("seed", range(20))
def test_a_digit_moves_koyas_limit_by_half_points_and_a_number_from_ten_on_is_a_percentage(seed: int) -> None:
    random, size = Random(seed), 6
    pairs = [(one, other) for one in range(1, size + 1) for other in range(one + 1, size + 1)]
    games = [build_game(one, other, random.choice(["win", "draw", "loss"])) for one, other in pairs]
    competition = replace(build_competition(*([game] for game in games), size=size), predetermined=True)
    points, won = dict.fromkeys(range(1, size + 1), Fraction(0)), {}
    for game in games:
        first, second = game.seats
        gained = Fraction(1 + (second.place > first.place) - (second.place < first.place), 2)
        for own, other, amount in ((first, second, gained), (second, first, 1 - gained)):
            points[own.entry] += amount
            won[own.entry, other.entry] = amount
    # Five games each: half of the maximum is 2½.
    limits = {"KS": 5, "KS/L1": 6, "KS/L2": 7, "KS/L-1": 4, "KS/L-2": 3, "KS/L+1": 6, "KS/L60": 6, "KS/L40": 4}
    for code, halves in limits.items():
        for entry in points:
            wanted = sum(amount for (own, other), amount in won.items() if own == entry and 2 * points[other] >= halves)
            assert value(competition, code, entry) == wanted, (code, entry)


def test_a_bye_in_a_round_robin_is_no_opponent() -> None:
    competition = replace(
        build_competition(
            [build_game(1, 2, "win"), build_bye(3, "half_bye")],
            [build_game(2, 3, "win"), build_bye(1, "zero_bye")],
            size=3,
        ),
        predetermined=True,
    )
    assert [value(competition, "BH", entry) for entry in (1, 2, 3)] == [1, Fraction(3, 2), 1]


@pytest.mark.parametrize("seed", range(20))
def test_what_decides_is_the_first_value_that_differs_from_the_row_below(seed: int) -> None:
    """Drawn round robins without direct encounter: values alone order the entries."""
    random, size = Random(seed), 8
    games = [build_game(one, other, random.choice(["win", "draw", "loss"]))
             for one in range(1, size + 1) for other in range(one + 1, size + 1)]  # fmt: skip
    rows = rank_standings(build_competition(games, size=size), ["WON", "BPG", "SB"]).rows
    assert rows[-1].decided_by == ""
    for row, below in pairwise(rows):
        following = next((other for other in rows if other.rank > row.rank), None)
        expected = ""
        if following is not None and following.points == row.points:
            expected = next(code for code in ("WON", "BPG", "SB") if row.values[code] != following.values[code])
        assert row.decided_by == expected, (row, below)


def test_who_is_left_out_of_the_ranks_has_points_and_no_values() -> None:
    # 3 beat 4 and is expelled: the game does not count. 2 lost to 1, who has a point (BH 1); 4 met nobody (BH 0).
    competition = build_competition([build_game(1, 2, "win"), build_game(3, 4, "win")])
    standings = put_last(rank_standings(remove_entries(competition, {3}), ["BH"]), competition, {3: EXPELLED})
    assert [(row.rank, row.entry, int(row.points), row.left_out) for row in standings.rows] == [
        (1, 1, 1, ""), (2, 2, 0, ""), (3, 4, 0, ""), (4, 3, 1, EXPELLED),
    ]  # fmt: skip
    assert standings.explain(3) == {code: TieBreakExplanation(None, (), NO_GAME) for code in ("PTS", "BH")}
    assert standings.explain(1)["BH"].value == 0
