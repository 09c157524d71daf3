"""Tournament reports of teams are imported as competitions of teams: squads, line-ups, results of the boards."""

import json
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from django.core.serializers.json import DjangoJSONEncoder

from league.apps.competitions.models import Competition
from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.selectors.exporting import export_report
from league.apps.competitions.selectors.json_document import build_json_document
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services.import_people import ImportRequest
from league.apps.competitions.services.importing import import_competition
from league.apps.competitions.services.read_files import read_report
from league.apps.competitions.services.read_json import read_json_document
from league.core.errors import Conflict, Invalid, Refused
from league.core.verify.run import verify_league
from league.models import Game, League
from tests.helpers.builders import make_league
from tests.helpers.team_cups import load, make_swiss_cup
from tests.helpers.team_texts import FILE, ask_checker, draw_team_file, write_team
from tests.helpers.tiers import examples

pytestmark = pytest.mark.django_db
REQUEST = ImportRequest("test", None, create_players=True)
#: What a drawn file is ranked by, after its points.
VALUES = ("MPVGP", "EMMSB", "EGGSB/C1", "SSSC", "BC")


def bring(text: str, league: League | None = None, *, into: str = "") -> Any:
    """Import a file; return its competition with all that belongs to it."""
    league = league or make_league("elo", [], slug="other", game="Chess")
    result = import_competition(league.pk, read_report(text.encode(), "UTC"), REQUEST, into)
    return load_competition(find_competition(league, result.competition.slug))


def list_values(loaded: Any) -> dict[int, tuple[int, list[Fraction | None]]]:
    return {row.entry: (row.rank, list(row.values.values())) for row in compute_standings(loaded).rows}


def warn(text: str) -> list[str]:
    return [warning.code for warning in read_report(text.encode(), "UTC").warnings]


@pytest.mark.parametrize("primary", ["match", "board"])
def test_what_is_exported_is_imported_as_it_was(primary: str) -> None:
    loaded = load(make_swiss_cup(teams={"primary": primary}))
    text = export_report(loaded).decode()
    brought = bring(text)
    assert export_report(brought).decode() == text
    assert list_values(brought) == list_values(loaded)
    assert [loaded.name(team) for team in loaded.entries] == [brought.name(team) for team in brought.entries]
    # Two matches of three boards, one of them with an empty seat; then one, in which somebody does not come.
    games = Game.objects.filter(league=brought.competition.league).order_by("number")
    assert [game.kind for game in games] == ["played"] * 6 + ["forfeit", "played"]
    assert verify_league(brought.competition.league_id).state == "is right"


def test_drawn_teams_stand_as_the_checker_of_fide_has_them() -> None:
    league = make_league("elo", [], slug="other", game="Chess")
    for seed in range(examples(12)):
        random = Random(seed)
        first = random.choice(("MPTS", "GPTS"))
        code = {"MPTS": "FIDE_TEAM_TYPEA_MP_GP", "GPTS": "FIDE_TEAM_TYPEB_GP_MP"}[first]
        teams, boards = random.choice((4, 5, 6, 7)), random.choice((2, 3, 4))
        text = draw_team_file(
            random, teams=teams, rounds=3, boards=boards, code=code, tie_breaks=",".join((first, *VALUES))
        ).replace("Drawn teams", f"Drawn teams {seed}")
        brought = bring(text, league)
        assert list_values(brought) == ask_checker(text, [first, *VALUES], round_robin=False), seed
        assert brought.competition.sides_of == boards
        assert {len(entry.survivors) for entry in brought.entries.values()} == {boards + 2}
    assert verify_league(league.pk).state == "is right"


def test_byes_empty_boards_and_matches_without_play_are_imported() -> None:
    brought = bring(FILE)
    rows = [(row.rank, row.entry, *row.values.values()) for row in compute_standings(brought).rows]
    # As in the test of the reader: 2–0, then 1½–½ with nobody against player 2; a bye, and a match without play.
    assert rows[:2] == [(1, 1, 4, Fraction(7, 2), Fraction(11, 2)), (2, 3, 3, Fraction(7, 2), Fraction(13, 2))]
    boards = [
        [(board.entries, board.members, board.status) for board in match.boards]
        for match in brought.list_fixtures(3)
        if match.kind == "match"
    ]
    assert boards == [[((3, 1), (1, 1), "played"), ((1, 3), (2, 0), "forfeited")]]
    assert {player.name for player in brought.entries[3].survivors} == {"Player 5", "Player 6"}


def test_points_that_an_arbiter_gave_teams_are_imported() -> None:
    text = FILE + "299 W   2.0   1.0    3    3\n299    -1.0        999    1\n"
    brought = bring(text)
    assert {row.entry: row.points for row in compute_standings(brought).rows} == {1: 4 - 1, 2: 0, 3: 1 + 2 + 2}
    texts = [
        warning.detail for warning in read_report((FILE + "299 W   2.0   1.0    3    3\n").encode(), "UTC").warnings
    ]
    assert "Board points that the file gives Team 3 without a game are not imported." in texts


def test_a_team_that_gets_no_points_for_a_match_it_won_has_none() -> None:
    brought = bring(FILE + "299 L   0.0   0.0    1    1\n")
    assert {row.entry: row.points for row in compute_standings(brought).rows} == {1: 4 - 2, 2: 0, 3: 3}


def test_what_an_arbiter_gave_teams_and_byes_to_come_are_exported_as_they_were_imported() -> None:
    text = FILE.replace("142 3", "142 5").replace("   3 w 1", "   3 w 0").replace("   4 b 1", "   4 b 0")
    awards = ("299 L   0.5   0.0    1    1", "299 D   1.5   0.5    3    3", "299    -1.0          2    2")
    brought = bring("\n".join((text + "240 H   4    1", "240 F   5    2", *awards)) + "\n")
    # Nobody won a board of the first match; the last one was 0.5–1.5.
    points = {1: Fraction("0.5") + 2, 2: Fraction(-1), 3: 1 + 2 + Fraction("1.5")}
    assert {row.entry: row.points for row in compute_standings(brought).rows} == points
    exported = export_report(brought).decode()
    assert [line for line in exported.splitlines() if line.startswith(("240", "299"))] == [
        "240 H 004    1",
        "240 F 005    2",
        "299 D   0.5   0.0    1    1",
        "299 L   1.5   0.5    3    3",
        "299    -1.0   0.0    2    2",
    ]
    again = bring(exported, make_league("elo", [], slug="again", game="Chess"))
    assert {row.entry: row.points for row in compute_standings(again).rows} == points
    assert again.entries[1].byes == [{"round": 4, "kind": "half_bye"}]


def test_an_empty_seat_of_a_match_that_is_not_over_stays_empty() -> None:
    text = FILE.replace("   5 b =", "   5 b  ").replace("   1 w =", "   1 w  ")
    match = next(one for one in bring(text).list_fixtures(3) if one.kind == "match")
    assert [(board.entries, board.members, board.status) for board in match.boards] == [
        ((3, 1), (1, 1), "planned"),
        ((1, 3), (2, 0), "forfeited"),
    ]


def test_the_systems_of_fide_for_teams_are_swiss_also_if_all_teams_met() -> None:
    for code in ("FIDE_TEAM_TYPEA_MP_GP", "FIDE_TEAM_MP", "FIDE_TEAM_BAKU"):
        assert read_report(FILE.replace("FIDE_TEAM_TYPEA_MP_GP", code).encode(), "UTC").settings["format"] == "swiss"
    text = FILE.replace("FIDE_TEAM_TYPEA_MP_GP", "FIDE_TEAM_ROUNDROBIN")
    assert read_report(text.encode(), "UTC").settings["format"] == "round_robin"


def test_the_first_team_of_a_match_has_white_on_the_first_board() -> None:
    for colours in ("352 WB", "352 BW"):
        league = make_league("elo", [], slug=colours[-2:].lower(), game="Chess")
        first, *_others = bring(FILE.replace("352 WB", colours), league).list_fixtures(1)
        assert first.entries == (1, 2)
        assert [board.entries for board in first.boards] == [(1, 2), (2, 1)]


@pytest.mark.parametrize(
    ("squad", "why"),
    [
        (write_team(2, "0.0", "0.0", 3, 3, 4, 1), "somebody is in two squads"),
        (write_team(2, "0.0", "0.0", 3, 3), "a game is of nobody's squad"),
        (write_team(2, "0.0", "0.0", 3), "a squad is empty"),
        (write_team(2, "0.0", "0.0", 3, 3, 4, 17), "a player of a squad is not listed"),
    ],
)
def test_of_teams_that_are_not_whole_the_games_are_imported(squad: str, why: str) -> None:
    text = FILE.replace(write_team(2, "0.0", "0.0", 3, 3, 4), squad)
    assert "teams" in warn(text), why
    brought = bring(text)
    assert (brought.competition.format, brought.competition.teams, len(brought.entries)) == ("free", {}, 6)
    assert "teams" not in warn(FILE)


def test_a_file_does_not_continue_a_competition_of_teams() -> None:
    brought = bring(FILE)
    league = brought.competition.league
    with pytest.raises(Conflict, match=r"was imported before: .* A file cannot continue a competition of teams"):
        bring(FILE, league)
    with pytest.raises(Refused, match="cannot continue a competition of teams"):
        bring(FILE, league, into=brought.competition.slug)
    assert Competition.objects.count() == 1


def test_a_round_robin_of_teams_twice_keeps_its_format_and_open_matches() -> None:
    text = FILE.replace("FIDE_TEAM_TYPEA_MP_GP", "BERGER_TEAM_DOUBLEROUNDROBIN")
    text = text.replace("   5 b =", "   5 b  ").replace("   1 w =", "   1 w  ")
    text = text.replace("0000 - +", "0000 - Z")
    brought = bring(text)
    assert (brought.competition.format, brought.competition.parameters["turns"]) == ("round_robin", "double")
    assert brought.competition.parameters["exchange"] == "no"
    last = [match for match in brought.list_fixtures(3) if match.kind == "match"]
    assert [(match.status, [board.members for board in match.boards]) for match in last] == [
        ("planned", [(1, 1), (None, None)])
    ]


def write_document(loaded: Any) -> Any:
    return json.loads(json.dumps(build_json_document(loaded, for_organisers=True), cls=DjangoJSONEncoder))


@pytest.mark.parametrize("primary", ["match", "board"])
def test_a_document_of_teams_is_read_as_it_was(primary: str) -> None:
    loaded = load(make_swiss_cup(teams={"primary": primary}))
    document = write_document(loaded)
    league = make_league("elo", [], slug="other", game="Chess")
    read = read_json_document(json.dumps(document).encode())
    result = import_competition(league.pk, read, REQUEST)
    brought = load_competition(find_competition(league, result.competition.slug))
    assert export_report(brought) == export_report(loaded)
    assert write_document(brought)["fixtures"] == document["fixtures"]
    assert verify_league(league.pk).state == "is right"


@pytest.mark.parametrize(
    ("path", "value", "pointer"),
    [
        (("fixtures", 0, "boards", 0, "seats", 0, "member"), 5, "/fixtures/0/boards/0/seats/0/member"),
        (("fixtures", 0, "boards", 0, "seats", 0, "entry"), 5, "/fixtures/0/boards/0/seats"),
        (("fixtures", 0, "boards", 0, "kind"), "match", "/fixtures/0/boards/0/kind"),
        (("fixtures", 0, "kind"), "game", "/fixtures/0/kind"),
        (("fixtures", 0, "boards"), [], ""),
        (("competition", "sides_of"), 4, "/fixtures/0/boards"),
        (("competition", "teams"), {}, "/fixtures/0/kind"),
    ],
)
def test_faults_in_a_document_of_teams_are_named(path: Any, value: Any, pointer: str) -> None:
    loaded = load(make_swiss_cup(teams={"primary": "match"}))
    document = write_document(loaded)
    holder = document
    for member in path[:-1]:
        holder = holder[member]
    holder[path[-1]] = value
    data = json.dumps(document).encode()
    if not pointer:
        assert read_json_document(data).rounds[0].fixtures[0].boards == ()
        return
    with pytest.raises(Invalid) as refused:
        read_json_document(data)
    assert pointer in {problem.pointer for problem in refused.value.problems}
