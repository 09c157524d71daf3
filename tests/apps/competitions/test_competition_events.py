"""Every change of a competition is in the changes of its league, and sent by webhooks."""

import json

import pytest
from django.test import Client

from league.apps.competitions.selectors.season_proposal import build_proposal
from league.apps.competitions.selectors.seasons import find_season
from league.apps.competitions.services.competitions import finish_competition, start_competition
from league.apps.competitions.services.results import forfeit_fixture, record_result
from league.apps.competitions.services.rounds import make_round, publish_round
from league.apps.competitions.services.season_close import close_season
from league.apps.competitions.services.season_draw import draw_season
from league.apps.competitions.services.season_entries import NewSeasonEntry, add_season_entries
from league.apps.competitions.services.seasons import create_season
from league.apps.webhooks.services.deliveries import deliver
from tests.helpers.competition_builders import enter, make_competition
from tests.helpers.receiver import Receiver
from tests.helpers.running_competitions import loaded_cup, scores
from tests.helpers.webhook_builders import club

pytestmark = [pytest.mark.usefixtures("private_networks"), pytest.mark.django_db]


def test_changes_of_a_competition_are_listed_and_sent(receiver: Receiver) -> None:
    league, webhook = club(
        receiver, "round.made", "round.published", "fixture.played", "fixture.forfeited", "competition.finished"
    )
    since = league.log_length
    make_competition(league, "swiss", rounds=1, tie_breaks=["BH"])
    enter(league, "anna", "ben", "cleo", "dan")
    start_competition(league.pk, "cup", by="olga")
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    record_result(league.pk, 1, scores(1, 0), by="olga")
    second = loaded_cup(league).list_fixtures(1)[1]
    forfeit_fixture(league.pk, second.number, second.entries[:1], "no_show", by="olga")
    finish_competition(league.pk, "cup", by="olga")
    answer = Client().get(f"/api/v1/leagues/club/changes/?after={since}")
    changes = [json.loads(line) for line in answer.getvalue().splitlines()]
    kinds = [change["kind"] for change in changes if change["kind"] != "game.recorded"]
    assert kinds == [
        "competition.created", "entry.added", "competition.started", "round.made", "round.published", "fixture.played",
        "fixture.forfeited", "competition.finished",
    ]  # fmt: skip
    assert {change["payload"]["competition"] for change in changes if change["kind"] in kinds} == {"cup"}
    deliver(webhook.pk)
    assert [request.data["type"] for request in receiver.came] == [
        "round.made", "round.published", "fixture.played", "fixture.forfeited", "competition.finished",
    ]  # fmt: skip
    made, published, played, forfeited, _finished = [request.data["data"]["payload"] for request in receiver.came]
    # Owners receive a round before everyone sees it.
    assert (made["fixtures"], made["rounds"][0]["published_at"]) == (published["fixtures"], None)
    assert [one["round"] for one in published["rounds"]] == [1]
    assert (played["game"], played["fixtures"][0]["fixture"]) == (1, 1)
    assert (forfeited["game"], forfeited["fixtures"][0]["forfeit"]) == (2, "no_show")


def test_changes_of_a_season_are_listed_and_sent(receiver: Receiver) -> None:
    """One delivery for the draw, with its divisions, beside those of the competitions that it made."""
    wanted = ["season.created", "season.entered", "season.drawn", "season.closed"]
    league, webhook = club(receiver, *wanted)
    since = league.log_length
    rule = {"divisions": {"target_size": 2}}
    create_season(league.pk, "spring", {"title": "Spring", "rule": rule, "status": "open"}, by="olga")
    people = [NewSeasonEntry(player) for player in ("anna", "ben", "cleo", "dan")]
    add_season_entries(league.pk, "spring", people, by="olga")
    league.refresh_from_db()
    draw_season(league.pk, "spring", build_proposal(find_season(league, "spring")).digest, by="olga")
    close_season(league.pk, "spring", by="olga", unplayed="void")
    answer = Client().get(f"/api/v1/leagues/club/changes/?after={since}")
    changes = [json.loads(line) for line in answer.getvalue().splitlines()]
    assert [change["kind"] for change in changes if change["kind"].startswith("season.")] == wanted
    deliver(webhook.pk)
    assert [request.data["type"] for request in receiver.came] == wanted
    payloads = [request.data["data"]["payload"] for request in receiver.came]
    assert {payload["season"] for payload in payloads} == {"spring"}
    assert [(part["level"], part["competition"]) for part in payloads[2]["season_parts"]] == [
        (1, "spring-1"), (2, "spring-2"),
    ]  # fmt: skip
    assert len(payloads[3]["season_edition"]["sha256"]) == 64
