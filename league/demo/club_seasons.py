"""The seasons of the demo's club: boxes in their second month, and a series of evenings with one to come."""

from datetime import date, datetime, timedelta
from typing import Any

from django.utils import timezone

from league.apps.competitions.models import Season
from league.apps.competitions.selectors.season_proposal import build_proposal
from league.apps.competitions.selectors.seasons import find_season
from league.apps.competitions.services.competitions import finish_competition
from league.apps.competitions.services.season_close import close_season
from league.apps.competitions.services.season_draw import draw_season
from league.apps.competitions.services.season_entries import NewSeasonEntry, add_season_entries
from league.apps.competitions.services.seasons import PartChoice, create_season, link_competition
from league.core.calendar import compute_local_date
from league.demo.club import ClubCompetitions
from league.demo.simulator import BY, build_club
from league.models import League

MONTH = timedelta(days=28)
#: Boxes of four, of which the first rises and the last falls.
BOXES = {
    "divisions": {
        "target_size": 4, "smallest": 3, "up": {"number": 1}, "preset": "boxes", "unplayed": "void",
        "competition": {"rated": False},
    }
}  # fmt: skip
SERIES = {"series": {"points": {"table": [10, 7, 5, 3, 2, 1]}, "best": 3, "of": 4}}
#: The club's members in the boxes of both months: one leaves, another comes.
BOX_MEMBERS = ((*range(4, 16),), (*range(4, 9), *range(10, 17)))
#: The members who came to each evening of the series.
EVENINGS = ((0, 3, 6, 9, 12, 15, 18, 19), (1, 3, 4, 6, 10, 12, 13, 18), (0, 1, 3, 6, 8, 9, 14, 19))


def run_seasons(league: League) -> tuple[str, ...]:
    """Run the seasons; return what to say of them. Their games are not rated, so that nothing is rated again."""
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    club = ClubCompetitions(league, build_club(), hour)
    today = compute_local_date(hour, league.time_zone)
    first = today - timedelta(days=14) - MONTH
    _draw_boxes(club, "boxes", "Boxes, first month", 0, first)
    _play_boxes(club, "boxes", hour - MONTH, rounds=3)
    close_season(league.pk, "boxes", by=BY)
    _draw_boxes(club, "boxes-2", "Boxes, second month", 1, first + MONTH, previous="boxes")
    _play_boxes(club, "boxes-2", hour - timedelta(days=7), rounds=2)
    _run_series(club)
    return ("2 seasons: boxes in their second month, and a series after 3 of 4 evenings.",)


def _draw_boxes(club: ClubCompetitions, slug: str, title: str, month: int, first: date, **settings: Any) -> None:
    """Draw the boxes of a month from its proposal."""
    league = club.league
    last = first + MONTH - timedelta(days=1)
    given = {"title": f"{title} (simulated)", "starts": first, "ends": last, "rule": BOXES, "status": "open"}
    create_season(league.pk, slug, {**given, **settings}, by=BY)
    entries = [NewSeasonEntry(club.club.names[member], 2000 - 10 * member) for member in BOX_MEMBERS[month]]
    add_season_entries(league.pk, slug, entries, by=BY, create_players=True)
    season = find_season(league, slug, for_organisers=True)
    draw_season(league.pk, slug, build_proposal(season).digest, by=BY)


def _play_boxes(club: ClubCompetitions, slug: str, at: datetime, rounds: int) -> None:
    season = Season.objects.get(league=club.league, slug=slug)
    for competition in season.parts.order_by("level").values_list("competition__slug", flat=True):
        for number in range(1, rounds + 1):
            club.play(competition, number, at + number * timedelta(days=1))


def _run_series(club: ClubCompetitions) -> None:
    """Play three of four evenings, each a cup of eight."""
    settings = {"title": "Series of evenings (simulated)", "rule": SERIES, "status": "open"}
    create_season(club.league.pk, "series", settings, by=BY)
    for event, members in enumerate(EVENINGS, 1):
        slug, at = f"evening-{event}", club.hour - timedelta(days=30 - 7 * event)
        club.make(slug, f"Evening {event}", "knockout", members, start=True, rated=False, parameters={"level": "seed"})
        link_competition(club.league.pk, slug, PartChoice("series", event=event), by=BY)
        for number in (1, 2, 3):
            club.play_round(slug, number, at + timedelta(minutes=40 * number))
        finish_competition(club.league.pk, slug, by=BY)
