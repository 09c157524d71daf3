"""Seasons of a league, with their rules, entries and competitions."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition, Season, SeasonEdition, SeasonEntry, SeasonPart
from league.core.errors import Conflict, NotFound
from league.core.text.names import is_storable
from league.models import League, Player
from ratings.registry import load_pairing_formats
from ratings.seasons.rules import SeasonRule, read_rule


def list_seasons(league: League, *, for_organisers: bool = False) -> QuerySet[Season]:
    """Return the seasons of a league, newest first. Drafts are for organisers only."""
    seasons = Season.objects.filter(league=league).select_related("previous").order_by("-created_at", "slug")
    return seasons if for_organisers else seasons.exclude(status=Season.Status.DRAFT)


def find_season(league: League, slug: str, *, for_organisers: bool = False) -> Season:
    """Return a season of a league; raises NotFound. Drafts are for organisers only."""
    seasons = list_seasons(league, for_organisers=for_organisers)
    found = seasons.filter(slug=slug).first() if is_storable(slug) else None
    if found is None:
        template = _("The league {league} has no season “{slug}”.")
        raise NotFound(template.format(league=league.title, slug=slug))
    found.league = league
    return found


def build_rule(season: Season) -> SeasonRule:
    """Return the rule of a season."""
    return read_rule(season.rule, load_pairing_formats())


def refuse_ended_season(season: Season) -> None:
    """Raise Conflict if a season is closed or cancelled."""
    if season.status == Season.Status.CLOSED:
        raise Conflict(_("The season is closed."))
    if season.status == Season.Status.CANCELLED:
        raise Conflict(_("The season was cancelled."))


def find_last_season_edition(season: Season) -> SeasonEdition | None:
    """Return the last edition of a season, None if it was never closed."""
    return SeasonEdition.objects.filter(league=season.league_id, season=season).order_by("-number").first()


def list_entries(season: Season) -> list[SeasonEntry]:
    """Return the entries of a season by number, with their players and those that these were merged into."""
    entries = SeasonEntry.objects.filter(league=season.league_id, season=season)
    return list(entries.select_related("player__merged_into").order_by("number"))


def list_parts(season: Season) -> list[SeasonPart]:
    """Return the competitions of a season: divisions, then groups of stages, then events, each in their order."""
    parts = SeasonPart.objects.filter(league=season.league_id, season=season).select_related("competition")
    for part in parts:
        part.competition.league = season.league
    return sorted(parts, key=lambda part: (part.level or 0, part.stage, part.letter, part.event or 0, part.pk))


def find_part(competition: Competition) -> SeasonPart | None:
    """Return what a competition is in its season, None if it has none."""
    parts = SeasonPart.objects.filter(league=competition.league_id, competition=competition)
    return parts.select_related("season").first()


def list_free_events(rule: SeasonRule, parts: Iterable[SeasonPart]) -> list[int]:
    """Return the numbers of the events of a series that have no competition yet."""
    taken = {part.event for part in parts}
    return [number for number in range(1, int(rule.series.of) + 1) if number not in taken] if rule.series else []


@dataclass(frozen=True)
class OwnSeasonEntry:
    """A season that players can enter by their links, and whether a player is entered."""

    season: Season
    is_entered: bool


def takes_player_entries(season: Season, now: datetime) -> bool:
    """Return whether players can enter by their links: the season is open, and the time for it has not passed."""
    return season.status == Season.Status.OPEN and season.entries_until is not None and now <= season.entries_until


def list_own_entries(league: League, player: Player, now: datetime) -> list[OwnSeasonEntry]:
    """Return the seasons that a player can enter, those that close first before others."""
    seasons = Season.objects.filter(league=league, status=Season.Status.OPEN, entries_until__gte=now)
    entered = SeasonEntry.objects.filter(
        Q(player=player) | Q(player__merged_into=player), league=league, status=SeasonEntry.Status.ENTERED
    ).values_list("season", flat=True)
    own = {*entered.filter(season__in=seasons)}
    return [OwnSeasonEntry(season, season.pk in own) for season in seasons.order_by("entries_until", "slug")]


def build_visible_condition(prefix: str = "") -> Q:
    """Return the condition that everyone may see a season."""
    return ~Q((f"{prefix}status", Season.Status.DRAFT))
