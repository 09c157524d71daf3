"""Brackets of knock-outs and the ranks by the round reached; the expected values are counted on paper."""

from fractions import Fraction

import pytest

from ratings.contract.competition import (
    CompetitionData,
    EntryData,
    FixtureData,
    RoundData,
    build_bye,
    build_fixture,
    build_forfeit,
    build_game,
)
from ratings.contract.pairing_format import PairingRequest
from ratings.pairing_formats.knockout import Knockout
from ratings.standings.knockout_bracket import build_bracket, find_possible_ranks, rank_knockout


def cup(entries: int, *rounds: list[FixtureData]) -> CompetitionData:
    """Return a knock-out with these rounds."""
    return CompetitionData(
        tuple(EntryData(number) for number in range(1, entries + 1)),
        tuple(RoundData(number, tuple(fixtures)) for number, fixtures in enumerate(rounds, 1)),
    )


def wins(*pairs: tuple[int, int]) -> list[FixtureData]:
    """Return games that the first of each pair won with White."""
    return [build_game(first, second, "win") for first, second in pairs]


def ranks(competition: CompetitionData, knockout: Knockout | None = None) -> list[tuple[int, int]]:
    """Return rank and entry in the order of the standings."""
    return [(row.rank, row.entry) for row in rank_knockout(competition, knockout or Knockout(), ["TPN"]).rows]


FULL = cup(8, wins((8, 1), (4, 5), (3, 6), (2, 7)), wins((4, 8), (2, 3)), wins((2, 4)))


def test_losers_of_a_round_share_a_rank() -> None:
    assert ranks(FULL) == [(1, 2), (2, 4), (3, 3), (3, 8), (5, 1), (5, 5), (5, 6), (5, 7)]


def test_the_match_for_the_third_place_decides_ranks_three_and_four() -> None:
    third = cup(8, *(list(one.fixtures) for one in FULL.rounds[:2]), wins((2, 4), (8, 3)))
    assert ranks(third, Knockout(third_place="yes"))[:4] == [(1, 2), (2, 4), (3, 8), (4, 3)]
    bracket = build_bracket(third, Knockout(third_place="yes"))
    assert bracket.rounds[2][0].entries == (4, 2)
    assert bracket.third_place is not None
    assert (bracket.third_place.entries, bracket.third_place.winner) == ((3, 8), 8)


def test_a_bracket_has_its_matches_in_the_order_of_the_seeds_and_byes_at_the_top() -> None:
    """Five entries: 1, 2 and 3 have byes; 4 plays 5."""
    first = [build_game(4, 5, "win"), *(build_bye(number, "pairing_bye") for number in (1, 2, 3))]
    bracket = build_bracket(cup(5, first), Knockout())
    assert [match.entries for match in bracket.rounds[0]] == [(1, None), (5, 4), (3, None), (2, None)]
    # The next round is not paired, but its entries are known.
    assert [(match.entries, match.ended, match.fixtures) for match in bracket.rounds[1]] == [
        ((1, 4), False, ()),
        ((3, 2), False, ()),
    ]
    assert bracket.rounds[2][0].entries == (None, None)
    assert bracket.paired_rounds == 1


def test_those_still_in_come_before_those_who_left_by_the_round_they_reached() -> None:
    """Round 2 of a cup of eight: 4 has won its match, 2 and 3 still play, 8 has lost."""
    competition = cup(8, list(FULL.rounds[0].fixtures), [*wins((4, 8)), build_fixture(2, 3)])
    assert ranks(competition) == [(1, 4), (2, 2), (2, 3), (4, 8), (5, 1), (5, 5), (5, 6), (5, 7)]
    standings = rank_knockout(competition, Knockout(), ["TPN"])
    possible = find_possible_ranks(build_bracket(competition, Knockout()), standings)
    spans = {entry: (one.best, one.worst) for entry, one in possible.items()}
    assert spans == {4: (1, 2), 2: (1, 3), 3: (1, 3), 8: (3, 3), 1: (5, 5), 5: (5, 5), 6: (5, 5), 7: (5, 5)}


def test_with_a_match_for_the_third_place_losers_of_semi_finals_can_be_third_or_fourth() -> None:
    competition = cup(8, list(FULL.rounds[0].fixtures), [*wins((4, 8)), build_fixture(2, 3)])
    knockout = Knockout(third_place="yes")
    possible = find_possible_ranks(build_bracket(competition, knockout), rank_knockout(competition, knockout, ()))
    assert [(possible[entry].best, possible[entry].worst) for entry in (4, 2, 8)] == [(1, 2), (1, 4), (3, 4)]


def test_before_the_first_round_everyone_shares_the_first_place() -> None:
    assert ranks(cup(3)) == [(1, 1), (1, 2), (1, 3)]


def test_nobody_wins_a_match_that_both_lost_by_forfeit() -> None:
    """1 and 4 do not come: the final has one entry, which wins by a bye; both are out in round one."""
    first = [build_forfeit(1, 4, 1, 4), *wins((2, 3))]
    bracket = build_bracket(cup(4, first), Knockout())
    assert bracket.rounds[0][0].ended
    assert bracket.rounds[0][0].winner is None
    assert ranks(cup(4, first, [build_bye(2, "pairing_bye")])) == [(1, 2), (2, 1), (2, 3), (2, 4)]


def test_an_entry_that_withdrew_after_a_win_counts_as_beaten_in_the_next_round() -> None:
    """1 wins and withdraws; 2 has a bye in the final."""
    competition = cup(4, wins((1, 4), (2, 3)), [build_bye(2, "pairing_bye")])
    assert ranks(competition) == [(1, 2), (2, 1), (3, 3), (3, 4)]


@pytest.mark.parametrize(("level", "winner", "ended"), [("game", None, False), ("seed", 1, True)])
def test_a_level_match_is_open_or_goes_to_the_higher_seed(level: str, winner: int | None, ended: bool) -> None:
    match = build_bracket(cup(2, [build_game(2, 1, "draw")]), Knockout(level=level)).rounds[0][0]
    assert (match.winner, match.ended, match.points) == (winner, ended, (Fraction(1, 2), Fraction(1, 2)))


def test_a_match_of_several_games_ends_with_the_last_one() -> None:
    games = [build_game(1, 2, "draw"), build_game(2, 1, "loss"), build_fixture(1, 2)]
    knockout = Knockout(games=3)
    assert not build_bracket(cup(2, games), knockout).rounds[0][0].ended
    match = build_bracket(cup(2, [*games[:2], build_game(1, 2, "win")]), knockout).rounds[0][0]
    assert (match.winner, match.points) == (1, (Fraction(5, 2), Fraction(1, 2)))


def test_entries_that_an_arbiter_exchanged_still_have_a_place_in_the_bracket() -> None:
    """1 plays 2 and 3 plays 4, against the seeds: both matches are in the bracket, and the final follows from them."""
    bracket = build_bracket(cup(4, wins((1, 2), (3, 4)), [build_fixture(1, 3)]), Knockout())
    assert sorted(sorted(match.losers) for match in bracket.rounds[0]) == [[2], [4]]
    assert set(bracket.rounds[1][0].entries) == {1, 3}


def test_the_bracket_of_a_format_agrees_with_what_the_format_pairs() -> None:
    """Thirteen entries play to the end; the higher seed always wins: 1, 2, then 3 and 4."""
    knockout, rounds = Knockout(), list[list[FixtureData]]()
    for number in range(1, 5):
        proposal = knockout.pair(PairingRequest(cup(13, *rounds), number))
        pairs = [tuple(seat.entry for seat in fixture.seats) for fixture in proposal.fixtures]
        rounds.append(
            [
                build_bye(pair[0], "pairing_bye") if len(pair) == 1 else build_game(min(pair), max(pair), "win")
                for pair in pairs
            ]
        )
    competition = cup(13, *rounds)
    assert ranks(competition) == [
        (1, 1), (2, 2), (3, 3), (3, 4), (5, 5), (5, 6), (5, 7), (5, 8), (9, 9), (9, 10), (9, 11), (9, 12), (9, 13),
    ]  # fmt: skip
    bracket = build_bracket(competition, knockout)
    for before, after in zip(bracket.rounds, bracket.rounds[1:], strict=False):
        for place, match in enumerate(after):
            assert match.entries == (before[2 * place].winner, before[2 * place + 1].winner)
