"""The small league that the document's examples speak of: every address of the document leads somewhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import transaction
from django.test import Client
from django.utils import timezone

from league.apps.competitions.models import Season
from league.apps.competitions.selectors.season_proposal import build_proposal
from league.apps.competitions.services.competitions import finish_competition, revise_standings, start_competition
from league.apps.competitions.services.entries import NewEntry, add_entries
from league.apps.competitions.services.evenings import plan_hall
from league.apps.competitions.services.halls import create_hall
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures, make_round, publish_round
from league.apps.competitions.services.season_close import close_season
from league.apps.competitions.services.season_entries import NewSeasonEntry, add_season_entries
from league.apps.competitions.services.seasons import PartChoice, create_season, link_competition
from league.apps.laboratory.services.questions import check_question
from league.apps.laboratory.services.second_board import choose_second_board
from league.apps.webhooks.models import Delivery, Webhook
from league.apps.webhooks.services.webhooks import make_webhook
from league.core.accounts.services.tokens import make_token
from league.core.db.bounded_cache import cache
from league.core.dispatch.sweep import run_requested_job
from league.core.fields.services.fields import NewField, declare_field
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import correct_game, void_game
from league.core.leagues.services.adjustments import AdjustmentData, adjust
from league.core.leagues.services.contexts import NewContext, create_context
from league.core.log.services.heads import publish_heads
from league.core.permissions import load_viewer_of_user
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player
from league.models import Job, League, Membership, Player, Token
from league.web.api.openapi.described import load_descriptions
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.competition_builders import enter, make_competition
from tests.helpers.ladder_builders import close, make_ladder

ADDRESSED = load_descriptions().addressed
JOB, EXPERIMENT, WEBHOOK = (UUID(ADDRESSED[name][1]) for name in ("job", "experiment", "webhook"))
PLAYERS = ("pedja", "marko", "johnny")
SCORES = ((-500, 40, 460), (120, -80, -40), (60, 0, -60))


def found_teams(league: League) -> None:
    """Make a match of two teams, each of one player, on two boards, and a Swiss system of these players."""
    make_competition(league, "free", slug="teams", sides_of=2, teams={"primary": "match"})
    add_entries(league.pk, "teams", [NewEntry(["anna"], name="Owls"), NewEntry(["ben"], name="Rooks")], by="test")
    start_competition(league.pk, "teams", by="test")
    add_fixtures(league.pk, "teams", [NewFixture([1, 2])], by="test")
    make_competition(league, "swiss", slug="open")
    enter(league, "anna", "ben", slug="open")
    start_competition(league.pk, "open", by="test")


def seed() -> dict[str, str]:
    """Write the league, its games, ladder, edition, webhook, job, people; returns the headers of owners of it."""
    starts = {"pedja": 1200, "marko": 1150, "johnny": 1100}
    league = make_league("preferans", PLAYERS, slug="preferans", starts=starts, time_zone="Europe/Belgrade")
    make_league("elo", ("anna", "ben"), slug="closed", visibility="private")
    found_teams(make_league("elo", ("anna", "ben"), slug="chess"))
    for day, scores in enumerate(SCORES):
        record(league, sheet(PLAYERS, scores, minutes=day * 1440, details={"bula": 30}, external_id=f"server-7/{day}"))
    declare_field(league.pk, NewField("map", "Map", "game", "choice", ["dust", "mirage"]), username="test")
    create_context(league.pk, NewContext("tables", "Tables of three", {"sides": 3}), username="test")
    adjust(league.pk, find("pedja"), AdjustmentData(5, "Tidied up."), username="test")
    make_ladder(league, "month", "points")
    close(league, "2024-03")
    add_player("pedja82", "Pedja")
    add_player("petar", "Petar")
    merge_players(*(find(handle) for handle in ("pedja82", "pedja")), username="test", allow=lambda leagues: None)
    publish_heads()
    found_competitions(league)
    webhook, _ = make_webhook(league.pk, "https://club.example/hooks/rungs", [], username="oscar")
    Webhook.objects.filter(pk=webhook.pk).update(id=WEBHOOK)
    message = "5c8e0f4e9f5e4a0b8a532b1c1c8d7f21-4711-9b74c9897bac770f"
    sent = {"kind": "game.recorded", "message": message, "position": 4711, "attempt": 1, "at": "2024-03-05T20:01:07Z"}
    Delivery.objects.create(
        league=league, webhook_id=WEBHOOK, **sent, status=503, ms=112, error="The receiver answered 503."
    )
    question = check_question([{"system": "preferans", "parameters": {}}]).to_json()
    asked: dict[str, Any] = {"league": league, "asked_by": "oscar", "asked_at": timezone.now()}
    Job.objects.create(pk=JOB, kind=Job.Kind.REPLAY, **asked)
    Job.objects.create(pk=EXPERIMENT, kind=Job.Kind.COMPARE, arguments={"question": question}, **asked)
    run_requested_job(choose_second_board(league.pk, "elo", {}, username="oscar").pk)
    oscar = get_user_model().objects.create_superuser("oscar", "", "-")
    Membership.objects.create(league=league, user=oscar, role=Membership.Role.OWNER)
    olga = get_user_model().objects.create_user("olga")
    Membership.objects.create(league=league, user=olga, role=Membership.Role.ORGANISER)
    make_token("other", "read", maker=load_viewer_of_user(oscar))
    Token.objects.filter(name="other").update(prefix=ADDRESSED["token"][1])
    return {"Authorization": f"Bearer {make_token('server-7', 'organise')[1]}"}


def found_competitions(league: League) -> None:
    """Write competitions: a round played, a fixture planned, one open for entries, one finished and then corrected."""
    for slug, players, settings in (
        ("club-evening", PLAYERS, {"format": "tables", "parameters": {"size": 3}}),
        ("spring", PLAYERS, {"format": "free"}),
        ("autumn", PLAYERS[:2], {"format": "free"}),
        ("winter", PLAYERS, {"format": "free"}),
    ):
        make_competition(league, slug=slug, **settings)
        enter(league, *players, slug=slug)
        if slug != "autumn":
            start_competition(league.pk, slug, by="test")
    make_round(league.pk, "club-evening", by="test")
    publish_round(league.pk, "club-evening", 1, by="test")
    for slug in ("spring", "winter"):
        add_fixtures(league.pk, slug, [NewFixture([1, 2, 3])], by="test")
    results = [NewResult("", score) for score in SCORES[0]]
    for fixture in (1, 3):
        record_result(league.pk, fixture, NewGame(results, details={"bula": 30}), by="test")
    finish_competition(league.pk, "winter", by="test")
    void_game(league.pk, 5, reason="It was of another competition.", username="test")
    found_seasons(league)


def plan_town_hall() -> None:
    """Plan an evening of the hall, whose match can be called then."""
    starts = datetime(2031, 3, 6, 18, tzinfo=UTC)
    parts = [{"competition": "spring", "round": None}]
    evening = {"starts_at": starts, "ends_at": starts + timedelta(hours=4), "parts": parts}
    plan_hall(League.objects.get(slug="preferans").pk, "town-hall", evening, by="test")


def read_digest() -> str:
    """Return the digest of what is proposed for a season."""
    return build_proposal(Season.objects.get(slug="boxes-2024-03")).digest


def found_seasons(league: League) -> None:
    """Write seasons: one open for entries, one that runs, one closed and then corrected."""
    tables = {"format": "tables", "parameters": {"size": 3}}
    for slug, rule in (
        ("boxes-2024-03", {"divisions": {"target_size": 3, "competition": tables}}),
        ("series-2024", {"series": {"of": 1}}),
        ("series-2023", {"series": {"of": 1}}),
    ):
        create_season(league.pk, slug, {"title": slug, "rule": rule, "status": "open"}, by="test")
        add_season_entries(league.pk, slug, [NewSeasonEntry(player) for player in PLAYERS[:2]], by="test")
    make_competition(league, slug="harvest", format="free")
    enter(league, *PLAYERS, slug="harvest")
    start_competition(league.pk, "harvest", by="test")
    (fixture,) = add_fixtures(league.pk, "harvest", [NewFixture([1, 2, 3])], by="test")
    for slug, competition in (("series-2024", "spring"), ("series-2023", "harvest")):
        link_competition(league.pk, competition, PartChoice(slug, event=1), by="test")
    results = [NewResult("", score) for score in SCORES[1]]
    played = record_result(league.pk, fixture.number, NewGame(results, details={"bula": 30}), by="test")
    close_season(league.pk, "series-2023", by="test")
    turned = [
        NewResult(result.player.handle, -float(result.score or 0)) for result in played.game.results.order_by("seat")
    ]
    correct_game(
        league.pk, played.game.number, NewGame(turned, details={"bula": 30}), reason="Misread.", username="test"
    )
    revise_standings(league.pk, "harvest", by="test", reason="A sheet was misread.")
    create_hall(league.pk, "town-hall", {"title": "Town hall", "rooms": [{"first": 1, "last": 8}]}, by="test")
    make_competition(league, slug="regular", format="round_robin", rated=False, regulations=True)
    enter(league, *PLAYERS, slug="regular")
    start_competition(league.pk, "regular", by="test")


def find(handle: str) -> Any:
    """Return a player."""
    return Player.objects.get(handle=handle)


def signed_in() -> tuple[dict[str, str], dict[str, str]]:
    """Return the headers and cookies of oscar's browser: session and CSRF token."""
    client = Client()
    client.force_login(get_user_model().objects.get(username="oscar"))
    session = client.cookies["sessionid"].value
    secret = "x" * 32
    return {"X-CSRFToken": secret}, {"sessionid": session, "csrftoken": secret}


@contextmanager
def taken_back() -> Iterator[None]:
    """Let what is written inside never have been, also in what the process keeps."""
    try:
        with transaction.atomic():
            yield
            transaction.set_rollback(True)
    finally:
        cache.clear()
