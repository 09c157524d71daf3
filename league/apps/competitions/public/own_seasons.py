"""A player's seasons in words: where the player stands, and what can still happen."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.competitions.models import Season
from league.apps.competitions.public.season_words import describe_reach, describe_zone
from league.apps.competitions.selectors.own_seasons import OwnSeason, list_own_seasons
from league.apps.competitions.selectors.result_texts import format_points
from league.models import League, Player


@dataclass(frozen=True)
class ShownOwnSeason:
    """A season with what is said of the player. ``anchor``: of the player's division on the season's page."""

    season: Season
    sentences: list[str]
    anchor: str


def build_own_seasons(league: League, player: Player, *, mine: bool = False) -> list[ShownOwnSeason]:
    """Return a player's seasons with sentences; none in a league without competitions. ``mine``: for the player."""
    return [_build(own, mine=mine) for own in list_own_seasons(league, player)] if league.attaches_games else []


def _build(own: OwnSeason, *, mine: bool) -> ShownOwnSeason:
    sentences = [*_describe_division(own, mine=mine), *_describe_series(own), *_describe_groups(own)]
    anchor = f"d{own.table.name}" if own.table else ""
    return ShownOwnSeason(own.season, sentences or [_("Entered; not drawn yet.")], anchor)


def _describe_division(own: OwnSeason, *, mine: bool) -> list[str]:
    if own.table is None or own.line is None:
        return []
    reach = describe_reach(own.line, mine=mine) if own.line.reach and not own.line.certain else ""
    # What can still happen tells the zone, too.
    template = (
        _("Division {name}: place {rank} of {count}.")
        if reach
        else _("Division {name}: place {rank} of {count}, {zone}.")
    )
    place = template.format(
        name=own.table.name,
        rank=own.line.place.rank,
        count=len(own.table.lines),
        zone=describe_zone(own.line, own.season),
    )
    return [place, reach] if reach else [place]


def _describe_series(own: OwnSeason) -> list[str]:
    if own.row is None:
        return []
    template = _("Series: place {rank} of {count} with {points} points.")
    sentences = [template.format(rank=own.row.rank, count=own.players, points=format_points(own.row.points))]
    if own.to_come:
        template = ngettext("{count} event to come.", "{count} events to come.", own.to_come)
        sentences.append(template.format(count=own.to_come))
        if own.row.can_still_win and own.row.rank > 1:
            sentences.append(_("To win the series is still possible."))
    return sentences


def _describe_groups(own: OwnSeason) -> list[str]:
    sentences = []
    for table, line in own.groups:
        title = table.part.competition.group or table.part.competition.title
        template = _("{group}: place {rank} of {count}.")
        sentences.append(template.format(group=title, rank=line.rank, count=len(table.lines)))
        if line.target is not None:
            template = _("Through to: {stage}.") if line.certain else _("Would go to: {stage}.")
            sentences.append(template.format(stage=line.target.heading))
    return sentences
