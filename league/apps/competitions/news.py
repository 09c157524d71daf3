"""The news of competitions: published rounds, deadlines that are near, and final standings."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from league.apps.competitions.models import (
    MEETINGS,
    Competition,
    FinalStandings,
    Fixture,
    Round,
    Season,
    SeasonEdition,
    SeasonEntry,
    SeasonPart,
)
from league.apps.competitions.selectors.competition_data import (
    build_entry_name,
    load_competition,
    load_competitions,
)
from league.apps.competitions.selectors.competitions import get_zone
from league.apps.competitions.selectors.open_fixtures import list_open_fixtures, query_open_fixtures
from league.core.news import AddedNews, NewsSource
from league.models import League

#: How long before its deadline a game without a result is announced.
REMINDER = timedelta(hours=48)
#: Maximum number of fixtures and of ranks in a notice.
MAX_FIXTURES, MAX_ROWS = 25, 10
ROUND_PUBLISHED, DEADLINE_NEAR, FINAL = "notice.round_published", "notice.deadline_near", "notice.final_standings"


def query_news(league: Any, cutoff: datetime, now: datetime) -> Iterable[QuerySet[Any]]:
    """Return the rows of a league (an OuterRef) that may be news."""
    return (
        _query_rounds(league, cutoff),
        FinalStandings.objects.filter(league=league, published_at__gt=cutoff),
        SeasonEdition.objects.filter(league=league, published_at__gt=cutoff),
        Fixture.objects.filter(
            league=league, competition__status=Competition.Status.RUNNING, cancelled_at=None, game=None,
            deadline__gt=now, deadline__lte=now + REMINDER,
        ),
    )  # fmt: skip


def _query_rounds(league: Any, cutoff: datetime) -> QuerySet[Round]:
    running = Competition.Status.RUNNING
    return Round.objects.filter(league=league, published_at__gt=cutoff, competition__status=running)


def find_news(league: League, cutoff: datetime, now: datetime) -> list[AddedNews]:
    """Return the recent news of a league, earliest first in each kind."""
    return [
        *(_find_rounds(league, cutoff) + _find_deadlines(league, now) if league.attaches_games else []),
        *_find_editions(league, cutoff),
        *_find_season_editions(league, cutoff),
    ]


def _find_rounds(league: League, cutoff: datetime) -> list[AddedNews]:
    """Return the rounds with games to be played, those that were published together as one item.

    What a draw of a season made is one item, too, whether it made two competitions or forty.
    """
    groups: defaultdict[tuple[Competition, datetime], list[Round]] = defaultdict(list)
    open_fixtures = Fixture.objects.filter(league=league, round=OuterRef("pk"), game=None).playable()
    rows = _query_rounds(league, cutoff).filter(Exists(open_fixtures)).select_related("competition")
    for one_round in rows.order_by("published_at", "competition", "number"):
        assert one_round.published_at is not None
        groups[one_round.competition, one_round.published_at].append(one_round)
    parts = _find_drawn_parts(league, {competition.pk for competition, _at in groups})
    found: list[AddedNews] = []
    drawn: defaultdict[str, list[Round]] = defaultdict(list)
    seasons: dict[str, Season] = {}
    for (competition, at), rounds in groups.items():
        part = parts.get(competition.pk)
        if part is not None and rounds[0].number == 1:
            key = f"season/{part.season.slug}/{part.stage or 'drawn'}"
            drawn[key] += rounds
            seasons[key] = part.season
        else:
            facts = partial(_build_round_facts, league, rounds)
            found.append(AddedNews(ROUND_PUBLISHED, f"{competition.slug}/{at.isoformat()}", facts))
    return found + [
        AddedNews(ROUND_PUBLISHED, key, partial(_build_drawn_facts, league, seasons[key], rounds))
        for key, rounds in drawn.items()
    ]


def _find_drawn_parts(league: League, competitions: set[int]) -> dict[int, SeasonPart]:
    """Return which competitions are divisions, or one of several groups of a stage."""
    if not competitions:
        return {}
    several = Q(level__isnull=False) | ~Q(letter="")
    parts = SeasonPart.objects.filter(several, league=league, competition__in=competitions).select_related("season")
    return {part.competition_id: part for part in parts}


def _build_drawn_facts(league: League, season: Season, rounds: Sequence[Round]) -> dict[str, Any]:
    """Return the games of the first rounds that a draw made."""
    competitions = list({one.competition_id: one.competition for one in rounds}.values())
    for competition in competitions:
        competition.league = league
    fixtures = [
        [loaded.name(entry) for entry in one.entries]
        for loaded in load_competitions(competitions)
        for one in loaded.list_fixtures(1)
        if one.status != "cancelled" and one.kind in MEETINGS
    ]
    return {
        "competition": season.title,
        "path": reverse("pages:season", args=[league.slug, season.slug]),
        "day": None,
        "time": None,
        "round": 1,
        "last_round": max(one.number for one in rounds),
        "count": len(fixtures),
        "fixtures": [{"table": None, "names": names} for names in fixtures[:MAX_FIXTURES]],
        "byes": [],
    }


def _build_round_facts(league: League, rounds: Sequence[Round]) -> dict[str, Any]:
    first, competition = rounds[0], rounds[0].competition
    competition.league = league
    loaded = load_competition(competition)
    fixtures = [one for one in loaded.list_fixtures(first.number) if one.status != "cancelled"]
    games = [one for one in fixtures if one.kind in MEETINGS]
    starts = first.starts_at or next((one.starts_at for one in games if one.starts_at is not None), None)
    return {
        **_build_head(competition, starts),
        "round": first.number,
        "last_round": rounds[-1].number,
        "count": len(games),
        "fixtures": [
            {"table": one.table, "names": [loaded.name(entry) for entry in one.entries]} for one in games[:MAX_FIXTURES]
        ],
        "byes": [loaded.name(one.entries[0]) for one in fixtures if one.kind not in MEETINGS],
    }


def _build_head(competition: Competition, at: datetime | None) -> dict[str, Any]:
    local = None if at is None else at.astimezone(get_zone(competition))
    path = reverse("pages:competition", args=[competition.league.slug, competition.slug])
    return {
        "competition": competition.title,
        "path": path,
        "day": None if local is None else local.date().isoformat(),
        "time": None if local is None else f"{local:%H:%M}",
    }


def _find_deadlines(league: League, now: datetime) -> list[AddedNews]:
    """Return the deadlines that are near, each with all games that it is for."""
    near = query_open_fixtures(league, now).filter(deadline__gt=now, deadline__lte=now + REMINDER)
    found = dict.fromkeys(near.order_by("deadline").values_list("competition__slug", "deadline"))
    return [
        AddedNews(
            DEADLINE_NEAR,
            f"{slug}/{deadline.isoformat()}",
            lambda slug=slug, deadline=deadline: _build_deadline_facts(league, now, slug, deadline),  # type: ignore[misc]  # binds
        )
        for slug, deadline in found
        if deadline is not None
    ]


def _build_deadline_facts(league: League, now: datetime, slug: str, deadline: datetime) -> dict[str, Any]:
    count = query_open_fixtures(league, now).count()
    fixtures = [
        one
        for one in list_open_fixtures(league, now, count)
        if one.row.competition.slug == slug and one.row.deadline == deadline
    ]
    return {
        **_build_head(fixtures[0].row.competition, deadline),
        "count": len(fixtures),
        "fixtures": [{"table": one.row.table, "names": list(one.names)} for one in fixtures[:MAX_FIXTURES]],
    }


def _find_editions(league: League, cutoff: datetime) -> list[AddedNews]:
    # Divisions are announced with their season.
    divisions = Competition.objects.filter(league=league, season_parts__level__isnull=False)
    editions = FinalStandings.objects.filter(league=league, published_at__gt=cutoff).select_related("competition")
    editions = editions.exclude(competition__in=divisions)
    return [
        AddedNews(
            FINAL,
            f"{edition.competition.slug}/{edition.number}",
            lambda edition=edition: _build_edition_facts(league, edition),  # type: ignore[misc]  # binds
        )
        for edition in editions.order_by("published_at")
    ]


def _build_edition_facts(league: League, edition: FinalStandings) -> dict[str, Any]:
    competition = edition.competition
    competition.league = league
    names = {entry.number: build_entry_name(entry) for entry in competition.entries.with_players()}
    results = json.loads(edition.document)["results"][:MAX_ROWS]
    return {
        **_build_head(competition, None),
        "edition": edition.number,
        "reason": edition.reason,
        "rows": [{"rank": row["rank"], "name": names[row["entry"]], "points": row["points"]} for row in results],
    }


def _find_season_editions(league: League, cutoff: datetime) -> list[AddedNews]:
    """Return the published editions of seasons that have divisions or a series."""
    editions = SeasonEdition.objects.filter(league=league, published_at__gt=cutoff).select_related("season")
    return [
        AddedNews(
            FINAL,
            f"season/{edition.season.slug}/{edition.number}",
            lambda edition=edition: _build_season_facts(league, edition),  # type: ignore[misc]  # binds
        )
        for edition in editions.order_by("published_at")
        if edition.season.rule.keys() & {"divisions", "series"}
    ]


def _build_season_facts(league: League, edition: SeasonEdition) -> dict[str, Any]:
    """Return the first of the first division, or of the series."""
    season = edition.season
    document = json.loads(edition.document)
    entries = SeasonEntry.objects.filter(league=league, season=season).select_related("player__merged_into")
    names = {entry.number: entry.survivor.name for entry in entries}
    places = document["divisions"][0]["places"] if document["divisions"] else document["series"]
    rows = [
        {"rank": row["rank"], "name": names[row["entry"]], "points": row["points"]}
        for row in places[:MAX_ROWS]
        # A guest of a series has no entry.
        if row["entry"] in names
    ]
    return {
        "competition": season.title,
        "path": reverse("pages:season", args=[league.slug, season.slug]),
        "day": None,
        "time": None,
        "edition": edition.number,
        "reason": edition.reason,
        "rows": rows,
    }


NEWS = NewsSource(query_news, find_news)
