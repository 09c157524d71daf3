"""A league with a row in every table of facts."""

from dataclasses import replace
from datetime import date, timedelta

from league.apps.competitions.selectors.season_proposal import build_proposal
from league.apps.competitions.selectors.seasons import find_season
from league.apps.competitions.services.competitions import finish_competition, start_competition
from league.apps.competitions.services.entries import NewEntry, add_entries
from league.apps.competitions.services.evenings import plan_hall
from league.apps.competitions.services.halls import create_hall
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.season_close import close_season
from league.apps.competitions.services.season_draw import draw_season
from league.apps.competitions.services.season_entries import NewSeasonEntry, add_season_entries, move_in_proposal
from league.apps.competitions.services.seasons import create_season
from league.apps.reports.models import Report, ReportLink
from league.apps.reports.selectors.reports import compute_mark
from league.apps.reports.services.answering import confirm_report, dispute_report
from league.apps.reports.services.deciding import refuse_report
from league.apps.reports.services.links import make_link, revoke_link
from league.core.fields.services.fields import NewField, change_field, declare_field
from league.core.leagues.services.adjustments import AdjustmentData, adjust, void_adjustment
from league.core.leagues.services.contexts import NewContext, change_context, create_context
from league.core.leagues.services.leagues import change_league
from league.core.log.services.erase_texts import erase_text
from league.core.log.services.heads import publish_heads
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.players.services.players import change_player, set_active, set_fields
from league.models import Head, Inactive, League, Player
from tests.helpers.builders import make_league, record
from tests.helpers.competition_builders import make_competition, start
from tests.helpers.ladder_builders import clock, duel, make_ladder, utc
from tests.helpers.report_builders import link_of, reported
from tests.helpers.running_competitions import scores
from tests.helpers.verify_builders import build_every_entry


def build_every_fact() -> League:
    """Return a league with a row in every table, and beside it another one, so that every key has another row."""
    other = make_league(slug="other", players=("zoe", "yan"))
    make_ladder(other, "moon", from_date=date(2024, 1, 1))
    record(other, duel("zoe", "yan", "2024-03-10"))
    league = build_every_entry()
    change_player(Player.objects.get(handle="ben"), aliases=["Benny"], username="olga")
    make_ladder(league, "spring", cadence="dated", from_date=date(2024, 3, 1), to_date=date(2024, 5, 31))
    unmerge_player(Player.objects.get(handle="finn"), username="olga")
    merge_players(Player.objects.get(handle="finn"), Player.objects.get(handle="eva"), username="olga")
    change_league(league.pk, {"reporting": "by_link"}, username="olga")
    with clock(utc("2024-04-20")):
        _report_games(league)
    adjust(
        league.pk, Player.objects.get(handle="anna"), AdjustmentData(-5, "Late.", utc("2024-04-18")), username="olga"
    )
    adjust(
        league.pk, Player.objects.get(handle="anna"), AdjustmentData(-5, "Twice.", utc("2024-04-18")), username="olga"
    )
    void_adjustment(league.pk, 2, reason="Once.", username="olga")
    set_active(league.pk, Player.objects.get(handle="dan"), False, username="olga")
    erase_text(league.pk, league.log.filter(kind="game.voided").earliest("position").position, username="olga")
    _declare_fields(league)
    _play_competitions(league)
    _play_seasons(league)
    publish_heads()
    assert Head.objects.exists() and Inactive.objects.exists()
    return league


def _declare_fields(league: League) -> None:
    """Declare fields of games, seats and players, and give them values."""
    declare_field(league.pk, NewField("map", "Map", "game", "choice", ["dust", "nuke"]), username="olga")
    declare_field(league.pk, NewField("ping", "Ping", "seat", "number", visible="organisers"), username="olga")
    declare_field(league.pk, NewField("clan", "Clan", "player", "text"), username="olga")
    declare_field(league.pk, NewField("born", "Born", "player", "date", from_date=date(2020, 1, 1)), username="olga")
    change_field(league.pk, "map", {"title": "Ground"}, username="olga")
    played = duel("anna", "ben", "2024-04-19", fields={"map": "dust"})
    first, second = played.results
    record(league, replace(played, results=[replace(first, fields={"ping": 30}), second]))
    create_context(league.pk, NewContext("dust", "Dust", {"field.map": ["dust"]}), username="olga")
    create_context(league.pk, NewContext("all", "All", start="from_main"), username="olga")
    change_context(league.pk, "all", {"title": "All games"}, username="olga")
    values = {"clan": "Rook", "born": "1990-01-01"}
    set_fields(league.pk, Player.objects.get(handle="anna"), values, username="olga")


def _play_competitions(league: League) -> None:
    """Let pairs play, of whom one game is open, and two people finish a competition."""
    make_competition(league, slug="duel")
    start(league, ("ben", "dan"), slug="duel")
    record_result(league.pk, 1, scores(1, 0), by="olga")
    finish_competition(league.pk, "duel", by="olga", reason="Late.")
    make_competition(league, slug="pairs", sides_of=2, rated=False)
    known = {"club": "Rook", "born": 1990}
    sides = [NewEntry(["anna", "ben"], name="Aces", about=known), NewEntry(["cleo", "dan"]), NewEntry(["eva", "zoe"])]
    add_entries(league.pk, "pairs", sides, by="olga")
    start_competition(league.pk, "pairs", by="olga")
    create_hall(league.pk, "hall", {"title": "Hall", "rooms": [{"first": 1, "last": 4}]}, by="olga")
    hours = {"starts_at": utc("2031-05-01T18:00"), "ends_at": utc("2031-05-01T22:00")}
    plan_hall(league.pk, "hall", {**hours, "parts": [{"competition": "pairs", "round": None}]}, by="olga")


def _play_seasons(league: League) -> None:
    """Close a season of a division, one of whose entries was moved by hand, and let another one follow it."""
    rule = {"divisions": {"target_size": 2, "up": {"number": 1}}}
    create_season(league.pk, "spring", {"title": "Spring", "rule": rule, "blocked": ["2024-04-01"]}, by="olga")
    add_season_entries(league.pk, "spring", [NewSeasonEntry("anna", 1800), NewSeasonEntry("ben")], by="olga")
    move_in_proposal(league.pk, "spring", "ben", 1, "", by="olga", reason="He asked.")
    draw_season(
        league.pk, "spring", build_proposal(find_season(league, "spring", for_organisers=True)).digest, by="olga"
    )
    close_season(league.pk, "spring", by="olga", unplayed="both_lose", reason="Rain.")
    create_season(league.pk, "summer", {"title": "Summer", "rule": rule, "previous": "spring"}, by="olga")
    add_season_entries(league.pk, "summer", [NewSeasonEntry("cleo")], by="olga")


def _report_games(league: League) -> None:
    """Let players report a game that is confirmed, and one that is disputed and refused."""
    anna, cleo = link_of(league, "anna"), link_of(league, "cleo")
    confirm_report(cleo, reported(anna, duel("anna", "cleo", "2024-04-15")).pk)
    wrong = reported(anna, duel("anna", "cleo", "2024-04-16"))
    dispute_report(cleo, wrong.pk, reason="I was not here.")
    mark = compute_mark(Report.objects.get(pk=wrong.pk))
    refuse_report(league.pk, wrong.pk, reason="So it was.", mark=mark, username="olga")
    made = make_link(league.pk, "table", username="olga", name="Table 1")
    make_link(league.pk, "another", username="olga", name="Table 2", good_for=timedelta(days=9))
    revoke_link(league.pk, ReportLink.objects.get(player__handle="cleo").pk, username="olga")
    assert made.revoked_at is None
