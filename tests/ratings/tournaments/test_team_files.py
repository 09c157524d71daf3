"""Files of teams, read and written: the format, boards without players, awards for everyone, and what is left out."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from ratings.contract.competition import (
    ByeKind,
    CompetitionData,
    EntryData,
    FixtureData,
    RoundData,
    Seat,
    TeamRules,
    build_bye,
    score_unplayed,
)
from ratings.standings.ranking import rank_standings
from ratings.tournaments.checking import check_text
from ratings.trf.competition import TrfCompetition
from ratings.trf.document import TrfPlayer, TrfTeam
from ratings.trf.formats import TrfFormat
from ratings.trf.reading import read_text
from ratings.trf.team_building import TrfBoard, TrfTeamReport, build_team_document
from ratings.trf.teams import MATCH_POINTS, TrfTeamCompetition, read_teams
from ratings.trf.writing import write_trf
from tests.helpers.team_texts import FILE, write_player, write_team

ONE, HALF, NOTHING = Fraction(1), Fraction(1, 2), Fraction(0)
NOT_ALLOCATED: tuple[ByeKind, ...] = ("half_bye", "full_bye", "zero_bye")
#: White and Black of each round of three players who meet once.
ROUND_ROBIN = ((1, 2), (3, 1), (2, 3))


def read(text: str) -> TrfTeamCompetition:
    """Return the competition of teams of a file."""
    found = read_teams(read_text(text))
    assert found is not None
    return found


def write_games(games: Sequence[tuple[int, int]]) -> str:
    """Return the file of three teams of one player each, which names no format; a game a round, which White wins."""
    cells = {
        player: [
            f"{black:4} w 1" if player == white else f"{white:4} b 0" if player == black else "0000 - Z"
            for white, black in games
        ]
        for player in (1, 2, 3)
    }
    points = {player: f"{sum(player == white for white, _black in games)}.0" for player in cells}
    lines = [
        "012 Three", "352 W",
        *(write_player(player, points[player], *row) for player, row in cells.items()),
        *(write_team(player, "", "", player, player) for player in cells),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("games", "wanted", "byes"),
    [
        # A round robin: who has no match in a round has no bye.
        (ROUND_ROBIN, TrfFormat("round_robin"), []),
        ((*ROUND_ROBIN, (2, 1), (1, 3), (3, 2)), TrfFormat("round_robin", double=True), []),
        # Two and three have not met: a Swiss system, in which who is not paired has a bye.
        (ROUND_ROBIN[:2], TrfFormat("swiss"), [(1, 3), (2, 2)]),
        # One and two have met again, the others have not.
        ((*ROUND_ROBIN, (2, 1)), TrfFormat("swiss"), [(1, 3), (2, 2), (3, 1), (4, 3)]),
    ],
)
def test_a_file_that_names_no_format_has_that_of_its_matches(
    games: Sequence[tuple[int, int]], wanted: TrfFormat, byes: list[tuple[int, int]]
) -> None:
    found = read(write_games(games))
    assert found.format == wanted
    matches = [
        (one.number, tuple(seat.entry for seat in fixture.seats))
        for one in found.data.rounds
        for fixture in one.fixtures
    ]
    assert [seats for _number, seats in matches if len(seats) == 2] == list(games)
    assert [(number, seats[0]) for number, seats in matches if len(seats) == 1] == byes


def test_points_of_byes_that_an_arbiter_sets_for_everyone_are_those_of_each_bye() -> None:
    # Team 1 asks for a bye in round 2, which usually gives the points of a drawn match, here none.
    asked = FILE + "240 H   2    1\n"
    for line, points in (("", 5), ("299 H   0.0   0.0    0\n", 4)):
        rows = rank_standings(read(asked + line).data, ["MPTS"]).rows
        assert next(row.points for row in rows if row.entry == 1) == points


def test_a_player_whose_opponent_did_not_come_sits_before_those_who_played() -> None:
    # Players 1 and 2 against player 3 alone, who faces 2 on board 2: nobody faces 1.
    text = "\n".join((
        "012 Two", "142 1", "192 FIDE_TEAM_TYPEA_MP_GP", "352 WB", "362  W 2.0    D 1.0    L 0.0",
        write_player(1, "1.0", "0000 - +"), write_player(2, "0.5", "   3 b ="), write_player(3, "0.5", "   2 w ="),
        write_team(1, "2.0", "1.5", 1, 1, 2), write_team(2, "0.0", "0.5", 2, 3), "",
    ))  # fmt: skip
    found = read(text)
    assert found.line_ups == {(1, 1): [(1, 0), (2, 3)]}
    assert found.data.rounds[0].fixtures == (
        FixtureData((Seat(1, 1, HALF + 1), Seat(2, 2, HALF)), "played", boards=((ONE, NOTHING), (HALF, HALF))),
    )
    assert check_text(text).differences == []


def test_without_colours_the_team_with_the_lower_number_is_the_first() -> None:
    # Nobody of team 2 came; its players are named, and no game had colours.
    text = "\n".join((
        "012 Two", "142 1", "192 FIDE_TEAM_TYPEA_MP_GP", "352 BW", "362  W 2.0    D 1.0    L 0.0",
        write_player(1, "1.0", "   3 - +"), write_player(2, "1.0", "   4 - +"),
        write_player(3, "0.0", "   1 - -"), write_player(4, "0.0", "   2 - -"),
        write_team(1, "2.0", "2.0", 1, 1, 2), write_team(2, "0.0", "0.0", 2, 3, 4), "",
    ))  # fmt: skip
    (match,) = read(text).data.rounds[0].fixtures
    assert match == FixtureData(
        (Seat(1, 1, Fraction(2)), Seat(2, 2, NOTHING)), "forfeit", boards=((ONE, NOTHING), (ONE, NOTHING))
    )
    assert check_text(text).differences == []


def test_a_file_without_rounds_states_nothing_that_could_be_compared() -> None:
    text = "\n".join((
        "012 Two", "142 3", "192 FIDE_TEAM_TYPEA_MP_GP", "212 MPTS,GPTS",
        write_player(1, "0.0"), write_player(2, "0.0"),
        write_team(1, "4.0", "2.0", 2, 1), write_team(2, "0.0", "0.0", 1, 2), "",
    ))  # fmt: skip
    found = check_text(text)
    assert (found.rounds, found.places, found.differences) == (0, 0, [])


def build_report(format_key: str, *, double: bool = False) -> TrfTeamReport:
    """Return the report of three teams of a player: 1 and 2 drew, and 3 asked for a half-point bye."""
    rules = TeamRules(1)
    match = FixtureData((Seat(1, 1, HALF), Seat(2, 1, HALF)), "played", boards=((HALF, HALF),))
    data = CompetitionData(
        tuple(map(EntryData, (1, 2, 3))), (RoundData(1, (match, build_bye(3, "half_bye"))),), MATCH_POINTS, teams=rules
    )
    players = tuple(TrfPlayer(number, f"Player {number}") for number in (1, 2, 3))
    return TrfTeamReport(
        TrfCompetition("Three", replace(data, entries=(), points=rules.points), players, TrfFormat(format_key, double)),
        score_unplayed(data),
        [TrfTeam(f"Team {number}", (number,), number) for number in (1, 2, 3)],
        [TrfBoard(1, (1, 2), ("=", "="))],
        {(1, 1, 2): [1], (1, 2, 1): [2]},
    )


@pytest.mark.parametrize(
    ("format_key", "double", "texts"),
    [
        ("round_robin", True, ["092 Team: Double Round-Robin", "192 BERGER_TEAM_DOUBLEROUNDROBIN"]),
        ("round_robin", False, ["092 Team: Round-Robin", "192 BERGER_TEAM_ROUNDROBIN"]),
        # FIDE's list has no code of free fixtures.
        ("free", False, ["092 Team: Free fixtures"]),
    ],
)
def test_a_report_of_teams_names_its_format_and_the_byes_that_were_asked_for(
    format_key: str, double: bool, texts: list[str]
) -> None:
    text = write_trf(build_team_document(build_report(format_key, double=double), {1: 1, 2: 2, 3: 3})).decode()
    lines = text.splitlines()
    assert [line for line in lines if line[:3] in ("092", "192")] == texts
    # Nobody had a pairing-allocated bye, which line 320 would have.
    assert [line for line in lines if line[:3] in ("240", "320", "330")] == ["240 H 001    3"]
    found = read(text)
    assert found.format == TrfFormat(format_key, double)
    # A draw is a match point; so is the bye that was asked for.
    assert {row.entry: row.points for row in rank_standings(found.data, ["MPTS"]).rows} == {1: 1, 2: 1, 3: 1}
    assert check_text(text).differences == []


def test_rounds_at_the_end_in_which_all_teams_have_byes_are_read_as_they_were() -> None:
    random = Random(21)
    for _turn in range(60):
        report = build_report("swiss")
        kinds: list[ByeKind] = ["pairing_bye", *random.choices(NOT_ALLOCATED, k=5)]
        drawn = [random.sample(kinds, 3) for _round in range(random.randint(1, 3))]
        # What gives no points in the last round says nothing of it.
        drawn[-1][random.randrange(3)] = random.choice(NOT_ALLOCATED[:2])
        rounds = [
            RoundData(number, tuple(build_bye(team, kind) for team, kind in zip((1, 2, 3), byes, strict=True)))
            for number, byes in enumerate(drawn, 2)
        ]
        data = score_unplayed(replace(report.data, rounds=(*report.data.rounds, *rounds)))
        head = replace(report.head, data=replace(report.head.data, rounds=data.rounds))
        # A bye of the round after is one that was asked for.
        asked: list[tuple[int, int, ByeKind]] = [(len(data.rounds) + 1, 2, "half_bye")]
        own = replace(report, data=data, head=head, byes=asked)
        found = read(write_trf(build_team_document(own, {1: 1, 2: 2, 3: 3})).decode())
        byes = [
            [next(one.kind for one in played.fixtures if one.seats[0].entry == team) for team in (1, 2, 3)]
            for played in found.data.rounds[1:]
        ]
        assert byes == drawn
        assert found.byes[asked[0][:2]] == "half_bye"
