"""Pairing numbers of a Swiss system: late entries get those of their ratings, and two entries exchange theirs."""

import json
from typing import Any

import pytest
from django.core.serializers.json import DjangoJSONEncoder

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.selectors.exporting import export_report
from league.apps.competitions.selectors.json_document import build_json_document
from league.apps.competitions.selectors.pairing_checks import compare_with_rules
from league.apps.competitions.selectors.report_remarks import list_remarks
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services.competitions import change_competition, start_competition
from league.apps.competitions.services.entries import NewEntry, add_entries, change_entry
from league.apps.competitions.services.exchange_numbers import exchange_numbers
from league.apps.competitions.services.import_people import ImportRequest
from league.apps.competitions.services.importing import import_competition
from league.apps.competitions.services.read_files import read_report
from league.apps.competitions.services.read_json import read_json_document
from league.apps.competitions.services.regulations import ConfirmationNeeded
from league.apps.competitions.services.rounds import make_round, undo_round
from league.core.errors import Invalid, Refused
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import League
from ratings.tournaments.checking import check_text
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, make_league
from tests.helpers.changed_competitions import ChangedNumbers
from tests.helpers.competition_builders import make_competition
from tests.helpers.desk_client import sign_in_member
from tests.helpers.restore_builders import export_of, sealed_file
from tests.helpers.running_competitions import loaded_cup, meetings, play_round
from tests.helpers.tiers import long_way, mark_slow

pytestmark = pytest.mark.django_db
RATINGS = {"anna": 2000, "ben": 1900, "cleo": 1800, "dan": 1700}
DESK = "/admin/leagues/club/competitions/cup/entries/"


def run_cup(format: str = "swiss", **settings: Any) -> League:
    """Start a competition of four with ratings; two more players are there."""
    league = make_league(players=(*FOUR, "eva", "finn"), game="Chess")
    settings = {"rounds": 3, "parameters": {"first_colour": "white"}, **settings} if format == "swiss" else settings
    make_competition(league, format, **settings)
    add_entries(league.pk, "cup", [NewEntry([one], rating=rating) for one, rating in RATINGS.items()], by="olga")
    start_competition(league.pk, "cup", by="olga")
    return league


def enter_late(league: League, player: str, **details: Any) -> Entry:
    """Enter a player after the start."""
    (entry,) = add_entries(league.pk, "cup", [NewEntry([player], **details)], by="olga")
    return entry


def list_numbers(league: League) -> dict[str, int]:
    """Return handle -> pairing number, in their order."""
    return {entry.survivors[0].handle: entry.pairing_number for entry in loaded_cup(league).entries.values()}


def rank_names(loaded: LoadedCompetition) -> list[tuple[Any, ...]]:
    """Return rank, name, points and values of each line of the standings."""
    rows = compute_standings(loaded).rows
    return [(row.rank, loaded.name(row.entry), row.points, tuple(row.values.values())) for row in rows]


def name_meetings(loaded: LoadedCompetition, number: int) -> list[list[str]]:
    """Return the names of each fixture of a round, White first."""
    return [[loaded.name(entry) for entry in one.entries] for one in loaded.list_fixtures(number)]


def import_report(report: bytes, slug: str) -> Competition:
    """Import a report into a league of its own."""
    other = make_league(slug=slug, game="Chess", players=())
    request = ImportRequest(by="olga", create_players=True)
    return import_competition(other.pk, read_report(report, "UTC"), request).competition


def test_a_late_entry_gets_the_number_of_its_rating_until_round_4_is_made() -> None:
    league = run_cup(tie_breaks=["TPN"])
    play_round(league, 1, (1, 0), (1, 0))
    eva = enter_late(league, "eva", rating=1850)
    assert (eva.number, eva.pairing_number) == (5, 3)
    assert list_numbers(league) == {"anna": 1, "ben": 2, "eva": 3, "cleo": 4, "dan": 5}
    # Fixtures name entries by their keys, as before.
    assert meetings(league, 1) == [(1, 3), (4, 2)]
    assert compare_with_rules(loaded_cup(league), 1) is None
    by_number = {row.entry: row.values["TPN"] for row in compute_standings(loaded_cup(league)).rows}
    assert by_number == {1: 1, 2: 2, 5: 3, 3: 4, 4: 5}
    for number in (2, 3):
        play_round(league, number, (1, 0), (1, 0))
    # Behind Anna, who has the same rating and is first by name.
    assert enter_late(league, "finn", rating=2000).pairing_number == 2
    assert [*list_numbers(league)] == ["anna", "finn", "ben", "eva", "cleo", "dan"]
    assert [*list_numbers(league).values()] == [1, 2, 3, 4, 5, 6]
    assert verify_league(league.pk).state == "is right"


def test_once_round_4_is_made_a_late_entry_gets_the_next_number() -> None:
    league = run_cup()
    for number in (1, 2):
        play_round(league, number, (1, 0), (1, 0))
    enter_late(league, "eva", rating=1100)
    change_competition(league.pk, "cup", {"rounds": 5}, by="olga")
    play_round(league, 3, (1, 0), (1, 0))
    make_round(league.pk, "cup", by="olga")
    assert enter_late(league, "finn", rating=2500).pairing_number == 6
    assert [*list_numbers(league)] == [*FOUR, "eva", "finn"]
    with pytest.raises(Refused, match=r"The numbers are fixed: round 4 is paired\."):
        exchange_numbers(league.pk, "cup", [1, 2], by="olga", reason="Mistyped.")


@pytest.mark.parametrize(("seeding", "place"), [("rating", 1), ("hand", 5)])
def test_a_late_entry_comes_last_if_the_order_is_that_of_the_list(seeding: str, place: int) -> None:
    league = run_cup(seeding=seeding)
    assert enter_late(league, "eva", rating=2200).pairing_number == place


def test_titles_and_names_decide_between_equal_ratings_and_no_rating_is_last() -> None:
    league = run_cup()
    enter_late(league, "eva", rating=1900, title="FM")
    enter_late(league, "finn")
    assert [*list_numbers(league)] == ["anna", "eva", "ben", "cleo", "dan", "finn"]


def test_one_of_the_waiting_list_gets_its_number_when_it_moves_up() -> None:
    league = run_cup(max_entries=5)
    enter_late(league, "eva", rating=1000)
    finn = enter_late(league, "finn", rating=2100)
    assert (finn.status, finn.pairing_number) == ("waiting", 6)
    with pytest.raises(Refused, match="Finn is on the waiting list"):
        exchange_numbers(league.pk, "cup", [1, 6], by="olga", reason="Mistyped.")
    change_entry(league.pk, "cup", 5, {"status": "withdrawn"}, by="olga")
    change_entry(league.pk, "cup", 6, {"status": "entered"}, by="olga")
    assert [*list_numbers(league)] == ["finn", *FOUR, "eva"]
    assert verify_league(league.pk).state == "is right"


def test_one_of_the_waiting_list_who_moves_up_after_a_round_is_a_late_entry() -> None:
    league = run_cup(max_entries=4)
    enter_late(league, "finn", rating=2100)
    play_round(league, 1, (1, 0), (1, 0))
    assert list_remarks(loaded_cup(league)) == ()
    change_entry(league.pk, "cup", 4, {"status": "withdrawn"}, by="olga")
    change_entry(league.pk, "cup", 5, {"status": "entered"}, by="olga")
    loaded = loaded_cup(league)
    assert list_remarks(loaded) == ("Late entry @ Round 1: 1",)
    assert check_text(export_report(loaded).decode()).differences == []
    assert compare_with_rules(loaded, 1) is None
    assert verify_league(league.pk).state == "is right"


def test_in_other_formats_the_numbers_stay() -> None:
    league = run_cup("free")
    assert enter_late(league, "eva", rating=2500).pairing_number == 5
    with pytest.raises(Refused, match="in a Swiss system only"):
        exchange_numbers(league.pk, "cup", [1, 2], by="olga", reason="Mistyped.")


def test_two_entries_exchange_their_numbers_with_a_reason_and_a_remark_and_back() -> None:
    league = run_cup(regulations=True)
    play_round(league, 1, (1, 0), (1, 0))
    with pytest.raises(Invalid, match="Give a reason"):
        exchange_numbers(league.pk, "cup", [2, 3], by="olga", reason=" ")
    with pytest.raises(Invalid, match="Two entries"):
        exchange_numbers(league.pk, "cup", [2, 2], by="olga", reason="Mistyped.")
    with pytest.raises(
        ConfirmationNeeded, match=r"Ben \(No\. 2\) and Cleo \(No\. 3\) exchange .* ratings differ"
    ) as needed:
        exchange_numbers(league.pk, "cup", [2, 3], by="olga", reason="Mistyped.")
    assert [(one.code, one.level) for one in needed.value.warnings] == [("exchanges_numbers", 3)]
    confirmed = ["exchanges_numbers"]
    exchange_numbers(league.pk, "cup", [2, 3], by="olga", reason="Mistyped.", confirmed=confirmed)
    assert list_numbers(league) == {"anna": 1, "cleo": 2, "ben": 3, "dan": 4}
    assert [entry.rating for entry in loaded_cup(league).entries.values()] == [2000, 1800, 1900, 1700]
    # Round 1 was paired by the numbers before: 1-3 and 4-2 are now those of Anna and Cleo, Dan and Ben.
    report = export_report(loaded_cup(league)).decode()
    assert "### Numbers @ Round 1: 3-2\r\n" in report
    assert [one.locate() for one in check_text(report).differences] == []
    assert check_text(report.replace("### Numbers", "### Numerals")).differences
    # The desk compares as the check of the report does.
    assert compare_with_rules(loaded_cup(league), 1) is None
    # A late entry moves both; the remark has the numbers of today.
    enter_late(league, "eva", rating=2200)
    assert list_remarks(loaded_cup(league)) == ("Late entry @ Round 1: 1", "Numbers @ Round 1: 4-3")
    exchange_numbers(league.pk, "cup", [3, 2], by="olga", reason="It was right.", confirmed=confirmed)
    assert [*list_numbers(league)] == ["eva", *FOUR]
    assert list_remarks(loaded_cup(league)) == ("Late entry @ Round 1: 1",)
    assert verify_league(league.pk).state == "is right"


def test_an_arbiter_exchanges_numbers_on_a_page_and_everyone_sees_it_among_the_changes() -> None:
    league = run_cup(regulations=True)
    desk = sign_in_member("olga", "arbiter", league)
    assert f"{DESK}2/number/" in desk.get(f"{DESK}2/").content.decode()
    page = desk.get(f"{DESK}2/number/").content.decode()
    assert "Cleo · No. 3 · 1800" in page
    sent = {"other": "3", "reason": "Equal ratings."}
    assert "exchange their numbers" in desk.post(f"{DESK}2/number/", sent).content.decode()
    assert [*list_numbers(league)] == [*FOUR]
    assert desk.post(f"{DESK}2/number/", {**sent, "confirm": "exchanges_numbers"}).status_code == 302
    assert [*list_numbers(league)] == ["anna", "cleo", "ben", "dan"]
    changes = desk.get("/leagues/club/competitions/cup/changes/").content.decode()
    assert "Exchange of numbers" in changes
    assert "No. 3, No. 2" in changes
    assert "Equal ratings." in changes
    assert "No. 3" in desk.get("/leagues/club/competitions/cup/entries/2/").content.decode()


def test_the_api_exchanges_numbers_once_it_is_confirmed_and_has_both_numbers_of_an_entry() -> None:
    league = run_cup(regulations=True)
    api, address = Api("organise"), "leagues/club/competitions/cup/entries/"
    body = {"entries": [4, 1], "reason": "Mistyped."}
    answer = api.post(f"{address}exchange-numbers/", body)
    assert (answer.status_code, answer.json()["level"]) == (409, 3)
    assert [one["code"] for one in answer.json()["errors"]] == ["exchanges_numbers"]
    answer = api.post(f"{address}exchange-numbers/", {**body, "confirm": ["exchanges_numbers"]})
    assert [(one["number"], one["pairing_number"]) for one in answer.json()["entries"]] == [(4, 1), (1, 4)]
    assert api.post(f"{address}exchange-numbers/", {**body, "entries": [1, 9]}).status_code == 404
    # The API lists entries by their keys; pages, and their data, by pairing numbers.
    listed = api.get(address).json()["results"]
    assert [(one["number"], one["pairing_number"]) for one in listed] == [(1, 4), (2, 2), (3, 3), (4, 1)]
    shown = api.client.get("/leagues/club/competitions/cup/entries/?table=entries&format=json").json()
    assert [(one["number"], one["pairing_number"]) for one in shown["results"]] == [(4, 1), (2, 2), (3, 3), (1, 4)]
    assert [*list_numbers(league)] == ["dan", "ben", "cleo", "anna"]


def test_a_lot_goes_with_the_pairing_number() -> None:
    league = run_cup(tie_breaks=[], lots=True)
    play_round(league, 1, (0.5, 0.5), (0.5, 0.5))

    def list_ranked() -> list[str]:
        loaded = loaded_cup(league)
        return [loaded.name(row.entry) for row in compute_standings(loaded).rows]

    before = list_ranked()
    exchange_numbers(league.pk, "cup", [1, 2], by="olga", reason="Mistyped.")
    others = {"Anna": "Ben", "Ben": "Anna"}
    assert list_ranked() == [others.get(name, name) for name in before]


def test_a_document_keeps_both_numbers_and_refuses_one_that_occurs_twice() -> None:
    league = run_cup()
    play_round(league, 1, (1, 0), (1, 0))
    enter_late(league, "eva", rating=1850)
    document: Any = build_json_document(loaded_cup(league), for_organisers=True)
    assert [(one["number"], one["pairing_number"]) for one in document["entries"]] == [
        (1, 1), (2, 2), (5, 3), (3, 4), (4, 5),
    ]  # fmt: skip
    data = json.dumps(document, cls=DjangoJSONEncoder).encode()
    other = make_league(slug="other", game="Chess", players=())
    found = import_competition(other.pk, read_json_document(data), ImportRequest(by="olga", create_players=True))
    assert [one.pairing_number for one in load_competition(found.competition).entries.values()] == [1, 2, 3, 4, 5]
    assert [*load_competition(found.competition).entries] == [1, 2, 5, 3, 4]
    with pytest.raises(Invalid, match="a number occurs twice"):
        read_json_document(data.replace(b'"pairing_number": 3', b'"pairing_number": 2'))


def test_an_imported_competition_places_late_entries_by_rating() -> None:
    league = run_cup()
    play_round(league, 1, (1, 0), (1, 0))
    found = import_report(export_report(loaded_cup(league)), "other")
    add_entries(found.league_id, found.slug, [NewEntry(["eva"], rating=1850)], by="olga")
    loaded = load_competition(found)
    assert [loaded.name(number) for number in loaded.entries] == ["Anna", "Ben", "Eva", "Cleo", "Dan"]
    # Its numbers moved, so the file is written anew, and its players keep what it says of them.
    report = export_report(loaded).decode()
    assert [line[4:8].strip() for line in report.splitlines() if line.startswith("001")] == ["1", "2", "3", "4", "5"]


@long_way
@pytest.mark.parametrize("seed", mark_slow(range(40), "Competitions with a database; one is held.", but=(0,)))
def test_drawn_late_entries_and_exchanges_keep_the_order_and_reports_agree(seed: int) -> None:
    drawn = ChangedNumbers(seed)
    drawn.play()
    loaded = loaded_cup(drawn.league)
    assert [*loaded.entries] == drawn.order
    assert [one.pairing_number for one in loaded.entries.values()] == [*range(1, len(drawn.order) + 1)]
    report = export_report(loaded, with_remarks=True)
    assert [one.locate() for one in check_text(report.decode().replace("\r\n", "\n")).differences] == []
    assert verify_league(drawn.league.pk).state == "is right"
    again = restore_league(sealed_file(export_of(drawn.league)), slug="again", known_players=True, by="root").league
    assert [*loaded_cup(again).entries] == drawn.order
    assert verify_league(again.pk).state == "is right"


@long_way
@pytest.mark.parametrize("seed", mark_slow(range(30), "Competitions with a database; one is held.", but=(0,)))
def test_the_next_round_is_that_of_a_tournament_with_these_numbers_from_the_beginning(seed: int) -> None:
    drawn = ChangedNumbers(seed)
    drawn.play_until(1 + seed % 5)
    report = export_report(loaded_cup(drawn.league))
    other = import_report(report, "other")
    assert rank_names(load_competition(other)) == rank_names(loaded_cup(drawn.league))
    number = max(loaded_cup(drawn.league).rounds) + 1
    for key, slug in ((drawn.league.pk, "cup"), (other.league_id, other.slug)):
        make_round(key, slug, by="olga", confirmed=("no_result",))
    assert name_meetings(load_competition(other), number) == name_meetings(loaded_cup(drawn.league), number)


def test_a_round_that_is_made_again_after_an_exchange_has_the_new_numbers() -> None:
    league = run_cup(regulations=True)
    make_round(league.pk, "cup", by="olga")
    exchange_numbers(league.pk, "cup", [1, 2], by="olga", reason="Wrong order.", confirmed=("exchanges_numbers",))
    assert list_remarks(loaded_cup(league)) == ("Numbers @ Round 1: 2-1",)
    undo_round(league.pk, "cup", 1, by="olga")
    play_round(league, 1, (1, 0), (1, 0))
    assert list_remarks(loaded_cup(league)) == ("Numbers @ Round 0: 2-1",)
    # Ben is number 1 now, and was when round 1 was made.
    assert name_meetings(loaded_cup(league), 1) == [["Ben", "Cleo"], ["Dan", "Anna"]]
    assert check_text(export_report(loaded_cup(league)).decode()).differences == []
