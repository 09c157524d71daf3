"""Every kind of public page, and the league on which they are visited."""

from datetime import timedelta
from uuid import UUID

from league.core.dispatch.nightly import request_verifications
from league.core.dispatch.sweep import run_requested_job
from league.core.jobs.services.work import request_job
from league.core.jobs.signs import record_sign
from league.core.ladders.services.decisions import advance
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.models import League, Player
from tests.helpers.builders import EVENING, make_league, record, sheet

#: One of each kind.
KINDS = {
    "leagues": "/",
    "leaderboard": "/leagues/club/",
    "leaderboard compared": "/leagues/club/compared/?from=2024-03-01",
    "ladders": "/leagues/club/ladders/",
    "running period": "/leagues/club/ladders/ever/",
    "closed period": "/leagues/club/ladders/month/2024-03/",
    "what changed": "/leagues/club/ladders/month/2024-03/changes/",
    "winners": "/leagues/club/ladders/month/winners/",
    "games": "/leagues/club/games/",
    "player": "/leagues/club/players/anna/",
    "versus": "/leagues/club/players/anna/versus/ben/",
    "compare": "/leagues/club/players/anna/versus/?with=nemo",
    "game": "/leagues/club/games/1/",
    "what if": "/leagues/club/what-if/?p=anna&r=1&p=ben&r=2&p=cleo&r=3&p=dan&r=4",
    "every outcome of four": "/leagues/club/what-if/?p=anna&p=ben&p=cleo&p=dan",
    "how": "/leagues/club/how/",
    "take it with you": "/leagues/club/share/",
    "status": "/status/",
    "systems": "/systems/",
    "system": "/systems/barbu/",
    "problems": "/docs/problems/",
}
#: The same pages with something else on them, and pages like one of those.
VARIANTS = {
    "ladder methods": "/ladder-methods/",
    "ladder method": "/ladder-methods/erf_mean/",
    "rulings": "/rulings/",
    "problem": "/docs/problems/refused/",
    "leaderboard then": "/leagues/club/?at=2024-03-09",
    "leaderboard by games": "/leagues/club/?sort=games&games=1",
    "leaderboard around": "/leagues/club/?around=ben",
    "leaderboard searched": "/leagues/club/?q=a",
    "several": "/leagues/club/players/anna/?with=ben",
    "what if refused": "/leagues/club/what-if/?p=zoe&r=1&p=ben&r=1",
    "every outcome": "/leagues/club/what-if/?p=anna&p=ben&p=cleo",
    "fault": "/docs/problems/not_finite/",
}
PAGES = {**KINDS, **VARIANTS}
#: What stands on other sites is short: nothing is asked of its length.
FRAMES = {
    "a board in a frame": "/embed/leagues/club/",
    "a dark board in a frame": "/embed/leagues/club/?theme=dark",
    "a ladder in a frame": "/embed/leagues/club/ladders/month/",
    "a player in a frame": "/embed/leagues/club/players/ben/",
}


def make_public_league() -> League:
    """Return a league with some games, a very long name, ladders and what the site finds by night."""
    league = make_league(
        "durak",
        starts={"anna": 1000, "ben": 1150, "cleo": 900, "dan": 1200},
        description="A club.",
        close_after_hours=0,
    )
    Player.objects.filter(handle="ben").update(
        name="Benjamin-Maximilian von und zu Wolfeschlegelsteinhausenbergerdorff"
    )
    for day in range(12):
        seats = ("anna", "ben", "cleo", "dan")
        turned = seats[day % 4 :] + seats[: day % 4]
        record(league, sheet(turned, places=(1, 2, 3, 4), played_at=EVENING + timedelta(days=day)))
    create_ladder(league.pk, "month", "Score of the month", RankingRule("rating_score", "month"), username="test")
    create_ladder(league.pk, "ever", "Points", RankingRule("points", "all_time", {"minimum": 13}), username="test")
    advance(league.pk)
    record(league, sheet(("anna", "ben"), places=(1, 2), played_at=EVENING + timedelta(days=20)))
    for job in request_verifications():
        run_requested_job(UUID(job))
    record_sign("sweep")
    request_job(league, "replay", by="test")
    return league
