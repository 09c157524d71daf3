"""The log's bytes stand: a fixed evening of every kind of entry, by a fixed clock and key, against files kept beside.

This is a golden test: the files were written once by the code as it was before what a league, a game and a result
say was declared in one place, and hold later code to it. What is right in them other tests say. ``GOLDEN=write`` writes
them anew, which only a change that is meant to move the log's bytes may do, such as a new setting.
"""

import json
import os
import secrets
from datetime import date, timedelta
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from league.apps.competitions.models import Fixture
from league.apps.competitions.selectors.season_proposal import build_proposal
from league.apps.competitions.selectors.seasons import find_season
from league.apps.competitions.services.competitions import (
    cancel_competition,
    change_competition,
    create_competition,
    finish_competition,
    revise_standings,
    start_competition,
)
from league.apps.competitions.services.entries import NewEntry, add_entries, change_entry
from league.apps.competitions.services.evenings import plan_hall
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.halls import change_hall, create_hall, remove_hall
from league.apps.competitions.services.results import enter_result, forfeit_fixture, record_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures, make_round, publish_round, undo_round
from league.apps.competitions.services.season_close import close_season, revise_season
from league.apps.competitions.services.season_draw import draw_season
from league.apps.competitions.services.season_entries import (
    NewSeasonEntry,
    add_season_entries,
    change_season_entry,
    move_in_proposal,
)
from league.apps.competitions.services.seasons import (
    PartChoice,
    cancel_season,
    change_season,
    create_season,
    link_competition,
)
from league.apps.imports.services.run import ImportOptions, import_games
from league.apps.reports.models import Report, ReportLink
from league.apps.reports.selectors.reports import compute_mark
from league.apps.reports.services.answering import confirm_report, dispute_report, withdraw_report
from league.apps.reports.services.deciding import refuse_report
from league.apps.reports.services.entering import enter_report
from league.apps.reports.services.lapsing import lapse_report
from league.apps.reports.services.links import make_link, revoke_link
from league.core.fields.services.fields import NewField, change_field, declare_field
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import correct_game, restore_game, void_game
from league.core.ladders.services.decisions import carry_period, reopen_period
from league.core.ladders.services.ladders import RankingRule, change_ladder, change_ranking
from league.core.leagues.services.adjustments import AdjustmentData, adjust, void_adjustment
from league.core.leagues.services.contexts import (
    NewContext,
    change_context,
    create_context,
    remove_context,
)
from league.core.leagues.services.leagues import adopt_rule, change_league, withdraw_rule
from league.core.log.kinds import list_kinds
from league.core.log.selectors.log import log_lines
from league.core.log.services.heads import publish_head
from league.core.permissions import Viewer
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.players.services.players import change_player, set_active, set_fields
from league.core.transfer.selectors.exports import export_lines
from league.core.transfer.services.restore import restore_league
from league.models import League, LogEntry, Player
from tests.helpers.builders import make_league, player_of, record, sheet
from tests.helpers.ladder_builders import clock, close, duel, make_ladder, utc
from tests.helpers.order_builders import move_game

pytestmark = pytest.mark.django_db

GOLDEN = Path(__file__).with_name("golden")
#: Nobody's: the private key of the first example of RFC 8032, section 7.1.
KEY = """-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
"""
CSV = (
    "game_id,played_at,player,score,place,kind,note\n"
    "c/1,2024-05-02,ben,1,1,played,“½”\nc/1,2024-05-02,Zoë Ž,0,2,played,“½”\n"
    "c/2,2024-05-03,finn,1,1,forfeit,\nc/2,2024-05-03,anna,0,2,forfeit,\n"
)
NDJSON = (
    '{"played_at": "2024-03-05T19:30:00.000001+01:00", "details": {"bula": 30}, "results": ['
    '{"player": "pedja", "score": -500}, {"player": "marko", "score": 40}, {"player": "johnny", "score": 460}]}\n'
    '{"external_id": "ž\\\\\\u2028\\t1", "played_at": "2024-03-06T00:00:00Z", "note": "a\\"b\\nc", '
    '"details": {"bula": 2.5}, "results": ['
    '{"player": "pedja", "score": 0}, {"player": "johnny", "score": 1e-7}, {"player": "marko", "score": -1e-7}]}\n'
)
PAPERS = ((-20, 320, 160), (4, 120, 60), (16, 20, 60))


#: Kinds that a golden evening has not: of erasing, and of a clock that was ahead.
ELSEWHERE = {
    "text.erased", "player.erased", "edition.redacted", "report.reworded", "link.reworded",
    "clock.accepted",
}  # fmt: skip
#: Three instants, so that no time is taken for another one.
PLAYED, CHANGED, RESTORED = (utc(f"2024-06-{day}T12:00:00.000001") for day in ("01", "02", "03"))


@pytest.fixture(autouse=True)
def known_key(settings: Any) -> None:
    """Let the site sign by a key that does not change."""
    settings.RUNGS_HEAD_KEY = KEY


@pytest.fixture(autouse=True)
def known_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let players, texts, links and reports have names and salts that do not change, and competitions their seed."""
    numbers, secret = count(1), count(1)
    monkeypatch.setattr(secrets, "token_hex", lambda length: f"{next(secret):0{2 * length}x}")
    monkeypatch.setattr(secrets, "randbelow", lambda limit: limit - 1)
    monkeypatch.setattr("league.apps.reports.services.writing.generate_id", lambda: UUID(int=next(numbers)))
    monkeypatch.setattr("league.apps.reports.services.writing.generate_salt", lambda: f"salt-{next(numbers)}")


def games_of_elo() -> League:
    """Return a league with games that were recorded, corrected, voided, restored, moved and imported."""
    players = ("anna", "ben", "cleo", "dan", "eva", "finn")
    league = make_league(
        players=players, parameters={"k": 32.5}, starts={"dan": 1712.5}, time_zone="Europe/Paris", game="Chess “♞”",
        description="One line\nand another\t\u2028.", min_games=2, inactive_after_days=400, closing="by_hand",
    )  # fmt: skip
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-10", external_id="x/1", note="At home: “½”\n"))
    record(league, duel("cleo", "dan", "2024-03-10"))
    move_game(league.pk, 2, later=False, by="olga")
    record(league, duel("ben", "cleo", "2024-03-20T21:00:00.123456"))
    close(league, "2024-03")
    correct_game(league.pk, 1, duel("ben", "anna", "2024-03-10"), reason="Swapped.", username="olga")
    carry_period(league.pk, "month", "2024-03", reason="Prizes were given.", username="olga")
    restore_game(league.pk, 1, reason="The sheet was right.", username="olga")
    reopen_period(league.pk, "month", "2024-03", reason="A sheet came late.", username="olga")
    close(league, "2024-03", reason="A sheet was wrong.")
    void_game(league.pk, 3, reason="A friendly.", username="Ölga")
    restore_game(league.pk, 3, reason="It was none.", username="olga")
    merge_players(player_of("finn"), player_of("eva"), username="olga")
    record(league, duel("finn", "New One", "2024-04-12", create_players=True))
    record(league, sheet(("ben",), (1.0,), kind="full_bye", played_at=utc("2024-04-13")))
    record(league, sheet(("anna", "cleo"), (0.5, 0.5), (1, 1), played_at=utc("2024-04-14")))
    import_games(league.pk, BytesIO(CSV.encode()), ImportOptions(by="import", create_players=True))
    return league


def settings_of_elo(league: League) -> None:
    """Change whatever else can be changed of the league."""
    adopt_rule(league.pk, "elo", {"k": 10.1}, date(2024, 5, 1), username="olga")
    change_ranking(league.pk, "month", RankingRule("points", "month", {"win": 3}, date(2024, 5, 1)), username="olga")
    change_ladder(league.pk, "month", {"title": "The month’s", "ended_on": date(2024, 9, 1)}, username="olga")
    change_player(player_of("anna"), name="Anna Å", aliases=["Annie"], username="olga")
    set_active(league.pk, player_of("ben"), False, username="olga")
    unmerge_player(player_of("finn"), username="olga")
    merge_players(player_of("finn"), player_of("eva"), username="olga")
    change_league(
        league.pk,
        {
            "title": "Club “2”", "game": "", "description": "Another.", "min_games": 1, "inactive_after_days": None,
            "close_after_hours": 0, "closing": "automatic", "time_zone": "Europe/Paris", "language": "de",
        },
        username="olga",
    )  # fmt: skip
    publish_head(league.pk)
    change_league(league.pk, {"visibility": "private"}, username="olga")
    adopt_rule(league.pk, "elo", {"k": 20}, date(2024, 7, 1), username="olga")
    withdraw_rule(league.pk, date(2024, 7, 1), username="olga")


def reports_of_elo(league: League) -> None:
    """Let players report games: each way in which one can end."""
    change_league(league.pk, {"reporting": "by_link", "report_hours": 24}, username="olga")
    for name in ("anna", "cleo", "dan"):
        make_link(league.pk, name, username="olga", player=player_of(name))
    make_link(league.pk, "table", username="olga", name="Table “1”", good_for=timedelta(days=9))
    days = ("2024-05-25", "2024-05-26", "2024-05-27", "2024-05-28")
    right, wrong, late, lost = (
        enter_report("anna", duel("anna", "cleo", day, note=f"Žed {day}"), key=day).report for day in days
    )
    confirm_report("cleo", right.pk)
    third = NewGame([NewResult(one, 2 - at) for at, one in enumerate(("anna", "dan", "cleo"))], utc("2024-05-29"))
    both = enter_report("table", third, key="x", handle="anna").report
    dispute_report("dan", both.pk, reason="“No”")
    confirm_report("cleo", both.pk)
    dispute_report("cleo", wrong.pk, reason="I had more.")
    seen = compute_mark(Report.objects.get(pk=wrong.pk))
    refuse_report(league.pk, wrong.pk, reason="They had.", mark=seen, username="olga")
    revoke_link(league.pk, ReportLink.objects.get(player=player_of("dan")).pk, username="olga")
    lapse_report(league.pk, late.pk, CHANGED + timedelta(days=2))
    change_league(league.pk, {"report_timeout": "drop"}, username="olga")
    lapse_report(league.pk, lost.pk, CHANGED + timedelta(days=2))
    last_days = ("2024-05-30", "2024-05-31")
    slip, again = (enter_report("anna", duel("anna", "cleo", day), key=day).report for day in last_days)
    withdraw_report("anna", slip.pk)
    with clock(CHANGED + timedelta(hours=1)):
        record(league, duel("anna", "cleo", "2024-05-31"))
        confirm_report("cleo", again.pk)


def adjustments_of_elo(league: League) -> None:
    """Give somebody points beside the games, and take that back; let seasons begin."""
    adjust(
        league.pk,
        player_of("anna"),
        AdjustmentData(-12.5, "Late “again”.", utc("2024-05-15T18:00:00.000001")),
        username="olga",
    )
    adjust(league.pk, player_of("cleo"), AdjustmentData(3, "Tidied up."), username="olga")
    void_adjustment(league.pk, 2, reason="Somebody else did.", username="Ölga")
    adopt_rule(
        league.pk, "elo", {"k": 10.1}, date(2024, 9, 1), {"days": ["09-01", "02-01"], "pull": 0.25}, username="olga"
    )


def games_of_preferans() -> League:
    """Return a league whose games have fields and worksheets, from the API's door and from a file."""
    league = make_league("preferans", ("pedja", "marko", "johnny"), slug="preferans")
    make_ladder(league, "spring", cadence="dated", from_date=date(2024, 3, 1), to_date=date(2024, 5, 31))
    papers = [dict(zip(("middle", "left", "right"), paper, strict=True)) for paper in PAPERS]
    seats = zip(("pedja", "marko", "johnny"), papers, strict=True)
    results = [NewResult(player, worksheet=paper) for player, paper in seats]
    record(league, NewGame(results, played_at=utc("2024-03-05"), details={"bula": 30}))
    import_games(league.pk, BytesIO(NDJSON.encode()), ImportOptions(media="ndjson", by="import"))
    return league


def competitions_of_elo() -> League:
    """Return a league with a competition that went through everything, and one that was cancelled."""
    league = make_league(players=("anna", "ben", "cleo", "dan", "eva"), starts={"anna": 1800}, slug="cups")
    settings = {"title": "Cup “1”", "format": "swiss", "rounds": 1, "starts_at": utc("2024-05-01T18:00:00.5")}
    create_competition(league.pk, "cup", {**settings, "points": {"win": 3}, "max_entries": 4}, by="olga")
    change_competition(league.pk, "cup", {"status": "open", "venue": "Hall"}, by="olga")
    add_entries(league.pk, "cup", [NewEntry([name]) for name in ("dan", "cleo", "ben", "anna", "eva")], by="olga")
    change_entry(league.pk, "cup", 1, {"name": "“Dan”", "title": "FM", "not_against": [2]}, by="olga")
    start_competition(league.pk, "cup", by="olga")
    make_round(league.pk, "cup", by="olga")
    undo_round(league.pk, "cup", 1, by="olga")
    make_round(league.pk, "cup", by="olga", starts_at=utc("2024-05-01T18:30:00"))
    publish_round(league.pk, "cup", 1, by="olga")
    first, second = Fixture.objects.order_by("number")
    change_fixture(league.pk, first.number, {"table": 7}, reason="“Window”", by="olga")
    record_result(league.pk, first.number, NewGame([NewResult("", 1), NewResult("", 0)], utc("2024-05-01")), by="olga")
    loser = second.seats.order_by("seat")[0].entry.number
    forfeit_fixture(league.pk, second.number, [loser], "no_show", by="olga")
    finish_competition(league.pk, "cup", by="olga", reason="“Prizes”")
    void_game(league.pk, 1, reason="No.", username="olga")
    record(league, duel("anna", "ben", "2024-05-02"))
    revise_standings(league.pk, "cup", by="olga", reason="A void game.")
    create_competition(league.pk, "box", {"title": "Box", "format": "free", "status": "open"}, by="olga")
    add_entries(league.pk, "box", [NewEntry(["anna"]), NewEntry(["ben"])], by="olga")
    start_competition(league.pk, "box", by="olga")
    add_fixtures(league.pk, "box", [NewFixture([1, 2], deadline=utc("2024-06-30"))], by="olga")
    cancel_competition(league.pk, "box", by="olga", reason="Too few.")
    return league


def play_in_a_hall(league: League) -> None:
    """Plan an evening in a hall that is changed and removed later."""
    create_competition(league.pk, "late", {"title": "Late", "format": "free", "status": "open"}, by="olga")
    add_entries(league.pk, "late", [NewEntry(["anna"]), NewEntry(["ben"])], by="olga")
    start_competition(league.pk, "late", by="olga")
    add_fixtures(league.pk, "late", [NewFixture([1, 2]), NewFixture([2, 1])], by="olga")
    change_competition(league.pk, "late", {"result_entries": "two_people"}, by="olga")
    late = Fixture.objects.filter(competition__slug="late").order_by("number").first()
    assert late is not None
    for name, scores in (("olga", (1, 0)), ("Ölga", (0.5, 0.5))):
        enter_result(league.pk, late.number, NewGame([NewResult("", score) for score in scores]), by=Viewer(name))
    rooms = [{"title": "“A”", "first": 1, "last": 2}, {"title": "B", "first": 9, "last": 9, "competitions": ["late"]}]
    create_hall(league.pk, "", {"title": "Town hall", "rooms": rooms}, by="olga")
    evening = {"starts_at": utc("2031-05-01T18:00"), "ends_at": utc("2031-05-01T22:00"), "minutes": 45, "rest": 5}
    plan_hall(league.pk, "town-hall", {**evening, "parts": [{"competition": "late", "round": None}]}, by="olga")
    create_hall(league.pk, "bar", {"title": "Bar", "rooms": [{"first": 1, "last": 2, "seats": 2}]}, by="olga")
    change_hall(league.pk, "bar", {"title": "Bar “2”"}, by="olga")
    create_hall(league.pk, "school", {"title": "School", "rooms": [{"first": 1, "last": 1}]}, by="olga")
    remove_hall(league.pk, "school", by="olga")


def seasons_of_elo() -> League:
    """Return a league with a season that was closed and corrected, one that follows it, and one that was cancelled."""
    league = make_league(players=("anna", "ben", "cleo", "dan"), starts={"anna": 1800, "ben": 1700}, slug="boxes")
    rule = {"divisions": {"target_size": 2, "up": {"number": 1}}, "series": {"of": 2}}
    settings = {"title": "May “1”", "rule": rule, "starts": date(2024, 5, 1), "blocked": ["2024-05-09"]}
    create_season(league.pk, "may", settings, by="olga")
    change_season(league.pk, "may", {"status": "open", "description": "For all."}, by="olga")
    new = [NewSeasonEntry(name, rating) for name, rating in (("anna", None), ("ben", 1750), ("cleo", None), ("dan", 9))]
    add_season_entries(league.pk, "may", new, by="olga")
    change_season_entry(league.pk, "may", 4, {"rating": 10}, by="olga")
    move_in_proposal(league.pk, "may", "cleo", 1, "", by="olga", reason="“Please”")
    move_in_proposal(league.pk, "may", "ben", 2, "", by="olga", reason="Instead of Cleo.")
    create_competition(league.pk, "evening", {"title": "Evening", "format": "free"}, by="olga")
    link_competition(league.pk, "evening", PartChoice("may", event=1), by="olga")
    link_competition(league.pk, "evening", None, by="olga")
    digest = build_proposal(find_season(league, "may", for_organisers=True)).digest
    draw_season(league.pk, "may", digest, by="olga")
    fixture = Fixture.objects.filter(league=league).order_by("number")[0]
    record_result(
        league.pk, fixture.number, NewGame([NewResult("", 1), NewResult("", 0)], utc("2024-05-02")), by="olga"
    )
    close_season(league.pk, "may", by="olga", unplayed="both_lose", reason="Rain.")
    void_game(league.pk, 1, reason="No.", username="olga")
    revise_season(league.pk, "may", by="olga", reason="A void game.")
    create_season(league.pk, "june", {"title": "June", "rule": rule, "previous": "may", "status": "open"}, by="olga")
    create_season(league.pk, "july", {"title": "July", "rule": rule, "status": "open"}, by="olga")
    cancel_season(league.pk, "july", by="olga", reason="Too few.")
    return league


def fields_of_elo() -> League:
    """Return a league whose games, seats and players have fields: some for everyone, some not."""
    league = make_league(slug="maps", players=("gus", "hal"))
    declare_field(league.pk, NewField("map", "Map", "game", "choice", ["dust", "nuke"]), username="olga")
    declare_field(league.pk, NewField("ping", "Ping", "seat", "number", visible="members"), username="olga")
    declare_field(league.pk, NewField("clan", "Clan", "player", "text", from_date=date(2024, 1, 1)), username="olga")
    change_field(league.pk, "map", {"title": "Ground", "choices": ["nuke", "dust", "ž"]}, username="olga")
    results = [NewResult("gus", 1.0, fields={"ping": 30.5}), NewResult("hal", 0.0)]
    record(league, NewGame(results, played_at=utc("2024-03-05"), fields={"map": "ž"}))
    set_fields(league.pk, Player.objects.get(handle="gus"), {"clan": "Rook"}, username="olga")
    create_context(league.pk, NewContext("dust", "Dust", {"field.map": "dust", "sides": 2}), username="olga")
    create_context(league.pk, NewContext("glicko", "Glicko", system="glicko2"), username="olga")
    change_context(league.pk, "dust", {"start": "from_main"}, username="olga")
    remove_context(league.pk, "glicko", username="olga")
    return league


def reports_of_a_fixture() -> League:
    """Return a league in which a game settled the reports of its fixture, and was voided."""
    league = make_league(slug="nets", players=("anna", "ben"), reporting="by_link")
    create_competition(league.pk, "box", {"title": "Box", "format": "free", "status": "open"}, by="olga")
    add_entries(league.pk, "box", [NewEntry(["anna"]), NewEntry(["ben"])], by="olga")
    start_competition(league.pk, "box", by="olga")
    add_fixtures(league.pk, "box", [NewFixture([1, 2])], by="olga")
    make_link(league.pk, "anna of nets", username="olga", player=player_of("anna"))
    enter_report("anna of nets", duel("anna", "ben", "2024-05-31", fixture=1), key="1")
    record(league, duel("anna", "ben", "2024-05-31"))
    void_game(league.pk, 1, reason="No.", username="olga")
    return league


def exported(league: League) -> bytes:
    """Return a league's export."""
    return "".join(f"{line}\n" for line in export_lines(league.pk, CHANGED, aliases=True)).encode()


def log_of(league: League) -> bytes:
    """Return the public lines of a league's log."""
    league.refresh_from_db()
    return "".join(f"{line}\n" for line in log_lines(league, 0, league.log_length, None)).encode()


def held(name: str, found: bytes) -> bytes:
    """Return what a file holds; it is written where that is wanted."""
    file = GOLDEN / name
    if os.environ.get("GOLDEN") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(found)
    return file.read_bytes()


def test_every_kind_of_entry_is_written_byte_for_byte_as_ever() -> None:
    with clock(PLAYED):
        league, other = games_of_elo(), games_of_preferans()
    with clock(CHANGED):
        settings_of_elo(league)
        reports_of_elo(league)
    with clock(CHANGED + timedelta(hours=2)):
        adjustments_of_elo(league)
    with clock(CHANGED):
        cups = competitions_of_elo()
    with clock(CHANGED):
        boxes = seasons_of_elo()
        play_in_a_hall(cups)
    assert log_of(league) == held("elo.log", log_of(league))
    assert log_of(other) == held("preferans.log", log_of(other))
    assert log_of(cups) == held("cups.log", log_of(cups))
    assert log_of(boxes) == held("boxes.log", log_of(boxes))
    assert lines(exported(boxes)) == lines(held("boxes.ndjson", exported(boxes)))
    assert lines(exported(cups)) == lines(held("cups.ndjson", exported(cups)))
    # PostgreSQL keeps objects in an order of its own: the members are compared, not their order.
    export = held("elo.ndjson", exported(league))
    now, then = (lines(text) for text in (exported(league), export))
    assert now == then
    with clock(RESTORED):
        again = restore_league(BytesIO(export), slug="again", known_players=True, by="root").league
    assert log_of(again) == held("restored.log", log_of(again))
    with clock(CHANGED):
        maps = fields_of_elo()
    assert log_of(maps) == held("maps.log", log_of(maps))
    assert lines(exported(maps)) == lines(held("maps.ndjson", exported(maps)))
    with clock(CHANGED):
        nets = reports_of_a_fixture()
    assert log_of(nets) == held("nets.log", log_of(nets))
    assert {entry.kind for entry in LogEntry.objects.all()} == set(list_kinds()) - ELSEWHERE


def lines(export: bytes) -> list[dict[str, Any]]:
    """Return the lines of an export but the last one, which has the SHA-256 of the others' bytes."""
    return [json.loads(line) for line in export.splitlines()][:-1]
