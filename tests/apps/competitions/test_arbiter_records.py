"""What an arbiter decides apart from results: points, adjourned games, who stays apart, acceleration."""

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from league.apps.competitions.files.trf_reading import read_trf
from league.apps.competitions.models import Competition, Entry, Fixture, SourceFile
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.selectors.exporting import export_report
from league.apps.competitions.selectors.forbidden_groups import list_forbidden, list_pairs
from league.apps.competitions.selectors.pairing_checks import list_outdated_pairings
from league.apps.competitions.selectors.pairing_input import build_pairing_request
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services.competitions import (
    change_competition,
    create_competition,
    finish_competition,
    start_competition,
)
from league.apps.competitions.services.entries import NewEntry, add_entries, change_entry
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.import_people import ImportRequest
from league.apps.competitions.services.importing import import_competition
from league.apps.competitions.services.read_files import read_report
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import make_round, publish_round
from league.core.errors import Conflict, Invalid, Refused
from league.core.verify.run import verify_league
from league.models import League
from ratings.contract.competition import CompetitionData, EntryData, RoundData, build_game
from ratings.contract.pairing_format import PairingRequest
from ratings.pairing_formats.swiss import Swiss
from ratings.trf.building import build_document
from ratings.trf.competition import TrfCompetition, read_competition
from ratings.trf.document import TrfForbidden, TrfPlayer
from ratings.trf.formats import TrfFormat
from ratings.trf.writing import TrfVersion, write_trf
from tests.apps.competitions.files.trf_texts import FIVE, build_trf
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, all_said, make_league
from tests.helpers.running_competitions import loaded_cup, play_round, run_competition, scores
from tests.helpers.tiers import long_way

EIGHT = (*FOUR, "eva", "finn", "gina", "hal")
HALF, ONE = Fraction(1, 2), Fraction(1)


def read(text: str) -> TrfCompetition:
    return read_competition(read_trf(text.encode()))


def write(competition: TrfCompetition, version: TrfVersion = "26") -> str:
    return write_trf(build_document(competition, version=version), version=version).decode()


def draw_report(random: Random, acceleration: str, entries: int = 12) -> TrfCompetition:
    """Return a report of two rounds, with drawn virtual points if they are given."""
    virtual: dict[int, tuple[Fraction, ...]] = {}
    if acceleration == "given":
        for number in random.sample(range(1, entries + 1), 5):
            virtual[number] = (*random.choices([Fraction(0), HALF, ONE], k=random.randint(0, 4)), ONE)
    data = CompetitionData(
        tuple(EntryData(number, 2400 - number, virtual=virtual.get(number, ())) for number in range(1, entries + 1)),
        (),
        planned_rounds=random.randint(5, 9),
    )
    swiss = Swiss("white", acceleration or "none")
    for number in (1, 2):
        fixtures = [
            build_game(one.seats[0].entry, one.seats[1].entry, random.choice(["win", "draw", "loss"]))
            for one in swiss.pair(PairingRequest(data, number)).fixtures
        ]
        data = replace(data, rounds=(*data.rounds, RoundData(number, tuple(fixtures))))
    players = tuple(TrfPlayer(entry.number, f"P{entry.number}", rating=entry.rating) for entry in data.entries)
    return TrfCompetition("Cup", data, players, TrfFormat("swiss", acceleration=acceleration), first_colour="white")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("version", ["16", "26"])
def test_virtual_points_come_back_from_both_versions(seed: int, version: TrfVersion) -> None:
    report = draw_report(Random(seed), "given")
    again = read(write(report, version))
    assert [entry.virtual for entry in again.data.entries] == [entry.virtual for entry in report.data.entries]
    assert again.format == report.format


@pytest.mark.parametrize("seed", range(4))
def test_baku_is_written_as_a_code_and_as_lines_and_read_as_either(seed: int) -> None:
    report = draw_report(Random(seed), "baku")
    text = write(report)
    rounds = report.data.planned_rounds
    accelerated = -(-rounds // 2)
    wins = -(-accelerated // 2)
    lines = [line for line in text.splitlines() if line[:3] in ("192", "250")]
    assert lines == [
        "192 FIDE_DUTCH_2026_BAKU",
        f"250       1.0 001 {wins:03} 0001 0006",
        f"250       0.5 {wins + 1:03} {accelerated:03} 0001 0006",
    ]
    # The lines outweigh the code; those of the method are the method.
    without = text.replace("\r\n250", "\r\n###")
    other = text.replace("0001 0006", "0001 0008")
    for file, acceleration in ((text, "baku"), (without, "baku"), (other, "given")):
        found = read(file)
        assert found.format.acceleration == acceleration
        assert [bool(entry.virtual) for entry in found.data.entries] == [
            acceleration == "given" and entry.number <= 8 for entry in found.data.entries
        ]
    assert read(text.replace("_BAKU", "")).format.acceleration == "given"


def test_an_adjourned_game_is_a_question_mark_and_unknown_signs_are_read() -> None:
    rows = ("1 0.0 2 | 2 w ?", "2 0.0 2 | 1 b ?", "3 1.0 1 | 4 w 1", "4 0.0 2 | 3 b 0")
    for sign in "?Xx":
        marked = "\n".join(
            line.rstrip() + f" {sign}" if line.startswith(("001    1", "001    2")) else line
            for line in build_trf(*rows).splitlines()
        )
        document = read_trf(marked.encode())
        assert document.warnings == ()
        first, second = read_competition(document).data.rounds[0].fixtures
        assert (first.kind, first.adjourned, second.adjourned) == ("planned", True, False)
        written = write(read_competition(document))
        assert "162  W 1.0    D 0.5    L 0.0    A 0.0    P 1.0    X 0.5" in written
        assert [line[98] for line in written.splitlines() if line[:3] == "001"] == ["?", "?", "1", "0"]


@pytest.fixture
def league() -> League:
    return make_league(players=EIGHT, game="Chess")


def bring(league: League, text: str) -> Competition:
    request = ImportRequest("arbiter", create_players=True)
    return import_competition(league.pk, read_report(text.encode(), "UTC").with_title("Open"), request).competition


def forbidden(loaded: LoadedCompetition, number: int) -> set[tuple[int, ...]]:
    return {tuple(sorted(pair)) for pair in build_pairing_request(loaded, number).not_against}


@pytest.mark.django_db
def test_groups_that_stay_apart_in_some_rounds_are_imported_used_and_written(league: League) -> None:
    lines = "142 6\n260 001 006    1    2\n260 003 004    2    3    5\n260 005 006    1    3\nXXP 4 5\n"
    competition = bring(league, lines + FIVE)
    loaded = load_competition(competition)
    always = {(1, 2), (4, 5)}
    trio = {(2, 3), (2, 5), (3, 5)}
    assert [forbidden(loaded, number) for number in (3, 4, 5, 6)] == [
        always | trio, always | trio, always | {(1, 3)}, always | {(1, 3)},
    ]  # fmt: skip
    assert export_report(loaded).decode() == lines + FIVE
    change_entry(league.pk, competition.slug, 1, {"apart": []}, by="arbiter")
    assert Entry.objects.get(competition=competition, number=3).apart == [
        {"entry": 2, "rounds": [3, 4]}, {"entry": 5, "rounds": [3, 4]},
    ]  # fmt: skip
    for with_source in (True, False):
        if not with_source:
            SourceFile.objects.all().delete()
        found = read(export_report(load_competition(competition)).decode())
        assert {(one.players, one.is_always(6)) for one in found.forbidden} == {
            ((1, 2), True), ((4, 5), True), ((2, 3, 5), False),
        }  # fmt: skip
        assert [found.list_not_against(number) for number in (3, 5)] == [
            frozenset(map(frozenset, always | trio)), frozenset(map(frozenset, always)),
        ]  # fmt: skip


@pytest.mark.parametrize("seed", range(15))
def test_drawn_pairs_are_groups_with_just_these_pairs(seed: int) -> None:
    random = Random(seed)
    entries: dict[int, Any] = {number: Entry(number=number) for number in range(1, 9)}
    wanted = set()
    for _ in range(random.randint(1, 14)):
        one, other = sorted(random.sample(range(1, 9), 2))
        first = random.randint(0, 2)
        if first:
            entries[one].apart = [*entries[one].apart, {"entry": other, "rounds": [first, first + 1]}]
        else:
            entries[one].not_against = [*entries[one].not_against, other]
        wanted.add((one, other, first, first + 1 if first else 0))
    loaded: Any = type("Loaded", (), {"entries": entries})
    groups = list_forbidden(loaded)
    assert list_pairs(groups, 0) == wanted
    assert all(isinstance(group, TrfForbidden) for group in groups)
    assert len(groups) <= len(wanted)


@pytest.mark.django_db
def test_points_added_by_the_arbiter_count_after_their_round_and_come_back_from_files(league: League) -> None:
    competition = bring(league, "142 5\n299          -1.0    2    1    3\n299           0.5  999    5\n" + FIVE)
    loaded = load_competition(competition)
    # After two rounds: 1 and 5 have 1½, 2 and 3 have 1, 4 has ½; what counts after the fifth round waits.
    points = {row.entry: row.points for row in compute_standings(loaded).rows}
    assert points == {1: HALF, 2: 1, 3: 0, 4: HALF, 5: Fraction(3, 2)}
    assert Entry.objects.get(competition=competition, number=1).added_points == [
        {"round": 2, "points": "-1", "reason": "Line 299 of the imported file"}
    ]
    given = [
        {"round": 1, "points": "1/2", "reason": " Fair play. "},
        {"round": 0, "points": "-0,5", "reason": "Phone."},
    ]
    changed = change_entry(league.pk, competition.slug, 4, {"added_points": given}, by="arbiter")
    assert changed.added_points == [
        {"round": 0, "points": "-1/2", "reason": "Phone."}, {"round": 1, "points": "1/2", "reason": "Fair play."},
    ]  # fmt: skip
    kind, said = all_said(league)[-1]
    assert (kind, said["entries"][0]["added_points"]) == ("entry.changed", changed.added_points)
    assert verify_league(league.pk).state == "is right"
    for with_source in (True, False):
        if not with_source:
            SourceFile.objects.all().delete()
        found = read(export_report(load_competition(competition)).decode())
        assert {entry.number: entry.added for entry in found.data.entries if entry.added} == {
            1: ((2, -ONE),), 3: ((2, -ONE),), 4: ((0, -HALF), (1, HALF)), 5: ((5, HALF),),
        }  # fmt: skip


@pytest.mark.django_db
def test_tie_breaks_have_no_points_of_the_arbiter_but_the_pairing_has(league: League) -> None:
    run_competition(league, EIGHT, "swiss", rounds=4, tie_breaks=["BH"], parameters={"first_colour": "white"})
    play_round(league, 1, *[(0.5, 0.5)] * 4)
    before = {row.entry: row.values["BH"] for row in compute_standings(loaded_cup(league)).rows}
    for number, points in ((1, "1"), (6, "1")):
        added = [{"round": 1, "points": points, "reason": "Decision of the arbiter"}]
        change_entry(league.pk, "cup", number, {"added_points": added}, by="arbiter")
    rows = compute_standings(loaded_cup(league)).rows
    assert {row.entry: row.values["BH"] for row in rows} == before
    assert [(row.rank, row.entry, row.points) for row in rows[:2]] == [(1, 1, Fraction(3, 2)), (1, 6, Fraction(3, 2))]
    make_round(league.pk, "cup", by="arbiter")
    assert {1, 6} in [{*one.entries} for one in loaded_cup(league).list_fixtures(2)]
    # A later decision that counts before the round is one that it does not follow from.
    assert list_outdated_pairings(loaded_cup(league)) == []
    change_entry(league.pk, "cup", 2, {"added_points": [{**added[0], "round": 2}]}, by="arbiter")
    assert list_outdated_pairings(loaded_cup(league)) == []
    change_entry(league.pk, "cup", 2, {"added_points": added}, by="arbiter")
    assert [one.round for one in list_outdated_pairings(loaded_cup(league))] == [2]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"added_points": [{"round": 1, "points": "0", "reason": "x"}]}, "/added_points/0/points"),
        ({"added_points": [{"round": 1, "points": "1/0", "reason": "x"}]}, "/added_points/0/points"),
        ({"added_points": [{"round": 1, "points": "1e9", "reason": "x"}]}, "/added_points/0/points"),
        ({"added_points": [{"round": 1, "points": "100", "reason": "x"}]}, "/added_points/0/points"),
        ({"added_points": [{"round": 1, "points": "1/3", "reason": "x"}]}, "/added_points/0/points"),
        ({"added_points": [{"round": 101, "points": "1", "reason": "x"}]}, "/added_points/0/round"),
        ({"added_points": [{"round": 1, "points": "1", "reason": " "}]}, "/added_points/0/reason"),
        ({"added_points": [{"round": 1, "points": "1"}]}, "/added_points"),
        ({"added_points": "1"}, "/added_points"),
        ({"apart": [{"entry": 1, "rounds": [1, 2]}]}, "/apart/0/entry"),
        ({"apart": [{"entry": 9, "rounds": [1, 2]}]}, "/apart/0/entry"),
        ({"apart": [{"entry": 2, "rounds": [2, 1]}]}, "/apart/0/rounds"),
        ({"apart": [{"entry": 2, "rounds": [1]}]}, "/apart/0/rounds"),
        ({"apart": [[2, 1, 2]]}, "/apart"),
        ({"virtual_points": ["1"]}, "/virtual_points"),
    ],
)
def test_bad_decisions_are_refused_with_their_place(league: League, change: dict[str, Any], pointer: str) -> None:
    run_competition(league, FOUR, "swiss", rounds=3)
    with pytest.raises(Invalid) as error:
        change_entry(league.pk, "cup", 1, change, by="arbiter")
    assert [problem.pointer for problem in error.value.problems] == [pointer]


@long_way
@pytest.mark.django_db
def test_an_adjourned_game_is_a_draw_for_the_pairing_alone(league: League) -> None:
    run_competition(league, EIGHT, "swiss", rounds=2, parameters={"first_colour": "white"})
    make_round(league.pk, "cup", by="arbiter")
    publish_round(league.pk, "cup", 1, by="arbiter")
    first, *others = loaded_cup(league).list_fixtures(1)
    for one in others:
        record_result(league.pk, one.number, scores(1, 0), by="arbiter")
    with pytest.raises(Refused, match="have no result yet"):
        make_round(league.pk, "cup", by="arbiter")
    change_fixture(league.pk, first.number, {"adjourned": True}, by="arbiter")
    assert {row.points for row in compute_standings(loaded_cup(league)).rows if row.entry in first.entries} == {0}
    make_round(league.pk, "cup", by="arbiter")
    publish_round(league.pk, "cup", 2, by="arbiter")
    # The two with half a point have met, so that each meets one of another score group, and not the same again.
    games = [{*one.entries} for one in loaded_cup(league).list_fixtures(2)]
    assert {*first.entries} not in games
    assert "? " not in export_report(loaded_cup(league)).decode().split("001")[0]
    assert export_report(loaded_cup(league)).decode().count("?") == 2
    for one in loaded_cup(league).list_fixtures(2):
        record_result(league.pk, one.number, scores(1, 0), by="arbiter")
    with pytest.raises(Refused, match="1 fixture has no result"):
        finish_competition(league.pk, "cup", by="arbiter")
    with pytest.raises(Conflict, match="Only a game without a result"):
        change_fixture(league.pk, others[0].number, {"adjourned": True}, by="arbiter")
    record_result(league.pk, first.number, scores(1, 0), by="arbiter")
    # Round 2 was paired with a draw, and still follows from it.
    assert list_outdated_pairings(loaded_cup(league)) == []
    assert export_report(loaded_cup(league)).decode().count("?") == 0
    assert verify_league(league.pk).state == "is right"
    finish_competition(league.pk, "cup", by="arbiter")


@pytest.mark.django_db
def test_a_deadline_decides_no_adjourned_game_and_a_knock_out_has_none(league: League) -> None:
    run_competition(league, FOUR, "knockout", rounds=2)
    make_round(league.pk, "cup", by="arbiter")
    with pytest.raises(Refused, match="needs the winner"):
        change_fixture(league.pk, 1, {"adjourned": True}, by="arbiter")
    other = make_league(slug="other", players=FOUR)
    run_competition(other, FOUR, "swiss", rounds=2, deadline_action="forfeit")
    make_round(other.pk, "cup", by="arbiter")
    Fixture.objects.filter(league=other).update(deadline="2024-03-05T18:00Z", adjourned=True)
    assert {one.status for one in loaded_cup(other).fixtures} == {"planned"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("settings", "problems"),
    [
        ({"points": {"draw": 0.6}}, ["/points/draw"]),
        ({"points": {"win": 3, "draw": 2, "loss": 0}}, ["/points/draw"]),
        ({"points": {"win": 3, "draw": 2, "loss": 1}}, []),
        ({"points": {"win": 3, "draw": 1, "pairing_bye": 3.5}}, ["/points/pairing_bye"]),
        ({"points": {"pairing_bye": 1.5}}, ["/points/pairing_bye"]),
        ({"points": {"pairing_bye": 0.75}}, ["/points/pairing_bye"]),
        ({"points": {"pairing_bye": 0.5}}, []),
        ({"points": {"pairing_bye": 0}}, []),
        ({"points": {"win": 3, "draw": 1, "pairing_bye": 2}}, []),
        ({"parameters": {"acceleration": "baku"}}, []),
        ({"parameters": {"acceleration": "baku"}, "points": {"win": 2, "draw": 1}}, []),
        ({"parameters": {"acceleration": "baku"}, "points": {"win": 3, "draw": 1}}, ["/parameters/acceleration"]),
        ({"parameters": {"acceleration": "given"}}, ["/parameters/acceleration"]),
        ({"parameters": {"acceleration": "fast"}}, ["/parameters/acceleration"]),
    ],
)
def test_points_and_acceleration_are_as_the_rules_allow(
    league: League, settings: dict[str, Any], problems: list[str]
) -> None:
    given = {"title": "Open", "format": "swiss", "rounds": 5, **settings}
    if not problems:
        create_competition(league.pk, "open", given, by="olga")
        return
    with pytest.raises(Invalid) as error:
        create_competition(league.pk, "open", given, by="olga")
    assert [problem.pointer for problem in error.value.problems] == problems


@pytest.mark.django_db
def test_an_accelerated_swiss_needs_its_rounds_and_entries_and_keeps_them(league: League) -> None:
    given = {"title": "Open", "format": "swiss", "parameters": {"acceleration": "baku", "first_colour": "white"}}
    create_competition(league.pk, "open", {**given, "status": "open"}, by="olga")
    add_entries(league.pk, "open", [NewEntry([name], rating=2000 - at) for at, name in enumerate(EIGHT[:2])], by="olga")
    for rounds, pointer in ((None, "/rounds"), (1, "/parameters/acceleration")):
        change_competition(league.pk, "open", {"rounds": rounds}, by="olga")
        with pytest.raises(Refused) as error:
            start_competition(league.pk, "open", by="olga")
        assert [problem.pointer for problem in error.value.problems] == [pointer]
    rest = [NewEntry([name], rating=1990 - at) for at, name in enumerate(EIGHT[2:])]
    add_entries(league.pk, "open", rest, by="olga")
    change_competition(league.pk, "open", {"rounds": 5}, by="olga")
    start_competition(league.pk, "open", by="olga")
    make_round(league.pk, "open", by="olga")
    competition = Competition.objects.get(slug="open")
    loaded = load_competition(competition)
    assert [one.entries for one in loaded.list_fixtures(1)] == [(1, 3), (4, 2), (5, 7), (8, 6)]
    for settings in ({"rounds": 6}, {"parameters": {"acceleration": "none"}}):
        with pytest.raises(Refused):
            change_competition(league.pk, "open", settings, by="olga")


@pytest.mark.django_db
def test_the_api_adds_points_adjourns_and_keeps_apart(league: League) -> None:
    run_competition(league, FOUR, "swiss", rounds=3)
    make_round(league.pk, "cup", by="arbiter")
    publish_round(league.pk, "cup", 1, by="arbiter")
    api = Api("organise")
    one = "leagues/club/competitions/cup/"
    body: dict[str, Any] = {
        "apart": [{"entry": 4, "rounds": [2, 3]}],
        "added_points": [{"round": 1, "points": "1/2", "reason": "Fair play."}],
    }
    changed = api.patch(f"{one}entries/1/", body)
    assert (changed.status_code, changed.data["apart"], changed.data["added_points"]) == (200, *body.values())
    assert api.get(f"{one}entries/4/").data["apart"] == [{"entry": 1, "rounds": [2, 3]}]
    (first, _second) = loaded_cup(league).list_fixtures(1)
    adjourned = api.patch(f"{one}fixtures/{first.number}/", {"adjourned": True})
    assert (adjourned.status_code, adjourned.data["adjourned"], adjourned.data["status"]) == (200, True, "planned")
    explained = api.get(f"{one}standings/1/").data
    assert explained["points"] == 0.5
