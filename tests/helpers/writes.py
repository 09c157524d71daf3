"""Every write of the API, declared once: what is sent where, who may at least, and a club in which each is done."""

import json
from datetime import UTC, datetime
from typing import Any, NamedTuple

from league.apps.competitions.selectors.season_proposal import build_proposal
from league.apps.competitions.selectors.seasons import find_season
from league.apps.competitions.services.competitions import finish_competition, start_competition
from league.apps.competitions.services.entries import NewEntry, add_entries
from league.apps.competitions.services.evenings import plan_hall
from league.apps.competitions.services.halls import create_hall
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures, make_round
from league.apps.competitions.services.season_close import close_season
from league.apps.competitions.services.season_draw import draw_season
from league.apps.competitions.services.season_entries import NewSeasonEntry, add_season_entries
from league.apps.competitions.services.seasons import create_season
from league.core.fields.services.fields import NewField, declare_field
from league.core.games.services.record import correct_game, void_game
from league.core.leagues.services.contexts import NewContext, create_context
from league.models import League
from tests.helpers.api_client import Api, game
from tests.helpers.builders import sheet
from tests.helpers.competition_builders import enter, make_competition, start
from tests.helpers.roles import EXPERIMENT_ID, HOOK_ID, build_club
from tests.helpers.running_competitions import scores

CLUB = "leagues/club/"
SEASONS = CLUB + "seasons/"
MONTH, CUPS, HOOK = CLUB + "ladders/month/", CLUB + "competitions/", CLUB + f"webhooks/{HOOK_ID}/"
LEAVING = {"reason": "A friendly event.", "confirm": ["leaves_regulations"] * 2}
SHEET = game(("anna", 1), ("ben", 0), played_at="2024-05-05T19:30:00Z")
EVENING = {"starts": "2031-05-01T18:00:00Z", "ends": "2031-05-01T22:00:00Z",
           "parts": [{"competition": "box", "round": None}]}  # fmt: skip
WON = {"results": [{"score": 1}, {"score": 0}]}


class Write(NamedTuple):
    """One write: the name of its address, method, address, body, and the least role that may do it.

    A text as body is a file. ``dry`` says that it has a dry run.
    """

    name: str
    method: str
    path: str
    body: Any
    least: str
    dry: bool = False


WRITES = [
    Write("leagues", "post", "leagues/", {"slug": "new", "title": "New"}, "staff"),
    Write("league", "patch", CLUB, {"title": "Other"}, "owner"),
    Write("rules", "post", CLUB + "rules/", {"from": "2025-01-01", "system": "elo", "parameters": {"k": 10}},
          "organiser", dry=True),
    Write("fields", "post", CLUB + "fields/", {"key": "map", "title": "Map", "of": "game", "type": "text"},
          "organiser"),
    Write("field", "patch", CLUB + "fields/table/", {"retired": True}, "organiser"),
    Write("contexts", "post", CLUB + "contexts/", {"slug": "all", "title": "All"}, "organiser"),
    Write("context", "patch", CLUB + "contexts/duels/", {"title": "One to one"}, "organiser"),
    Write("context", "delete", CLUB + "contexts/duels/", None, "organiser"),
    Write("players", "post", "players/", {"handle": "zoe"}, "recorder"),
    Write("player", "patch", "players/anna/", {"name": "Annie"}, "recorder"),
    Write("player", "patch", "players/anna/", {"aliases": ["Annie"]}, "organiser"),
    Write("merge", "post", "players/dan/merge/", {"into": "cleo"}, "organiser", dry=True),
    Write("unmerge", "post", "players/eva/unmerge/", {}, "organiser", dry=True),
    Write("league-player", "put", CLUB + "players/finn/", {"initial_rating": 1200}, "organiser"),
    Write("league-player", "patch", CLUB + "players/anna/", {"active": False}, "recorder"),
    Write("games", "post", CLUB + "games/", SHEET, "recorder"),
    Write("batch", "post", CLUB + "games/batch/", [SHEET], "recorder"),
    Write("import", "post", CLUB + "games/import/", json.dumps(SHEET), "recorder", dry=True),
    Write("correct", "post", CLUB + "games/3/correct/", {**SHEET, "reason": "misread"}, "recorder", dry=True),
    # in a closed period
    Write("correct", "post", CLUB + "games/1/correct/", {**SHEET, "reason": "misread"}, "organiser", dry=True),
    Write("restore", "post", CLUB + "games/5/restore/", {"reason": "right after all"}, "recorder", dry=True),
    Write("void", "post", CLUB + "games/3/void/", {"reason": "a friendly"}, "recorder", dry=True),
    Write("void", "post", CLUB + "games/1/void/", {"reason": "a friendly"}, "organiser", dry=True),
    Write("ladders", "post", CLUB + "ladders/", {"slug": "y", "title": "Y", "method": "points", "cadence": "year"},
          "organiser"),
    Write("ladder", "patch", MONTH, {"title": "Other"}, "organiser"),
    Write("ladder-rules", "post", MONTH + "rules/", {"from": "2026-01-01", "method": "points", "cadence": "month"},
          "organiser"),
    Write("decisions", "post", CLUB + "decisions/", {"decision": "carry"}, "organiser"),
    Write("close", "post", MONTH + "periods/2024-04/close/", {}, "organiser"),
    Write("reopen", "post", MONTH + "periods/2024-03/reopen/", {"reason": "late sheets"}, "organiser"),
    Write("carry", "post", MONTH + "periods/2024-03/carry/", {}, "organiser"),
    Write("adjustments", "post", CLUB + "adjustments/", {"player": "anna", "amount": 5, "reason": "late"},
          "organiser", dry=True),
    Write("void-adjustment", "post", CLUB + "adjustments/1/void/", {"reason": "unjust"}, "organiser", dry=True),
    Write("experiments", "post", CLUB + "experiments/", {"candidates": [{"system": "elo"}]}, "organiser"),
    Write("cancel-experiment", "post", CLUB + f"experiments/{EXPERIMENT_ID}/cancel/", None, "organiser"),
    Write("second-board", "put", CLUB + "second-board/", {"system": "glicko2"}, "organiser"),
    Write("second-board", "delete", CLUB + "second-board/", None, "organiser"),
    Write("member", "put", CLUB + "members/otto/", {"role": "recorder"}, "owner"),
    Write("member", "delete", CLUB + "members/rita/", None, "owner"),
    Write("webhooks", "post", CLUB + "webhooks/", {"url": "https://club.example/"}, "owner"),
    Write("webhook", "patch", HOOK, {"state": "disabled"}, "owner"),
    Write("webhook", "delete", HOOK, None, "owner"),
    Write("webhook-test", "post", HOOK + "test/", None, "owner"),
    Write("webhook-replay", "post", HOOK + "replay/", {"after": 0}, "owner"),
    Write("webhook-rotate", "post", HOOK + "rotate/", {}, "owner"),
    Write("competitions", "post", CUPS, {"title": "New", "format": "swiss"}, "arbiter"),
    Write("competition", "patch", CUPS + "open/", {"venue": "Hall"}, "arbiter"),
    Write("competition-cancel", "post", CUPS + "open/cancel/", {"reason": "Ill."}, "arbiter"),
    Write("competition-leave-regulations", "post", CUPS + "regulated/leave-regulations/", LEAVING, "arbiter"),
    Write("competition-rating-differences", "post", CUPS + "open/rating-differences/", {"entries": []}, "arbiter"),
    Write("competition-entries", "post", CUPS + "open/entries/", {"player": "ben"}, "arbiter"),
    Write("competition-entry", "patch", CUPS + "open/entries/1/", {"title": "FM"}, "arbiter"),
    Write("competition-exchange-numbers", "post", CUPS + "next/entries/exchange-numbers/",
          {"entries": [1, 2], "reason": "Mistyped."}, "arbiter"),
    Write("competition-start", "post", CUPS + "open/start/", {}, "arbiter"),
    Write("competition-rounds", "post", CUPS + "next/rounds/", {}, "arbiter", dry=True),
    Write("competition-round-publish", "post", CUPS + "paired/rounds/1/publish/", {}, "arbiter"),
    Write("competition-round", "delete", CUPS + "paired/rounds/1/", None, "arbiter"),
    Write("competition-fixtures", "post", CUPS + "box/fixtures/", {"entries": [1, 3]}, "arbiter"),
    Write("competition-fixture", "patch", CUPS + "box/fixtures/3/", {"table": 3}, "arbiter"),
    Write("competition-fixture-boards", "put", CUPS + "teams/fixtures/6/boards/", {"line_ups": [[1, 2], [1, 0]]},
          "arbiter"),
    Write("competition-fixture-result", "post", CUPS + "box/fixtures/3/result/", WON, "recorder"),
    Write("competition-finish", "post", CUPS + "played/finish/", {}, "arbiter"),
    Write("competition-editions", "post", CUPS + "revised/editions/", {"reason": "Misread."}, "arbiter"),
    Write("seasons", "post", SEASONS, {"title": "New", "rule": {"series": {}}}, "arbiter"),
    Write("season", "patch", SEASONS + "may/", {"description": "For all."}, "arbiter"),
    Write("season-cancel", "post", SEASONS + "may/cancel/", {"reason": "Few."}, "organiser"),
    Write("season-entries", "post", SEASONS + "may/entries/", {"player": "ben"}, "arbiter"),
    Write("season-entry", "patch", SEASONS + "may/entries/1/", {"rating": 1500}, "arbiter"),
    Write("season-proposal", "patch", SEASONS + "may/proposal/",
          {"player": "anna", "level": 1, "reason": "A wish."}, "arbiter"),
    Write("season-draw", "post", SEASONS + "may/draw/", {"digest": ""}, "arbiter"),
    Write("season-close", "post", SEASONS + "run/close/", {"unplayed": "void"}, "organiser"),
    Write("season-editions", "post", SEASONS + "done/editions/", {"reason": "Misread."}, "organiser"),
    Write("halls", "post", CLUB + "halls/", {"title": "School", "rooms": [{"first": 1, "last": 2}]}, "arbiter"),
    Write("hall", "patch", CLUB + "halls/town/", {"title": "Town hall"}, "arbiter"),
    Write("hall", "delete", CLUB + "halls/town/", None, "arbiter"),
    Write("hall-plan", "post", CLUB + "halls/town/plan/", EVENING, "arbiter"),
    Write("hall-call", "post", CLUB + "halls/town/call/", {"fixture": 3, "table": 1}, "arbiter"),
    Write("competition-import", "post", CUPS + "import/?title=From a file",
          "round,table,player_1,player_2,result\n1,1,anna,ben,1:0\n", "arbiter", dry=True),
]  # fmt: skip
#: Operations of whoever is signed in; what is asked by POST, for everybody, and writes nothing.
#: Season -> the digest of its proposal.
DRAWS: dict[str, str] = {}
OF_THE_SIGNED_IN, ASKING = {"tokens", "token"}, {"preview", "lookup", "balance", "seating"}


def build_club_of_writes() -> None:
    """Make the club of all roles with a competition in each state."""
    league = build_club()
    declare_field(league.pk, NewField("table", "Table", "game", "number"), username="olga")
    create_context(league.pk, NewContext("duels", "Duels", {"sides": 2}), username="olga")
    make_competition(league, "free", slug="open")
    enter(league, "anna", "cleo", slug="open")
    for slug in ("paired", "next"):
        make_competition(league, "swiss", slug=slug)
        start(league, ("anna", "ben", "cleo", "finn"), slug=slug)
    make_round(league.pk, "paired", by="olga")
    for slug in ("box", "played", "revised"):
        make_competition(league, "free", slug=slug)
        start(league, ("anna", "ben", "cleo"), slug=slug)
        (fixture,) = add_fixtures(league.pk, slug, [NewFixture([1, 2])], by="olga")
        if slug != "box":
            played = record_result(league.pk, fixture.number, scores(1, 0), by="olga")
    make_competition(league, "free", slug="teams", sides_of=2, teams={"primary": "match"})
    add_entries(league.pk, "teams", [NewEntry(["anna", "ben"]), NewEntry(["cleo", "finn"])], by="olga")
    start_competition(league.pk, "teams", by="olga")
    add_fixtures(league.pk, "teams", [NewFixture([1, 2])], by="olga")
    finish_competition(league.pk, "revised", by="olga")
    winner, loser = played.game.results.order_by("seat").values_list("player__handle", flat=True)
    turned = sheet((winner, loser), (0, 1))
    correct_game(league.pk, played.game.number, turned, reason="misread", username="olga")
    make_competition(league, "round_robin", slug="regulated", regulations=True)
    start(league, ("anna", "ben", "cleo"), slug="regulated")
    _build_seasons(league)
    create_hall(league.pk, "town", {"title": "Town", "rooms": [{"first": 1, "last": 4}]}, by="olga")
    plan_hall(league.pk, "town", {
        "starts_at": datetime(2031, 5, 1, 18, tzinfo=UTC), "ends_at": datetime(2031, 5, 1, 22, tzinfo=UTC),
        "parts": [{"competition": "box", "round": None}],
    }, by="olga")  # fmt: skip


def _build_seasons(league: League) -> None:
    """Make a season that is open, one that runs, and one that was closed before a correction."""
    rule = {"divisions": {"target_size": 2}}
    for slug in ("may", "run", "done"):
        create_season(league.pk, slug, {"title": slug, "rule": rule, "status": "open"}, by="olga")
        add_season_entries(league.pk, slug, [NewSeasonEntry("anna"), NewSeasonEntry("cleo")], by="olga")
        DRAWS[slug] = build_proposal(find_season(league, slug)).digest
        if slug != "may":
            (box,) = draw_season(league.pk, slug, DRAWS[slug], by="olga")
    played = record_result(league.pk, box.fixtures.get(kind="game").number, scores(1, 0), by="olga")
    close_season(league.pk, "done", by="olga")
    void_game(league.pk, played.game.number, reason="misread", username="olga")


def call(api: Api, method: str, path: str, body: Any) -> Any:
    """Call an address; a text is sent as a file."""
    if body == {"digest": ""}:
        body = {"digest": DRAWS[path.split("/")[-3]]}
    if not isinstance(body, str):
        return api.call(method, path, body)
    return api.post_file(path, body, "text/csv" if "competitions" in path else "application/x-ndjson")
