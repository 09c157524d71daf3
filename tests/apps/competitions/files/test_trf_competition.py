"""A tournament report file as a competition: fixtures, byes, points, format, and what the next round needs."""

from datetime import date
from fractions import Fraction

import pytest

from league.apps.competitions.files.trf_reading import read_trf
from ratings.contract.competition import (
    FixtureData,
    RoundData,
    Seat,
    build_bye,
    build_fixture,
    build_forfeit,
    build_game,
)
from ratings.contract.pairing_format import CannotPair
from ratings.pairing_formats.swiss import Swiss
from ratings.standings.ranking import rank_standings
from ratings.trf.competition import TrfCompetition, read_competition
from ratings.trf.formats import TrfFormat, detect_format
from tests.apps.competitions.files.trf_texts import FIVE, build_trf

#: The round robin of Mario Held, Exercises in Tie-Breaking, FIDE Technical Commission.
TEC = build_trf(
    "1 3.5 1 | 5 w = | 2 w 1 | 3 b 1 | 4 w 0 | 6 b 1",
    "2 3.5 2 | 6 w 1 | 1 b 0 | 5 w 1 | 3 w = | 4 b 1",
    "3 3.5 3 | 4 w 1 | 6 b 1 | 1 w 0 | 2 b = | 5 w 1",
    "4 1.5 4 | 3 b 0 | 5 b 0 | 6 w = | 1 b 1 | 2 w 0",
    "5 1.5 5 | 1 b = | 4 w 1 | 2 b 0 | 6 w - | 3 b 0",
    "6 1.5 6 | 2 b 0 | 3 w 0 | 4 b = | 5 b + | 1 w 0",
    header=[
        "012 FIDE TEC exercise round robin",
        "042 2024/01/01",
        "052 2024/01/09",
        "092 Individual: Round-Robin",
        "142 5",
    ],
)
HALF, ONE = Fraction(1, 2), Fraction(1)


def read(text: str) -> TrfCompetition:
    """Return the competition of a file."""
    return read_competition(read_trf(text.encode()))


def test_games_byes_and_forfeits() -> None:
    competition = read(FIVE)
    assert competition.data.rounds == (
        RoundData(1, (build_game(1, 3, "win"), build_game(4, 2, "draw"), build_bye(5, "half_bye"))),
        RoundData(2, (build_game(2, 1, "draw"), build_bye(3, "pairing_bye"), build_forfeit(5, 4, 4))),
    )
    assert [(entry.number, entry.rating) for entry in competition.data.entries] == [
        (1, 1801), (2, 1802), (3, 1803), (4, 1804), (5, 1805),
    ]  # fmt: skip
    rows = rank_standings(competition.data, ["PTS"]).rows
    assert {row.entry: row.points for row in rows} == {1: Fraction(3, 2), 5: Fraction(3, 2), 2: ONE, 3: ONE, 4: HALF}


def test_unrated_games_double_forfeits_and_games_to_come() -> None:
    competition = read(
        build_trf(
            "1 1.0 1 | 2 w W | 3 b - | 4 w ?", "2 0.0 3 | 1 b L | 4 w - | 3 b ?", "3 1.0 1 | 4 w W | 1 w - | 2 w ?",
            "4 0.0 3 | 3 b L | 2 b - | 1 b ?",
        )
    )  # fmt: skip
    first, second, third = competition.data.rounds
    assert first.fixtures == (build_game(1, 2, "win"), build_game(3, 4, "win"))
    assert second.fixtures == (build_forfeit(2, 4, 2, 4), build_forfeit(3, 1, 3, 1))
    assert third.fixtures == (build_fixture(1, 4), build_fixture(3, 2))
    assert competition.unrated == {(1, 1), (1, 3)}


@pytest.mark.parametrize(
    ("first", "second", "seats"), [("-", "-", (1, 2)), ("-", "w", (2, 1)), ("b", "-", (2, 1)), ("w", "-", (1, 2))]
)
def test_a_forfeit_without_colours(first: str, second: str, seats: tuple[int, int]) -> None:
    competition = read(build_trf(f"1 1.0 1 | 2 {first} +", f"2 0.0 2 | 1 {second} -"))
    assert competition.data.rounds[0].fixtures == (build_forfeit(*seats, 2),)


def test_results_that_an_arbiter_gave() -> None:
    competition = read(build_trf("1 0.5 1 | 2 w =", "2 0.0 3 | 1 b 0", "3 0.0 3 | 4 w 0", "4 0.0 3 | 3 b 0"))
    zero = Fraction(0)
    assert competition.data.rounds[0].fixtures == (
        FixtureData((Seat(1, 1, None, HALF), Seat(2, 1, None, zero)), "played"),
        FixtureData((Seat(3, 1, None, zero), Seat(4, 1, None, zero)), "played"),
    )


def test_points_that_an_arbiter_gave() -> None:
    header = ("299 +         0.5", "299 W         2.0    1    1", "299          -1.0    2    1    3")
    competition = read(FIVE.replace("012", "\n".join((*header, "012")), 1))
    assert competition.data.points.forfeit_win == HALF
    points = {row.entry: row.points for row in rank_standings(competition.data, ["PTS"]).rows}
    assert points == {1: Fraction(3, 2), 2: ONE, 3: Fraction(0), 4: HALF, 5: ONE}


def test_printed_tie_breaks_of_a_round_robin() -> None:
    competition = read(TEC)
    assert competition.format == TrfFormat("round_robin")
    rows = rank_standings(competition.data, ["SB", "SB/C1", "KS"]).rows
    assert {row.entry: tuple(float(value or 0) for value in row.values.values()) for row in rows} == {
        1: (3.5, 9.25, 9.25, 2), 2: (3.5, 6.25, 4.75, 0.5), 3: (3.5, 6.25, 4.75, 0.5),
        4: (1.5, 4.25, 4.25, 1), 5: (1.5, 3.25, 3.25, 0.5), 6: (1.5, 2.25, 1.5, 0),
    }  # fmt: skip


def test_the_details_of_a_file() -> None:
    header = (
        "012 Cup", "022 Graz", "032 AUT", "042 2026/11/26", "052 2026.11.27", "092 Swiss", "102 Anna", "112 Ben",
        "112 Cleo", "122 90+30", "142 7", "152 B", "202 BH/C1, SB", "132" + " " * 88 + "26/11/26",
    )  # fmt: skip
    competition = read(FIVE.replace("012 Club evening\n", "\n".join(header) + "\n"))
    assert (competition.title, competition.city, competition.federation) == ("Cup", "Graz", "AUT")
    assert (competition.starts, competition.ends) == (date(2026, 11, 26), date(2026, 11, 27))
    assert (competition.arbiter, competition.deputies) == ("Anna", ("Ben", "Cleo"))
    assert (competition.time_control, competition.round_days) == ("90+30", (date(2026, 11, 26),))
    assert (competition.first_colour, competition.tie_breaks) == ("black", ("BH/C1", "SB"))
    assert (competition.data.planned_rounds, competition.kind) == (7, "Swiss")


@pytest.mark.parametrize(
    ("rows", "colour"),
    [
        (["1 1.0 1 | 3 w 1", "2 1.0 1 | 4 b 1", "3 0.0 3 | 1 b 0", "4 0.0 3 | 2 w 0"], "white"),
        (["1 1.0 1 | 3 b 1", "2 1.0 1 | 4 w 1", "3 0.0 3 | 1 w 0", "4 0.0 3 | 2 b 0"], "black"),
        (["1 0.5 1 | - - H", "2 0.5 1 | 3 b =", "3 0.5 1 | 2 w ="], "white"),
        (["1 1.0 1 | 3 b 1", "2 1.0 1 | 4 b 1", "3 0.0 3 | 1 w 0", "4 0.0 3 | 2 w 0"], "black"),
        (["1 0.0 1", "2 0.0 1"], ""),
    ],
)
def test_the_first_colour_follows_from_round_1(rows: list[str], colour: str) -> None:
    """An even number has the other colour. If the games disagree, the first player's colour counts."""
    assert read(build_trf(*rows)).first_colour == colour


def test_what_the_next_round_needs() -> None:
    header = "XXR 5\nXXZ 4\n240 H 003    5\n240 H 004    1\nXXP 1 2\n260 001 002    3    1\n260 003 003    3    2\n"
    competition = read(header + FIVE)
    request = competition.build_request(seed=3)
    assert (request.number, request.seed, request.byes) == (3, 3, {4: "zero_bye", 5: "half_bye"})
    assert request.not_against == {frozenset((1, 2)), frozenset((2, 3))}
    assert competition.byes[4] == {1: "half_bye"}
    # 1 has met 2 and 3, who must not meet.
    with pytest.raises(CannotPair):
        Swiss().pair(request)
    free = read(header.replace("260 003", "260 004") + FIVE).build_request()
    # 2 and 3 can meet now, so that 1 has the bye; 2 had White twice.
    assert Swiss().pair(free).fixtures == (
        build_fixture(3, 2),
        build_bye(1, "pairing_bye"),
        build_bye(4, "zero_bye"),
        build_bye(5, "half_bye"),
    )


def test_byes_in_the_cells_of_the_next_round() -> None:
    text = build_trf("1 1.5 1 | 2 w 1 | - - H", "2 0.0 3 | 1 b 0 | - - Z", "3 1.0 2 | - - U")
    document = read_trf(text.encode())
    competition = read_competition(document)
    assert document.warnings == ()
    assert len(competition.data.rounds) == 1
    assert competition.byes == {2: {1: "half_bye", 2: "zero_bye"}}


def test_signs_without_an_opponent_are_byes() -> None:
    text = build_trf("1 1.0 1 | 2 w 1", "2 0.0 4 | 1 b 0", "3 1.0 2 | - - +", "4 0.5 3 | - - =", "5 0.0 5 | - - -")
    fixtures = (build_game(1, 2, "win"), build_bye(3, "full_bye"), build_bye(4, "half_bye"), build_bye(5, "zero_bye"))
    document = read_trf(text.encode())
    assert (read_competition(document).data.rounds, document.warnings) == ((RoundData(1, fixtures),), ())


def test_byes_of_a_round_that_was_paired() -> None:
    text = "240 H 002    3\n" + build_trf("1 1.0 1 | 2 w 1 | 2 b 0", "2 1.0 1 | 1 b 0 | 1 w 1", "3 0.5 3")
    assert read(text).data.rounds[1].fixtures == (build_game(2, 1, "win"), build_bye(3, "half_bye"))


@pytest.mark.parametrize(
    ("header", "found"),
    [
        (["192 FIDE_DOUBLEROUNDROBIN"], TrfFormat("round_robin", double=True, exchanged=True)),
        (["192 BERGER_DOUBLEROUNDROBIN"], TrfFormat("round_robin", double=True)),
        (["192 BERGER_ROUNDROBIN_G2"], TrfFormat("round_robin", double=True)),
        (["192 BERGER_ROUNDROBIN_G1"], TrfFormat("round_robin")),
        (["192 BERGER_ROUNDROBIN_G3"], TrfFormat("free")),
        (["192 CUSTOM_KNOCKOUT", "092 Individual: Double Knockout"], TrfFormat("double_knockout")),
        (["192 FIDE_DUTCH_2026_BAKU"], TrfFormat("swiss", acceleration="baku")),
        (["192 FIDE_DUTCH_2026", "092 Round robin"], TrfFormat("swiss")),
        (["092 Individual: Round-Robin"], TrfFormat("round_robin")),
        (["092 Schweizer System"], TrfFormat("swiss")),
        (["192 CUSTOM_KNOCKOUT"], TrfFormat("knockout")),
        (["092 Individual: Free fixtures"], TrfFormat("free")),
        (["092 Club evening"], TrfFormat("round_robin")),
    ],
)
def test_the_format(header: list[str], found: TrfFormat) -> None:
    text = build_trf(
        "1 1.0 1 | 2 w 1 |  | 3 b 0", "2 1.0 1 | 1 b 0 | 3 w 1", "3 1.0 1 |  | 2 b 0 | 1 w 1", header=header
    )
    document = read_trf(text.encode())
    assert detect_format(document) == found
    assert read_competition(document).data.predetermined == (found.key in ("round_robin", "free"))


def test_who_met_whom_twice_is_a_double_round_robin() -> None:
    text = build_trf(
        "1 2.0 1 | 2 w 1 | 2 b 0 | 3 w 1 | 3 b 0", "2 2.0 1 | 1 b 0 | 1 w 1 |  |  | 3 w 1 | 3 b 0",
        "3 2.0 1 |  |  | 1 b 0 | 1 w 1 | 2 b 0 | 2 w 1", header=["012 Anything"],
    )  # fmt: skip
    assert detect_format(read_trf(text.encode())) == TrfFormat("round_robin", double=True, exchanged=True)
    assert detect_format(read_trf(FIVE.replace("092", "###").encode())) == TrfFormat("swiss")


def test_a_competition_without_rounds() -> None:
    competition = read(build_trf("1 0.0 1", "2 0.0 1"))
    assert competition.data.rounds == ()
    assert competition.build_request().number == 1


def test_accelerations_are_of_the_players_of_their_lines() -> None:
    lines = "250       1.0 001 002 0002 0003\n250       0.0 001 002 0004 0004\n"
    competition = read(lines + FIVE)
    assert {entry.number: entry.virtual for entry in competition.data.entries} == {
        1: (), 2: (ONE, ONE), 3: (ONE, ONE), 4: (), 5: (),
    }  # fmt: skip


def test_a_colour_that_is_not_stated_follows_from_round_1() -> None:
    # 1 has White against 3, and 2 has Black.
    assert read("XXC rank\n" + FIVE).first_colour == "white"


def test_an_empty_cell_before_a_later_bye_is_nothing() -> None:
    competition = read(build_trf("1 1.0 1 | 2 w 1 |  | - - H", "2 0.0 2 | 1 b 0"))
    assert len(competition.data.rounds) == 1
    assert competition.byes == {3: {1: "half_bye"}}


def test_points_that_change_nothing_are_not_kept() -> None:
    competition = read("299           0.0    2    1\n" + FIVE)
    assert competition.data.entries[0].added == ()
